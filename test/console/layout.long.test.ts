// How the console lies on screens of every size: where its rows begin, and what has room.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { LANGUAGES, texts } from '../../console/texts.ts';
import { billedLabel } from '../../console/words.ts';
import { AnswersInTurn, type Order } from '../kit/answers-in-turn.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, unfold } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SERVICES, type Visit, Visits, WIDE, zoneOfOtherDay } from '../kit/console-visits.ts';
import { until } from '../kit/until.ts';

/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };
/** On both sides of each width at which something moves. */
const WIDTHS = [320, 375, 767, 768, 769, 880, 881, 900, 950, 1088, 1089, 1280, 1920];
const LARGE_FIRM = 'ringmallow-answers';
const RICH = 'rich';
const STATES = 'states';
const LONG = 'long';
/** Longer than its column, and shorter than forty characters. */
const CUT = 'WWWWWWWWWW WWWWWWWWWW WWWWWWWWWW W';
const PROVIDER = 'Telekommunikationsgesellschaft für Nordrhein-Westfalen und Rheinland-Pfalz mbH & Co. KG';
const DAY_MS = 86_400_000;
/** Names that have two lines in a filter, large amounts, and periods that no list price is known for. */
const longItems = () =>
  Array.from({ length: 60 }, (_, i) => ({
    id: 950_000 + i,
    did: `+4420794${60_000 + i}`,
    provider: `${PROVIDER} ${i % 6}`,
    country_code: ['GB', 'US', 'BA', 'VC', 'CF', 'GS', 'DE'][i % 7],
    status: ['active', 'configuration_awaiting', 'waiting_for_documents_of_the_customer'][i % 3],
    frequency: ['monthly', 'every_second_thursday_of_the_month'][i % 2],
    monthly: i % 9 === 0 ? 123_456.789 : 99.5 + i,
    next_payment_at: new Date(Date.now() + ((i % 12) - 2) * DAY_MS).toISOString(),
  }));
/** An expression for the contrast between the border of a field and what it stands on. */
const contrastOfBorder = (field: string) => `{
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (one) => {
    const { backgroundColor } = getComputedStyle(one);
    return backgroundColor === 'rgba(0, 0, 0, 0)' ? groundOf(one.parentElement) : backgroundColor;
  };
  const one = document.querySelector('${field}');
  const both = [getComputedStyle(one).borderTopColor, groundOf(one.parentElement)].map(light);
  (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}`;

const skip = process.env['CI'] === 'true' ? false : NO_BROWSER;

describe('the console on every screen', { skip }, () => {
  let visits: Visits;
  let richToken: string;
  let statesToken: string;
  let longToken: string;
  before(async () => {
    visits = await Visits.start();
    const rich = { monthly: '249999999.975003', activation: '12345678.5', comment: CUT };
    const next_payment_at = new Date(Date.now() + DAY_MS).toISOString();
    const dids = ['+442079460018', '+442079460019'];
    await visits.server.import(STATES, [
      {
        id: 920_010,
        did: '+442079460020',
        status: 'configuration_awaiting',
        subscription_status: 'suspended',
      },
      {
        id: 920_011,
        did: '+442079460021',
        status: 'waiting_for_documents_of_the_customer',
        subscription_status: 'cancelled',
      },
    ]);
    ({ token: statesToken } = await visits.server.token(STATES));
    await visits.server.import(LONG, longItems());
    await visits.server.importServices(LONG, [PROVIDER, 'Fax'], 960_000);
    ({ token: longToken } = await visits.server.token(LONG));
    await visits.server.import(
      RICH,
      dids.map((did, i) => ({ id: 920_000 + i, did, next_payment_at, provider: PROVIDER, ...rich })),
    );
    ({ token: richToken } = await visits.server.token(RICH));
  });
  after(() => visits?.end());

  const listed = (page: Page) => page.locator('.row-link, .card-link').first().waitFor();
  const range = (page: Page, text: string) => page.locator('.pager-range').getByText(text).waitFor();
  const pageWidth = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth');

  test('a chart of payments names the lists that have some', async () => {
    await visits.visit({ path: '/', token: richToken }, async (page) => {
      await page.locator('.timeline-legend li').first().waitFor();
      const named = await page.locator('.timeline-legend li').allTextContents();
      assert.equal(named.length, 1);
      assert.match(String(named[0]), /Virtual numbers: /);
    });
  });

  test('each panel of the overview is seen to wait', async () => {
    const prepare = (page: Page) => page.route('**/facets*', () => undefined);
    await visits.visit({ path: '/', prepare }, async (page) => {
      await page.locator('.panel-price .bone').first().waitFor();
      assert.equal(await page.locator('.panel').count(), 3);
      assert.equal(await page.locator('.panel:has(.bone)').count(), 3);
    });
  });

  describe('other rows begin with the first', AT_ONCE, () => {
    /** Whether the first row is in sight: not above the screen, nor behind what stays at its top. */
    const isFirstSeen = (page: Page) =>
      page.evaluate<boolean>(`{
        const { left, top, height } = document.querySelector('.row-link, .card-link').getBoundingClientRect();
        const seen = document.elementFromPoint(left + 5, top + height / 2);
        Boolean(seen?.closest('.row-link, .card-link'));
      }`);
    const toTheEnd = (page: Page) =>
      page.evaluate(`for (const one of [document.scrollingElement, document.querySelector('#list')])
        one.scrollTo(0, one.scrollHeight);`);

    test('on the next page of a phone', async () => {
      await visits.visit({ viewport: PHONE, path: `${NUMBERS}?page_size=10` }, async (page) => {
        await listed(page);
        for (const [way, shown] of [
          [texts.table.next, '11–20 of 46'],
          [texts.table.next, '21–30 of 46'],
          [texts.table.previous, '11–20 of 46'],
        ] as const) {
          await page.getByRole('link', { name: way }).click();
          await range(page, shown);
          assert.equal(await isFirstSeen(page), true, shown);
        }
      });
    });

    test('on the next page, in another order, and with a filter, next to a table that is longer than the screen', async () => {
      await visits.visit({ path: `${NUMBERS}?page_size=25` }, async (page) => {
        await listed(page);
        await toTheEnd(page);
        assert.equal(await isFirstSeen(page), false);
        await page.getByRole('link', { name: texts.table.next }).click();
        await range(page, '26–46 of 46');
        assert.equal(await isFirstSeen(page), true);
        await toTheEnd(page);
        await page.getByRole('columnheader').getByRole('button', { name: 'Monthly charge' }).click();
        await range(page, '1–25 of 46');
        assert.equal(await isFirstSeen(page), true);
        await toTheEnd(page);
        await page.getByRole('checkbox', { name: /^United Kingdom/ }).check();
        await range(page, '1–25 of 30');
        assert.equal(await isFirstSeen(page), true);
      });
    });

    test('but details are read and closed without moving the list', async () => {
      await visits.visit({}, async (page) => {
        await listed(page);
        await page.locator('.part-line').last().waitFor();
        await toTheEnd(page);
        const at = () => page.evaluate<number>(`document.querySelector('#list').scrollTop`);
        const last = page.locator('.row-link').last();
        await last.focus();
        const before = await at();
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').locator('.field').first().waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        assert.equal(await at(), before);
      });
    });

    test('and another list at its top', async () => {
      await visits.visit({ viewport: PHONE }, async (page) => {
        await listed(page);
        await toTheEnd(page);
        await page.keyboard.press('Control+k');
        await page.getByRole('option', { name: 'Go to additional services' }).click();
        await page.getByRole('list', { name: 'Additional services' }).waitFor();
        assert.equal(await page.evaluate('window.scrollY'), 0);
      });
    });
  });

  async function widen(page: Page, width: number): Promise<void> {
    await page.setViewportSize({ width, height: WIDE.height });
    await page
      .locator(width <= 880 ? '.card' : '.table')
      .first()
      .waitFor();
  }

  test('what a search finds is named in its field where there is room, and no calendar is alone in a line', async () => {
    /** Of the text in an empty field. */
    const isWhole = `(() => {
      const field = document.querySelector('.search input');
      const { fontWeight, fontSize, fontFamily, paddingLeft, paddingRight } = getComputedStyle(field);
      const canvas = document.createElement('canvas').getContext('2d');
      canvas.font = [fontWeight, fontSize, fontFamily].join(' ');
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return canvas.measureText(field.placeholder).width <= room;
    })()`;
    const alone = (page: Page) =>
      page.evaluate<string[]>(`[...document.querySelectorAll('.sidebar .presets')].flatMap((bar) => {
        const [end, before] = [...bar.children].toReversed().map((one) => one.getBoundingClientRect());
        return end.top > before.bottom ? [bar.getAttribute('aria-label')] : [];
      })`);
    for (const language of Object.keys(LANGUAGES))
      await visits.visit({ path: `${NUMBERS}?lang=${language}` }, async (page) => {
        for (const width of [1440, 390, 320, 1280]) {
          await widen(page, width);
          await until(`the text fits at ${width} in ${language}`, () => page.evaluate<boolean>(isWhole));
          if (width === 1440) await page.locator('.search input[placeholder*=","]').waitFor();
        }
        const folded = page.locator('.sidebar .facet-fold[aria-expanded=false]');
        while ((await folded.count()) > 0) await folded.first().click();
        assert.deepEqual(await alone(page), [], language);
      });
  });

  test('a card with many times has them in all of its width, and a menu that scrolls a shadow at its end', async () => {
    const path = `${NUMBERS}?fields=did,status,created_at,activated_at,next_payment_at,spam_checked_at`;
    await visits.visit({ path, viewport: PHONE }, async (page) => {
      await listed(page);
      const lefts = await page.evaluate<number[]>(
        `[...document.querySelector('.card-facts').children].map((one) => one.getBoundingClientRect().left)`,
      );
      const [first, second, ...others] = lefts;
      assert.deepEqual(others, [first, second, first]);
      await page.getByRole('button', { name: texts.table.more }).click();
      await page.getByRole('menuitem', { name: texts.table.columns, exact: true }).click();
      const shadow = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('[role=menu]')).backgroundImage`,
      );
      assert.match(shadow, /gradient/);
    });
  });

  describe('it stands still', AT_ONCE, () => {
    /** Collects how far what is shown moves without a touch of the reader. */
    const watch = (page: Page) =>
      page.addInitScript(`globalThis.moved = 0;
        new PerformanceObserver((list) => {
          for (const one of list.getEntries()) if (!one.hadRecentInput) globalThis.moved += one.value;
        }).observe({ type: 'layout-shift', buffered: true });`);
    const FILTERED = 'country_codes=DE,GB&statuses=active&monthly_min=1';
    const pages: Readonly<Record<string, string>> = {
      '/': '.overview-sentence',
      [NUMBERS]: '.row-link, .card-link',
      [SERVICES]: '.row-link, .card-link',
      '/activity': '.happened',
      '/notifications': 'h1',
      [`${NUMBERS}/compare-providers`]: '.compare-figure',
      [`${NUMBERS}/ranges`]: '.row-link, .card-link',
      [`${NUMBERS}?q=zzzzzz`]: '.empty',
      [`${NUMBERS}?${FILTERED}`]: '.row-link, .card-link',
    };

    /** Opens a page whose answers come in an order, and measures how far it moves. */
    async function movedBy(path: string, shown: string, order: Order, how: Visit): Promise<number> {
      let answers: AnswersInTurn | undefined;
      let moved = 0;
      const prepare = async (page: Page) => {
        await watch(page);
        await how.prepare?.(page);
        answers = new AnswersInTurn(page);
        await answers.hold();
      };
      const token = await visits.server.sampleToken(LARGE_FIRM);
      await visits.visit({ token, path, ...how, prepare }, async (page) => {
        await answers?.release(order);
        await page.locator(shown).first().waitFor();
        await page.locator('.bone').first().waitFor({ state: 'detached' });
        await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame))');
        moved = await page.evaluate<number>('globalThis.moved');
      });
      return moved;
    }

    /** Of the first number of the list: whichever comes first, it or the list, there are rows next to it. */
    async function addressOfDetails(): Promise<string> {
      const headers = { authorization: `Bearer ${await visits.server.sampleToken(LARGE_FIRM)}` };
      const answer = await fetch(`${visits.server.origin}/api/v1/did/me?page_size=1`, {
        headers,
      });
      const { data } = (await answer.json()) as { data: readonly { readonly id: number }[] };
      return `${NUMBERS}/${data[0]?.id}`;
    }

    /** In each language, every two answers come in another order. */
    const locales = { 'en-GB': 'as asked', 'de-DE': 'reversed' } as const;
    for (const [locale, order] of Object.entries(locales)) {
      for (const width of [PHONE.width, 1024, 1280]) {
        const how = { locale, viewport: { width, height: 800 } };
        test(`${width} wide in ${locale}, whichever answer comes first`, async () => {
          for (const [path, shown] of Object.entries(pages)) {
            const moved = await movedBy(path, shown, order, how);
            assert.ok(moved < 0.05, `${path}: ${moved}`);
          }
        });

        test(`${width} wide in ${locale}, also with long names and unknown periods`, async () => {
          for (const [path, shown] of Object.entries(pages)) {
            const moved = await movedBy(path, shown, order, { token: longToken, ...how });
            assert.ok(moved < 0.05, `${path}: ${moved}`);
          }
        });
      }
    }

    test('what falls due and what is said of it, unfolded, also where today is another day in UTC', async () => {
      const height = (page: Page) =>
        page.locator('.panel-due').evaluate((one) => one.getBoundingClientRect().height);
      for (const timezoneId of ['UTC', zoneOfOtherDay()])
        for (const locale of Object.keys(locales))
          for (const width of [PHONE.width, 1024, 1280]) {
            let answer = () => {};
            const prepare = async (page: Page) => {
              await page.addInitScript(`localStorage.setItem('linecard-figures', '{"isOpen":true}')`);
              const isWanted = new Promise<void>((resolve) => (answer = resolve));
              await page.route('**/facets?*', (route) => isWanted.then(() => route.continue()));
            };
            const viewport = { width, height: 800 };
            await visits.visit({ token: longToken, timezoneId, locale, viewport, prepare }, async (page) => {
              const before = await height(page);
              answer();
              await page.locator('.due-notes p').waitFor();
              await page.locator('.due-day').first().waitFor();
              const said = timezoneId === 'UTC' ? 1 : 2;
              assert.equal(await page.locator('.panel-due p').count(), said);
              assert.equal(await height(page), before, `${timezoneId} in ${locale} at ${width}`);
            });
          }
    });

    test('a view with a name, whose chips and list of names come with the account', async () => {
      const pins = { [LARGE_FIRM]: [{ name: 'Berlin, by price', word: NUMBERS.slice(1), text: FILTERED }] };
      const prepare = (page: Page) =>
        page.addInitScript(`localStorage.setItem('linecard-pins', '${JSON.stringify(pins)}')`);
      for (const order of ['as asked', 'reversed'] as const) {
        const how = { prepare, viewport: { width: 1280, height: 800 } };
        const moved = await movedBy(`${NUMBERS}?${FILTERED}`, '.pinned-link', order, how);
        assert.ok(moved < 0.05, `${order}: ${moved}`);
      }
    });

    test('a page all of whose requests fail, and what is said of that', async () => {
      const body = JSON.stringify({ title: 'Internal error', status: 500, code: 'internal' });
      const contentType = 'application/problem+json';
      const prepare = async (page: Page) => {
        await watch(page);
        await page.route('**/api/**', (route) => route.fulfill({ status: 500, contentType, body }));
      };
      for (const width of [PHONE.width, 1024, 1280]) {
        const viewport = { width, height: 800 };
        for (const path of ['/', NUMBERS, `${NUMBERS}/1`, '/activity', `${NUMBERS}/ranges`]) {
          await visits.visit({ path, viewport, prepare }, async (page) => {
            await page.locator('.trouble').first().waitFor();
            await page.locator('.bone').first().waitFor({ state: 'detached' });
            await page.evaluate('new Promise(requestAnimationFrame)');
            const moved = await page.evaluate<number>('globalThis.moved');
            assert.ok(moved < 0.05, `${path} at ${width}: ${moved}`);
          });
        }
      }
    });

    test('details that are opened by address, whatever comes first', async () => {
      for (const order of ['as asked', 'reversed'] as const) {
        for (const width of [PHONE.width, 1024, 1280]) {
          const viewport = { width, height: 800 };
          const moved = await movedBy(await addressOfDetails(), '.history li', order, { viewport });
          assert.ok(moved < 0.05, `${order} at ${width}: ${moved}`);
        }
      }
    });

    test('the reference, in the font of the console and with that one file', async () => {
      await visits.visit({ token: '', path: '/docs', prepare: watch }, async (page) => {
        // A reader who comes from the console has the font.
        await page.evaluate(`document.fonts.ready.then(() => document.fonts.load('1em "Inter Variable"'))`);
        await page.reload();
        await page.waitForFunction(`[...document.fonts].some(({ status }) => status === 'loaded')`);
        const files = await page.evaluate<string[]>(
          `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`,
        );
        assert.equal(files.length, 1);
        assert.match(files[0] ?? '', /^\/assets\/inter-latin-wght-.*\.woff2$/);
        const moved = await page.evaluate<number>('globalThis.moved');
        assert.ok(moved < 0.01, String(moved));
        assert.deepEqual(await complaints(page), []);
      });
    });

    test('whatever amounts come', async () => {
      for (const locale of ['en-GB', 'de-DE', 'pt-BR']) {
        await visits.visit({ token: richToken, locale, prepare: watch }, async (page) => {
          await page.setViewportSize({ width: 1280, height: 800 });
          await page.reload();
          await page.locator('a.due-day').first().waitFor();
          const moved = await page.evaluate<number>('globalThis.moved');
          assert.ok(moved < 0.05, `${locale}: ${moved}`);
          const [number, bars] = await page.evaluate<[number, number]>(
            `[document.querySelector('.axis-top').getBoundingClientRect().bottom,
              Math.min(...[...document.querySelectorAll('.due-day rect')].map((one) => one.getBoundingClientRect().top))]`,
          );
          assert.ok(number <= bars + 1, `The number of the axis ends at ${number}, a bar begins at ${bars}.`);
        });
      }
    });

    test('the row whose details are opened, on every width that has room for them', async () => {
      await visits.visit({}, async (page) => {
        await listed(page);
        await page.locator('.part-line').last().waitFor();
        const link = page.locator('.row-link').nth(5);
        const place = () => link.evaluate((one) => one.getBoundingClientRect().top);
        for (const width of [1024, 1280, 1440, 1679, 1680, 1920]) {
          await page.setViewportSize({ width, height: 900 });
          const before = await place();
          await link.click();
          await page.getByRole('dialog').locator('.history-place').waitFor();
          assert.equal(await place(), before, String(width));
          const history = await page.locator('.history-place').boundingBox();
          assert.ok(history !== null && history.y + history.height < 900, `${history?.y} at ${width}`);
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
        }
      });
    });
  });

  test('nothing is moved sideways on a phone or a tablet, in any language', async () => {
    for (const locale of Object.keys(LANGUAGES)) {
      await visits.visit({ locale, path: '/' }, async (page) => {
        for (const path of [
          '/',
          NUMBERS,
          SERVICES,
          '/activity',
          `${NUMBERS}/compare-providers`,
          `${NUMBERS}/ranges`,
        ]) {
          await page.goto(visits.server.origin + path);
          await page
            .locator('.overview-sentence, .card, .happened, .compare-figure, .row-link')
            .first()
            .waitFor();
          for (const width of [PHONE.width, 768]) {
            await page.setViewportSize({ width, height: 900 });
            const fold = page.locator('.glance-fold[aria-expanded=false]');
            if (await fold.isVisible()) await fold.click();
            const wide = await page.evaluate<string[]>(`[...document.querySelectorAll('*')]
              .filter((one) => one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX)
                || one.scrollWidth > innerWidth)
              .map((one) => one.className || one.tagName)`);
            assert.deepEqual(wide, [], `${path} in ${locale} at ${width}`);
          }
        }
      });
    }
  });

  test('a comparison of long names and large amounts is no wider than a tablet', async () => {
    const viewport = { width: 768, height: 1024 };
    const path = `${NUMBERS}/compare-providers`;
    await visits.visit({ token: richToken, locale: 'es-ES', path, viewport }, async (page) => {
      await page.locator('.compare-figure').last().waitFor();
      assert.equal(await pageWidth(page), viewport.width);
    });
  });

  for (const locale of ['en-GB', 'de-DE', 'fr-FR', 'es-ES']) {
    test(`nothing sticks out at any width in ${locale}, and the search has room to type`, async () => {
      await visits.visit({ locale }, async (page) => {
        for (const width of WIDTHS) {
          await widen(page, width);
          assert.ok((await pageWidth(page)) <= width, `${await pageWidth(page)} wide at ${width}`);
          const search = await page.locator('.search').boundingBox();
          assert.ok(search !== null && search.width > 120, `${search?.width} to type at ${width}`);
        }
      });
    });
  }

  test('the usual columns end where the charts above them do, next to the filters at 1280, and to details at 1920', async () => {
    for (const [width, item] of [
      [1280, ''],
      [1920, '/41007'],
    ] as const)
      await visits.visit({ viewport: { width, height: 800 }, path: NUMBERS + item }, async (page) => {
        await page.locator('.part-line').last().waitFor();
        await listed(page);
        const ends = await page.evaluate<number[]>(
          `['.table', '.glance > :last-child'].map((one) => document.querySelector(one).getBoundingClientRect().right)`,
        );
        assert.equal(ends[0], ends[1], `at ${width}`);
      });
  });

  test('an amount is in the line of its name, which is cut where it has no room', async () => {
    await visits.visit({ token: longToken, viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.locator('.part-line').last().waitFor();
      const lines = await page.evaluate<{ heights: number[]; cut: number; isOut: boolean }>(`{
        const all = [...document.querySelectorAll('.part-line')];
        ({
          heights: all.map((one) => one.clientHeight),
          cut: all.filter((one) => one.querySelector('.part-label').scrollWidth > one.querySelector('.part-label').clientWidth).length,
          isOut: all.some((one) => one.scrollWidth > one.clientWidth),
        });
      }`);
      assert.deepEqual([...new Set(lines.heights)], [24]);
      assert.ok(lines.cut > 0);
      assert.equal(lines.isOut, false);
      const name = page.locator('.part-label', { hasText: 'Bosnia' });
      await name.hover();
      assert.equal(await name.getAttribute('title'), await name.textContent());
    });
  });

  test('a table that is wider than the page fades at its edge, which can be clicked', async () => {
    const shown = [
      'did',
      'provider',
      'status',
      'frequency',
      'monthly',
      'next_payment_at',
      'created_at',
      'id',
    ];
    const path = `${NUMBERS}?fields=${shown.join('&fields=')}`;
    for (const width of [1024, 1280]) {
      await visits.visit({ token: longToken, path, viewport: { width, height: 800 } }, async (page) => {
        await listed(page);
        const places = await page.evaluate<{ left: number; right: number; y: number; isCell: boolean }>(`{
          const list = document.querySelector('#list');
          const { left, right } = list.getBoundingClientRect();
          const { top, height } = list.querySelector('tbody tr').getBoundingClientRect();
          const y = top + height / 2;
          ({ left, right, y, isCell: Boolean(document.elementFromPoint(right - 3, y).closest('td')) });
        }`);
        assert.equal(places.isCell, true);
        const colourAt = async (x: number) =>
          (await page.screenshot({ clip: { x, y: places.y, width: 1, height: 1 } })).toString('base64');
        const ground = await colourAt(places.left + 3);
        assert.equal(await colourAt(places.right - 1), ground, `at ${width}`);
        await page.evaluate(`document.querySelector('#list').scrollTo(9999, 0)`);
        assert.equal(await colourAt(places.right - 1), ground, `at ${width}`);
        assert.notEqual(await colourAt(places.right - 24), ground, `at ${width}`);
      });
    }
  });

  test('on a low window, as at 400 % zoom, a list has a hundred pixels before it is scrolled', async () => {
    await visits.visit({ viewport: { width: 320, height: 256 } }, async (page) => {
      await listed(page);
      const top = await page.evaluate<number>(`document.querySelector('.rows').getBoundingClientRect().top`);
      assert.ok(top <= 156, `${top} pixels are above the list.`);
    });
  });

  test('large figures stay whole within their panels, and each day can be hit with a finger', async () => {
    await visits.visit({ token: richToken }, async (page) => {
      for (const width of WIDTHS) {
        await widen(page, width);
        await unfold(page);
        await page.locator('a.due-day').first().waitFor();
        const clipped = await page.evaluate<string[]>(`
          [...document.querySelectorAll('.panel, .panel p, .due-sums, .due-sum small')]
            .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
            .map(({ textContent }) => textContent)`);
        assert.deepEqual(clipped, [], `at ${width}`);
        const days = await page.evaluate<number[]>(
          `[...document.querySelectorAll('.due-chart li')].map((one) => one.getBoundingClientRect().width)`,
        );
        assert.ok(Math.min(...days) > 23.9, `${Math.min(...days)} at ${width}`);
      }
      await page
        .getByTitle('499,999,999.950006', { exact: true })
        .filter({ hasText: /^499,999,999\.95$/ })
        .waitFor();
      // A day on which nothing falls due says so to those who hear it.
      const without = page.locator('.due-chart li').filter({ hasText: /: 0\spayments$/ });
      assert.equal(await without.count(), 13);
    });
  });

  test('a number and its noun are in one line', async () => {
    await visits.visit({ path: '/', viewport: PHONE }, async (page) => {
      await page.locator('.overview-sentence').waitFor();
      await page.locator('.months small').first().waitFor();
      const said = await page.evaluate<string>(`document.querySelector('main').textContent`);
      assert.match(said, /\d\u00a0payments/);
      assert.doesNotMatch(said, /\d payments?/);
    });
  });

  test('the heads of details and filters have room for all that is in them', async () => {
    const pins = { [RICH]: [{ name: CUT, word: NUMBERS.slice(1), text: 'statuses=active' }] };
    const prepare = (page: Page) =>
      page.addInitScript(`localStorage.setItem('linecard-pins', '${JSON.stringify(pins)}')`);
    /** Pairs of parts of a head that lie on each other, and parts that stick out of it. */
    const faults = (page: Page) =>
      page.evaluate<string[]>(`[...document.querySelectorAll('[role=dialog] :is(.side-head, .details-head)')]
        .flatMap((head) => {
          const parts = [...head.children].filter((one) => one.checkVisibility({ visibilityProperty: true }));
          const boxes = parts.map((one) => one.getBoundingClientRect());
          const out = head.getBoundingClientRect();
          const isOn = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
          return parts.flatMap((part, i) => [
            ...(boxes[i].left < out.left - 1 || boxes[i].right > out.right + 1 || part.scrollWidth > part.clientWidth + 1
              ? [part.outerHTML + ' sticks out'] : []),
            ...parts.filter((_, j) => j > i && isOn(boxes[i], boxes[j])).map((other) => part.outerHTML + ' on ' + other.outerHTML),
          ]);
        })`);
    /** Whether what closes the panel is in sight at the end of it. */
    const isClosable = (page: Page) =>
      page.evaluate<boolean>(`{
        const close = [...document.querySelectorAll('[role=dialog] .side-head > button')].at(-1);
        const panel = close.closest('.docked') ?? document.querySelector('.mantine-Drawer-body');
        panel.scrollTo(0, panel.scrollHeight);
        const { left, top, width, height } = close.getBoundingClientRect();
        panel.scrollTop > 0 && close.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      }`);
    const HEADS = [320, 390, 768, 1024, 1280];
    for (const locale of ['en-GB', 'de-DE']) {
      const how = { token: richToken, locale, prepare };
      await visits.visit({ ...how, path: `${NUMBERS}/920000?statuses=active` }, async (page) => {
        await page.locator('[role=dialog] .neighbours').waitFor();
        for (const width of HEADS) {
          await page.setViewportSize({ width, height: 800 });
          await page.locator('[role=dialog] .details-note').waitFor();
          assert.deepEqual(await faults(page), [], `details at ${width} in ${locale}`);
          assert.equal(await isClosable(page), true, `details at their end at ${width} in ${locale}`);
        }
      });
      await visits.visit({ ...how, path: `${NUMBERS}?statuses=active`, viewport: PHONE }, async (page) => {
        await page.locator('.filters-button').click();
        const drawer = page.getByRole('dialog');
        await drawer.locator('.pinned-link').waitFor();
        for (const width of HEADS) {
          await page.setViewportSize({ width, height: 800 });
          assert.deepEqual(await faults(page), [], `filters at ${width} in ${locale}`);
        }
        await drawer.locator('.filters-clear').first().click();
        await page.waitForURL((url) => url.search === '');
      });
    }
  });

  test('a row that is selected or open is seen to be, and so are the edges of its pills', async () => {
    await visits.visit({}, async (page) => {
      await listed(page);
      const looks = (row: number) =>
        page.evaluate<string[]>(`{
          const row = document.querySelectorAll('tbody tr')[${row}];
          [getComputedStyle(row).backgroundColor, getComputedStyle(row.querySelector('.pill')).boxShadow];
        }`);
      const [ground, none] = await looks(4);
      assert.equal(none, 'none');
      await page.locator('tbody .row-check').nth(2).check();
      await page.locator('.row-link').nth(3).click();
      await page.getByRole('dialog').waitFor();
      await page.mouse.move(0, 0);
      for (const row of [2, 3]) {
        await page.waitForFunction(
          `getComputedStyle(document.querySelectorAll('tbody tr')[${row}]).backgroundColor !== '${ground}'`,
        );
        assert.notEqual((await looks(row))[1], 'none');
      }
    });
  });

  test('a filter of many values leaves room for the list', async () => {
    const ids = Array.from({ length: 500 }, (_, i) => `ids=${41_000 + i}`).join('&');
    await visits.visit({ path: `${NUMBERS}?${ids}&country_codes=DE` }, async (page) => {
      await range(page, '1–16 of 16');
      assert.equal(await page.locator('.chip').count(), 2);
      await page.getByRole('link', { name: 'Remove filter ID: 500 values' }).click();
      await page.getByRole('link', { name: 'Remove filter ID: 500 values' }).waitFor({ state: 'detached' });
      assert.equal(new URL(page.url()).search, '?country_codes=DE');
    });
  });

  test('values are read whole in the filters next to a list, also long ones', async () => {
    const token = await visits.server.sampleToken(LARGE_FIRM);
    for (const [own, value] of [
      [token, texts.values.configuration_awaiting],
      [statesToken, 'Waiting for documents'],
    ] as const)
      await visits.visit({ token: own, viewport: { width: 1280, height: 800 } }, async (page) => {
        const words = page.locator('.sidebar .facet-words');
        await words.getByText(value).waitFor();
        const cut = await words.evaluateAll((all) =>
          all
            .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1)
            .map(({ textContent }) => textContent),
        );
        assert.deepEqual(cut, []);
      });
  });

  for (const [viewport, locale] of [
    [PHONE, 'en-GB'],
    [{ width: 768, height: 1024 }, 'de-DE'],
  ] as const)
    test(`figures of a comparison end below their headings, ${viewport.width} wide`, async () => {
      const path = `${NUMBERS}/compare-statuses`;
      await visits.visit(
        { viewport, locale, path, token: viewport === PHONE ? visits.token : richToken },
        async (page) => {
          await page.locator('.compare-figure').last().waitFor();
          const missing = '.compare tbody tr:first-child td:not(:has(.compare-figure))';
          await page.locator(missing).first().waitFor({ state: 'detached' });
          const apart = await page.evaluate<
            number[]
          >(`[...document.querySelectorAll('.compare thead [data-right]')]
        .map((head) => {
          const text = document.createRange();
          text.selectNodeContents(head);
          const ends = [...text.getClientRects()].filter(({ width }) => width > 1).map(({ right }) => right);
          const cell = document.querySelectorAll('.compare tbody tr:first-child > *')[head.cellIndex];
          const figure = cell.querySelector('.compare-figure > :first-child').getBoundingClientRect();
          return Math.max(...ends.map((end) => Math.abs(figure.right - end)));
        })`);
          for (const one of apart) assert.ok(one <= 1, String(apart));
        },
      );
    });

  test('no word of what the sign-in says first is alone on a line of a phone', async () => {
    for (const locale of Object.keys(LANGUAGES))
      await visits.visit({ token: '', locale, viewport: PHONE }, async (page) => {
        const widths = await page.locator('.sign-in-lead').evaluate((lead) => {
          const text = lead.ownerDocument.createRange();
          text.selectNodeContents(lead);
          return [...text.getClientRects()].map(({ width }) => width);
        });
        assert.ok(Math.min(...widths) > Math.max(...widths) / 2, `${widths} in ${locale}`);
      });
  });

  test('a billing period of two words stays on one line of a card', async () => {
    await visits.visit({ viewport: PHONE, path: SERVICES }, async (page) => {
      const period = page.locator('.card-facts .dim > *').getByText(billedLabel('one_time'), { exact: true });
      await period.first().waitFor();
      assert.equal(await period.first().evaluate((one) => one.getClientRects().length), 1);
      const { height } = (await period.first().boundingBox()) ?? { height: 0 };
      assert.ok(height < 24, `${height}`);
    });
  });

  test('an entry of the palette with two lines has them below each other', async () => {
    await visits.visit({ viewport: PHONE }, async (page) => {
      await listed(page);
      await page.keyboard.press('Control+k');
      await page.locator('.palette-entry').first().waitFor();
      await page.keyboard.type('a long text that has two lines');
      await page.locator('.palette-entry', { hasText: 'two lines' }).first().waitFor();
      const starts = await page.evaluate<
        number[][]
      >(`[...document.querySelectorAll('.palette-entry > :first-child')]
        .map((entry) => {
          const text = document.createRange();
          text.selectNodeContents(entry.lastChild);
          return [...text.getClientRects()].map(({ left }) => Math.round(left));
        })
        .filter((lefts) => lefts.length > 1)`);
      assert.ok(starts.length > 0);
      for (const lefts of starts) assert.ok(Math.max(...lefts) - Math.min(...lefts) <= 2, String(lefts));
    });
  });

  test('the pages of a list take one line of a phone, with three digits in German too', async () => {
    const token = await visits.server.sampleToken(LARGE_FIRM);
    await visits.visit({ token, viewport: PHONE, locale: 'de-DE' }, async (page) => {
      await listed(page);
      const lines = await page.evaluate<number>(`new Set([...document.querySelector('.pager').children]
        .map((part) => part.getBoundingClientRect()).map(({ top, height }) => Math.round((top + height / 2) / 8))).size`);
      assert.equal(lines, 1);
    });
  });

  test('a card says of what each status is, and has each fact where the other cards have it', async () => {
    for (const locale of ['en-GB', 'de-DE'])
      for (const path of [NUMBERS, SERVICES])
        await visits.visit({ viewport: PHONE, path, locale }, async (page) => {
          await listed(page);
          const places = await page.evaluate<[label: string, left: number][]>(`
            [...document.querySelectorAll('.card-facts dt')].map((one) =>
              [one.textContent, one.getBoundingClientRect().left])`);
          for (const label of new Set(places.map(([one]) => one))) {
            const lefts = places.filter(([one]) => one === label).map(([, left]) => left);
            // A long word makes its column a bit wider.
            const between = Math.max(...lefts) - Math.min(...lefts);
            assert.ok(between < 30, `${label} of ${path} in ${locale}: ${between}`);
          }
        });
    await visits.visit({ viewport: PHONE, path: `${NUMBERS}?statuses=blocked` }, async (page) => {
      await listed(page);
      const facts = await page.locator('.card').first().locator('.card-facts > div').allInnerTexts();
      for (const fact of ['Status\nBlocked', 'Subscription\nSuspended']) assert.ok(facts.includes(fact));
    });
  });

  test('a short text of an own field is read whole, next to the filters and without them', async () => {
    for (const width of [1024, 1280])
      await visits.visit(
        { viewport: { width, height: 800 }, path: `${NUMBERS}?country_codes=DE` },
        async (page) => {
          await listed(page);
          const site = page.locator('.table .text-value', { hasText: 'München' });
          await site.first().waitFor();
          const cut = await site.evaluateAll((all) =>
            all.filter((one) => one.scrollHeight > one.clientHeight + 1).map((one) => one.textContent),
          );
          assert.deepEqual(cut, [], String(width));
        },
      );
  });

  test('the status in a card breaks between words alone, in any language on any width', async () => {
    for (const locale of Object.keys(LANGUAGES))
      await visits.visit({ token: statesToken, locale, viewport: PHONE }, async (page) => {
        await page.locator('.card').nth(1).waitFor();
        for (const width of [320, 360, 390, 480, 700, 768, 820, 880]) {
          await page.setViewportSize({ width, height: PHONE.height });
          const broken = await page.evaluate<string[]>(`
            [...document.querySelectorAll('.card .pill')].flatMap((pill) => {
              const { firstChild } = pill;
              const outer = pill.closest('.card').getBoundingClientRect();
              return [...firstChild.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
                const range = document.createRange();
                range.setStart(firstChild, index);
                range.setEnd(firstChild, index + word.length);
                const [first, ...others] = range.getClientRects();
                return others.length > 0 || first.right > outer.right;
              }).map(([word]) => word);
            })`);
          assert.deepEqual(broken, [], `${locale} at ${width}`);
        }
      });
  });

  test('a text of the list is cut only where its row has no room: names at 1280, comments at 1920', async () => {
    for (const [width, place] of [
      [1280, '.row-link .text-value'],
      [1920, '.text-value'],
    ] as const)
      for (const locale of ['en-GB', 'de-DE'])
        await visits.visit({ viewport: { width, height: 800 }, path: SERVICES, locale }, async (page) => {
          await listed(page);
          const cut = await page.evaluate<string[]>(`
            [...document.querySelectorAll('.table ${place}')]
              .filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth)
              .map((one) => one.textContent)`);
          assert.deepEqual(cut, [], `${locale} at ${width}`);
          assert.equal(
            await page.evaluate('document.querySelector("#list").scrollWidth <= innerWidth'),
            true,
          );
        });
  });

  test('the words of all items of the account menu begin below each other', async () => {
    await visits.visit({ path: '/' }, async (page) => {
      await page.getByRole('button', { name: texts.menu }).click();
      await page.getByRole('menuitem').last().waitFor();
      const begins = await page
        .locator('[role^=menuitem] [data-menu-item-label]')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
      assert.ok(begins.length > 10 && new Set(begins).size === 1, begins.join());
    });
  });

  test('the first and the last item of a menu can be hit in a low window: a phone on its side, 400 % zoom', async () => {
    for (const [width, height] of [
      [320, 256],
      [844, 390],
      [1280, 400],
    ] as const)
      await visits.visit({ viewport: { width, height } }, async (page) => {
        await listed(page);
        for (const name of [texts.menu, ...(width < 880 ? [texts.table.more] : [])]) {
          await page.getByRole('button', { name }).click();
          await page.getByRole('menuitem').last().waitFor();
          const areHit = await page.evaluate<boolean[]>(`{
            const menu = document.querySelector('[role=menu]');
            const items = [...menu.querySelectorAll('[role^=menuitem]')];
            [[0, 0], [-1, menu.scrollHeight]].map(([at, y]) => {
              menu.scrollTo(0, y);
              const { left, top, height } = items.at(at).getBoundingClientRect();
              return top >= 0 && items.at(at).contains(document.elementFromPoint(left + 9, top + height / 2));
            });
          }`);
          assert.deepEqual(areHit, [true, true], `${name} at ${width} x ${height}`);
          await page.keyboard.press('Escape');
          await page.locator('[role=menu]').waitFor({ state: 'detached' });
        }
      });
  });

  test('a calendar takes the width of the fields above it, next to the list and on a phone', async () => {
    for (const viewport of [PHONE, WIDE])
      await visits.visit({ viewport }, async (page) => {
        await listed(page);
        const open = page.getByRole('button', { name: texts.filters.title, exact: true });
        if (await open.isVisible()) await open.click();
        await page.getByRole('button', { name: texts.filters.calendar('Next payment') }).click();
        await page.locator('.calendar td').first().waitFor();
        const [left = 9, right = 9] = await page.evaluate<number[]>(`{
          const [fields, days] = ['.span', '.calendar table'].map((one) => document.querySelector(one).getBoundingClientRect());
          [days.left - fields.left, fields.right - days.right];
        }`);
        assert.ok(Math.abs(left) <= 1 && Math.abs(right) <= 1, `${left}, ${right} at ${viewport.width}`);
      });
  });

  test('a calendar is in sight where it opens, also at the edge of the window', async () => {
    await visits.visit({ viewport: WIDE }, async (page) => {
      await listed(page);
      await page.getByRole('button', { name: texts.filters.calendar('Next payment') }).click();
      await page.locator('.calendar').waitFor();
      const place = await page.locator('.calendar').boundingBox();
      assert.ok(
        place !== null && place.y > 56 && place.y + place.height < WIDE.height + 1,
        JSON.stringify(place),
      );
    });
  });

  test('pasted numbers that are not on the account are in lines of their own, which are seen to go on', async () => {
    const dids = Array.from({ length: 40 }, (_, i) => `4411749680${10 + i}`);
    for (const viewport of [PHONE, WIDE])
      await visits.visit({ viewport, path: `${NUMBERS}?dids=${dids.join('&dids=')}` }, async (page) => {
        await page.locator('.found-numbers button').click();
        const shown = await page.evaluate<{ lines: number[]; cut: number }>(`{
          const list = document.querySelector('.found-list');
          const numbers = [...list.querySelectorAll('span')];
          const end = list.getBoundingClientRect().bottom;
          ({
            lines: numbers.map((one) => Math.round(one.clientHeight / parseFloat(getComputedStyle(one).lineHeight))),
            cut: numbers.filter((one) => one.getBoundingClientRect().top < end - 3 && one.getBoundingClientRect().bottom > end + 3).length,
          });
        }`);
        assert.equal(shown.lines.length, dids.length);
        assert.deepEqual([...new Set(shown.lines)], [1]);
        if (viewport === PHONE) assert.notEqual(shown.cut, 0);
      });
  });

  test('a comment has a line of its own in a card where it has no room next to the name', async () => {
    await visits.visit({ viewport: PHONE, path: SERVICES }, async (page) => {
      await listed(page);
      const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('.card-note')]
        .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)`);
      assert.deepEqual(cut, []);
      const broken = await page.evaluate<string[]>(`[...document.querySelectorAll('.card-link')]
        .filter(({ offsetHeight }) => offsetHeight > 30).map((one) => one.textContent)`);
      assert.deepEqual(broken, [], 'names that have room in one line');
    });
  });

  test('short texts are whole in a table that is wider than its place', async () => {
    const path = `${SERVICES}?fields=title,subscription_status,frequency,activation,monthly,activated_at,next_payment_at,id`;
    await visits.visit({ path, viewport: { width: 1280, height: 800 } }, async (page) => {
      await listed(page);
      const [short, cut] = await page.evaluate<[number, string[]]>(`{
        const all = [...document.querySelectorAll('.table td .text-value')]
          .filter(({ textContent }) => textContent.length <= 4);
        [all.length, all.filter((one) => one.scrollHeight > one.clientHeight).map((one) => one.textContent)];
      }`);
      assert.ok(short > 0);
      assert.deepEqual(cut, []);
    });
  });

  test('days from one year to another are in one line of the figures', async () => {
    const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
    const path = `${SERVICES}?next_payment_from=${dayIn(1)}&next_payment_to=${dayIn(60)}`;
    await visits.visit({ path, viewport: { width: 1280, height: 800 } }, async (page) => {
      const days = page.locator('.due-sum > span').nth(3);
      await days.waitFor();
      // The days of the test are in one year, but at the end of it.
      await days.evaluate((one) => one.replaceChildren('1 Dec 2026 – 28 Feb 2027'));
      const heights = await page
        .locator('.due-sum > span')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      assert.equal(new Set(heights).size, 1, heights.join());
    });
  });

  test('what is done with all filters is in one line, with their number on a phone, in any language', async () => {
    const path = `${NUMBERS}?country_codes=DE&statuses=active,blocked&next_payment_from=2026-01-01T00:00:00Z`;
    for (const locale of Object.keys(LANGUAGES))
      for (const viewport of [PHONE, { width: 1280, height: 800 }])
        await visits.visit({ path, locale, viewport }, async (page) => {
          await listed(page);
          await page.locator('button.chip-clear').waitFor();
          const tops = await page.evaluate<number[]>(`
            [...document.querySelectorAll('.chip-clear')].map((one) => one.getBoundingClientRect().top)`);
          assert.equal(tops.length, 2);
          assert.equal(tops[0], tops[1], `${locale} at ${viewport.width}`);
        });
  });

  test('figures below each other are equally wide, and hyphens of a text are not', async () => {
    await visits.visit({ path: SERVICES }, async (page) => {
      await listed(page);
      const widthOf = (place: string) =>
        page.evaluate<number[]>(`{
          const { style } = document.querySelector('${place}').appendChild(document.createElement('span'));
          ['1111', '0000', '----'].map((text) => {
            const one = document.querySelector('${place}').lastElementChild;
            one.style.whiteSpace = 'nowrap';
            one.textContent = text;
            return one.getBoundingClientRect().width;
          });
        }`);
      const [ones, zeros] = await widthOf('td .money');
      assert.equal(ones, zeros);
      const [, zero = 0, hyphen = 0] = await widthOf('td .text-value');
      assert.ok(hyphen < zero * 0.85, `${hyphen} ${zero}`);
    });
  });

  test('a date and a time are read one after the other, also where the browser speaks Arabic', async () => {
    await visits.visit({ locale: 'ar' }, async (page) => {
      await listed(page);
      assert.match((await page.locator('td .time').first().textContent()) ?? '', /^[\w ,:]+$/);
      const [dayEnds, timeBegins] = await page.evaluate<[number, number]>(`{
        const time = document.querySelector('td .time');
        const day = document.createRange();
        day.selectNodeContents(time.firstChild);
        [day.getBoundingClientRect().right, time.querySelector('.dim').getBoundingClientRect().left];
      }`);
      assert.ok(dayEnds <= timeBegins, `the day ends at ${dayEnds}, the time begins at ${timeBegins}`);
    });
  });

  test('fields stand out from their ground by a border of enough contrast, in light and in dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await visits.visit({ colorScheme }, async (page) => {
        await page.locator('.facet-value').first().waitFor();
        await page.getByRole('button', { name: texts.filters.calendar('Next payment') }).click();
        for (const field of [
          '.search input',
          '.facet-value input',
          '.day input',
          '.pager-size select',
          'tbody .row-check',
        ]) {
          await page.locator(field).first().waitFor({ state: 'attached' });
          const contrast = await page.evaluate<number>(contrastOfBorder(field));
          assert.ok(contrast >= 3, `${field} in ${colorScheme}: ${contrast}`);
        }
        // A box of a row is as empty as one of a filter, which a grey one would not be.
        const grounds = await page.evaluate<string[]>(`['.facet-value input', 'tbody .row-check'].map((box) =>
          getComputedStyle(document.querySelector(box + ':not(:checked)')).backgroundColor)`);
        assert.equal(new Set(grounds).size, 1, `${grounds} in ${colorScheme}`);
      });
    }
  });

  test('a number of a comparison has its share next to it, however wide the amounts are', async () => {
    await visits.visit({ token: richToken, path: `${NUMBERS}/compare-providers` }, async (page) => {
      await page.locator('.compare-total small').first().waitFor();
      for (const width of [900, 1024, 1100, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const tops = await page.evaluate<
          number[]
        >(`[...document.querySelectorAll('.compare td:nth-of-type(1) a')].map(
          ({ children: [number, share] }) => Math.round((number.getBoundingClientRect().bottom - share.getBoundingClientRect().bottom) / 10))`);
        assert.deepEqual([...new Set(tops)], [0], `${width} wide`);
      }
    });
  });

  test('a menu and what opens over the list stand out from it by a shadow', async () => {
    await visits.visit({ viewport: PHONE, path: `${NUMBERS}?country_codes=GB` }, async (page) => {
      await listed(page);
      const shadow = async (over: string) => {
        await page.locator(over).waitFor();
        return page.evaluate<string>(`getComputedStyle(document.querySelector('${over}')).boxShadow`);
      };
      await page.getByRole('button', { name: texts.table.more, exact: true }).click();
      assert.match(await shadow('[role=menu]'), /32px/);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: texts.pins.pin }).click();
      assert.match(await shadow('.mantine-Popover-dropdown'), /32px/);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      assert.match(await shadow('.mantine-Modal-content'), /32px/);
      // What has the palette in its middle is as large as the window.
      const frame = `getComputedStyle(document.querySelector('.mantine-Modal-inner')).borderTopWidth`;
      assert.equal(await page.evaluate(frame), '0px');
    });
  });

  test('text that is cut off is shown whole under the pointer', async () => {
    await visits.visit({ token: richToken, viewport: { width: 1100, height: 800 } }, async (page) => {
      const cell = page.locator('.text-value', { hasText: CUT }).first();
      await cell.hover();
      assert.equal(await cell.getAttribute('title'), CUT);
      const short = page.locator('.facet-words').first();
      await short.hover();
      assert.equal(await short.getAttribute('title'), null);
    });
  });

  test('a checked file has amounts whose points are in line, all in sight on a phone', () =>
    visits.visit({}, async (page) => {
      await listed(page);
      await page.locator('.toolbar button:not([inert])', { hasText: texts.check.label }).click();
      const dialog = page.getByRole('dialog');
      const rows = ['+441174960000\t9.99', '+441174960002\t119.99', '+441174960003\t1200.00'];
      await dialog.getByRole('textbox').fill(['Number\tAmount', ...rows].join('\n'));
      await dialog.getByRole('combobox').nth(1).selectOption('Amount');
      await dialog.getByRole('button', { name: texts.check.go, exact: true }).click();
      const group = dialog.getByRole('region', { name: texts.check.groups.amounts });
      await group.waitFor();
      await page.setViewportSize(PHONE);
      const heads = await group.locator('thead th').allInnerTexts();
      assert.deepEqual(heads, ['Line', 'Number', 'Amount', 'Monthly charge', 'ID']);
      const ends = await page.evaluate<number[]>(`
        [...document.querySelectorAll('[aria-label="${texts.check.groups.amounts}"] td:nth-child(3)')].map((cell) => {
          const text = document.createRange();
          text.selectNodeContents(cell);
          return Math.round(text.getBoundingClientRect().right);
        })
      `);
      assert.equal(ends.length, rows.length);
      assert.equal(new Set(ends).size, 1, ends.join());
      const charge = await group.locator('tbody td:nth-child(4)').first().boundingBox();
      assert.ok(charge !== null && charge.x + charge.width <= PHONE.width);
    }));
});
