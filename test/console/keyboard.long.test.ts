// The console by the keyboard alone: where the focus is after each step, what Escape closes, and what the
// palette shows.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, openFilters, TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, type Visit, Visits } from '../kit/console-visits.ts';

/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };
/** What a view comes to show, whatever it is. */
const SETTLED = '.row-link, .card-link, .empty, .trouble';
const MOVING = 'moving';
/** More providers than are shown at first. */
const PROVIDERS = 9;
/** A change is seen within this, also where it must be asked for now and then. */
const NEWS_MS = 15_000;

const skip = process.env['CI'] === 'true' ? false : NO_BROWSER;

describe('the console by the keyboard', { skip }, () => {
  let visits: Visits;
  let movingToken: string;
  const moving = (id: number) => ({ id: 910_000 + id, did: `+4420794600${id}`, provider: `Provider ${id}` });

  before(async () => {
    visits = await Visits.start();
    await visits.server.import(
      MOVING,
      Array.from({ length: PROVIDERS }, (_, i) => moving(20 + i)),
    );
    ({ token: movingToken } = await visits.server.token(MOVING));
  });
  after(() => visits?.end());

  const listed = (page: Page) => page.locator('.row-link, .card-link').first().waitFor();
  const dialog = (page: Page) => page.getByRole('dialog');
  const closed = (page: Page) => dialog(page).waitFor({ state: 'detached' });
  const range = (page: Page, text: string) => page.locator('.pager-range').getByText(text).waitFor();
  /** Those above the list come after it. */
  const menus = (page: Page) => page.locator('.toolbar-more > button:not([inert])').first().waitFor();
  const openPalette = async (page: Page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: texts.palette.label }).waitFor();
  };
  const compareInPalette = async (page: Page) => {
    await openPalette(page);
    await page.keyboard.type('compare by country');
    await page
      .getByRole('option', { name: texts.compare.openBy('country') })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await closed(page);
  };
  const press = async (page: Page, role: 'button' | 'link' | 'menuitem', name: string | RegExp) => {
    await page.getByRole(role, { name }).first().focus();
    await page.keyboard.press('Enter');
  };

  interface Step extends Visit {
    readonly reach: (page: Page) => Promise<unknown>;
    /** What has the focus afterwards. */
    readonly focus: string;
  }
  const germany = `${texts.filters.remove('Country: Germany')}`;
  const steps: Readonly<Record<string, Step>> = {
    'a filter that is dropped leads to the next one': {
      path: `${NUMBERS}?country_codes=DE&country_codes=GB`,
      reach: (page) => press(page, 'link', germany),
      focus: '.chip[aria-label*="United Kingdom"]',
    },
    'the last filter that is dropped leads to the list': {
      path: `${NUMBERS}?country_codes=DE`,
      reach: (page) => press(page, 'link', germany),
      focus: 'thead th:first-child .sort',
    },
    'on a telephone as well': {
      viewport: PHONE,
      path: `${NUMBERS}?country_codes=DE`,
      reach: (page) => press(page, 'link', germany),
      focus: '.card-link',
    },
    'all filters that are dropped lead to the list': {
      path: `${NUMBERS}?country_codes=DE&statuses=active`,
      reach: (page) => press(page, 'link', texts.filters.clear),
      focus: 'thead th:first-child .sort',
    },
    'all filters that are dropped beside the list stay there': {
      path: `${NUMBERS}?country_codes=DE`,
      reach: async (page) => {
        await press(page, 'button', texts.filters.clear);
        await range(page, 'of 46');
      },
      focus: '.filters-head button',
    },
    'where nothing matches, the way out leads to the list': {
      path: `${NUMBERS}?q=zzzz`,
      reach: (page) => press(page, 'link', texts.nothingFound.drop('“zzzz”')),
      focus: 'thead th:first-child .sort',
    },
    'an address that asks for nonsense leads to the list': {
      path: `${NUMBERS}?status=active`,
      reach: (page) => press(page, 'link', texts.trouble.start),
      focus: '#list',
    },
    'a search that is cleared goes on being typed': {
      path: `${NUMBERS}?q=desk`,
      reach: (page) => press(page, 'button', texts.search.clear),
      focus: '.search input',
    },
    'a day that is entered stays in its field': {
      reach: async (page) => {
        await press(page, 'button', texts.filters.calendar('Next payment'));
        const day = page.getByLabel('Next payment: From');
        await day.fill('2026-12-01');
        await day.press('Enter');
        await page.getByRole('link', { name: /Remove filter Next payment: from/ }).waitFor();
      },
      focus: '[aria-label="Next payment: From"]',
    },
    'the way to the last page stays where it is': {
      reach: async (page) => {
        await press(page, 'link', texts.table.next);
        await range(page, '26–46');
      },
      focus: `.way[aria-label="${texts.table.next}"][aria-disabled=true]`,
    },
    'the way back to the first page stays where it is': {
      path: `${NUMBERS}?page=2`,
      reach: async (page) => {
        await press(page, 'link', texts.table.previous);
        await range(page, '1–25');
      },
      focus: `.way[aria-label="${texts.table.previous}"][aria-disabled=true]`,
    },
    'the usual columns are chosen without leaving the columns': {
      path: `${NUMBERS}?fields=did`,
      reach: async (page) => {
        await menus(page);
        await press(page, 'button', texts.table.columns);
        // The focus goes into what opens, on a busy machine later than the next key.
        await page.locator('.columns :focus').waitFor();
        await press(page, 'button', texts.table.columnsUsual);
        await page.getByRole('columnheader', { name: 'Comment' }).waitFor();
        await page.keyboard.press('Escape');
        await page.locator('.columns').waitFor({ state: 'detached' });
      },
      focus: '.toolbar-more button:has-text("Columns")',
    },
    'an export that is finished and read leads back to its button': {
      acceptDownloads: true,
      reach: async (page) => {
        await menus(page);
        await press(page, 'button', texts.export.label);
        await press(page, 'menuitem', texts.export.csv);
        await page.locator('.toolbar-more button:has-text("Export"):focus').waitFor();
        await page
          .getByText(new RegExp(texts.export.done(String.raw`virtual numbers - [\d-]+\.csv`)))
          .waitFor();
        await press(page, 'button', texts.close);
      },
      focus: '.toolbar-more button:has-text("Export")',
    },
    'an export that is cancelled leads to what is said of it': {
      path: `${NUMBERS}?country_codes=DE`,
      reach: async (page) => {
        await page.route('**/did/me?*', () => {});
        await menus(page);
        await press(page, 'button', texts.export.label);
        await press(page, 'menuitem', texts.export.csv);
        await press(page, 'button', texts.export.cancel);
        await page.getByText(texts.export.cancelled).waitFor();
      },
      focus: `.toast button[aria-label="${texts.close}"]`,
    },
    'ranges that the menu of a phone opens are where the keyboard goes on': {
      viewport: PHONE,
      reach: async (page) => {
        await press(page, 'button', texts.table.more);
        await press(page, 'menuitem', texts.ranges.label);
        await page.getByRole('heading', { name: texts.ranges.title('Virtual numbers') }).waitFor();
      },
      focus: '#list',
    },
    'the check of a file that is closed leads back to the menu of a phone': {
      viewport: PHONE,
      reach: async (page) => {
        await press(page, 'button', texts.table.more);
        await press(page, 'menuitem', texts.check.label);
        await dialog(page).getByRole('textbox').first().waitFor();
        await page.keyboard.press('Escape');
        await closed(page);
      },
      focus: '.toolbar-more button:has-text("More")',
    },
    'a selection of rows that the menu of a phone begins leads to its first box': {
      viewport: PHONE,
      reach: async (page) => {
        await press(page, 'button', texts.table.more);
        await press(page, 'menuitem', texts.select.start);
        await page.locator('.cards-all').waitFor();
      },
      focus: '.cards-all input',
    },
    'details that a link has opened lead to their row': {
      reach: async (page) => {
        const row = await page.locator('tbody tr').nth(3).getAttribute('data-id');
        await page.goto(`${visits.server.origin}${NUMBERS}/${row}`);
        await dialog(page).locator('.field').first().waitFor();
        await page.keyboard.press('Escape');
        await closed(page);
      },
      focus: 'tbody tr:nth-child(4) .row-link',
    },
    'the first of the rows is reached without leaving the details': {
      reach: async (page) => {
        await page.locator('.row-link').nth(1).focus();
        await page.keyboard.press('Enter');
        await press(page, 'button', texts.details.previous);
        await page.locator('tr[data-open]:first-child').waitFor();
      },
      focus: '[role=dialog] .neighbours button[aria-disabled=true]',
    },
    'a fault that is over leads to the list': {
      reach: async (page) => {
        const body = JSON.stringify({ type: 'urn:linecard:problem:internal', detail: 'Something broke.' });
        const fault = { status: 500, contentType: 'application/problem+json', body };
        await page.route('**/did/me?*', (route) => route.fulfill(fault));
        await page.getByRole('checkbox', { name: /^Germany/ }).check();
        await page.getByText(texts.trouble.sentences.internal).waitFor();
        await page.unroute('**/did/me?*');
        await press(page, 'button', texts.trouble.again);
        await range(page, 'of 16');
      },
      focus: 'thead th:first-child .sort',
    },
    'a comparison that the palette opens is where the keyboard goes on': {
      reach: (page) => compareInPalette(page),
      focus: '#list:has(.compare)',
    },
    'also from the search, which goes with the list': {
      reach: async (page) => {
        await page.keyboard.press('/');
        await page.locator('.search input:focus').waitFor();
        await compareInPalette(page);
      },
      focus: '#list:has(.compare)',
    },
    'and from a list that is left by a link to its comparison': {
      reach: (page) => press(page, 'link', texts.compare.openBy('status')),
      focus: '#list:has(.compare)',
    },
    'signing in leads to the list': {
      token: '',
      reach: async (page) => {
        await page.getByLabel(texts.signIn.token, { exact: true }).fill(visits.token);
        await page.keyboard.press('Enter');
        await listed(page);
      },
      focus: '#list',
    },
  };

  describe('goes on from where it was', AT_ONCE, () => {
    for (const [name, { reach, focus, ...visit }] of Object.entries(steps)) {
      test(name, async () => {
        await visits.visit(visit, async (page) => {
          if (visit.token !== '') await page.locator(SETTLED).first().waitFor();
          await reach(page);
          await page.locator(focus).and(page.locator(':focus')).waitFor();
        });
      });
    }

    test('more values of a filter are shown and hidden by one button', async () => {
      await visits.visit({ token: movingToken }, async (page) => {
        await openFilters(page, 'Number provider');
        // Another test adds rows to this account at the same time.
        const more = new RegExp(`^${texts.filters.more.other.replace('#', String.raw`\d+`)}$`);
        for (const name of [more, texts.filters.fewer, more]) {
          await page.getByRole('button', { name }).waitFor();
          if (name === texts.filters.fewer) await page.locator('.facet-more:focus').waitFor();
          await press(page, 'button', name);
        }
      });
    });

    test('new rows that are wanted lead to the list', async () => {
      await visits.visit({ token: movingToken }, async (page) => {
        await range(page, 'of 9');
        await visits.server.import(MOVING, [moving(19)]);
        await page.getByText(texts.live.changed).waitFor({ timeout: NEWS_MS });
        await press(page, 'button', texts.live.show);
        await page.locator('thead th:first-child .sort:focus').waitFor();
      });
    });
  });

  describe('alone', AT_ONCE, () => {
    test('leads through both lists by the palette', async () => {
      await visits.visit({}, async (page) => {
        await total(page, TOTAL);
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: texts.palette.label }).waitFor();
        await page.keyboard.type('country germ');
        await page.getByRole('option', { name: 'Country: Germany' }).waitFor();
        await page.keyboard.press('Enter');
        await total(page, 16);
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: texts.palette.label }).waitFor();
        await page.keyboard.type('additional');
        await page.keyboard.press('Enter');
        await page
          .getByRole('heading', { name: 'Additional services', level: 1 })
          .waitFor({ state: 'attached' });
        // What only a list has is found on every page.
        const combobox = page.getByRole('combobox', { name: texts.palette.label });
        await page.keyboard.press('Control+k');
        for (const [typed, found] of [
          ['overdue', 'Virtual numbers: Next payment: Overdue'],
          ['csv', 'Virtual numbers: Export: CSV (.csv)'],
          ['columns provider', 'Virtual numbers: Columns: Number provider'],
          ['français', 'Language: Français'],
          ['united kingdom', 'Virtual numbers: Country: United Kingdom'],
        ] as const) {
          await combobox.fill(typed);
          await page.getByRole('option', { name: found }).waitFor();
        }
        await page.keyboard.press('Enter');
        await total(page, 30);
      });
    });

    const permissions = ['clipboard-read', 'clipboard-write'];
    const ROW = ':is(.row-link, .card-link)';
    const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

    /** What has the focus is in sight, under nothing, and looks other than without it. */
    async function seenFocus(page: Page): Promise<void> {
      const isSeen = await page.evaluate<string>(`{
        const element = document.activeElement;
        const box = element.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const top = document.elementFromPoint(x, y);
        const lookOf = (one) => {
          const { outline, borderColor, backgroundColor } = getComputedStyle(one);
          return [outline, borderColor, backgroundColor].join();
        };
        const twin = element.cloneNode();
        element.after(twin);
        const isMarked = lookOf(element) !== lookOf(twin);
        twin.remove();
        const isOnTop = top !== null && (element.contains(top) || top.contains(element));
        isMarked && isOnTop ? '' : element.outerHTML.slice(0, 200) + (isMarked ? ' is covered' : ' looks the same');
      }`);
      assert.equal(isSeen, '');
    }

    /** Presses Tab until what has the focus matches, sees each stop, and says how many there were. */
    async function tabTo(page: Page, place: string | Locator): Promise<number> {
      const focused = page.locator(':focus').and(typeof place === 'string' ? page.locator(place) : place);
      const isThere = async () => (await focused.count()) > 0;
      let stops = 0;
      for (; stops < 100 && !(await isThere()); stops += 1) {
        await page.keyboard.press('Tab');
        await seenFocus(page);
      }
      assert.ok(await isThere(), `${place} is reached`);
      return stops;
    }

    for (const viewport of [PHONE, { width: 1280, height: 800 }]) {
      test(`${viewport.width} wide: reaches the first row within 15 keys`, () =>
        visits.visit({ viewport }, async (page) => {
          await listed(page);
          await menus(page);
          let keys = await tabTo(page, 'a.skip');
          await page.keyboard.press('Enter');
          keys += await tabTo(page, 'button.skip');
          assert.deepEqual(await complaints(page, '#list'), []);
          await page.keyboard.press('Enter');
          await page.locator('.rows:focus').waitFor();
          keys += 2 + (await tabTo(page, ROW));
          assert.ok(keys <= 15, `${keys} keys`);
        }));

      test(`${viewport.width} wide: finds a number, reads its history, copies it and goes back`, () =>
        visits.visit({ viewport, permissions }, async (page) => {
          await listed(page);
          await page.keyboard.press('/');
          await page.locator('.search input:focus').waitFor();
          await seenFocus(page);
          // Faster than the answer: the row is the one that it brings.
          await page.keyboard.type('4960006');
          await page.keyboard.press('ArrowDown');
          await page.locator(ROW).and(page.locator(':focus')).waitFor();
          await range(page, 'of 1');
          await seenFocus(page);
          await page.keyboard.press('Enter');
          await page.waitForURL(/\/41017\b/);
          const history = dialog(page).locator('.history');
          await history.waitFor();
          const { y = viewport.height } = (await history.boundingBox()) ?? {};
          assert.ok(y < viewport.height, `the history begins at ${y}`);
          await tabTo(page, '.copy-text');
          await page.keyboard.press('Enter');
          await page.locator('.copy-mark[data-done]').waitFor();
          assert.equal(await copied(page), '+441174960006');
          await page.keyboard.press('Escape');
          await closed(page);
          await page.locator(ROW).and(page.locator(':focus')).waitFor();
          await seenFocus(page);
        }));

      test(`${viewport.width} wide: filters by status and country, and exports`, () =>
        visits.visit({ viewport, acceptDownloads: true }, async (page) => {
          await listed(page);
          await menus(page);
          if (viewport === PHONE) {
            await tabTo(page, '.filters-button');
            await page.keyboard.press('Enter');
            await page.locator('.filters-drawer :focus').waitFor();
          }
          for (const value of ['Germany', 'Active']) {
            await tabTo(page, page.getByRole('checkbox', { name: new RegExp(`^${value}`) }));
            await page.keyboard.press('Space');
          }
          await page.waitForURL(/country_codes=DE&statuses=active|statuses=active&country_codes=DE/);
          if (viewport === PHONE) await page.keyboard.press('Escape');
          await tabTo(page, viewport === PHONE ? '.toolbar-more > button' : '.export-button');
          await page.keyboard.press('Enter');
          const coming = page.waitForEvent('download');
          const csv = page.getByRole('menuitem', { name: texts.export.csv, exact: true });
          await csv.waitFor();
          for (let keys = 0; keys < 12 && !(await csv.and(page.locator(':focus')).count()); keys += 1)
            await page.keyboard.press('ArrowDown');
          await seenFocus(page);
          await page.keyboard.press('Enter');
          assert.match((await coming).suggestedFilename(), /Germany.*\.csv$/);
        }));
    }

    test('compares providers, sorts them and copies the table', () =>
      visits.visit({ permissions }, async (page) => {
        await listed(page);
        await openPalette(page);
        await page.keyboard.type('compare by number provider');
        const chosen = page.locator('[role=option][aria-selected=true]');
        await chosen.getByText('Compare by number provider').waitFor();
        await page.keyboard.press('Enter');
        await page.locator('.compare-figure').first().waitFor();
        await tabTo(page, '.compare-head button:not(.filters-button)');
        await page.keyboard.press('Enter');
        await page.getByRole('status').getByText(texts.copied).waitFor();
        assert.match(await copied(page), /^Number provider\tCount\t%/);
        await tabTo(page, '.compare .sort');
        await page.keyboard.press('Enter');
        await page.locator('th:first-child[aria-sort=ascending] .sort:focus').waitFor();
        await page.waitForURL(/sort_by=provider/);
      }));
  });

  describe('Escape and the palette', AT_ONCE, () => {
    test('Escape closes the palette alone where it lies over details', async () => {
      await visits.visit({}, async (page) => {
        await page.locator('.row-link').nth(2).focus();
        await page.keyboard.press('Enter');
        await dialog(page).locator('.field').first().waitFor();
        await openPalette(page);
        await page.keyboard.press('Escape');
        await page.locator('.palette').waitFor({ state: 'detached' });
        assert.equal((await dialog(page).locator('.field').count()) > 0, true);
        await page.keyboard.press('Escape');
        await closed(page);
        await page.locator('.row-link:focus').waitFor();
      });
    });

    test('Escape pressed in the moment the palette closes is for what lay below it', async () => {
      await visits.visit({ path: `${NUMBERS}/41012` }, async (page) => {
        await dialog(page).locator('.field').first().waitFor();
        await openPalette(page);
        await page.evaluate(`new MutationObserver((_, observer) => {
          if (document.querySelector('.palette') !== null) return;
          observer.disconnect();
          document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
        }).observe(document.body, { childList: true, subtree: true })`);
        await page.keyboard.press('Escape');
        await closed(page);
      });
    });

    test('Escape closes the list of keys alone, and the rows stay selected', async () => {
      await visits.visit({}, async (page) => {
        await page.locator('.row-link').first().focus();
        await page.keyboard.press('x');
        await page.locator('.selected-count').waitFor();
        await page.keyboard.press('?');
        await dialog(page).waitFor();
        await page.keyboard.press('Escape');
        await closed(page);
        await page.locator('.row-link:focus').waitFor();
        assert.equal(await page.locator('.selected-count').count(), 1);
      });
    });

    test('letters typed in the moment the palette opens are its own', async () => {
      await visits.visit({}, async (page) => {
        await listed(page);
        await page.evaluate(`window.hasFocus = new Promise((resolve) => {
          const observer = new MutationObserver(() => {
            const input = document.querySelector('.palette-input');
            if (input === null) return;
            observer.disconnect();
            resolve(input === document.activeElement);
          });
          observer.observe(document.body, { childList: true, subtree: true });
        }); undefined`);
        await openPalette(page);
        assert.equal(await page.evaluate('window.hasFocus'), true);
      });
    });

    test('keys pressed in the moment a menu opens are its own, and its focus stays where they led', async () => {
      await visits.visit({ path: `${NUMBERS}?fields=did,country_code,provider` }, async (page) => {
        await listed(page);
        for (const button of [
          page.locator('.cell-value').first(),
          page.getByRole('button', { name: texts.export.label, exact: true }),
          page.locator('.account-button'),
        ]) {
          await page.evaluate(`window.focused = new Promise((resolve) => {
            const observer = new MutationObserver(() => {
              const items = document.querySelectorAll('[role^=menuitem]');
              if (items.length === 0) return;
              observer.disconnect();
              const isFirst = items[0] === document.activeElement;
              items[0].dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
              setTimeout(() => resolve([isFirst, items[1] === document.activeElement]), 400);
            });
            observer.observe(document.body, { childList: true, subtree: true });
          }); undefined`);
          await button.focus();
          await page.keyboard.press('Enter');
          assert.deepEqual(await page.evaluate('window.focused'), [true, true]);
          await page.keyboard.press('Escape');
          await page.locator('[role=menu]').waitFor({ state: 'detached' });
        }
      });
    });

    test('the entry that is chosen is in sight on a low screen', async () => {
      await visits.visit({ viewport: { width: 640, height: 400 } }, async (page) => {
        await listed(page);
        await openPalette(page);
        const entries = await page.locator('.palette-entry').count();
        for (let at = 1; at <= entries; at += 1) {
          await page.keyboard.press('ArrowDown');
          await page.locator(`.palette-entry:nth-child(${(at % entries) + 1})[aria-selected=true]`).waitFor();
          const isSeen = await page.evaluate<boolean>(`{
            const inner = document.querySelector('[aria-selected=true]').getBoundingClientRect();
            const outer = document.querySelector('.palette-list').getBoundingClientRect();
            inner.top > outer.top - 1 && inner.bottom < outer.bottom + 1;
          }`);
          assert.equal(isSeen, true, `entry ${at} of ${entries}`);
        }
      });
    });
  });
});
