// The console with an operator's token: every account to choose from, each as its customer sees it, and a
// line that says whose eyes these are.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, Visits } from '../kit/console-visits.ts';
import { SMALL_FIRM } from '../kit/demo-server.ts';

const words = texts.accounts;
const NAME = 'Pennywharf Dental';

describe('an operator in the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  let token: string;
  let bound: string;
  before(async () => {
    visits = await Visits.start();
    const { server } = visits;
    const make = async (...words: string[]) =>
      (await server.command('token', 'create', '--operator', '--may', 'read', ...words)).out.trim();
    token = await make('--name', 'Alice of support');
    bound = await make('--account', SMALL_FIRM);
  });
  after(() => visits?.end());

  const search = async (page: Page) => {
    await page.getByRole('searchbox', { name: words.search }).fill('penny');
    await page.getByText(words.total.one.replace('#', '1')).waitFor();
    await page.getByRole('link', { name: new RegExp(`^${NAME} ${SMALL_FIRM}`) }).click();
  };

  test('signs in, finds any account by its name, and reads as whom they see it', () =>
    visits.visit({ token: '', path: NUMBERS }, async (page) => {
      await page.getByLabel(texts.signIn.token).fill(token);
      await page.getByRole('button', { name: texts.signIn.go }).click();
      await page.getByRole('heading', { name: words.title }).waitFor();
      assert.equal(await page.getByText(words.own).count(), 0);
      await page.locator('.chooser-list .flagged').first().waitFor();
      await search(page);
      await total(page, TOTAL);
      await page.getByText(words.asOperator('Alice of support')).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('account'), SMALL_FIRM);
      const isScrolled = await page.evaluate(
        'document.documentElement.scrollHeight > document.documentElement.clientHeight',
      );
      assert.equal(isScrolled, false);
      await page.getByRole('button', { name: words.choose(NAME) }).click();
      await page.getByRole('dialog').getByRole('searchbox', { name: words.search }).waitFor();
      assert.equal(await page.getByText(words.own).count(), 0);
    }));

  test('sees the name of the product on the page of accounts, which has no tabs', () =>
    visits.visit({ token, path: '/' }, async (page) => {
      await page.locator('.chooser-list .flagged').first().waitFor();
      for (const width of [320, 390, 768, 1024, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        assert.equal(await page.locator('.brand-name').isVisible(), true, String(width));
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      }
    }));

  test('finds accounts in the palette, before one is chosen and after, and no list that has none to be of', () =>
    visits.visit({ token, path: NUMBERS }, async (page) => {
      await page.getByRole('heading', { name: words.title }).waitFor();
      const option = page.getByRole('option');
      await page.keyboard.press('Control+k');
      await option.first().waitFor();
      assert.equal(await option.filter({ hasText: texts.palette.goTo('') }).count(), 0);
      await page.keyboard.type('zzzz');
      await page.getByRole('dialog').getByText(texts.nothingFound.title).waitFor();
      await page.locator('.palette-input').clear();
      await page.keyboard.type('penny');
      await option.filter({ hasText: NAME }).waitFor();
      assert.equal(await option.count(), 1);
      await page.keyboard.press('Enter');
      await total(page, TOTAL);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('ringm');
      await option.filter({ hasText: 'Ringmallow' }).click();
      await page.getByRole('button', { name: words.choose('Ringmallow Answers') }).waitFor();
    }));

  test('pastes a token that may only import, and reads what it is and which one to use', () =>
    visits.visit({ token: '', path: NUMBERS, viewport: PHONE }, async (page) => {
      const { out } = await visits.server.command('token', 'create', '--operator', '--may', 'import');
      await page.getByLabel(texts.signIn.token).fill(out.trim());
      await page.getByRole('button', { name: texts.signIn.go }).click();
      const said = page.getByRole('alert').filter({ hasText: texts.signIn.wrongOperator });
      const code = said.locator('code', { hasText: '--may read' });
      for (const width of [320, 340, 360, 380, 400]) {
        await page.setViewportSize({ width, height: PHONE.height });
        const lines = await code.evaluate((one) => one.getClientRects().length);
        assert.equal(lines, 1, `${width} wide, --may read is in ${lines} lines.`);
      }
    }));

  test('sees the accounts of its token alone', () =>
    visits.visit({ token: bound, path: '/' }, async (page) => {
      await page.getByText(words.total.one.replace('#', '1')).waitFor();
      await page.getByRole('link', { name: new RegExp(`^${NAME} ${SMALL_FIRM}`) }).click();
      await page.getByRole('button', { name: words.choose(NAME) }).waitFor();
      await page.goto(`${visits.server.origin}${NUMBERS}?account=nobody`);
      await page.getByText(words.outOfReach('nobody')).waitFor();
      await page.getByRole('link', { name: words.title }).click();
      await page.getByText(words.total.one.replace('#', '1')).waitFor();
    }));

  test('is signed out when the token ends', () =>
    visits.visit({ token: '', path: `${NUMBERS}?account=${SMALL_FIRM}` }, async (page) => {
      const { out, err } = await visits.server.command('token', 'create', '--operator', '--may', 'read');
      await page.getByLabel(texts.signIn.token).fill(out.trim());
      await page.getByRole('button', { name: texts.signIn.go }).click();
      await total(page, TOTAL);
      await visits.server.command('token', 'revoke', /token (\S+)/.exec(err)?.[1] ?? '');
      await page.getByText(texts.signIn.expired).waitFor();
    }));
});
