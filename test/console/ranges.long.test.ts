// The numbers as ranges in the console: those that the API gives, each leading to its numbers in the list.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { texts } from '../../console/texts/en.ts';
import { LANGUAGES } from '../../console/texts.ts';
import { fieldLabel } from '../../console/words.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SERVICES, SMALLEST, Visits } from '../kit/console-visits.ts';
import { SMALL_FIRM } from '../kit/demo-server.ts';

const RANGES = `${NUMBERS}/ranges`;
const words = texts.ranges;
const PROVIDER = fieldLabel('provider');

interface Range {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

describe('ranges in the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  let ranges: readonly Range[];
  before(async () => {
    visits = await Visits.start();
    ({ data: ranges } = JSON.parse(await answer('ranges?page_size=100')));
  });
  after(() => visits?.end());
  const visit: Visits['visit'] = (how, use) => visits.visit(how, use);
  const answer = async (path: string) => {
    const headers = { authorization: `Bearer ${visits.token}` };
    return (await fetch(`${visits.server.origin}/api/v1/did/me/${path}`, { headers })).text();
  };
  const rows = (page: Page) => page.locator('.compare tbody tr');
  const links = (page: Page) => page.locator(':is(.row-link, .card-link)');
  const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

  test('are reached from the list with its filters, and each leads to its numbers', async () => {
    const { data, total: count } = JSON.parse(await answer('ranges?country_codes=GB&page_size=25'));
    await visit({ path: `${NUMBERS}?country_codes=GB&page=1` }, async (page) => {
      await link(page, words.label).click();
      await links(page).first().waitFor();
      assert.equal(new URL(page.url()).pathname, RANGES);
      assert.equal(await rows(page).count(), Math.min(count, 25));
      const [first] = data as [Range];
      await links(page).first().click();
      await total(page, first.count);
      const { searchParams } = new URL(page.url());
      assert.deepEqual(
        ['country_codes', 'did_from', 'did_to'].map((name) => searchParams.get(name)),
        ['GB', first.from, first.to],
      );
      await page.goBack();
      await links(page).first().waitFor();
      await page.getByRole('link', { name: texts.filters.remove('Country: United Kingdom') }).click();
      await page.waitForURL((url) => url.search === '' && url.pathname === RANGES);
      await link(page, texts.compare.list).click();
      await page.waitForURL((url) => url.pathname === NUMBERS);
    });
  });

  test('have prices whose decimal points are in line', async () => {
    const prices = ['1.5', '0.0059', '249999999.975', '3'];
    // Every second number: a range of one each.
    const priced = prices.map((monthly, i) => ({
      id: 930_000 + i,
      did: `+44207946${2_000 + 2 * i}`,
      monthly,
    }));
    await visits.server.import('priced', priced);
    const { token } = await visits.server.token('priced');
    for (const locale of ['en-GB', 'de-DE']) {
      await visit({ token, path: RANGES, locale }, async (page) => {
        await links(page)
          .nth(prices.length - 1)
          .waitFor();
        const points = await page.evaluate<number[]>(`{
          const pointOf = (cell) => {
            const { firstChild } = cell.querySelector('.money') ?? cell;
            const point = Math.max(...['.', ','].map((sign) => firstChild.data.lastIndexOf(sign)));
            const range = document.createRange();
            range.setStart(firstChild, point);
            range.setEnd(firstChild, point + 1);
            return Math.round(range.getBoundingClientRect().right);
          };
          [...document.querySelectorAll('.compare td:last-child')].map(pointOf);
        }`);
        assert.equal(points.length, prices.length);
        assert.equal(new Set(points).size, 1, `${points} in ${locale}`);
      });
    }
  });

  test('move no page sideways, however large their prices are', async () => {
    const prices = ['249999999.975003', '-249999999.975003', '1.5'];
    const provider = 'Telecommunications of the North';
    const many = prices.map((monthly, i) => ({
      id: 940_000 + i,
      did: `+44207946${3_000 + 2 * i}`,
      ...{ monthly, provider },
    }));
    await visits.server.import('many', many);
    const { token } = await visits.server.token('many');
    for (const locale of ['en-GB', 'de-DE', 'fr-FR']) {
      await visit({ token, path: `${RANGES}-provider`, locale }, async (page) => {
        for (const width of [320, 390, 768, 880, 881, 1088, 1089, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          await page
            .locator(width <= 880 ? '.card' : '.compare')
            .first()
            .waitFor();
          const wide = await page.evaluate<string[]>(`[...document.querySelectorAll('*')]
            .filter((one) => one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX)
              || one.scrollWidth > innerWidth)
            .map((one) => one.className || one.tagName)`);
          assert.deepEqual(wide, [], `${width} wide in ${locale}`);
        }
      });
    }
  });

  test('are split where a field changes, and lead to the numbers with its value', async () => {
    const { data, total: count } = JSON.parse(await answer('ranges?split_by=provider&page_size=25'));
    await visit({ path: RANGES }, async (page) => {
      await link(page, words.splitBy(PROVIDER)).click();
      await page.getByRole('columnheader', { name: PROVIDER }).waitFor();
      assert.equal(new URL(page.url()).pathname, `${RANGES}-provider`);
      assert.equal(await rows(page).count(), Math.min(count, 25));
      await links(page).first().click();
      await total(page, data[0].count);
      assert.equal(new URL(page.url()).searchParams.get('providers'), data[0].provider);
    });
  });

  test('go on page by page, and are saved as the CSV of the API', async () => {
    const csv = await answer('ranges.csv?split_by=status');
    await visit({ path: `${RANGES}-status?page_size=10` }, async (page) => {
      await links(page).first().waitFor();
      const shown = await rows(page).first().textContent();
      await page.getByRole('link', { name: texts.table.next }).click();
      await page.waitForURL((url) => url.searchParams.get('page') === '2');
      await page.locator('.pager-range').getByText(/^11–/).waitFor();
      assert.notEqual(await rows(page).first().textContent(), shown);
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: texts.export.csv }).click();
      assert.equal(await readFile(await (await saved).path(), 'utf8'), csv);
    });
  });

  test('are reached and opened by the keyboard', async () => {
    await visit({ path: NUMBERS }, async (page) => {
      await link(page, words.label).focus();
      await page.keyboard.press('Enter');
      await links(page).first().waitFor();
      await links(page).first().focus();
      await page.keyboard.press('Enter');
      await total(page, ranges[0]?.count ?? 0);
    });
  });

  test('say where nothing matches which filter to remove, and why they cannot be loaded', async () => {
    await visit({ path: `${RANGES}?country_codes=GB&q=zzzz` }, async (page) => {
      await page.getByText(texts.nothingFound.title).waitFor();
      await page.getByRole('link', { name: texts.nothingFound.drop(texts.quoted('zzzz')) }).click();
      await links(page).first().waitFor();
    });
    const fault = { type: 'urn:linecard:problem:internal', detail: 'Something broke.' };
    const isRanges = ({ pathname }: URL) => pathname.endsWith('/ranges') && pathname.startsWith('/api/');
    const prepare = (page: Page) =>
      page.route(isRanges, (route) =>
        route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify(fault) }),
      );
    await visit({ path: RANGES, prepare }, async (page) => {
      await page.getByText(texts.trouble.sentences.internal).waitFor();
      await page.unroute(isRanges);
      await page.getByRole('button', { name: texts.trouble.again }).click();
      await links(page).first().waitFor();
    });
  });

  test('of a token without charges have no charge, and services have none', async () => {
    const { token } = await visits.server.token(SMALL_FIRM, '--without-charges');
    await visit({ token, path: RANGES }, async (page) => {
      await links(page).first().waitFor();
      assert.equal(await page.getByText(texts.compare.monthly).count(), 0);
      assert.equal(await page.getByText('€').count(), 0);
    });
    await visit({ path: `${SERVICES}/ranges` }, async (page) => {
      await page.getByText(texts.trouble.noItem('additional service', 'ranges')).waitFor();
    });
  });

  test('are accessible in each language, and nothing sticks out', async () => {
    for (const [language, viewport] of [
      ...Object.keys(LANGUAGES).map((one) => [one, SMALLEST] as const),
      ['en', PHONE] as const,
      ['en', { width: 1280, height: 800 }] as const,
    ]) {
      const path = `${RANGES}-provider?country_codes=GB&lang=${language}`;
      await visit({ path, viewport, colorScheme: language === 'de' ? 'dark' : 'light' }, async (page) => {
        await links(page).last().waitFor();
        if (language === 'en')
          await page
            .locator('.pager-range')
            .getByText(/ of \d+\sranges$/)
            .waitFor();
        assert.deepEqual(await complaints(page), [], language);
        const bar = await page.locator('.pager').evaluate(({ clientHeight }) => clientHeight);
        assert.ok(viewport === SMALLEST || bar < 56, `the bar of pages is ${bar} high`);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width, language);
      });
    }
  });
});
