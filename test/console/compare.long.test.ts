// Values of a filter side by side in the console: figures as the items have them, each leading to its list.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { plural, shownShare } from '../../console/format.ts';
import { LANGUAGES, texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SERVICES, SMALLEST, Visits } from '../kit/console-visits.ts';
import { SMALL_FIRM } from '../kit/demo-server.ts';
import { isPaid } from '../kit/model.ts';

const DAYS = 30;
const MONTHS: Readonly<Record<string, number>> = { monthly: 1, quarterly: 3, yearly: 12 };
const COMPARED = `${NUMBERS}/compare-country_codes`;

interface Item {
  readonly country_code: string;
  readonly status: string;
  readonly frequency: string;
  readonly monthly: number;
  readonly next_payment_at: string | null;
  readonly is_spammed: boolean;
}

describe('a comparison in the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  let items: readonly Item[];
  before(async () => {
    visits = await Visits.start();
    const answer = await fetch(`${visits.server.origin}/api/v1/did/me?page_size=100`, {
      headers: { authorization: `Bearer ${visits.token}` },
    });
    items = ((await answer.json()) as { data: Item[] }).data;
  });
  after(() => visits?.end());
  const visit: Visits['visit'] = (how, use) => visits.visit(how, use);

  const cells = (page: Page, value: string) =>
    page
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: value }) })
      .getByRole('link');
  const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
  const expected = (code: string) => {
    const own = items.filter(({ country_code }) => country_code === code);
    const days = Array.from({ length: DAYS }, (_, n) => day(n));
    const due = days.flatMap((one) => own.filter((item) => isPaid(item, one)));
    const isNext = ({ next_payment_at: at }: Item) => at !== null && days.includes(at.slice(0, 10));
    const sum = (some: readonly Item[], of: (item: Item) => number) =>
      some.reduce((total, item) => total + of(item), 0).toFixed(2);
    return {
      count: own.length,
      monthly: `€${sum(own, ({ monthly }) => monthly)}`,
      due: `€${sum(due, ({ monthly, frequency }) => monthly * (MONTHS[frequency] ?? 0))}`,
      dueCount: due.length,
      nextCount: own.filter(isNext).length,
      flagged: own.filter(({ is_spammed }) => is_spammed).length,
    };
  };

  test('has the figures of two countries, and each leads to its items', async () => {
    const requested: string[] = [];
    const prepare = async (page: Page) => {
      page.on('request', (request) => {
        if (request.url().includes('/facets')) requested.push(request.url());
      });
    };
    await visit({ path: `${COMPARED}?country_codes=DE&country_codes=GB`, prepare }, async (page) => {
      for (const [name, code] of [
        ['Germany', 'DE'],
        ['United Kingdom', 'GB'],
      ] as const) {
        const { count, monthly, due, dueCount, flagged } = expected(code);
        await cells(page, name).nth(3).waitFor();
        assert.deepEqual(await cells(page, name).allInnerTexts(), [
          `${count}\n${shownShare(count / items.length)}`,
          monthly,
          `${due}\n${plural(texts.overview.payments, dueCount)}`,
          String(flagged),
        ]);
      }
      assert.equal(requested.length, 3, requested.join('\n'));
      const { nextCount } = expected('GB');
      await cells(page, 'United Kingdom').nth(2).click();
      await total(page, nextCount);
      await page.goBack();
      await cells(page, 'Germany').nth(3).click();
      await page.getByRole('link', { name: 'Remove filter Flagged as spam' }).waitFor();
    });
  });

  test('is reached from the values of a filter, keeps other filters, and changes with them', async () => {
    await visit({ path: `${NUMBERS}?statuses=active` }, async (page) => {
      await page.getByRole('checkbox', { name: /^Germany/ }).check();
      await page.getByRole('checkbox', { name: /^United Kingdom/ }).check();
      await page
        .getByRole('group', { name: 'Country' })
        .getByRole('link', { name: texts.compare.open })
        .click();
      const active = items.filter((one) => one.status === 'active' && one.country_code === 'DE');
      await cells(page, 'Germany').first().getByText(String(active.length), { exact: true }).waitFor();
      await page
        .getByRole('checkbox', { name: /^Active/ })
        .first()
        .uncheck();
      const { count } = expected('DE');
      await cells(page, 'Germany').first().getByText(String(count), { exact: true }).waitFor();
      assert.equal(new URL(page.url()).pathname, COMPARED);
      await page.getByRole('link', { name: texts.compare.list }).click();
      await total(page, count + expected('GB').count);
    });
  });

  test('is of one value where the address has one, and of all where one is not what was meant', async () => {
    await visit({ path: `${NUMBERS}?country_codes=DE` }, async (page) => {
      const panel = page.locator('.panel', { hasText: texts.glance.by('Country') });
      await panel.getByRole('link', { name: texts.compare.openBy('Country') }).click();
      await cells(page, 'United Kingdom').nth(3).waitFor();
      await cells(page, texts.overview.total).first().getByText(String(items.length)).waitFor();
      await page.getByRole('checkbox', { name: /^Germany/ }).check();
      await page.getByText(texts.compare.of('1', '2')).waitFor();
      const texted = (name: string) => cells(page, name).allInnerTexts();
      assert.deepEqual(await texted('Germany'), await texted(texts.overview.total));
      assert.equal(await cells(page, 'United Kingdom').count(), 0);
      await page.goto(`${visits.server.origin}${COMPARED}?country_codes_exclude=DE`);
      await cells(page, 'United Kingdom').nth(3).waitFor();
      assert.deepEqual(await texted('United Kingdom'), await texted(texts.overview.total));
      assert.equal(await cells(page, 'Germany').count(), 0);
    });
  });

  test('without values in its address is of the most frequent ones', async () => {
    const refused: string[] = [];
    const prepare = async (page: Page) =>
      page.on('response', (answer) => answer.ok() || refused.push(answer.url()));
    await visit({ path: `${SERVICES}/compare-frequencies`, prepare }, async (page) => {
      await cells(page, 'Monthly').nth(2).waitFor();
      assert.deepEqual(refused, []);
      assert.equal(await page.getByRole('columnheader').count(), 4);
    });
  });

  test('has all values of many in two requests, with shares and a total, of how many it has some, and no amount that nobody knows', async () => {
    const many = Array.from({ length: 23 }, (_, i) => ({
      id: 950_001 + i,
      provider: `Provider ${i % 12}`,
      monthly: String(i % 12),
      is_spammed: i === 3,
      next_payment_at: `${day(3)}T09:30:00Z`,
      // What is due of these, nobody knows.
      frequency: i % 12 === 4 ? 'fortnightly' : 'monthly',
    }));
    await visits.server.import('many-providers', many);
    const { token } = await visits.server.token('many-providers');
    const requested: string[] = [];
    const prepare = async (page: Page) => {
      page.on('request', (request) => {
        if (request.url().includes('/facets')) requested.push(request.url());
      });
    };
    await visit({ token, path: `${NUMBERS}/compare-providers`, prepare }, async (page) => {
      await cells(page, 'Provider 3').nth(2).waitFor();
      assert.equal(await page.locator('.compare tbody:first-of-type tr').count(), 12);
      assert.deepEqual(await cells(page, 'Provider 3').allInnerTexts(), ['2\n8.7%', '6.00', '1']);
      await cells(page, texts.overview.total).first().getByText('23', { exact: true }).waitFor();
      await page.getByText(texts.compare.dueOfFew('10')).waitFor();
      assert.equal(requested.length, 2, requested.join('\n'));
    });
    const chosen = Array.from({ length: 11 }, (_, i) => `providers=Provider+${i}`).join('&');
    await visit({ token, path: `${NUMBERS}/compare-providers?${chosen}` }, async (page) => {
      await page.getByText(texts.compare.of('11', '12')).waitFor();
    });
    const few = `${NUMBERS}/compare-providers?providers=Provider+4&providers=Provider+5`;
    await visit({ token, path: few, acceptDownloads: true }, async (page) => {
      const two = plural(texts.overview.payments, 2);
      const due = (name: string) => cells(page, name).nth(2);
      await due('Provider 5').getByText(two).waitFor();
      assert.equal(await due('Provider 4').innerText(), `${texts.empty}\n${two}`);
      assert.equal(await due('Provider 5').innerText(), `10.00\n${two}`);
      assert.match(await due(texts.overview.total).innerText(), /^10\.00\n4\s/);
      await page.getByText(texts.overview.unknown(two), { exact: true }).waitFor();
      const coming = page.waitForEvent('download');
      await page.getByRole('button', { name: texts.export.csv }).click();
      const lines = readFileSync(await (await coming).path(), 'utf8').split('\r\n');
      assert.deepEqual(lines.slice(1, 3), ['Provider 4,2,8.7,8,,2,0', 'Provider 5,2,8.7,10,10,2,0']);
    });
    await visit({ path: COMPARED }, async (page) => {
      await cells(page, 'Germany').nth(3).waitFor();
      assert.equal(await page.locator('.compare-of').count(), 0);
      assert.equal(await page.getByText(texts.compare.dueOfFew('10')).count(), 0);
    });
  });

  test('says what it is filtered by, also on a phone, and goes on without it', async () => {
    await visit(
      { viewport: PHONE, path: `${COMPARED}?statuses=active&country_codes=DE&country_codes=GB` },
      async (page) => {
        await cells(page, 'Germany').nth(3).waitFor();
        const some = await cells(page, 'Germany').first().innerText();
        assert.equal(await page.locator('.chip').count(), 1);
        await page.getByRole('link', { name: 'Remove filter Status: Active' }).click();
        const count = expected('DE').count;
        await cells(page, 'Germany').first().getByText(String(count), { exact: true }).waitFor();
        assert.notEqual(Number.parseInt(some, 10), count);
        assert.equal(new URL(page.url()).pathname, COMPARED);
      },
    );
  });

  test('is sorted by each heading, which the address keeps', async () => {
    await visit({ path: COMPARED }, async (page) => {
      await cells(page, 'Germany').nth(3).waitFor();
      const names = () => page.locator('.compare tbody:first-of-type th').allTextContents();
      const heading = (name: string) => page.getByRole('columnheader', { name, exact: true });
      const order = async (name: string) => (await heading(name).getAttribute('aria-sort')) ?? 'none';
      assert.deepEqual(await names(), ['United Kingdom', 'Germany']);
      assert.equal(await order(texts.compare.count), 'descending');
      await heading('Country').getByRole('button').click();
      await page.waitForURL('**?sort_by=country_code');
      assert.deepEqual(await names(), ['Germany', 'United Kingdom']);
      assert.deepEqual([await order('Country'), await order(texts.compare.count)], ['ascending', 'none']);
      await heading(texts.compare.monthly).getByRole('button').click();
      await page.waitForURL('**?sort_by=monthly&sort_order=desc');
      const money = expected('DE').monthly.slice(1) > expected('GB').monthly.slice(1);
      assert.equal((await names())[0], money ? 'Germany' : 'United Kingdom');
      await page.reload();
      await cells(page, 'Germany').nth(3).waitFor();
      assert.equal(await order(texts.compare.monthly), 'descending');
      await heading(texts.compare.monthly).getByRole('button').click();
      await page.waitForURL('**?sort_by=monthly');
      assert.equal((await names())[0], money ? 'United Kingdom' : 'Germany');
      await heading(texts.compare.count).getByRole('button').click();
      await page.waitForURL(`**${COMPARED}`);
    });
  });

  test('is copied and saved as it is shown, with amounts as numbers', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await visit({ path: COMPARED, permissions, acceptDownloads: true }, async (page) => {
      await cells(page, 'Germany').nth(3).waitFor();
      const coming = page.waitForEvent('download');
      await page.getByRole('button', { name: texts.export.csv }).click();
      const file = await coming;
      assert.equal(file.suggestedFilename(), 'Virtual numbers by country.csv');
      const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
      const { count, monthly, due, dueCount, flagged } = expected('GB');
      const amount = (text: string) => String(Number(text.slice(1)));
      const share = ((count / items.length) * 100).toFixed(1);
      assert.equal(lines[0], 'Country,Count,%,List price a month,Next 30 days,Payments,Flagged as spam');
      assert.equal(
        lines[1],
        ['United Kingdom', count, share, amount(monthly), amount(due), dueCount, flagged].join(),
      );
      assert.match(lines[3] ?? '', new RegExp(`^Total,${items.length},100.0,`));
      await page.getByRole('button', { name: texts.select.copy, exact: true }).click();
      await page.getByRole('status').filter({ hasText: texts.copied }).waitFor({ state: 'attached' });
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      assert.deepEqual(copied.replaceAll('\r\n', '\n').replaceAll('\t', ','), lines.join('\n'));
    });
  });

  test('of no values says so, once that is known', async () => {
    await visit({ path: `${COMPARED}?q=zzzz` }, (page) => page.getByText(texts.compare.nothing).waitFor());
    const { promise: isSeen, resolve: go } = Promise.withResolvers<void>();
    const prepare = (page: Page) =>
      page.route('**/did/me/facets*', async (route) => {
        await isSeen;
        await route.continue();
      });
    await visit({ path: COMPARED, prepare }, async (page) => {
      await page.locator('.rows .bone').waitFor();
      assert.equal(await page.getByText(texts.compare.nothing).count(), 0);
      go();
      await cells(page, 'Germany').first().waitFor();
    });
  });

  test('of which a figure cannot be loaded says why, and comes when it can', async () => {
    const isOfGermany = ({ pathname, searchParams }: URL) =>
      pathname.endsWith('/facets') && searchParams.getAll('country_codes').join() === 'DE';
    const fault = { type: 'urn:linecard:problem:internal', detail: 'Something broke.' };
    const prepare = (page: Page) =>
      page.route(isOfGermany, (route) =>
        route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify(fault) }),
      );
    await visit({ path: `${COMPARED}?country_codes=DE&country_codes=GB`, prepare }, async (page) => {
      await page.getByText(texts.trouble.sentences.internal).waitFor();
      await page.unroute(isOfGermany);
      await page.getByRole('button', { name: texts.trouble.again }).click();
      await cells(page, 'Germany').nth(3).waitFor();
    });
  });

  test('of a token without charges has counts alone', async () => {
    const { token } = await visits.server.token(SMALL_FIRM, '--without-charges');
    await visit({ token, path: COMPARED }, async (page) => {
      await page.locator('.compare-figure').first().waitFor();
      assert.equal(await page.getByText(texts.compare.monthly).count(), 0);
      assert.equal(await page.getByText('€').count(), 0);
    });
  });

  test('that does not exist says so', async () => {
    await visit({ path: `${NUMBERS}/compare-colours` }, async (page) => {
      await page.getByText(texts.trouble.noItem('virtual number', 'compare-colours')).waitFor();
    });
  });

  test('has what is done with it next to its title on a tablet', async () => {
    for (const locale of Object.keys(LANGUAGES))
      await visit({ path: COMPARED, locale, viewport: { width: 768, height: 800 } }, async (page) => {
        await page.locator('.compare-figure').first().waitFor();
        const centres = await page.evaluate<number[]>(`{
          const centreOf = ({ top, bottom }) => Math.round((top + bottom) / 2);
          [...document.querySelectorAll('.compare-head > :is(a, button)')].filter((one) => one.checkVisibility())
            .map((one) => centreOf(one.getBoundingClientRect()));
        }`);
        assert.equal(new Set(centres).size, 1, `${centres} in ${locale}`);
      });
  });

  test('has the figures of a line on one, with a bar and without', async () => {
    for (const viewport of [PHONE, { width: 1280, height: 800 }])
      await visit({ path: COMPARED, viewport }, async (page) => {
        await page.locator('.compare-figure').nth(7).waitFor();
        const lines = await page.evaluate<number[][]>(`
          [...document.querySelectorAll('.compare tbody tr')].map((row) =>
            [...row.querySelectorAll('.compare-figure > :first-child')].map((one) => one.getBoundingClientRect().bottom))`);
        for (const [first, ...others] of lines) for (const one of others) assert.equal(one, first);
        assert.ok(lines.length > 2);
      });
  });

  test('has names in one piece on a phone where they have room', async () => {
    const path = `${SERVICES}/compare-frequencies`;
    await visit({ path, viewport: PHONE, locale: 'de-DE' }, async (page) => {
      await page.locator('.compare-figure').nth(8).waitFor();
      const lines = await page.evaluate<number[]>(`
        [...document.querySelectorAll('.compare tbody th')].map((one) => {
          const text = document.createRange();
          text.selectNodeContents(one);
          return new Set([...text.getClientRects()].map(({ bottom }) => bottom)).size;
        })`);
      assert.deepEqual([...new Set(lines)], [1]);
    });
  });

  test('that is wider than a phone fades where it goes on', async () => {
    await visits.server.import('rich', [{ id: 990_000, did: '+442079460010', monthly: '999999999.97' }]);
    const { token } = await visits.server.token('rich');
    await visit({ path: `${NUMBERS}/compare-country_codes`, viewport: SMALLEST, token }, async (page) => {
      await page.locator('.compare-figure').last().waitFor();
      const [beyond, fade] = await page.evaluate<[number, number]>(`{
        const rows = document.querySelector('.compare-rows');
        const { position, width, backgroundImage } = getComputedStyle(rows, '::after');
        [rows.scrollWidth - rows.clientWidth,
          position === 'sticky' && /gradient/.test(backgroundImage) ? Number.parseFloat(width) : 0];
      }`);
      assert.ok(beyond > 0 && fade > 8, `${beyond} ${fade}`);
    });
  });

  test('is accessible, and nothing sticks out', async () => {
    for (const viewport of [SMALLEST, PHONE, { width: 1280, height: 800 }]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await visit({ path: COMPARED, viewport, colorScheme }, async (page) => {
          await page.locator('.compare-figure').last().waitFor();
          assert.deepEqual(await complaints(page), []);
          assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width);
          const inset = await page.evaluate<string>(
            `getComputedStyle(document.querySelector('.compare tbody th')).paddingInlineStart`,
          );
          if (viewport !== SMALLEST) assert.ok(Number.parseFloat(inset) >= 7, `${inset} from the edge`);
        });
      }
    }
  });
});
