// Every view of the console where it is seen seldom: in German, on the smallest screen, with details next to
// it, with the few colours of high contrast, and on paper.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { texts as de } from '../../console/texts/de.ts';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, inScheme } from '../kit/console-list.ts';
import { NUMBERS, SERVICES, SMALLEST, Visits, WIDE } from '../kit/console-visits.ts';
import { until } from '../kit/until.ts';

/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };
/** What is left of a sheet within the usual margins, in pixels. */
const A4 = { width: 718, height: 1_000 };
/** Words of English that German does not have. */
const ENGLISH =
  /\b(?:the|of|and|is|are|your|this|with|from|for|not|please|show|by|next|none|search|page|day|days)\b/i;
/** Everything that is read or heard, without the customer's own texts. */
const READ_ALOUD = `{
  const own = '[dir=auto], [data-exact], [lang=en], code, .count, .account-name, noscript, #starting';
  const said = [...document.querySelectorAll('body *')].filter((one) => one.closest(own) === null).flatMap((one) => [
    ...[...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data),
    ...['aria-label', 'title', 'placeholder', 'aria-valuetext'].map((name) => one.getAttribute(name) ?? ''),
  ]);
  [document.title, ...new Set(said.map((text) => text.trim()).filter((text) => text !== ''))];
}`;

describe('a view of the console', {
  skip: process.env['CI'] === 'true' ? false : NO_BROWSER,
}, () => {
  let visits: Visits;
  before(async () => {
    visits = await Visits.start();
  });
  after(() => visits?.end());

  const listed = (page: Page) => page.locator('.row-link, .card-link').first().waitFor();

  describe(
    'in German, on a wide screen and on the smallest, accessible in light and in dark:',
    AT_ONCE,
    () => {
      const dialog = (page: Page) => page.getByRole('dialog');

      async function readsGerman(page: Page, what: string): Promise<void> {
        assert.equal(await page.locator('html').getAttribute('lang'), 'de');
        const said = await page.evaluate<string[]>(READ_ALOUD);
        assert.deepEqual(
          said.filter((text) => ENGLISH.test(text)),
          [],
          what,
        );
        // Cards replace a table only after the width has changed.
        await until(`${what} is no wider than the window`, () =>
          page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'),
        );
      }

      /** Of what lies over a page, or is within a frame seen before, that part is looked at by itself. */
      type Reached = readonly [path: string, reach: (page: Page) => Promise<unknown>, part?: string];
      const pages: Readonly<Record<string, Reached>> = {
        'the overview': ['/', (page) => page.locator('.overview-sentence').waitFor()],
        'the numbers': [NUMBERS, listed],
        'the services': [SERVICES, listed],
        'what happened': ['/activity', (page) => page.locator('main h1').waitFor()],
        'the notifications': [
          '/notifications',
          (page) => page.locator('main .empty, main .panel').first().waitFor(),
        ],
        'active filters': [`${NUMBERS}?country_codes=DE&created_after=2020-01-01T10:00:00Z`, listed],
        'the details': [
          NUMBERS,
          async (page) => {
            await page.locator('.row-link, .card-link').nth(2).click();
            await dialog(page).locator('.field').first().waitFor();
          },
        ],
        'the menu of the account': [
          NUMBERS,
          async (page) => {
            await page.getByRole('button', { name: de.menu }).click();
            await page.getByRole('menuitemradio', { name: 'Deutsch' }).waitFor();
          },
          '[role=menu]',
        ],
        'the palette': [
          NUMBERS,
          async (page) => {
            await listed(page);
            await page.keyboard.press('Control+k');
            await page.locator('[role=option]').first().waitFor();
          },
          '[role=dialog]',
        ],
        'a comparison': [
          `${NUMBERS}/compare-country_codes`,
          (page) => page.locator('main table, main [role=table]').first().waitFor(),
        ],
        'the keys': [
          NUMBERS,
          async (page) => {
            await listed(page);
            await page.keyboard.press('?');
            await dialog(page).waitFor();
          },
          '[role=dialog]',
        ],
        'nothing found': [
          `${NUMBERS}?q=zzzz`,
          (page) => page.getByText(de.nothingFound.title).waitFor(),
          'main',
        ],
        'a page after the last': [
          `${NUMBERS}?page=9`,
          (page) => page.getByText(de.nothingFound.noPage).waitFor(),
          'main',
        ],
        'a wrong address': [
          `${NUMBERS}?status=active`,
          (page) => page.getByText(de.trouble.title).waitFor(),
          'main',
        ],
      };

      for (const [what, [path, reach, part]] of Object.entries(pages)) {
        test(what, async () => {
          await visits.visit({ path, locale: 'de-DE' }, async (page) => {
            await reach(page);
            await page.locator('.bone').first().waitFor({ state: 'detached' });
            await readsGerman(page, what);
            assert.deepEqual(await complaints(page, part), []);
            await inScheme(page, 'dark');
            assert.deepEqual(await complaints(page, part, true), []);
            await page.setViewportSize(SMALLEST);
            await readsGerman(page, `${what} on the smallest screen`);
          });
        });
      }

      test('the sign-in', async () => {
        await visits.visit({ token: '', locale: 'de-DE' }, async (page) => {
          await page.getByText(de.signIn.title).waitFor();
          await readsGerman(page, 'the sign-in');
        });
      });
    },
  );

  describe('no column is cut off at 1280 and more, with and without details next to it:', AT_ONCE, () => {
    const beyond = (page: Page) =>
      page.evaluate<number>(`{
        const { scrollWidth, clientWidth } = document.querySelector('#list');
        scrollWidth - clientWidth;
      }`);
    for (const path of [NUMBERS, SERVICES]) {
      for (const locale of ['en-GB', 'de-DE']) {
        test(`${path} in ${locale}`, async () => {
          await visits.visit({ path, locale, viewport: { width: 1280, height: 800 } }, async (page) => {
            await listed(page);
            await page.locator('.part-line').last().waitFor();
            assert.equal(await beyond(page), 0);
            await page.locator('.row-link').first().click();
            await page.locator('.docked .field').first().waitFor();
            for (const width of [1280, 1440, 1679, 1680]) {
              await page.setViewportSize({ width, height: WIDE.height });
              await page.locator('.sidebar').waitFor();
              assert.equal(await beyond(page), 0, String(width));
            }
          });
        });
      }
    }
  });

  describe('what is chosen is seen with the few colours of high contrast', AT_ONCE, () => {
    const looks = (page: Page, selector: string) =>
      page.evaluate<string>(`{
        const { backgroundColor, outlineStyle, borderBottomColor, fill } = getComputedStyle(
          document.querySelector('${selector}'),
        );
        [backgroundColor, outlineStyle, borderBottomColor, fill].join(' ');
      }`);
    interface Chosen {
      readonly path: string;
      readonly reach: (page: Page) => Promise<unknown>;
      readonly pairs: Readonly<Record<string, readonly [chosen: string, other: string]>>;
    }
    const views: Readonly<Record<string, Chosen>> = {
      'in a list, and in the palette': {
        path: `${NUMBERS}?country_codes=DE`,
        async reach(page) {
          await page.locator('.part-line').last().waitFor();
          const unfocused = await looks(page, '.search input');
          await page.locator('.search input').focus();
          assert.notEqual(await looks(page, '.search input'), unfocused, 'a field with the focus');
          await page.keyboard.press('Control+k');
          await page.locator('.palette-input:focus').waitFor();
        },
        pairs: {
          'a filter': ['input[type=checkbox]:checked', '.facet-value input:not(:checked)'],
          'a list': ['.tab[aria-current]', '.tab:not([aria-current])'],
          'a part of the whole': ['.part-line[data-on]', '.part-line:not([data-on])'],
          'an entry of the palette': [
            '.palette-entry[aria-selected=true]',
            '.palette-entry[aria-selected=false]',
          ],
          'the part of a bar': ['.part[data-tone=rank-0]', '.part[data-tone=rank-1]'],
        },
      },
      'next to details': {
        path: NUMBERS,
        async reach(page) {
          await page.locator('.row-link').nth(2).click();
          await page.locator('tr[data-open]').waitFor();
        },
        pairs: { 'the row': ['tr[data-open]', 'tbody tr:not([data-open])'] },
      },
      'on the overview': {
        path: '/',
        reach: (page) => page.locator('.timeline-chosen').waitFor({ state: 'attached' }),
        pairs: { 'a day': ['.timeline-chosen', '.timeline [data-list]'] },
      },
      'in what happened': {
        path: '/activity?events=added',
        reach: (page) => page.locator('.happened').first().waitFor(),
        pairs: { 'a kind of event': ['.facet-value input:checked', '.facet-value input:not(:checked)'] },
      },
      'in a comparison': {
        path: `${NUMBERS}/compare-country_codes`,
        reach: (page) => page.locator('.compare-figure').first().waitFor(),
        pairs: { 'what is compared': ['.compare-by [data-on]', '.compare-by :not([data-on])'] },
      },
      'in a calendar': {
        path: `${NUMBERS}?next_payment_from=2026-12-01&next_payment_to=2026-12-24`,
        async reach(page) {
          await page.getByRole('button', { name: texts.filters.calendar('Next payment') }).click();
          await page.locator('.calendar [data-selected]').first().waitFor();
        },
        pairs: {
          'a day': ['.calendar td [data-selected]', '.calendar td button:not([data-in-range])'],
          'a day between': ['.calendar td [data-in-range]', '.calendar td button:not([data-in-range])'],
        },
      },
    };
    for (const [where, { path, reach, pairs }] of Object.entries(views)) {
      test(`${where}: ${Object.keys(pairs).join(', ')}`, async () => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await visits.visit({ path, forcedColors: 'active', colorScheme }, async (page) => {
            await reach(page);
            for (const [what, [chosen, other]] of Object.entries(pairs)) {
              const [one, rest] = [await looks(page, chosen), await looks(page, other)];
              assert.notEqual(one, rest, `${what}, in ${colorScheme}`);
            }
          });
        }
      });
    }
  });

  describe('on paper all is there, dark on light, and nothing to click:', AT_ONCE, () => {
    interface Printed {
      readonly path: string;
      readonly reach: (page: Page) => Promise<unknown>;
      readonly hidden: readonly string[];
      /** Text on its own ground. */
      readonly ink: string;
    }
    const seen = (selector: string) => (page: Page) => page.locator(selector).first().waitFor();
    const views: Readonly<Record<string, Printed>> = {
      'the list': {
        path: NUMBERS,
        reach: seen('.part-line'),
        hidden: ['.toolbar', '.palette-button', '.way', '.pager-size', '.panel-head a'],
        ink: 'tbody tr',
      },
      'the list, with details and selected rows': {
        path: NUMBERS,
        async reach(page) {
          await page.locator('.row-check').nth(1).check();
          await page.locator('.row-link').first().click();
          await page.locator('.history li').first().waitFor();
        },
        hidden: ['[role=dialog]', '.mantine-Overlay-root', '.toolbar', '.row-check'],
        ink: 'tbody tr:last-child',
      },
      'the overview': {
        path: '/',
        reach: seen('.overview-total'),
        hidden: ['.timeline-readout', '.panel-head a', '.part-fewer'],
        ink: '.panel',
      },
      'what happened': {
        path: '/activity',
        reach: seen('.happened'),
        hidden: ['.sidebar', '.filters-button', '.happenings-more'],
        ink: '.happenings ol',
      },
      'a comparison': {
        path: `${NUMBERS}/compare-country_codes`,
        reach: seen('.compare-figure'),
        hidden: ['.sidebar', '.filters-button', '.compare-by', '.compare-head a'],
        ink: 'tbody tr',
      },
      'the notifications': {
        path: '/notifications',
        reach: seen('main .empty'),
        hidden: ['.palette-button', '.tab:not([aria-current])'],
        ink: 'main .empty',
      },
    };
    for (const [what, { path, reach, hidden, ink }] of Object.entries(views)) {
      test(what, async () => {
        await visits.visit({ colorScheme: 'dark', path }, async (page) => {
          await reach(page);
          await page.emulateMedia({ media: 'print' });
          await page.setViewportSize(A4);
          await page.locator('.palette-button').waitFor({ state: 'hidden' });
          const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
          assert.ok(wide <= A4.width, `${wide} wide`);
          for (const part of hidden)
            assert.equal(await page.locator(part).filter({ visible: true }).count(), 0, part);
          for (const last of await page.getByRole('columnheader').last().all()) {
            const { x, width } = (await last.boundingBox()) ?? { x: 0, width: A4.width + 1 };
            assert.ok(x + width <= A4.width);
          }
          const colours = await page.evaluate<[string, string]>(`{
            const { color, backgroundColor } = getComputedStyle(document.querySelector('${ink}'));
            [color, backgroundColor];
          }`);
          assert.deepEqual(colours, ['rgb(23, 33, 43)', 'rgb(255, 255, 255)']);
          const linked = await page.evaluate<string[]>(`
            [...document.querySelectorAll('main a[href]')].filter((one) => one.checkVisibility()).filter((one) => {
              const { textDecorationLine, color } = getComputedStyle(one);
              return textDecorationLine !== 'none' || color === 'rgb(11, 102, 99)';
            }).map(({ textContent }) => textContent)`);
          assert.deepEqual(linked, []);
        });
      });
    }
  });
});
