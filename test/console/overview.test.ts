// The overview of the console: what is due and what it costs, from both lists, and where it leads.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { plural } from '../../console/format.ts';
import { monthRows } from '../../console/overview/money.ts';
import { LANGUAGES, texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, Visits } from '../kit/console-visits.ts';
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

/** Fourteen hours ahead or twelve behind, one of them has another day than UTC at any time. */
const ZONES = ['Pacific/Kiritimati', 'Etc/GMT+12', 'UTC'];
function hasOtherDay(): readonly boolean[] {
  const utc = new Date().getUTCHours();
  return [utc >= 10, utc < 12, false];
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
      assert.equal(await link.textContent(), `${late.length} virtual numbers overdue: ${money(amount)}`);
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

  /** The overview with what facets and the account say changed. */
  const changed =
    (facets: (answer: Record<string, unknown>) => object, account: object = {}) =>
    async (page: Page) => {
      await page.route('**/facets?*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: facets((await response.json()) as Record<string, unknown>) });
      });
      await page.route('**/api/v1/account', async (route) => {
        const response = await route.fetch();
        const whole = (await response.json()) as object;
        await route.fulfill({ response, json: { ...whole, ...account } });
      });
    };

  test('has room for large amounts in every language, and no two of them touch', async () => {
    // Of millions, and the longest amounts that are next to each other on a phone.
    const sums = [
      [1_234_567.89, 'CHF'],
      [555.55, 'EUR'],
    ] as const;
    const paying = (amount: number) => (answer: Record<string, unknown>) => ({
      ...answer,
      overdue: { count: 1_234, amount: -amount, unknown: 0 },
      due_by_day: range(4).map((n) => ({ day: dayAfter(n * 31), count: 99, amount, unknown: 0 })),
    });
    const locales = ['en-GB', 'de-DE', 'es-ES', 'fr-FR', 'pt-BR'];
    for (const [locale, [amount, currency]] of locales.flatMap((one) =>
      sums.map((sum) => [one, sum] as const),
    )) {
      await visits.visit(
        { path: '/', locale, prepare: changed(paying(amount), { currency }) },
        async (page) => {
          await page.locator('.months').waitFor();
          for (const width of [320, 390, 767, 768]) {
            await page.setViewportSize({ width, height: 800 });
            const { over, gap } = await page.evaluate<{ over: number; gap: number }>(`(() => {
            const panel = document.querySelector('.panel-months');
            const boxes = [...panel.querySelectorAll('tbody :is(th, td), thead th')].flatMap((cell) => {
              if (getComputedStyle(cell.closest('thead, tbody')).clipPath !== 'none') return [];
              const text = document.createRange();
              text.selectNodeContents(cell);
              return [...text.getClientRects()].filter((one) => one.width > 1 && one.height > 1)
                .map((box) => ({ cell, box }));
            });
            const gaps = boxes.flatMap(({ cell, box }) => boxes
              .filter((other) => other.cell !== cell && other.box.left > box.left
                && other.box.top < box.bottom - 2 && other.box.bottom > box.top + 2)
              .map((other) => other.box.left - box.right));
            return { over: panel.scrollWidth - panel.clientWidth, gap: Math.min(99, ...gaps) };
          })()`);
            assert.ok(
              over <= 0 && gap >= 8,
              `${locale}, ${currency}, ${width} wide: ${over} too wide, ${gap} apart`,
            );
            assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, locale);
          }
        },
      );
    }
  });

  test('says each date of its axis below the bar of that day', () =>
    visits.visit({ path: '/' }, async (page) => {
      await slider(page).waitFor();
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const far = await page.evaluate<number[]>(`(() => {
          const chart = document.querySelector('.timeline').getBoundingClientRect();
          return [...document.querySelectorAll('.timeline-weeks li')].map((label, week) => {
            const text = document.createRange();
            text.selectNodeContents(label);
            const { left, right } = text.getBoundingClientRect();
            const day = chart.left + ((week * 7 + 0.5) / ${DAYS}) * chart.width;
            if (left < chart.left - 1) return 99;
            return Math.abs((week === 0 ? chart.left : day) - (week === 0 ? left : (left + right) / 2));
          });
        })()`);
        assert.equal(far.length, DAYS / 7);
        for (const one of far) assert.ok(one < 1.5, `${width} wide: ${far.join()}`);
      }
    }));

  test('says its dates apart from each other in every language', async () => {
    for (const locale of Object.keys(LANGUAGES))
      await visits.visit({ path: '/', locale }, async (page) => {
        await slider(page).waitFor();
        for (const width of [320, 768, 1089]) {
          await page.setViewportSize({ width, height: 800 });
          const gap = await page.evaluate<number>(`(() => {
            const shown = [...document.querySelectorAll('.timeline-weeks li')].filter((one) =>
              getComputedStyle(one).visibility === 'visible');
            const boxes = shown.map((one) => {
              const text = document.createRange();
              text.selectNodeContents(one);
              return text.getBoundingClientRect();
            });
            return Math.min(...boxes.slice(1).map(({ left }, i) => left - boxes[i].right));
          })()`);
          assert.ok(gap >= 3, `${locale}, ${width} wide: ${gap}`);
        }
      });
  });

  test('says on which day of UTC it counts, where the reader has another one', async () => {
    const hasOther = hasOtherDay();
    for (const [i, timezoneId] of ZONES.entries()) {
      await visits.visit({ path: '/', timezoneId }, async (page) => {
        await sentence(page).locator('p').first().waitFor();
        const said = await sentence(page).getByText('UTC').count();
        assert.equal(said, hasOther[i] === true ? 1 : 0, timezoneId);
      });
    }
  });

  test('says that amounts have no currency where the account has none', async () => {
    const prepare = changed((answer) => answer, { currency: null });
    await visits.visit({ path: '/', prepare }, async (page) => {
      await sentence(page).getByText(texts.overview.noCurrency).waitFor();
    });
  });

  test('says no amount, of 0, for payments whose amount nobody knows; nor does the list', async () => {
    const unknown = { day: dayAfter(3), count: 2, amount: 0, unknown: 2 };
    const overdue = { count: 0, amount: 0, unknown: 0 };
    const prepare = changed((answer) => ({ ...answer, overdue, due_by_day: [unknown] }));
    await visits.visit({ path: '/', prepare }, async (page) => {
      await sentence(page)
        .getByText(texts.overview.unknown(payments(4)))
        .waitFor();
      assert.match((await sentence(page).locator('p').first().textContent()) ?? '', /: 4 payments/);
      for (const panel of ['.panel-months', '.timeline-readout', '.timeline-legend', '.overview-sentence'])
        assert.doesNotMatch((await page.locator(panel).textContent()) ?? '', /€/, panel);
      await page
        .locator('.panel-months')
        .getByRole('link', { name: payments(2) })
        .first()
        .waitFor();
    });
    const timezoneId = ZONES.find((_, i) => hasOtherDay()[i]) ?? 'UTC';
    await visits.visit({ path: NUMBERS, prepare, timezoneId }, async (page) => {
      await page
        .locator('.panel-due')
        .getByText(texts.overview.unknown(payments(2)))
        .waitFor();
      // What else is said there, also of the day in UTC, is of one size.
      const sizes = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.panel-due > p')].map((one) => getComputedStyle(one).fontSize)`,
      );
      assert.deepEqual(sizes, ['12px', '12px']);
      const sums = await page.locator('.due-sum strong').allTextContents();
      assert.deepEqual(sums, ['€0.00', texts.empty, texts.empty]);
      assert.doesNotMatch((await page.locator('.due-chart').textContent()) ?? '', /€/);
    });
  });

  test('leads to lists whose chart has a number for each end of its axis, credits below a line', async () => {
    for (const [amounts, axis] of [
      [[12.5, -3.25], '€12.50 · −€3.25'],
      [[-3.25], '−€3.25'],
      [[12.5], '€12.50'],
    ] as const) {
      const due_by_day = amounts.map((amount, n) => ({ day: dayAfter(n + 1), count: 1, amount, unknown: 0 }));
      const prepare = changed((answer) => ({ ...answer, due_by_day }));
      await visits.visit({ path: NUMBERS, prepare }, async (page) => {
        await page.locator('.due-days .axis-top').getByText(axis, { exact: true }).waitFor();
        const hasLine = amounts.some((amount) => amount < 0);
        assert.equal((await page.locator('.due-day line').count()) > 0, hasLine);
      });
    }
  });

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
