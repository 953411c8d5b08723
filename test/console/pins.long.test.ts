// Views that get a name in the console, and values of the table that the list is filtered by.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, inScheme, rows, TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SERVICES, Visits } from '../kit/console-visits.ts';

const GERMAN = `${NUMBERS}?country_codes=DE&sort_by=monthly`;
const words = texts.pins;
const NAME = 'Berlin & friends';

describe('in the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  before(async () => {
    visits = await Visits.start();
  });
  after(() => visits?.end());

  const dialog = (page: Page) => page.getByRole('dialog');
  const pinned = (page: Page) => page.getByRole('navigation', { name: words.title });

  async function pin(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: words.pin }).press('Enter');
    await dialog(page).getByLabel(words.name).fill(name);
    await page.keyboard.press('Enter');
    await page
      .getByRole('button', { name: words.remove(name) })
      .first()
      .waitFor();
  }

  test('a view gets a name by the keyboard, and is found next to the filters and in the palette', () =>
    visits.visit({ path: GERMAN }, async (page) => {
      await total(page, 16);
      await page.getByRole('button', { name: words.pin }).press('Enter');
      assert.equal(await dialog(page).getByLabel(words.name).inputValue(), 'Germany');
      for (const scheme of ['light', 'dark'] as const) {
        await inScheme(page, scheme);
        assert.deepEqual(await complaints(page), []);
      }
      await page.keyboard.press('Escape');
      await pin(page, NAME);
      await page.goto(visits.server.origin + SERVICES);
      await total(page, 8);
      await pinned(page).getByRole('link', { name: NAME }).click();
      await total(page, 16);
      const { pathname, search } = new URL(page.url());
      assert.equal(pathname + search, GERMAN);
      await page.goto(visits.server.origin);
      await page.locator('.overview-sentence').waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: NAME }).first().click();
      await total(page, 16);
      await pinned(page)
        .getByRole('button', { name: words.remove(NAME) })
        .click();
      await pinned(page).waitFor({ state: 'detached' });
      await page.reload();
      await total(page, 16);
      assert.equal(await pinned(page).count(), 0);
    }));

  test('a view gets and loses a name from the palette, which begins the selection of a phone, too', () =>
    visits.visit({ path: GERMAN }, async (page) => {
      const act = async (label: string) => {
        await page.keyboard.press('Control+k');
        await page.keyboard.type(label);
        await page.getByRole('option', { name: label, exact: true }).click();
      };
      await total(page, 16);
      await act(words.pin);
      const name = dialog(page).getByLabel(words.name);
      await name.and(page.locator(':focus')).waitFor();
      await name.fill(NAME);
      await page.keyboard.press('Enter');
      await pinned(page).getByRole('link', { name: NAME }).waitFor();
      await act(words.remove(NAME));
      await pinned(page).waitFor({ state: 'detached' });
      await page.setViewportSize(PHONE);
      await page.locator('.card').first().waitFor();
      await act(texts.select.toCopy);
      await page.locator('.card-select').first().waitFor();
    }));

  /** Scrolls the drawer of the filters, and says what of it lies under its button. */
  const underButton = (page: Page, depth: number) =>
    page.evaluate<string[]>(`{
      const button = document.querySelector('.show-results');
      const drawer = button.closest('section');
      for (const one of [drawer, ...drawer.querySelectorAll('*')])
        if (getComputedStyle(one).overflowY === 'auto') one.scrollTop = ${depth} * (one.scrollHeight - one.clientHeight);
      const { top, left, right } = button.getBoundingClientRect();
      const at = [left + 1, (left + right) / 2, right - 1];
      const under = at.flatMap((x) => document.elementsFromPoint(x, top + 1)).filter((one) => !one.contains(button));
      under.filter((one) => drawer.contains(one)).map(({ className, tagName }) => className || tagName);
    }`);

  test('a view with a name is one of its account alone, and on a phone among the filters', async () => {
    const other = await visits.server.sampleToken('ringmallow-answers');
    await visits.visit({ path: GERMAN, viewport: PHONE }, async (page) => {
      await total(page, 16);
      await pin(page, NAME);
      await page.getByRole('button', { name: texts.filters.title }).click();
      const link = dialog(page).getByRole('link', { name: NAME });
      await link.waitFor();
      const clear = dialog(page).getByRole('button', { name: texts.filters.clear });
      const [above, below] = [await clear.boundingBox(), await link.boundingBox()];
      assert.ok(above && below && above.y + above.height <= below.y, 'nothing is over the view');
      await dialog(page).locator('.show-results').waitFor();
      for (const depth of [0, 0.25, 0.5, 0.75, 1]) {
        assert.deepEqual(await underButton(page, depth), []);
        assert.deepEqual(await complaints(page), []);
      }
      await page.evaluate(`sessionStorage.setItem('linecard-token', '${other}')`);
      await page.goto(visits.server.origin + GERMAN);
      await page.getByRole('button', { name: words.pin }).waitFor();
      assert.equal(await page.getByText(NAME).count(), 0);
    });
  });

  test('a value of the table filters the list by a click, and leaves out what has it', () =>
    visits.visit({}, async (page) => {
      await total(page, TOTAL);
      const value = rows(page)
        .filter({ hasText: 'Blocked' })
        .first()
        .locator('.cell-value', { hasText: 'Blocked' });
      await value.click();
      assert.equal(await dialog(page).count(), 0);
      for (const scheme of ['light', 'dark'] as const) {
        await inScheme(page, scheme);
        assert.deepEqual(await complaints(page, '[role=menu]'), []);
      }
      await page.getByRole('menuitem', { name: texts.filters.only('Blocked') }).click();
      await total(page, 2);
      await rows(page).first().locator('.cell-value', { hasText: 'Blocked' }).click();
      await page.getByRole('menuitem', { name: texts.filters.exclude('Blocked') }).click();
      await total(page, TOTAL - 2);
      assert.equal(new URL(page.url()).search, '?statuses_exclude=blocked');
    }));

  test('a value of the table filters the list by the keyboard', () =>
    visits.visit({ path: `${NUMBERS}?fields=did,country_code,provider` }, async (page) => {
      await total(page, TOTAL);
      await page.locator('.row-link').first().focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      const focused = () => page.evaluate<string>('document.activeElement.dataset.value');
      const code = await focused();
      assert.match(code, /^[A-Z]{2}$/);
      await page.keyboard.press('ArrowRight');
      const provider = await focused();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: texts.filters.only(provider) }).waitFor();
      await page.keyboard.press('Escape');
      await page.waitForFunction(`document.activeElement.matches('.cell-value')`);
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem').first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**?country_codes=${code}&**`);
      assert.equal(await dialog(page).count(), 0);
    }));
});
