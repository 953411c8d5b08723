// What the console says of what happened: the page of the account, and the history in the details of an item,
// which are next to the list where there is room.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { plural } from '../../console/format.ts';
import { texts } from '../../console/texts.ts';
import { eventLabel } from '../../console/words.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SMALLEST, Visits } from '../kit/console-visits.ts';

/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };
const ACTIVITY = '/activity';
const WIDTHS = [320, 390, 768, 1088, 1089, 1279, 1280, 1920];
const EVENTFUL = 'eventful';
const CHANGING = 'changing';
/** As where cookies are blocked. */
const NO_STORAGE = `Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused'); } })`;
const FIRST = 930_000;
/** More than an entry names. */
const ADDED = 25;
const NAMED = 20;
const FLAGGED = 2;
const REMOVED = 4;
const words = texts.activity;

const number = (i: number, more: Record<string, unknown> = {}) => ({
  id: FIRST + i,
  did: `+4420794${60_000 + i}`,
  comment: `number ${i}`,
  ...more,
});
const range = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);

describe('what happened, in the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  let token: string;
  let changingToken: string;
  let withoutCharges: string;
  let servicesOnly: string;
  before(async () => {
    visits = await Visits.start();
    const { server } = visits;
    await server.import(
      EVENTFUL,
      range(6).map((i) => number(i)),
    );
    await server.import(
      EVENTFUL,
      range(ADDED, 6).map((i) => number(i)),
    );
    await server.import(EVENTFUL, [number(FLAGGED, { is_spammed: true }), number(3, { monthly: '7.5' })]);
    await server.import(EVENTFUL, [number(REMOVED, { removed: true }), number(5, { status: 'blocked' })]);
    await server.import(CHANGING, [number(100)]);
    [{ token }, { token: changingToken }, { token: withoutCharges }, { token: servicesOnly }] =
      await Promise.all([
        server.token(EVENTFUL),
        server.token(CHANGING),
        server.token(EVENTFUL, '--without-charges'),
        server.token(EVENTFUL, '--lists', 'additional-services'),
      ]);
  });
  after(() => visits?.end());

  const entries = (page: Page, event?: string) =>
    page.locator('.happened').filter({ hasText: event === undefined ? '' : eventLabel(event) });
  const marks = (page: Page) => page.locator('.happened .pill').allTextContents();
  const choice = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });

  test('has the name of a service in one line where there is room for it', () => {
    const prepare = (page: Page) =>
      page.route('**/api/v1/activity?*', async (route) => {
        const response = await route.fetch();
        const body = (await response.text())
          .replaceAll('"virtual_numbers"', '"additional_services"')
          .replaceAll(/"label":"[^"]*"/g, '"label":"Extra subscription: speech to text (β)"');
        await route.fulfill({ response, body });
      });
    return visits.visit({ token, path: ACTIVITY, prepare }, async (page) => {
      const name = page.locator('.happened-name').first();
      await name.waitFor();
      const { height = 0 } = (await name.boundingBox()) ?? {};
      assert.ok(height > 0 && height < 30, `${height} high`);
    });
  });
  const panel = (page: Page) => page.getByRole('dialog');
  const queryOf = (page: Page) => new URL(page.url()).search;

  describe('the page', AT_ONCE, () => {
    test('names each import by what it did, the newest first, and leads to what it did it to', () =>
      visits.visit({ token, path: '/' }, async (page) => {
        await page.getByRole('link', { name: words.title }).click();
        await entries(page, 'removed').waitFor();
        assert.deepEqual(
          await marks(page),
          ['removed', 'status_changed', 'spam_flagged', 'charges_changed', 'added', 'replaced'].map(
            eventLabel,
          ),
        );
        await page.getByText(/^Complete since .*\.$/).waitFor();
        assert.equal(await page.locator('.happenings section').count(), 1);
        await entries(page, 'spam_flagged').getByRole('link', { name: '+44 20 7946 0002' }).waitFor();
        await entries(page, 'spam_flagged').getByRole('link', { name: '1 virtual number' }).click();
        await total(page, 1);
        await page.getByRole('link', { name: '+44 20 7946 0002' }).waitFor();
        assert.equal(queryOf(page), `?ids=${FIRST + FLAGGED}`);
      }));

    test('says how many there are of which only the first are named', () =>
      visits.visit({ token, path: ACTIVITY }, async (page) => {
        const added = entries(page, 'added');
        await added.getByText(`${ADDED} virtual numbers`, { exact: true }).waitFor();
        await added.getByText(words.rest.other.replace('#', String(ADDED - 3)), { exact: true }).waitFor();
        await added.getByRole('link', { name: words.first.other.replace('#', String(NAMED)) }).click();
        await total(page, NAMED);
      }));

    test('leads from what was removed to its history', () =>
      visits.visit({ token, path: ACTIVITY }, async (page) => {
        await entries(page, 'removed').getByRole('link', { name: '+44 20 7946 0004' }).click();
        await panel(page)
          .getByText(texts.trouble.noItem('virtual number', String(FIRST + REMOVED)))
          .waitFor();
        await panel(page).locator('.history').getByText(eventLabel('removed')).waitFor();
      }));

    test('says what fields were and became', async () => {
      const became = (from: string, to: string) => new RegExp(`${from}→${words.became}${to}$`);
      const change = (page: Page, event: string) => entries(page, event).locator('.change').textContent();
      await visits.visit({ token, path: ACTIVITY }, async (page) => {
        await entries(page, 'removed').waitFor();
        assert.match(String(await change(page, 'status_changed')), became('Active', 'Blocked'));
        assert.match(String(await change(page, 'charges_changed')), became('Monthly charge.*', '7.50'));
        assert.equal(await entries(page, 'spam_flagged').locator('.change').count(), 0);
        await entries(page, 'charges_changed').getByRole('link', { name: '+44 20 7946 0003' }).click();
        const history = panel(page).locator('.history .change');
        assert.match(String(await history.textContent()), became('', '7.50'));
      });
      await visits.visit({ token, path: ACTIVITY, locale: 'de-DE' }, async (page) => {
        await page.locator('.change').first().waitFor();
        const all = await page.locator('.change').allTextContents();
        assert.match(all.join(), /Aktiv→danachGesperrt/);
        assert.match(all.join(), /Monatsgebühr.*→danach7,50/);
      });
    });

    test('leads to the notifications', () =>
      visits.visit({ token, path: ACTIVITY }, async (page) => {
        await page.locator('#list').getByRole('link', { name: texts.notifications.title }).click();
        await page.getByText(texts.notifications.none).waitFor();
      }));

    for (const [storage, prepare] of [
      ['a browser', undefined],
      ['a browser that stores nothing', (page: Page) => page.addInitScript(NO_STORAGE)],
    ] as const)
      test(`is announced in ${storage}, with what was flagged since it was shown last`, async () => {
        const account = `flagging in ${storage}`;
        const first = prepare === undefined ? 200 : 300;
        const set = (is_spammed: boolean) =>
          visits.server.import(
            account,
            [0, 1].map((i) => number(first + i, { is_spammed })),
          );
        await set(false);
        const { token: own } = await visits.server.token(account);
        await visits.visit({ token: own, ...(prepare && { prepare }) }, async (page) => {
          const tab = (name: string) => page.locator('.tab', { hasText: name });
          const count = page.locator('.tab [role=status]');
          await total(page, 2);
          await count.waitFor({ state: 'attached' });
          assert.equal(await count.textContent(), '');
          await set(true);
          const said = plural(words.flagged, 2);
          await count.getByText(said).waitFor({ state: 'attached' });
          assert.equal(await count.textContent(), `2${said}`);
          await tab(words.title).click();
          await entries(page, 'spam_flagged').first().waitFor();
          await count.getByText(said).waitFor({ state: 'detached' });
          await tab('Virtual numbers').click();
          await total(page, 2);
          assert.equal(await count.textContent(), '');
        });
      });

    test('has its filters in the address', () =>
      visits.visit({ token, path: ACTIVITY }, async (page) => {
        await choice(page, eventLabel('spam_flagged')).check();
        await entries(page, 'removed').waitFor({ state: 'detached' });
        await choice(page, eventLabel('added')).check();
        await entries(page, 'added').waitFor();
        assert.deepEqual(await marks(page), ['spam_flagged', 'added'].map(eventLabel));
        assert.equal(queryOf(page), '?events=spam_flagged&events=added');
        await page.reload();
        await entries(page, 'added').waitFor();
        assert.equal(await entries(page).count(), 2);
        await page.goBack();
        await entries(page, 'added').waitFor({ state: 'detached' });
        await page.getByRole('link', { name: `Remove filter Event: ${eventLabel('spam_flagged')}` }).click();
        await entries(page, 'removed').waitFor();
        await choice(page, 'Additional services').check();
        await page.getByText(texts.nothingFound.title).waitFor();
        await page.locator('.way-out').click();
        await entries(page, 'removed').waitFor();
      }));

    test('goes on, page after page', () =>
      visits.visit({ token, path: `${ACTIVITY}?page_size=4` }, async (page) => {
        await entries(page).nth(3).waitFor();
        await page.getByRole('button', { name: words.more }).click();
        await entries(page, 'replaced').waitFor();
        assert.equal(await entries(page).count(), 6);
        await page.getByRole('button', { name: words.more }).waitFor({ state: 'detached' });
      }));

    test('shows what happens meanwhile once that is wanted, and requests no page twice for it', () =>
      visits.visit({ token: changingToken, path: `${ACTIVITY}?page_size=2` }, async (page) => {
        const show = page.getByRole('button', { name: texts.live.show });
        await entries(page, 'replaced').waitFor();
        for (const is_spammed of [true, false, true]) {
          await visits.server.import(CHANGING, [number(100, { is_spammed })]);
          await show.click();
          await show.waitFor({ state: 'detached' });
        }
        await page.getByRole('button', { name: words.more }).click();
        await entries(page, 'replaced').waitFor();
        const shown = await marks(page);
        assert.deepEqual(shown, ['spam_flagged', 'spam_cleared', 'spam_flagged', 'replaced'].map(eventLabel));
        const requested: string[] = [];
        page.on('request', (request) => {
          if (request.url().includes('/activity')) requested.push(new URL(request.url()).search);
        });
        await visits.server.import(CHANGING, [number(100, { status: 'blocked' })]);
        await show.waitFor();
        assert.deepEqual(requested, ['?page_size=1']);
        assert.deepEqual(await marks(page), shown);
        await show.click();
        await entries(page, 'status_changed').waitFor();
        assert.equal(await entries(page).count(), 2);
      }));

    test('has no event and no choice of what a token may not see', async () => {
      await visits.visit({ token: withoutCharges, path: ACTIVITY }, async (page) => {
        await choice(page, eventLabel('added')).waitFor();
        await entries(page, 'removed').waitFor();
        assert.equal(await page.getByText(eventLabel('charges_changed')).count(), 0);
      });
      await visits.visit({ token: servicesOnly, path: ACTIVITY }, async (page) => {
        await page.getByText(words.nothing).waitFor();
        await choice(page, eventLabel('subscription_changed')).waitFor();
        assert.equal(await choice(page, eventLabel('spam_flagged')).count(), 0);
        assert.equal(await choice(page, 'Virtual numbers').count(), 0);
      });
      const path = `${ACTIVITY}?lists=virtual_numbers`;
      await visits.visit({ token: servicesOnly, path }, async (page) => {
        await page
          .getByRole('alert')
          .getByText(/may not see virtual_numbers/)
          .waitFor();
      });
    });

    test('that cannot be loaded says why, and comes when it can', () =>
      visits.visit(
        {
          token,
          path: ACTIVITY,
          prepare: (page) => page.route('**/api/v1/activity*', (route) => route.fulfill({ status: 503 })),
        },
        async (page) => {
          await page.getByText(texts.trouble.sentences.unavailable).waitFor();
          await page.unroute('**/api/v1/activity*');
          await entries(page, 'removed').waitFor();
        },
      ));

    test('of a wrong address says what is meant, and leads on', () =>
      visits.visit({ token, path: `${ACTIVITY}?event=added` }, async (page) => {
        await page.getByText('Did you mean `events`?').waitFor();
        await page.getByRole('link', { name: texts.trouble.start }).click();
        await entries(page, 'removed').waitFor();
      }));

    test('keeps no room for a number of matches, which it does not have, below its filters', () =>
      visits.visit(
        { token, path: `${ACTIVITY}?events=subscription_changed`, viewport: PHONE },
        async (page) => {
          await page.locator('.chip-clear').first().waitFor();
          const below = await page.evaluate<number>(`{
          const [chips, last] = ['.chips', '.chip-clear'].map((one) => document.querySelector(one).getBoundingClientRect());
          chips.bottom - last.bottom;
        }`);
          assert.ok(below <= 12, `${below}`);
          await page.getByRole('button', { name: texts.filters.title }).click();
          await page.getByRole('dialog').getByRole('checkbox').first().waitFor();
          assert.equal(await page.locator('.side-foot').count(), 0);
        },
      ));

    test('takes the width of the page at 1024 and 1280, and sets "today" apart from its day', () =>
      visits.visit({ token, path: ACTIVITY }, async (page) => {
        await entries(page).first().waitFor();
        for (const width of [1024, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          const [left, right, apart] = await page.evaluate<[number, number, number]>(`{
            const [page, day, name] = ['#list', '.happenings section', '.happenings h2 .dim']
              .map((one) => document.querySelector(one).getBoundingClientRect());
            const before = document.createRange();
            before.selectNode(document.querySelector('.happenings h2').firstChild);
            [day.left - page.left, page.right - day.right, name.left - before.getBoundingClientRect().right];
          }`);
          assert.equal(right, left, `at ${width}`);
          assert.ok(apart >= 6, `${apart}`);
        }
      }));

    test('sticks out at no width, and its filters are there on a phone', () =>
      visits.visit({ token, path: ACTIVITY, viewport: PHONE }, async (page) => {
        await page.getByRole('button', { name: texts.filters.title }).click();
        await choice(page, eventLabel('added')).check();
        await page.keyboard.press('Escape');
        await panel(page).waitFor({ state: 'detached' });
        await entries(page, 'removed').waitFor({ state: 'detached' });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          await entries(page, 'added').waitFor();
          const [wide, scrolled] = await page.evaluate<[number, boolean]>(`{
            const { scrollWidth, clientWidth } = document.querySelector('#list');
            [document.documentElement.scrollWidth, scrollWidth > clientWidth];
          }`);
          assert.ok(wide <= width && !scrolled, `${wide} wide at ${width}`);
        }
      }));
  });

  describe('the details', AT_ONCE, () => {
    const open = async (page: Page, name: string) => {
      await page.getByRole('link', { name }).click();
      await panel(page).locator('.details-name').getByText(name).waitFor();
    };

    test('say since when a value is what it is, and what happened', () =>
      visits.visit({ token }, async (page) => {
        await open(page, '+44 20 7946 0002');
        const field = (label: string) => panel(page).locator('.field').filter({ hasText: label });
        await field('Spam flag')
          .getByText(/^since \d/)
          .waitFor();
        await field('Status')
          .getByText(/ or earlier$/)
          .waitFor();
        const history = panel(page).locator('.history .pill');
        assert.deepEqual(await history.allTextContents(), ['spam_flagged', 'replaced'].map(eventLabel));
        await open(page, '+44 20 7946 0005');
        await field('Status')
          .getByText(/^since \d/)
          .waitFor();
        await open(page, '+44 20 7946 0006');
        await history.getByText(eventLabel('added')).waitFor();
        await field('Spam flag')
          .getByText(/^since \d/)
          .waitFor();
      }));

    test('are next to the list, which stays in use', () =>
      visits.visit({ viewport: { width: 1680, height: 900 } }, async (page) => {
        await total(page, TOTAL);
        await open(page, '+44 117 496 0001');
        for (const group of Object.values(texts.details.groups)) {
          await panel(page).getByRole('heading', { name: group }).waitFor();
        }
        await panel(page)
          .locator('.details-price')
          .getByText(/€.* a month/)
          .waitFor();
        assert.ok((await panel(page).locator('.copy-mark').first().boundingBox()) !== null);
        await page.getByRole('checkbox', { name: /^Germany/ }).check();
        await total(page, 16);
        await panel(page).getByText('+44 117 496 0001').waitFor();
        await page.getByRole('checkbox', { name: /^Germany/ }).uncheck();
        await total(page, TOTAL);
        await page.getByRole('link', { name: texts.table.next }).click();
        await page.locator('.pager-range', { hasText: '26–46 of 46' }).waitFor();
        await page.locator('.row-link').first().click();
        await panel(page).getByText('+44 117 496 0001').waitFor({ state: 'detached' });
        await page.goBack();
        await page.locator('.pager-range', { hasText: '1–25 of 46' }).waitFor();
        await panel(page).getByText('+44 117 496 0001').waitFor();
        await page.setViewportSize({ width: 1279, height: 800 });
        await page.locator('.mantine-Drawer-content').waitFor();
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.locator('.docked').waitFor();
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 1280);
      }));

    test('follow the keys from row to row, and lead back to the row', () =>
      visits.visit({}, async (page) => {
        await total(page, TOTAL);
        const opened = (n: number) => page.locator(`tbody tr:nth-child(${n})[data-open]`).waitFor();
        await page.locator('.row-link').first().focus();
        await page.keyboard.press('Enter');
        await panel(page).and(page.locator(':focus')).waitFor();
        for (const [key, row] of [
          ['j', 2],
          ['ArrowDown', 3],
          ['k', 2],
          ['ArrowUp', 1],
          ['k', 1],
          ['j', 2],
        ] as const) {
          await page.keyboard.press(key);
          await opened(row);
        }
        await page.keyboard.press('Escape');
        await panel(page).waitFor({ state: 'detached' });
        await page.locator('tbody tr:nth-child(2) .row-link:focus').waitFor();
        assert.equal(new URL(page.url()).pathname, NUMBERS);
        await page.locator('.row-link').nth(3).click();
        await opened(4);
        await page.keyboard.press('j');
        await opened(5);
        await page.locator('.search input').focus();
        await page.keyboard.type('jk');
        await page.getByText(texts.nothingFound.title).waitFor();
        assert.equal(await page.locator('.search input').inputValue(), 'jk');
      }));

    test('over a narrow list follow the keys as well', () =>
      visits.visit({ viewport: SMALLEST }, async (page) => {
        await total(page, TOTAL);
        await page.locator('.card-link').first().click();
        const name = panel(page).locator('.details-name');
        const first = await name.textContent();
        await page.keyboard.press('j');
        await name.filter({ hasNotText: first ?? '' }).waitFor();
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), SMALLEST.width);
        await page.keyboard.press('Escape');
        await panel(page).waitFor({ state: 'detached' });
      }));
  });
});
