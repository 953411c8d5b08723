// How the console writes what is in a row: due dates, charges, states and marks.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../kit/browser.ts';
import { total } from '../kit/console-list.ts';
import { NUMBERS, Visits } from '../kit/console-visits.ts';

const ACCOUNT = 'rows';
const EURO_ACCOUNT = 'rows-in-euros';
const YEN_ACCOUNT = 'rows-in-yen';
const DAY_MS = 86_400_000;
const ROW_PX = 36;
const PILL_PX = 160;
const LONG_STATE = 'waiting_for_the_documents_of_the_regulator';
const midnight = (days: number) => new Date(Math.floor(Date.now() / DAY_MS + days) * DAY_MS).toISOString();
const rows = [
  { monthly: 1.5, next_payment_at: midnight(10), status: 'active', subscription_status: 'active' },
  { monthly: 12.345678, next_payment_at: midnight(-3), status: 'blocked', subscription_status: 'suspended' },
  { monthly: 1200, next_payment_at: midnight(0), status: LONG_STATE, subscription_status: LONG_STATE },
  {
    monthly: 0.0005,
    next_payment_at: midnight(-1),
    status: 'active',
    subscription_status: 'active',
    is_spammed: true,
  },
].map((row, i) => ({ id: 930_001 + i, did: `+4420794600${10 + i}`, ...row }));

describe('a row of the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  let token: string;
  let euroToken: string;
  let yenToken: string;
  before(async () => {
    visits = await Visits.start();
    await visits.server.import(ACCOUNT, rows);
    ({ token } = await visits.server.token(ACCOUNT));
    await visits.server.command('account', 'create', EURO_ACCOUNT, '--currency', 'EUR');
    await visits.server.import(
      EURO_ACCOUNT,
      rows.map((row) => ({ ...row, id: row.id + rows.length })),
    );
    ({ token: euroToken } = await visits.server.token(EURO_ACCOUNT));
    await visits.server.command('account', 'create', YEN_ACCOUNT, '--currency', 'JPY');
    await visits.server.import(
      YEN_ACCOUNT,
      rows.map((row) => ({ ...row, id: row.id + 2 * rows.length })),
    );
    ({ token: yenToken } = await visits.server.token(YEN_ACCOUNT));
  });
  after(() => visits?.end());

  const row = (page: Page, n: number) => page.locator(`tr[data-id="${930_001 + n}"]`);

  for (const timezoneId of ['America/New_York', 'Pacific/Auckland']) {
    test(`says in ${timezoneId} what is due in days, with its day in UTC`, () =>
      visits.visit({ token, timezoneId }, async (page) => {
        await total(page, rows.length);
        const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
        const said = ['in 10 days', '3\u00a0days overdue', 'today', '1\u00a0day overdue'];
        for (const [n, words] of said.entries()) {
          const time = row(page, n).locator('time');
          const at = new Date(rows[n]?.next_payment_at ?? '');
          assert.equal(await time.textContent(), `${words} ${day.format(at)}`);
          assert.match((await time.getAttribute('title')) ?? '', /, UTC$/);
        }
        assert.equal(await page.locator('tbody [data-overdue]').count(), 2);
      }));
  }

  /** The currency is before the digits in the one, and behind them in the other. */
  const written = {
    'en-GB': ['€1.50', '€12.345678', '€1,200.00', '€0.0005'],
    'de-DE': ['1,50\u00a0€', '12,345678\u00a0€', '1.200,00\u00a0€', '0,0005\u00a0€'],
  };
  for (const [locale, charges] of Object.entries(written)) {
    test(`has charges in ${locale} that are aligned on the decimal point, exactly`, () =>
      visits.visit({ token: euroToken, locale }, async (page) => {
        await page
          .locator('td .money')
          .nth(rows.length - 1)
          .waitFor();
        const money = page.locator('td .money');
        assert.deepEqual(await money.allTextContents(), charges);
        const points = await page.evaluate<number[]>(`
          [...document.querySelectorAll('td .money')].map(({ firstChild }) => {
            const at = Math.max(...['.', ','].map((one) => firstChild.data.lastIndexOf(one)));
            const point = document.createRange();
            point.setStart(firstChild, at);
            point.setEnd(firstChild, at + 1);
            return point.getBoundingClientRect().left;
          })`);
        assert.ok(Math.max(...points) - Math.min(...points) < 1, points.join());
        assert.match((await page.locator('.figure').textContent()) ?? '', /1[,.]213[,.]85/);
      }));
  }

  test('has charges of a currency without decimals without them, but for those of a charge', () =>
    visits.visit({ token: yenToken }, async (page) => {
      await total(page, rows.length);
      await page.locator('td .money').first().filter({ hasText: '¥' }).waitFor();
      const money = await page.locator('td .money').allTextContents();
      assert.deepEqual(money, ['JP¥1.5', 'JP¥12.345678', 'JP¥1,200', 'JP¥0.0005']);
    }));

  test('has one cell for a status and a subscription, with both where they differ', () =>
    visits.visit({ token }, async (page) => {
      await total(page, rows.length);
      assert.equal(await row(page, 0).locator('td .pill').count(), 1);
      assert.deepEqual(await row(page, 1).locator('td .pill').allTextContents(), ['Blocked', 'Suspended']);
      await page.goto(`${visits.server.origin}${NUMBERS}?fields=did,status,subscription_status`);
      await total(page, rows.length);
      assert.equal(await row(page, 0).locator('td .pill').count(), 2);
      const pill = row(page, 2).locator('td .pill').first();
      assert.ok(((await pill.boundingBox())?.width ?? 0) <= PILL_PX);
    }));

  test('is low, and marks a number that is flagged next to it', () =>
    visits.visit({ token }, async (page) => {
      await total(page, rows.length);
      await row(page, 3).locator('.row-link + .mark').filter({ hasText: 'Spam' }).waitFor();
      assert.equal(await page.locator('.mark').count(), 1);
      for (let n = 0; n < rows.length; n += 1) {
        assert.ok(((await row(page, n).boundingBox())?.height ?? 0) <= ROW_PX + 1);
      }
    }));

  test('and what is counted are dim while they are of the question before', () =>
    visits.visit({ token }, async (page) => {
      await total(page, rows.length);
      await page.locator('.figure').waitFor();
      let go = () => {};
      const held = new Promise<void>((resolve) => {
        go = resolve;
      });
      await page.route('**/did/me/facets*', async (route) => {
        await held;
        await route.continue();
      });
      await page.getByRole('checkbox', { name: /^Blocked/ }).check();
      await page.locator('.layout[data-old]').waitFor();
      go();
      await page.locator('.layout:not([data-old])').waitFor();
    }));
});
