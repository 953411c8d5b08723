// What people do all day in a list of the console: keys, ranges of dates, rows that are selected, the
// palette, and the list on a phone.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { plural } from '../../console/format.ts';
import { texts as de } from '../../console/texts/de.ts';
import { texts as es } from '../../console/texts/es.ts';
import { texts as fr } from '../../console/texts/fr.ts';
import { texts as pt } from '../../console/texts/pt-br.ts';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, openFilters, rows, TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SMALLEST, Visits } from '../kit/console-visits.ts';
import { until } from '../kit/until.ts';

/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };
const NUMBERS_ON_A_PHONE = 6;

/** Whether the last of what a list opens is loaded, and runs. */
const LAST_LOADED = `{
  const [last] = performance.getEntriesByType('resource').filter(({ name }) => /check-file-.*\\.js$/.test(name));
  last !== undefined && import(last.name).then(() => true);
}`;

/** Clicks on what has the focus; whether what it opens can be seen in the next frame. */
const inNextFrame = (opened: string) => `new Promise((resolve) => {
  document.activeElement.click();
  requestAnimationFrame(() =>
    resolve([...document.querySelectorAll('${opened}')].some((one) => one.checkVisibility({ opacityProperty: true }))));
})`;

describe('the habits of those who use the console', {
  skip: process.env['CI'] === 'true' ? false : NO_BROWSER,
}, () => {
  let visits: Visits;
  before(async () => {
    visits = await Visits.start();
  });
  after(() => visits?.end());
  const visit: Visits['visit'] = (how, use) => visits.visit(how, use);

  const queryOf = (page: Page) => new URL(page.url()).searchParams;
  const row = (page: Page, n: number) => rows(page).nth(n);
  const dialog = (page: Page) => page.getByRole('dialog');
  const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
  const selected = (page: Page, count: number) =>
    page.getByText(plural(texts.select.count, count), { exact: true }).waitFor();
  async function mustBeAccessible(page: Page): Promise<void> {
    assert.deepEqual(await complaints(page), []);
  }

  describe('keys', AT_ONCE, () => {
    test('/ goes to the search, and on the overview to the palette', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await page.keyboard.press('/');
        await page.locator('.search input:focus').waitFor();
        await page.keyboard.type('a/b?jkx');
        assert.equal(await page.locator('.search input').inputValue(), 'a/b?jkx');
        await page.getByRole('link', { name: texts.product }).click();
        await page.locator('.overview-sentence').waitFor();
        await page.keyboard.press('/');
        await page.getByRole('combobox', { name: texts.palette.label }).waitFor();
      });
    });

    test('j and k move through the rows, and Enter opens one', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        for (const [key, n] of [
          ['j', 0],
          ['j', 1],
          ['j', 2],
          ['k', 1],
        ] as const) {
          await page.keyboard.press(key);
          await row(page, n).locator('.row-link:focus').waitFor();
        }
        await page.keyboard.press('Enter');
        await page.locator('tr[data-open]').and(row(page, 1)).waitFor();
      });
    });

    test('? shows all keys, and Escape hides them', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await page.keyboard.press('?');
        await dialog(page).getByText(texts.keys.select).waitFor();
        await mustBeAccessible(page);
        await page.keyboard.press('j');
        assert.equal(await page.locator('.row-link:focus').count(), 0);
        await page.keyboard.press('Escape');
        await dialog(page).waitFor({ state: 'detached' });
      });
    });
  });

  describe('ranges of dates', AT_ONCE, () => {
    test('are one click for what is overdue, and one more for all', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        const name = `Next payment: ${texts.filters.presets.overdue}`;
        const overdue = page.getByRole('link', { name, exact: true });
        await overdue.click();
        await page.getByRole('link', { name: texts.filters.remove(name), exact: true }).waitFor();
        await page.locator('.pager-range:not(:has-text("46"))').waitFor();
        assert.equal(
          await page.locator('tbody [data-overdue]').count(),
          await row(page, 0).page().locator('.row-link').count(),
        );
        assert.match(queryOf(page).get('next_payment_before') ?? '', /T00:00:00\.000000Z$/);
        await overdue.click();
        await total(page, TOTAL);
      });
    });

    test('that are due in 30 days are among the payments of the overview', async () => {
      await visit({ path: '/' }, async (page) => {
        const said = await page.locator('.overview-sentence p').first().textContent();
        const count = Number(/in (\d+)\spayments/.exec(said ?? '')?.[1]);
        let sum = 0;
        for (const name of ['Virtual numbers', 'Additional services']) {
          await page.getByRole('link', { name }).first().click();
          await page
            .getByRole('link', { name: `Next payment: ${plural(texts.filters.presets.next, 30)}` })
            .click();
          await page.locator('.chip').filter({ hasText: 'Next payment' }).waitFor();
          await page.locator('[data-loading]').waitFor({ state: 'detached' });
          const range = await page.locator('.pager-range').filter({ hasText: ' of ' }).textContent();
          sum += Number(/of (\d+)$/.exec(range ?? '')?.[1]);
        }
        // The overview counts payments: what is overdue repeats, and the list has its item once.
        assert.ok(sum > 0 && sum <= count, `${sum} of ${count}`);
      });
    });

    test('are chosen in a calendar, by keyboard', async () => {
      await visit(
        { path: `${NUMBERS}?next_payment_from=2026-12-01&next_payment_to=2026-12-24` },
        async (page) => {
          await page.getByRole('button', { name: texts.filters.calendar('Next payment') }).click();
          const day = (name: RegExp) => page.getByRole('button', { name }).and(page.locator('table button'));
          await day(/\b3 December/).waitFor();
          await mustBeAccessible(page);
          await day(/\b3 December/).click();
          await page.keyboard.press('ArrowRight');
          await page.keyboard.press('Enter');
          await page.getByRole('link', { name: /Remove filter Next payment: 3.–.4 Dec 2026$/ }).waitFor();
          assert.equal(queryOf(page).get('next_payment_from'), '2026-12-03T00:00:00.000000Z');
          assert.equal(await page.locator('table:has(button[data-selected])').count(), 0);
        },
      );
    });

    /** When it is another day there than in UTC, and when the day begins that is typed. */
    const zones = {
      'America/New_York': { now: '2026-12-05T02:00:00Z', begins: '2026-12-01T05:00:00.000000Z' },
      'Asia/Tokyo': { now: '2026-12-03T20:00:00Z', begins: '2026-11-30T15:00:00.000000Z' },
    };
    for (const [timezoneId, { now, begins }] of Object.entries(zones)) {
      const reader = { timezoneId, prepare: (page: Page) => page.clock.setFixedTime(now) };
      const side = (page: Page, field: string, of: 'from' | 'to') =>
        page.getByLabel(`${field}: ${texts.filters[of]}`, { exact: true });
      const openDays = (page: Page, field: string) =>
        page.getByRole('button', { name: texts.filters.calendar(field) }).click();
      async function type(page: Page, field: string, of: 'from' | 'to', day: string): Promise<void> {
        await side(page, field, of).fill(day);
        await side(page, field, of).press('Enter');
        await page.getByRole('link', { name: new RegExp(`Remove filter ${field}: (?:${of}|\\d)`) }).waitFor();
      }

      test(`that are chosen in ${timezoneId} are of payments in days of UTC, as the list has them`, async () => {
        const path = `${NUMBERS}?next_payment_from=2026-12-01&next_payment_to=2026-12-24`;
        await visit({ path, ...reader }, async (page) => {
          await openDays(page, 'Next payment');
          assert.equal(await side(page, 'Next payment', 'from').inputValue(), '2026-12-01');
          assert.equal(await side(page, 'Next payment', 'to').inputValue(), '2026-12-24');
          const today = Number(now.slice('2026-12-'.length, '2026-12-05'.length));
          assert.equal(await page.locator('.calendar [aria-current=date]').textContent(), String(today));
          for (const name of [/\b3 December/, /\b4 December/]) {
            await page.locator('.calendar').getByRole('button', { name }).click();
          }
          await page.getByRole('link', { name: /Remove filter Next payment: 3.–.4 Dec 2026$/ }).waitFor();
          assert.equal(queryOf(page).get('next_payment_from'), '2026-12-03T00:00:00.000000Z');
          assert.equal(queryOf(page).get('next_payment_to'), '2026-12-04T23:59:59.999999Z');
          await page.getByRole('link', { name: `Next payment: ${texts.filters.presets.overdue}` }).click();
          await page.waitForURL(/next_payment_before/);
          await page.getByRole('link', { name: /^Remove filter Next payment: Overdue$/ }).waitFor();
          assert.equal(queryOf(page).get('next_payment_before'), `${now.slice(0, 10)}T00:00:00.000000Z`);
        });
      });

      test(`that are typed in ${timezoneId} are as the service has them of payments, else as the reader does`, async () => {
        const api = `${visits.server.origin}/api/v1/did/me`;
        const headers = { authorization: `Bearer ${visits.token}` };
        const dueFirst = await fetch(`${api}?sort_by=next_payment_at&page_size=1`, { headers });
        const [first] = ((await dueFirst.json()) as { data: { next_payment_at: string }[] }).data;
        const day = first?.next_payment_at.slice(0, '2026-12-04'.length) ?? '';
        const ofDay = `next_payment_from=${day}&next_payment_to=${day}`;
        const answer = await fetch(`${api}?${ofDay}`, { headers });
        const { total: expected } = (await answer.json()) as { total: number };
        assert.ok(expected > 0);
        await visit(reader, async (page) => {
          await total(page, TOTAL);
          await openDays(page, 'Next payment');
          await type(page, 'Next payment', 'from', day);
          await type(page, 'Next payment', 'to', day);
          await total(page, expected);
          assert.equal(queryOf(page).get('next_payment_from'), `${day}T00:00:00.000000Z`);
          await page.goto(`${visits.server.origin}${NUMBERS}?${ofDay}`);
          await total(page, expected);
          await openDays(page, 'Next payment');
          assert.equal(await side(page, 'Next payment', 'to').inputValue(), day);
          await openFilters(page, 'Added');
          await openDays(page, 'Added');
          await type(page, 'Added', 'from', '2026-12-01');
          assert.equal(queryOf(page).get('created_from'), begins);
          await page.getByRole('link', { name: 'Remove filter Added: from 1 Dec 2026' }).waitFor();
        });
      });
    }
  });

  describe('rows that are selected', AT_ONCE, () => {
    test('are copied: their numbers, or as a table without formulas', async () => {
      await visit(CLIPBOARD, async (page) => {
        await total(page, TOTAL);
        await page.keyboard.press('j');
        await page.keyboard.press('x');
        await row(page, 2).getByRole('checkbox').check();
        await selected(page, 2);
        await mustBeAccessible(page);
        const numbers = await Promise.all(
          [0, 2].map((n) => row(page, n).locator('.row-link [data-exact]').getAttribute('data-exact')),
        );
        const copy = page.getByRole('button', { name: texts.select.copy, exact: true });
        await copy.click();
        await page.getByRole('menuitem', { name: texts.select.names('Virtual numbers') }).click();
        await page.getByText(texts.copied, { exact: true }).waitFor();
        assert.deepEqual((await clipboard(page)).split('\n'), numbers);
        await copy.click();
        await page.getByRole('menuitem', { name: texts.select.rows }).click();
        await page.waitForFunction(`navigator.clipboard.readText().then((text) => text.includes('\\t'))`);
        const [head = '', ...lines] = (await clipboard(page)).split('\n');
        assert.equal(head.split('\t')[0], 'Number');
        assert.deepEqual(
          lines.map((line) => line.split('\t')[0]),
          numbers,
        );
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: texts.export.label, exact: true }).waitFor();
        assert.equal(await page.locator('.row-check:checked').count(), 0);
      });
    });

    test('stay selected when Escape closes details next to them, and are not any more at the next', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await row(page, 0).getByRole('checkbox').check();
        await row(page, 2).getByRole('checkbox').check();
        await row(page, 1).locator('.row-link').click();
        await page.getByRole('dialog').locator('.field').first().waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await selected(page, 2);
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: texts.export.label, exact: true }).waitFor();
        assert.equal(await page.locator('.row-check:checked').count(), 0);
      });
    });

    test('of several pages are exported with the columns that are shown, and only those', async () => {
      await visit({ path: `${NUMBERS}?fields=did,monthly`, acceptDownloads: true }, async (page) => {
        await total(page, TOTAL);
        await page.getByRole('checkbox', { name: texts.select.page }).check();
        await selected(page, 25);
        await page.getByRole('link', { name: texts.table.next }).click();
        await page.locator('.pager-range').getByText('26–46').waitFor();
        await row(page, 0).getByRole('checkbox').check();
        await selected(page, 26);
        await page.getByRole('button', { name: texts.export.label, exact: true }).click();
        const coming = page.waitForEvent('download');
        await page.getByRole('menuitem', { name: texts.export.xlsx }).click();
        const download = await coming;
        assert.match(download.suggestedFilename(), / - virtual numbers - 26 selected - [\d-]+\.xlsx$/);
        const parts = unzipSync(readFileSync(await download.path()));
        const sheet = strFromU8(parts['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
        const cells = [...sheet.matchAll(/<c r="([A-Z]+)(\d+)"/g)];
        assert.deepEqual(new Set(cells.map(([, letter]) => letter)), new Set(['A', 'B']));
        // A heading, 26 numbers, an empty row and the sums.
        assert.equal(Math.max(...cells.map(([, , line]) => Number(line))), 29);
        assert.match(sheet, />Monthly charge</);
        assert.match(strFromU8(parts['xl/styles.xml'] ?? new Uint8Array()), /\[\$€\]/);
      });
    });
  });

  test('what a list opens is loaded before it is opened, also from the overview', async () => {
    const prepare = async (page: Page) => {
      const scripts = ['details', 'compare', 'ranges', 'check-file', 'days', 'cell-menu'];
      loaded = Promise.all(scripts.map((name) => page.waitForResponse(new RegExp(`/assets/${name}-`))));
    };
    let loaded: Promise<unknown> | undefined;
    await visit({ path: '/', prepare }, async () => void (await loaded));
  });

  test('what a list opens is there in the next frame, once it is loaded', async () => {
    const openings = {
      [`button:has-text("${texts.export.label}")`]: '[role=menuitem]',
      [`button:has-text("${texts.table.columns}")`]: '.columns',
      [`button:has-text("${texts.copyAs.label}")`]: '[role=menuitem]',
      [`button:has-text("${texts.check.label}")`]: '[role=dialog] textarea',
      '.account-button': '[role=menuitem]',
      [`button[aria-label="${texts.filters.calendar('Next payment')}"]`]: '.calendar',
      'a[href*="/ranges"]': '.compare-head h1',
      'a[href*="/compare-"]': '.compare-head h1',
      '.row-link': '[role=dialog] .field',
      'a[href$="/activity"]': '.happenings h1',
    };
    for (const [opener, opened] of Object.entries(openings))
      await visit({}, async (page) => {
        await total(page, TOTAL);
        const button = page.locator(`${opener}:not([inert])`).first();
        await button.waitFor();
        // All that is likely to be opened is loaded.
        await until('the page is idle', () => page.evaluate<boolean>(LAST_LOADED));
        await button.focus();
        const isThere = await page.evaluate<boolean>(inNextFrame(opened));
        assert.ok(isThere, `${opener} opens ${opened}`);
      });
  });

  describe('the palette', AT_ONCE, () => {
    const open = async (page: Page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: texts.palette.label }).waitFor();
    };
    const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });

    test('searches for what is typed before it is loaded, and returns the focus', async () => {
      const loading = Promise.withResolvers<void>();
      const prepare = (page: Page) =>
        page.route('**/assets/palette-*.js', async (route) => {
          await loading.promise;
          await route.continue();
        });
      await visit({ prepare }, async (page) => {
        const search = page.locator('.search input:focus');
        await total(page, TOTAL);
        await page.keyboard.press('/');
        await search.waitFor();
        await page.keyboard.press('Control+k');
        await page.keyboard.press('Escape');
        await search.waitFor();
        await page.keyboard.press('Control+k');
        await page.keyboard.type('Surgery 1');
        await mustBeAccessible(page);
        loading.resolve();
        await option(page, texts.palette.searchFor('Surgery 1', 'Virtual numbers')).waitFor();
        await page.keyboard.type('0');
        await option(page, texts.palette.searchFor('Surgery 10', 'Virtual numbers')).waitFor();
        await page.keyboard.press('Escape');
        await search.waitFor();
        assert.equal(await search.inputValue(), '');
      });
    });

    test('finds a number however it is written, shows it as the list does, and opens it', async () => {
      await visit({ path: '/' }, async (page) => {
        await page.locator('.overview-sentence').waitFor();
        await open(page);
        await page.keyboard.type('0044 20 7946');
        const first = option(page, /^\+44 20 7946 0/).first();
        await first.waitFor();
        await mustBeAccessible(page);
        await first.click();
        await dialog(page).locator('.field').first().waitFor();
        assert.match(new URL(page.url()).pathname, /^\/virtual-numbers\/\d+$/);
      });
    });

    test('opens by a click what it shows, and by Enter nothing that is not what is typed, while an answer is late', async () => {
      await visit({ path: '/' }, async (page) => {
        const [some, first, second] = ['+44 117 496', '0000', '0001'];
        await page.locator('.overview-sentence').waitFor();
        const late = Promise.withResolvers<void>();
        await page.route(/[?&]q=[^&]*000/, async (route) => {
          await late.promise;
          await route.continue();
        });
        await open(page);
        await page.keyboard.type(some);
        await option(page, `${some} ${second}`).waitFor();
        const searched = page.waitForRequest(/[?&]q=[^&]*0001/);
        await page.keyboard.type(second);
        await option(page, `${some} ${first}`).waitFor({ state: 'detached' });
        assert.match(String(await page.locator('[aria-selected=true]').textContent()), / 0001 /);
        await option(page, `${some} ${second}`).hover();
        await page.mouse.down();
        await searched;
        await page.evaluate(
          'new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))',
        );
        await page.mouse.up();
        await page.waitForURL(/\/virtual-numbers\/\d+/);
        late.resolve();
        await dialog(page).getByText(`${some} ${second}`).first().waitFor();
      });
    });

    test('finds a time before it searches for its words, and the numbers as ranges', async () => {
      await visit({ path: '/activity' }, async (page) => {
        await page.locator('main h1').waitFor({ state: 'attached' });
        await open(page);
        await page.keyboard.type('30 days');
        const next = plural(texts.filters.presets.next, 30);
        await option(page, `Virtual numbers: Next payment: ${next}`).waitFor();
        const first = await option(page, /./).first().textContent();
        assert.match(String(first), /: .* 30\sdays$/);
        await page.getByRole('combobox').fill('as ranges');
        await option(page, 'Virtual numbers: As ranges').click();
        await page.waitForURL('**/virtual-numbers/ranges');
      });
    });

    for (const [language, words] of Object.entries({ en: texts, de, es, fr, 'pt-BR': pt })) {
      test(`finds the check of a file on any page, in the words of ${language}`, async () => {
        await visit({ path: `/activity?lang=${language}` }, async (page) => {
          await page.locator('main h1').waitFor({ state: 'attached' });
          await page.keyboard.press('Control+k');
          await page.getByRole('combobox').fill(words.check.label);
          await option(page, new RegExp(`: ${words.check.label}$`)).click();
          await page.getByRole('dialog', { name: words.check.label }).waitFor();
          assert.equal(new URL(page.url()).pathname, NUMBERS);
          await page.goBack();
          await page.waitForURL('**/activity');
          await page.goForward();
          await page.locator('.pager-range').waitFor();
          assert.equal(await page.getByRole('dialog').count(), 0);
        });
      });
    }

    test('does what the menus do', async () => {
      await visit({ path: `${NUMBERS}?country_codes=DE&fields=did` }, async (page) => {
        const { accounts, check, copyAs, filters, table } = texts;
        await total(page, 16);
        const choose = async (name: string) => {
          await open(page);
          await page.keyboard.type(name);
          await page.getByRole('option', { name, exact: true }).click();
        };
        for (const name of [check.label, accounts.other]) {
          await choose(name);
          await page.getByRole('dialog', { name }).waitFor();
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
        }
        await choose(texts.labelled(copyAs.label, copyAs.curl));
        await choose(table.columnsUsual);
        await page.waitForURL(`**${NUMBERS}?country_codes=DE`);
        await choose(texts.labelled(filters.active, filters.clear));
        await page.waitForURL(`**${NUMBERS}`);
        await page.goBack();
        await total(page, 16);
      });
    });

    test('leads to every page, but for the one that is shown', async () => {
      await visit({ path: '/' }, async (page) => {
        const goTo = ({ title }: { readonly title: string }) => option(page, texts.palette.goTo(title));
        await page.locator('.overview-sentence').waitFor();
        for (const there of [texts.activity, texts.notifications, texts.overview]) {
          await open(page);
          await goTo(there).click();
          await page.locator('main h1', { hasText: there.title }).waitFor({ state: 'attached' });
          await open(page);
          assert.equal(await goTo(there).count(), 0);
          await page.keyboard.press('Escape');
        }
      });
    });

    test('has a view once, whatever its order, and no more once something else is typed', async () => {
      await visit({ path: `${NUMBERS}?country_codes=DE` }, async (page) => {
        await total(page, 16);
        for (const order of ['ascending', 'descending']) {
          await page.getByRole('button', { name: 'Comment' }).click();
          await page.locator(`[aria-sort=${order}]`).waitFor();
        }
        await page.getByRole('link', { name: 'Additional services' }).click();
        await page.waitForURL('**/additional-services');
        await open(page);
        const recent = option(page, texts.labelled('Virtual numbers', 'Germany'));
        await recent.first().waitFor();
        assert.equal(await recent.count(), 1);
        await page.keyboard.type(texts.overview.title);
        await option(page, texts.palette.goTo(texts.overview.title)).waitFor();
        await recent.waitFor({ state: 'detached' });
      });
    });

    test('has the views that were looked at, and what a page can do', async () => {
      await visit({ path: `${NUMBERS}?country_codes=DE` }, async (page) => {
        await total(page, 16);
        await page.getByRole('link', { name: 'Additional services' }).click();
        await page.waitForURL('**/additional-services');
        await open(page);
        await option(page, texts.labelled('Virtual numbers', 'Germany')).click();
        await total(page, 16);
        await open(page);
        await page.keyboard.type('dark');
        await option(page, texts.labelled(texts.themes.label, texts.themes.dark)).click();
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
        await open(page);
        await page.keyboard.type('keyboard');
        await option(page, texts.keys.title).click();
        await dialog(page).getByText(texts.keys.search).waitFor();
      });
    });
  });

  describe('on a phone', AT_ONCE, () => {
    test(`${NUMBERS_ON_A_PHONE} numbers are on the first screen, and search and pages stay`, async () => {
      await visit({ viewport: PHONE }, async (page) => {
        await total(page, TOTAL);
        const isSeen = (selector: string) =>
          page.evaluate<number>(`[...document.querySelectorAll('${selector}')].filter((one) => {
            const { left, top, bottom, height } = one.getBoundingClientRect();
            const seen = document.elementFromPoint(left + 4, top + height / 2);
            return top >= 0 && bottom <= innerHeight && one.contains(seen);
          }).length`);
        assert.ok((await isSeen('.card')) >= NUMBERS_ON_A_PHONE, `${await isSeen('.card')} numbers`);
        await page.evaluate('window.scrollTo(0, 900)');
        assert.equal(await isSeen('.search'), 1, 'the search');
        assert.equal(await isSeen('.way'), 4);
        await mustBeAccessible(page);
        await page.getByRole('button', { name: texts.glance.title }).click();
        await page.locator('.figure').waitFor();
      });
    });

    test('rows are selected with a finger, and what can be done with them stays on the screen', async () => {
      await visit({ viewport: PHONE, hasTouch: true, ...CLIPBOARD }, async (page) => {
        await total(page, TOTAL);
        await page.getByRole('button', { name: texts.table.more }).tap();
        await page.getByRole('menuitem', { name: texts.select.start }).tap();
        await selected(page, 0);
        await mustBeAccessible(page);
        const card = (n: number) => page.locator('.card').nth(n);
        for (const n of [0, 2, 3]) await card(n).tap();
        await card(3).tap();
        await selected(page, 2);
        await page.evaluate('window.scrollTo(0, 900)');
        const actions = page.locator('.toolbar-more button');
        const sizes = await page.evaluate<number[]>(`
          [...document.querySelectorAll('.toolbar-more button, .cards-all, .card-select')].flatMap((one) => {
            const { width, height } = one.getBoundingClientRect();
            return [width, height];
          })`);
        assert.ok(Math.min(...sizes) >= 44, `${Math.min(...sizes)} pixels`);
        await actions.first().tap();
        await page.getByRole('menuitem', { name: texts.select.names('Virtual numbers') }).tap();
        await page.getByText(texts.copied, { exact: true }).waitFor();
        const numbers = await page
          .locator('.card:has(:checked) .card-link [data-exact]')
          .evaluateAll((all) => all.map((one) => one.getAttribute('data-exact')));
        assert.deepEqual((await clipboard(page)).split('\n'), numbers);
        await page.getByRole('checkbox', { name: texts.select.page }).check();
        await selected(page, 25);
        await page.getByRole('button', { name: texts.select.clear }).tap();
        await page.locator('.card-select').first().waitFor({ state: 'detached' });
        await card(1).tap();
        await dialog(page).locator('.field').first().waitFor();
      });
    });

    test('at 400 %, on 320 by 256 pixels, rows have all of the page', async () => {
      await visit({ viewport: { width: 320, height: 256 } }, async (page) => {
        await total(page, TOTAL);
        await page.locator('.card').nth(12).scrollIntoViewIfNeeded();
        const inView = `['.header', '.toolbar', '.pager'].filter((name) => {
          const { top, bottom } = document.querySelector(name).getBoundingClientRect();
          return bottom > 0 && top < innerHeight;
        })`;
        assert.deepEqual(await page.evaluate(inView), []);
      });
    });

    test('nothing sticks out at 320 pixels, or at twice the size of text', async () => {
      for (const viewport of [SMALLEST, { width: 640, height: 400 }]) {
        await visit({ viewport }, async (page) => {
          await total(page, TOTAL);
          assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width);
          await page.getByRole('button', { name: texts.table.more }).click();
          await page.getByRole('menuitem', { name: texts.select.start }).click();
          await page.locator('.card-select').last().waitFor();
          const cut = `[...document.querySelectorAll('.card-top')].filter((one) => one.scrollWidth > one.clientWidth).length`;
          assert.equal(await page.evaluate(cut), 0);
        });
      }
    });
  });
});
