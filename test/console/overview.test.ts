// The overview of the console: what is due and what it costs, from both lists, and where it leads.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { plural } from '../../console/format.ts';
import { monthRows } from '../../console/overview/money.ts';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, TOTAL, total } from '../kit/console-list.ts';
import { PHONE, Visits } from '../kit/console-visits.ts';
import { isPaid } from '../kit/model.ts';

const DAYS = 84;
const SENTENCE_DAYS = 30;
const WIDTHS = [320, 390, 768, 1280, 1920];
const MONTHS: Readonly<Record<string, number>> = { monthly: 1, quarterly: 3, yearly: 12 };
const LISTS = ['/api/v1/did/me', '/api/v1/services/additional'];

interface Item {
  readonly frequency: string;
  readonly monthly: number;
  readonly next_payment_at: string | null;
  readonly provider?: string;
}

interface Day {
  readonly count: number;
  readonly amount: number;
}

const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe('the overview', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  /** The items of each list, as the API returns them. */
  let items: readonly (readonly Item[])[];
  before(async () => {
    visits = await Visits.start();
    const authorization = `Bearer ${visits.token}`;
    items = await Promise.all(
      LISTS.map(async (path) => {
        const answer = await fetch(`${visits.server.origin}${path}?page_size=100`, {
          headers: { authorization },
        });
        return ((await answer.json()) as { data: Item[] }).data;
      }),
    );
  });
  after(() => visits?.end());

  /** What is paid on the nth day from today, from the items. */
  function due(n: number, of: readonly Item[] = items.flat()): Day {
    const those = of.filter((item) => isPaid(item, dayAfter(n)));
    const amounts = those.map(({ monthly, frequency }) => monthly * (MONTHS[frequency] ?? 0));
    return { count: those.length, amount: amounts.reduce((sum, one) => sum + one, 0) };
  }
  const range = (count: number) => Array.from({ length: count }, (_, i) => i);
  const payments = (count: number) => plural(texts.overview.payments, count);
  const money = (amount: number) => `€${amount.toFixed(2)}`;
  const slider = (page: Page) => page.getByRole('slider');
  const sentence = (page: Page) => page.locator('.overview-sentence');
  const valueText = async (page: Page) => (await slider(page).getAttribute('aria-valuetext')) ?? '';
  const firstDue = () => range(DAYS).find((n) => due(n).count > 0) ?? 0;

  test('says in two requests what is due in thirty days, as the items have it', async () => {
    const requested: string[] = [];
    const prepare = async (page: Page) => {
      page.on('request', (request) => {
        if (request.url().includes('/facets')) requested.push(request.url());
      });
    };
    await visits.visit({ path: '/', prepare }, async (page) => {
      await sentence(page).waitFor();
      const days = range(SENTENCE_DAYS).map((n) => due(n));
      const count = days.reduce((sum, day) => sum + day.count, 0);
      const amount = days.reduce((sum, day) => sum + day.amount, 0);
      const said = (await sentence(page).locator('p').first().textContent()) ?? '';
      assert.ok(said.includes(`${money(amount)} in ${payments(count)}`), said);
      assert.equal(requested.length, LISTS.length, requested.join());
    });
  });

  test('says what is overdue in money, and leads to those items', () =>
    visits.visit({ path: '/' }, async (page) => {
      const link = sentence(page).getByRole('link', { name: /virtual numbers? overdue/ });
      const late = items[0]?.filter(({ next_payment_at: at }) => at !== null && at < dayAfter(0)) ?? [];
      const amount = late.reduce(
        (sum, { monthly, frequency }) => sum + monthly * (MONTHS[frequency] ?? 0),
        0,
      );
      assert.ok(late.length > 1 && amount > 0);
      assert.equal(await link.textContent(), `${late.length}\u00a0virtual numbers overdue: ${money(amount)}`);
      await link.click();
      await total(page, late.length);
    }));

  test('has each month of each list, and the list that it opens says the same amount', () =>
    visits.visit({ path: '/' }, async (page) => {
      const [, month] = monthRows(Date.now()).filter((row) => row.time.kind === 'days');
      assert.ok(month?.time.kind === 'days');
      const { label, time } = month;
      const isOfMonth = (n: number) => dayAfter(n) >= time.first && dayAfter(n) <= time.last;
      const numbers = range(70)
        .filter(isOfMonth)
        .map((n) => due(n, items[0]));
      const amount = money(numbers.reduce((sum, day) => sum + day.amount, 0));
      const count = numbers.reduce((sum, day) => sum + day.count, 0);
      await page.getByRole('link', { name: texts.labelled(`Virtual numbers, ${label}`, amount) }).click();
      const chosen = page.locator('.due-sum[data-on]');
      await chosen
        .filter({ hasText: amount })
        .filter({ hasText: payments(count) })
        .waitFor();
      await page.locator('.due-chart li[data-off]').first().waitFor();
    }));

  test('reads each day out to the keyboard, and Enter opens its list', () =>
    visits.visit({ path: '/' }, async (page) => {
      await slider(page).focus();
      await page.keyboard.press('Home');
      for (const n of range(DAYS)) {
        const { count, amount } = due(n);
        const expected = count === 0 ? texts.overview.nothingDue : `${money(amount)} in ${payments(count)}`;
        const said = await valueText(page);
        assert.ok(said.endsWith(`: ${expected}`), `day ${n}: ${said}, not ${expected}`);
        await page.keyboard.press('ArrowRight');
      }
      assert.equal(await slider(page).getAttribute('aria-valuenow'), String(DAYS - 1));
      await page.keyboard.press('Home');
      for (const _ of range(firstDue())) await page.keyboard.press('ArrowRight');
      const links = page.locator('.timeline-readout a');
      assert.equal(await links.count(), items.filter((of) => due(firstDue(), of).count > 0).length);
      await page.keyboard.press('Enter');
      await page.locator('.chip').filter({ hasText: 'Next payment' }).waitFor();
      assert.match(new URL(page.url()).searchParams.get('next_payment_from') ?? '', /T00:00:00\.000000Z$/);
      assert.match(new URL(page.url()).searchParams.get('next_payment_to') ?? '', /T23:59:59\.999999Z$/);
    }));

  test('leads from the bar of a day to the list of that day', () =>
    visits.visit({ path: '/' }, async (page) => {
      const bar = page.locator('.timeline rect[data-list="virtual_numbers"]').first();
      await bar.hover();
      const first = range(DAYS).find((n) => due(n, items[0]).count > 0) ?? 0;
      const next = items[0]?.filter(({ next_payment_at: at }) => at?.startsWith(dayAfter(first))) ?? [];
      await page
        .locator('.timeline-readout')
        .getByText(/^Virtual numbers: /)
        .waitFor();
      await bar.click();
      await total(page, next.length);
      await page.locator('.chip').filter({ hasText: 'Next payment' }).first().waitFor();
    }));

  test('reads a day out to a finger, and stays', () =>
    visits.visit({ path: '/', viewport: PHONE, hasTouch: true }, async (page) => {
      const before = await slider(page).getAttribute('aria-valuenow');
      const { width = 0, height = 0 } = (await slider(page).boundingBox()) ?? {};
      await slider(page).tap({ position: { x: width - 2, y: height / 2 } });
      await page.locator(`[role=slider][aria-valuenow="${DAYS - 1}"]`).waitFor();
      assert.notEqual(before, String(DAYS - 1));
      assert.equal(new URL(page.url()).pathname, '/');
    }));

  test('ranks what providers cost, with services as a line, and adds up', () =>
    visits.visit({ path: '/' }, async (page) => {
      const panel = page
        .locator('.panel')
        .filter({ hasText: texts.compare.title(texts.compare.monthly, 'number provider') });
      await panel.waitFor();
      const values = await panel.locator('.part-count').allTextContents();
      const sizes = values.map((text) => Number(text.replace('€', '')));
      const ranks = sizes.slice(0, -1);
      assert.deepEqual(
        ranks,
        ranks.toSorted((a, b) => b - a),
      );
      const whole = items.flat().reduce((sum, { monthly }) => sum + monthly, 0);
      assert.equal(sizes.reduce((sum, one) => sum + one, 0).toFixed(2), whole.toFixed(2));
      await page.getByText(money(whole), { exact: true }).waitFor();
      const [provider = ''] = items[0]?.map((one) => one.provider ?? '') ?? [];
      await panel.getByRole('link', { name: provider }).click();
      await total(page, items[0]?.filter((one) => one.provider === provider).length ?? 0);
    }));

  test('of an account without anything says what to do next', async () => {
    await visits.server.command('account', 'create', 'nothing-yet');
    const own = await visits.server.token('nothing-yet');
    const tree = await visits.server.token('nothing-yet', '--reach', 'tree');
    for (const { token } of [own, tree]) {
      await visits.visit({ path: '/', token }, async (page) => {
        await page.getByRole('heading', { name: texts.overview.empty }).waitFor();
        await page.getByText(texts.overview.emptyHint).waitFor();
        assert.equal(await page.locator('.panel').count(), 0);
        assert.deepEqual(await complaints(page), []);
      });
    }
  });

  test('is where the name of the product leads, on a phone too; nothing sticks out', () =>
    visits.visit({}, async (page) => {
      await total(page, TOTAL);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        await page.getByRole('link', { name: texts.product }).click();
        await sentence(page).waitFor();
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      }
    }));

  test('that cannot be loaded says why, and comes when it can', () =>
    visits.visit(
      { path: '/', prepare: (page) => page.route('**/facets*', (route) => route.fulfill({ status: 503 })) },
      async (page) => {
        await page.getByText(texts.trouble.sentences.unavailable).waitFor();
        await page.unroute('**/facets*');
        await sentence(page).waitFor();
      },
    ));
});
