// What the console shows while the account changes under it, and how few requests that takes.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { TOTAL, total } from '../kit/console-list.ts';
import { Visits } from '../kit/console-visits.ts';

/** Each has an account of its own, but all wait. */
const AT_ONCE = { concurrency: 3 };
const BUSY = 'busy';
const SHORT = 'short';
const TWICE = 'twice';
const NIGHT = 'night';
const DAY_MS = 86_400_000;
/** More than one page has. */
const MANY = 130;
const CHANGING_MS = 5_000;
/** What a clock of the browser may be off by. */
const SLACK_MS = 50;

/** Counts, in the page, the most listeners that one signal has had at a time. */
const COUNT_LISTENERS = `{
  const own = new WeakMap();
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const count = (signal, by) => {
    own.set(signal, (own.get(signal) ?? 0) + by);
    window.mostListeners = Math.max(window.mostListeners ?? 0, own.get(signal));
  };
  Object.assign(AbortSignal.prototype, {
    addEventListener(...given) { count(this, 1); addEventListener.apply(this, given); },
    removeEventListener(...given) { count(this, -1); removeEventListener.apply(this, given); },
  });
}`;

const isWait = (request: Request) => request.headers()['prefer'] !== undefined;
const isDue = (request: Request) => /next_payment_from=/.test(request.url());

/** Numbers, one due each day from tomorrow. */
function numbers(count: number, first: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, i) => ({
    id: first + i,
    did: `+4420794${String(60_000 + i)}`,
    comment: `number ${i}`,
    next_payment_at: new Date(Date.now() + (1 + (i % 10)) * DAY_MS).toISOString(),
  }));
}

describe('the console while things change', {
  skip: process.env['CI'] === 'true' ? false : NO_BROWSER,
}, () => {
  let visits: Visits;
  const busy = numbers(MANY, 910_000);
  const short = numbers(3, 920_000);
  const twice = numbers(30, 921_000);
  const night = numbers(3, 922_000);
  const tokens: Record<string, string> = {};

  before(async () => {
    visits = await Visits.start();
    await visits.server.import(BUSY, busy);
    await visits.server.import(SHORT, short);
    await visits.server.import(TWICE, twice);
    await visits.server.import(NIGHT, night);
    for (const account of [BUSY, SHORT, TWICE, NIGHT])
      tokens[account] = (await visits.server.token(account)).token;
  });
  after(() => visits?.end());

  const days = (page: Page) => page.locator('.due-chart li');

  describe('an account', AT_ONCE, () => {
    test('that changes all the time is looked at every few seconds, and its days with its facets', async () => {
      const prepare = (page: Page) => page.addInitScript(COUNT_LISTENERS);
      await visits.visit({ token: tokens[BUSY] ?? '', prepare }, async (page) => {
        await total(page, MANY);
        await days(page).first().waitFor();
        const waits: number[] = [];
        let counted = 0;
        page.on('request', (request) => {
          if (isDue(request)) counted += 1;
        });
        page.on('response', (response) => {
          if (isWait(response.request())) waits.push(response.request().timing().startTime);
        });
        let changes = 0;
        // Every answer says that something has changed since the last one.
        await page.route(
          ({ search }) => search === '?page_size=1',
          async (route) => {
            const response = await route.fetch({ headers: { ...route.request().headers(), prefer: '' } });
            changes += 1;
            await route.fulfill({
              response,
              headers: { ...response.headers(), etag: `"change-${changes}"` },
            });
          },
        );
        await visits.server.import(BUSY, [{ ...busy[0], comment: 'changed' }]);
        await page.getByText('changed', { exact: true }).waitFor();
        while (waits.length < 3) await page.waitForResponse((response) => isWait(response.request()));
        const pauses = waits.slice(1).map((at, i) => at - (waits[i] ?? 0));
        assert.ok(Math.min(...pauses) >= CHANGING_MS - SLACK_MS, pauses.join());
        assert.equal(counted, 0);
        // That of the request and that of the pause; one more for each pause would be many after a week.
        const listeners = await page.evaluate<number>('window.mostListeners');
        assert.ok(listeners <= 2, String(listeners));
      });
    });

    test('whose list has changed shows new values at once in the rows that are there', async () => {
      await visits.visit({ token: tokens[SHORT] ?? '' }, async (page) => {
        await total(page, 3);
        await visits.server.import(SHORT, [{ ...short[0], id: 919_999, did: '+442079400001' }]);
        await page.getByText(texts.live.changed).waitFor();
        await visits.server.import(SHORT, [{ ...short[2], comment: 'changed meanwhile' }]);
        await page.locator('tr[data-changed]').filter({ hasText: 'changed meanwhile' }).waitFor();
        assert.equal(await page.getByText('+44 20 7940 0001').count(), 0);
        await page.getByRole('button', { name: texts.live.show }).click();
        await page.getByText('+44 20 7940 0001').waitFor();
      });
    });

    test('that changes again is shown in sums too where another page was opened before the next look', async () => {
      await visits.visit({ token: tokens[TWICE] ?? '' }, async (page) => {
        await total(page, twice.length);
        await visits.server.import(TWICE, [{ ...twice[0], comment: 'changed' }]);
        await page.locator('tr[data-changed]').waitFor();
        await visits.server.import(TWICE, [{ ...twice[1], monthly: 70_000 }]);
        await page.getByRole('link', { name: texts.table.next }).click();
        await page.locator('.pager-range').getByText('26–30').waitFor();
        await page.locator('.figure').filter({ hasText: '70,' }).waitFor();
      });
    });
  });

  test('a page that is left open over night begins with the new day', async () => {
    await visits.visit({ prepare: (page) => page.clock.install() }, async (page) => {
      await total(page, TOTAL);
      const before = await page.locator('.due-chart li:first-child .due-day').getAttribute('title');
      await page.clock.fastForward('26:00:00');
      await page.locator(`.due-chart li:first-child .due-day:not([title="${before}"])`).waitFor();
    });
  });

  test('a row that has changed is marked for a moment, also where the order is another one by then', async () => {
    await visits.visit({ token: tokens[NIGHT] ?? '' }, async (page) => {
      await total(page, night.length);
      await visits.server.import(NIGHT, [{ ...night[0], comment: 'marked' }]);
      const marked = page.locator('tr[data-changed]');
      await marked.waitFor();
      await page.getByRole('button', { name: 'Comment' }).click();
      await page.locator('[aria-sort=ascending]').waitFor();
      await marked.waitFor({ state: 'detached' });
    });
  });

  test('rows and events that are left open over night say how far away their days are by then', async () => {
    const asleep = { token: tokens[NIGHT] ?? '', prepare: (page: Page) => page.clock.install() };
    await visits.visit(asleep, async (page) => {
      await total(page, night.length);
      const due = page.locator('tbody time');
      const before = (await due.allTextContents())[0] ?? '';
      await page.clock.fastForward('26:00:00');
      await due.first().filter({ hasNotText: before }).waitFor();
    });
    await visits.visit({ ...asleep, path: '/activity' }, async (page) => {
      const day = page.locator('.happenings h2').first();
      await day.filter({ hasText: 'today' }).waitFor();
      await page.clock.fastForward('26:00:00');
      await day.filter({ hasNotText: 'today' }).waitFor();
    });
  });

  test('the figure of what is overdue counts the items that it lists', async () => {
    await visits.visit({}, async (page) => {
      await page.getByRole('heading', { name: /^Overdue and/ }).waitFor();
      const overdue = page.locator('.due-sum').filter({ hasText: texts.filters.presets.overdue });
      const payments = overdue.locator('small').filter({ hasText: /\d/ });
      const due = Number.parseInt((await payments.textContent()) ?? '', 10);
      await overdue.click();
      await total(page, due);
    });
  });
});
