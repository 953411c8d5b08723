// The console of a token with limits: what it may not see is absent from the page, not empty.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { lists } from '../../console/contract.ts';
import { texts } from '../../console/texts.ts';
import { fieldLabel } from '../../console/words.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { TOTAL, total, unfold } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SERVICES, Visits, WIDE } from '../kit/console-visits.ts';
import { SMALL_FIRM } from '../kit/demo-server.ts';

const CHARGES = ['activation', 'monthly', 'incoming'].map(fieldLabel);
const AMOUNT = /€/;

describe('the console of a token with limits', {
  skip: process.env['CI'] === 'true' ? false : NO_BROWSER,
}, () => {
  let visits: Visits;
  let withoutCharges: string;
  let servicesOnly: string;
  before(async () => {
    visits = await Visits.start();
    ({ token: withoutCharges } = await visits.server.token(SMALL_FIRM, '--without-charges'));
    ({ token: servicesOnly } = await visits.server.token(SMALL_FIRM, '--lists', 'additional-services'));
  });
  after(() => visits?.end());

  /** Every text that the page shows. */
  const shown = async (page: Page) =>
    (await page.locator('body').allInnerTexts()).join().replaceAll(/\s+/g, ' ');

  function noCharges(text: string): void {
    for (const label of CHARGES) assert.equal(text.includes(label), false, `${label} in ${text}`);
    assert.equal(text.includes(texts.compare.monthly), false, text);
    assert.doesNotMatch(text, AMOUNT);
  }

  for (const viewport of [WIDE, PHONE]) {
    test(`${viewport.width} wide: charges are no column, no figure and no field of an item`, () =>
      visits.visit({ token: withoutCharges, viewport }, async (page) => {
        await total(page, TOTAL);
        await unfold(page);
        await page.locator('.due-sum').first().waitFor();
        await page.locator('.figure').waitFor();
        noCharges(await shown(page));
        await page.locator('.flagged').first().waitFor();
        if (viewport === PHONE) {
          await page.getByRole('button', { name: texts.table.more }).click();
          await page.getByRole('menuitem', { name: texts.table.columns }).click();
          await page.getByRole('menuitemcheckbox').first().waitFor();
        } else {
          await page.getByRole('button', { name: texts.table.columns }).click();
          await page.locator('.columns').waitFor();
        }
        noCharges(await shown(page));
        await page.keyboard.press('Escape');
        await page.locator('#list .rows a').first().click();
        await page.locator('.details .fields').first().waitFor();
        noCharges(await shown(page));
      }));
  }

  test('the months of the overview say how many payments there are, once', () =>
    visits.visit({ token: withoutCharges, path: '/' }, async (page) => {
      await page
        .getByRole('heading', { name: `${texts.overview.byMonth}: ${texts.compare.payments}` })
        .waitFor();
      const rows = await page.locator('.months tbody th').allInnerTexts();
      assert.deepEqual(
        rows.filter((row) => /payment/.test(row)),
        [],
      );
      noCharges(await shown(page));
    }));

  test('a token without limits sees them all', () =>
    visits.visit({}, async (page) => {
      await total(page, TOTAL);
      await page.locator('.figure').filter({ hasText: AMOUNT }).waitFor();
      const text = await shown(page);
      for (const label of [texts.compare.monthly, fieldLabel('monthly')])
        assert.ok(text.includes(label), text);
    }));

  test('an order by a charge, as in an address of a colleague, is refused in a sentence', () =>
    visits.visit({ token: withoutCharges, path: `${NUMBERS}?sort_by=monthly` }, async (page) => {
      const alert = page.getByRole('alert');
      await alert.waitFor();
      assert.match(
        String(await alert.allInnerTexts()),
        /This token may not see any charge, and sort_by asks for one\./,
      );
    }));

  for (const [path, place, shows] of [
    ['/', '/', '.overview-sentence'],
    [NUMBERS, SERVICES, '.row-link'],
  ] as const) {
    test(`${path} leads to what the token sees, and no other list is named`, () =>
      visits.visit({ token: servicesOnly, path }, async (page) => {
        await page.waitForURL(`**${place}`);
        await page.locator(shows).first().waitFor();
        const tabs = page
          .getByRole('navigation', { name: texts.views })
          .getByRole('link')
          .filter({ hasNotText: new RegExp(`${texts.overview.title}|${texts.activity.title}`) });
        const [numbers, services] = lists;
        await tabs.filter({ hasText: numbers?.title ?? '' }).waitFor({ state: 'detached' });
        assert.equal(await tabs.count(), 1);
        assert.match(String(await tabs.allInnerTexts()), new RegExp(`^${services?.title}`));
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').waitFor();
        assert.equal((await shown(page)).includes(numbers?.title ?? ''), false);
      }));
  }

  test('a person signs in with it, and sees nothing for a moment that is not theirs', () =>
    visits.visit({ token: '', path: '/' }, async (page) => {
      const said: string[] = [];
      await page.exposeFunction('seen', (text: string) => void said.push(text));
      await page.getByLabel(texts.signIn.token, { exact: true }).fill(withoutCharges);
      await page.evaluate(
        'new MutationObserver(() => seen(document.body.innerText)).observe(document.body, { subtree: true, childList: true })',
      );
      await page.getByRole('button', { name: texts.signIn.go }).click();
      await page.locator('.overview-sentence').waitFor();
      noCharges(await shown(page));
      await page
        .getByRole('link', { name: lists[0]?.title ?? '' })
        .first()
        .click();
      await total(page, TOTAL);
      await page.locator('.figure').waitFor();
      for (const text of said) for (const label of CHARGES) assert.equal(text.includes(label), false, text);
    }));
});
