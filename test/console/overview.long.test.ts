// The overview of the console where its amounts are long, unknown or credits, in every language, time zone
// and width.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { plural } from '../../console/format.ts';
import { LANGUAGES, texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { NUMBERS, Visits, zoneOfOtherDay } from '../kit/console-visits.ts';

const DAYS = 84;

const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const payments = (count: number) => plural(texts.overview.payments, count);

describe('the overview of any account', {
  skip: process.env['CI'] === 'true' ? false : NO_BROWSER,
}, () => {
  let visits: Visits;
  before(async () => {
    visits = await Visits.start();
  });
  after(() => visits?.end());

  const chart = (page: Page) => page.getByRole('slider');
  const sentence = (page: Page) => page.locator('.overview-sentence');

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
    // Of millions, the longest amounts that are next to each other on a phone, and ordinary ones.
    const sums = [
      [1_234_567.89, 'CHF'],
      [555.55, 'EUR'],
      [55.55, 'EUR'],
    ] as const;
    const paying = (amount: number) => (answer: Record<string, unknown>) => ({
      ...answer,
      overdue: { count: 1_234, amount: -amount, unknown: 0 },
      due_by_day: Array.from({ length: 4 }, (_, n) => ({
        day: dayAfter(n * 31),
        count: 99,
        amount,
        unknown: 0,
      })),
    });
    const locales = ['en-GB', 'de-DE', 'es-ES', 'fr-FR', 'pt-BR'];
    for (const [locale, [amount, currency]] of locales.flatMap((one) =>
      sums.map((sum) => [one, sum] as const),
    )) {
      await visits.visit(
        { path: '/', locale, prepare: changed(paying(amount), { currency }) },
        async (page) => {
          await page.locator('.months').waitFor();
          for (const width of [320, 340, 385, 390, 767, 768]) {
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
      await chart(page).waitFor();
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

  test('says the day on which most is due in one line, in every language', async () => {
    for (const locale of Object.keys(LANGUAGES))
      await visits.visit({ path: '/', locale }, async (page) => {
        const said = await page.locator('.overview-sentence p').first().textContent();
        assert.match(String(said).split(',').at(-1) ?? '', /\d\S*\u00a0|\u00a0\d/u, locale);
      });
  });

  test('says its dates apart from each other in every language', async () => {
    for (const locale of Object.keys(LANGUAGES))
      await visits.visit({ path: '/', locale }, async (page) => {
        await chart(page).waitFor();
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
    for (const timezoneId of [zoneOfOtherDay(), 'UTC']) {
      await visits.visit({ path: '/', timezoneId }, async (page) => {
        await sentence(page).locator('p').first().waitFor();
        const said = await sentence(page).getByText('UTC').count();
        assert.equal(said, timezoneId === 'UTC' ? 0 : 1, timezoneId);
      });
    }
  });

  test('says no amount, of 0, for payments whose amount nobody knows; nor does the list', async () => {
    const unknown = { day: dayAfter(3), count: 2, amount: 0, unknown: 2 };
    const overdue = { count: 0, amount: 0, unknown: 0 };
    const prepare = changed((answer) => ({ ...answer, overdue, due_by_day: [unknown] }));
    await visits.visit({ path: '/', prepare }, async (page) => {
      await sentence(page)
        .getByText(texts.overview.unknown(payments(4)))
        .waitFor();
      assert.match((await sentence(page).locator('p').first().textContent()) ?? '', /: 4\spayments/);
      for (const panel of ['.panel-months', '.timeline-readout', '.timeline-legend', '.overview-sentence'])
        assert.doesNotMatch((await page.locator(panel).textContent()) ?? '', /€/, panel);
      await page
        .locator('.panel-months')
        .getByRole('link', { name: payments(2) })
        .first()
        .waitFor();
    });
    await visits.visit({ path: NUMBERS, prepare, timezoneId: zoneOfOtherDay() }, async (page) => {
      await page
        .locator('.panel-due')
        .getByText(texts.overview.unknown(payments(2)))
        .waitFor();
      // What else is said there, also of the day in UTC, is of one size.
      const sizes = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.panel-due p')].map((one) => getComputedStyle(one).fontSize)`,
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

  test('says that amounts have no currency where the account has none', async () => {
    const prepare = changed((answer) => answer, { currency: null });
    await visits.visit({ path: '/', prepare }, async (page) => {
      await sentence(page).getByText(texts.overview.noCurrency).waitFor();
    });
  });
});
