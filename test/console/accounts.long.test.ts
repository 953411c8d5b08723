// The accounts below in the console: one is chosen by its name, is in the address, and everything follows it.
// And another account in one tab alone.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { LANGUAGES, texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SERVICES, SMALLEST, Visits, WIDE } from '../kit/console-visits.ts';
import { SMALL_FIRM } from '../kit/demo-server.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const words = texts.accounts;
const RESELLER = 'northgate';
const CUSTOMERS = 60;
const SMALL_FIRM_NAME = 'Pennywharf Dental';
const LONG = 'long';
const LONG_NAME =
  'Gesellschaft für Fernmeldewesen und Rufnummernverwaltung mit beschränkter Haftung & Co. KG';
const ACCOUNT_QUERY = `account=${SMALL_FIRM}`;
const HEADER = 'linecard-account';
/** What has no room: parts that lie on each other, stick out, are too small to hit, or have words cut. */
const FAULTS_OF_HEADER = `{
  const head = document.querySelector('header');
  const parts = [...head.querySelectorAll('a, button')].filter((one) => one.checkVisibility());
  const boxes = parts.map((one) => one.getBoundingClientRect());
  const margin = Number.parseFloat(getComputedStyle(head).paddingLeft);
  const name = head.querySelector('.account-chooser .account-name');
  const isNameCut = name && name.scrollWidth > name.clientWidth && name.clientWidth < 383;
  const search = head.querySelector('.palette-button').getBoundingClientRect();
  const before = boxes.filter((box) => box.right <= search.left && box.top < search.bottom && box.bottom > search.top);
  const free = search.left - Math.max(...before.map(({ right }) => right));
  const isOn = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom && b.top < a.bottom;
  parts.flatMap((part, i) => {
    const { left, right, top, width, height } = boxes[i];
    // The tabs of a phone go to the edges of the screen.
    const edge = part.matches('.tab') ? 0 : margin;
    const words = part.querySelector('.palette-words')?.getBoundingClientRect();
    const isCut = words && words.width > 1 && words.top < boxes[i].bottom && (words.right > right || words.bottom > top + height);
    return [
      width < 24 || height < 24 ? 'is ' + width + ' by ' + height : '',
      left < edge - 0.5 || right > innerWidth - edge + 0.5 ? 'sticks out, from ' + left + ' to ' + right : '',
      isNameCut && free > 24 && part.contains(name) ? 'is cut, next to ' + free + ' that are free' : '',
      part.scrollWidth > part.clientWidth + 1 ? 'holds what is wider than it' : '',
      isCut || (words && words.width > 1 && part.querySelector('.palette-words').scrollWidth > words.width + 1) ? 'is cut' : '',
      ...boxes.map((box, j) => (j > i && isOn(boxes[i], box) ? 'lies on ' + parts[j].className : '')),
    ].filter(Boolean).map((fault) => part.className + ' ' + fault);
  });
}`;

describe('the accounts in the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  let token: string;
  before(async () => {
    visits = await Visits.start();
    const { server } = visits;
    const file = join(temporaryFolder(), 'accounts.ndjson');
    const customers = Array.from({ length: CUSTOMERS }, (_, i) => {
      const number = String(i + 1).padStart(2, '0');
      return { account_id: `customer ${number}`, name: `Customer ${number}`, parent_id: RESELLER };
    });
    const accounts = [
      { account_id: RESELLER, name: 'Northgate' },
      { account_id: SMALL_FIRM, parent_id: RESELLER },
      ...customers,
      { account_id: LONG, name: LONG_NAME, parent_id: 'customer 09' },
      { account_id: 'offices' },
      ...[10, 100, 9].map((n) => ({ account_id: `${n}`, name: `Office ${n}`, parent_id: 'offices' })),
      { account_id: 'branch', name: 'Branch Office', parent_id: 'customer 07' },
    ];
    writeFileSync(file, accounts.map((one) => `${JSON.stringify(one)}\n`).join(''));
    await server.command('import', 'accounts', file);
    ({ token } = await server.token(RESELLER, '--reach', 'tree'));
  });
  after(() => visits?.end());

  const dialog = (page: Page) => page.getByRole('dialog');
  const choose = (page: Page, name: string) => page.getByRole('button', { name: words.choose(name) });
  const accountOf = (page: Page) => new URL(page.url()).searchParams.get('account');

  test('are found by search, at most fifty at a time, and one is chosen', () =>
    visits.visit({ token }, async (page) => {
      await choose(page, 'Northgate').click();
      await dialog(page)
        .getByText(words.first('50', String(CUSTOMERS + 1)))
        .waitFor();
      assert.equal(await dialog(page).getByRole('listitem').count(), 50);
      await dialog(page).locator('input:focus').waitFor();
      await page.keyboard.type('penny');
      await dialog(page).getByText(words.total.one.replace('#', '1')).waitFor();
      await dialog(page)
        .getByRole('link', { name: `${SMALL_FIRM_NAME} ${SMALL_FIRM} · ${TOTAL} virtual numbers` })
        .click();
      await total(page, TOTAL);
      await choose(page, SMALL_FIRM_NAME).waitFor();
      assert.equal(page.url(), `${visits.server.origin}${NUMBERS}?${ACCOUNT_QUERY}`);
      await page.goBack();
      await choose(page, 'Northgate').waitFor();
      assert.equal(accountOf(page), null);
    }));

  test('are listed level by level', () =>
    visits.visit({ token, path: '/' }, async (page) => {
      await choose(page, 'Northgate').click();
      await dialog(page)
        .getByRole('button', { name: words.openBelow('Customer 07', '1') })
        .click();
      await dialog(page)
        .getByRole('link', { name: /^Branch Office/ })
        .waitFor();
      await dialog(page)
        .getByRole('button', { name: words.below('Customer 07') })
        .click();
      await dialog(page)
        .getByRole('link', { name: /^Customer 08/ })
        .click();
      await choose(page, 'Customer 08').waitFor();
      assert.equal(accountOf(page), 'customer 08');
      await choose(page, 'Customer 08').click();
      await dialog(page).getByRole('link', { name: words.own }).click();
      await choose(page, 'Northgate').waitFor();
      assert.equal(accountOf(page), null);
    }));

  test('are where a token lands that has nothing of its own: what is overdue or flagged first, each a link to it', () =>
    visits.visit({ token, path: '/' }, async (page) => {
      await page.getByRole('heading', { name: words.title }).waitFor();
      const first = page.locator('.chooser-list > li').first();
      await first.getByRole('link', { name: new RegExp(`^${SMALL_FIRM_NAME}`) }).waitFor();
      assert.equal(await page.locator('.chooser-list > li').count(), 50);
      // Next to its name, not below what it needs.
      const below = page.getByRole('button', { name: words.openBelow('Customer 07', '1') });
      const sizes = await below.evaluate((button) => {
        const { top, right } = button.getBoundingClientRect();
        const row = button.closest('li')?.getBoundingClientRect();
        return { top: top - (row?.top ?? 0), right: (row?.right ?? 0) - right };
      });
      assert.ok(sizes.top < 20 && sizes.right < 1, JSON.stringify(sizes));
      const flagged = first.locator('.flagged').filter({ hasText: 'spam' });
      const count = Number.parseInt(await flagged.innerText(), 10);
      assert.deepEqual(await complaints(page), []);
      await flagged.click();
      await total(page, count);
      assert.equal(accountOf(page), SMALL_FIRM);
      await page.goBack();
      const overdue = await first.locator('.flagged').first().innerText();
      assert.match(overdue, /^\d+\svirtual numbers overdue: €[\d.]+$/);
      await first.locator('.flagged').first().click();
      await total(page, Number.parseInt(overdue, 10));
      await page.goto(`${visits.server.origin}/?account=customer%2007`);
      await page.getByRole('link', { name: /^Branch Office/ }).waitFor();
    }));

  test('are in the order of people, 9 before 10, where none has more items', async () => {
    const { token: ofOffices } = await visits.server.token('offices', '--reach', 'tree');
    await visits.visit({ token: ofOffices, path: '/' }, async (page) => {
      const names = page.locator('.chooser-account > :first-child');
      await names.nth(2).waitFor();
      assert.deepEqual(await names.allTextContents(), ['Office 9', 'Office 10', 'Office 100']);
      await choose(page, 'offices').click();
      const offered = dialog(page).locator('.chooser-list .chooser-account > :first-child');
      await offered.nth(2).waitFor();
      assert.deepEqual(await offered.allTextContents(), ['Office 9', 'Office 10', 'Office 100']);
      await page.keyboard.press('Escape');
      await page.getByRole('searchbox', { name: words.search }).fill('zzz');
      await page.getByText(texts.nothingFound.title).waitFor();
    });
  });

  test('come in the order of their need, however late and in which order their answers are', async () => {
    const need: Readonly<Record<string, readonly [overdue: number, flagged: number]>> = {
      '9': [0, 3],
      '10': [2, 0],
      '100': [2, 1],
    };
    const { token: ofOffices } = await visits.server.token('offices', '--reach', 'tree');
    const late: readonly Readonly<Record<string, number>>[] = [
      { '9': 0, '10': 3_000, '100': 200 },
      { '9': 3_000, '10': 0, '100': 100 },
    ];
    for (const delays of late) {
      const prepare = async (page: Page) => {
        await page.route('**/api/v1/accounts?*', async (route) => {
          const response = await route.fetch();
          const whole = (await response.json()) as { data: object[] };
          const data = whole.data.map((one) => ({ ...one, virtual_numbers: 5 }));
          await route.fulfill({ response, json: { ...whole, data } });
        });
        await page.route('**/facets?*', async (route) => {
          const id = route.request().headers()[HEADER] ?? '';
          const [overdue = 0, flagged = 0] = need[id] ?? [];
          const response = await route.fetch();
          const whole = (await response.json()) as { facets: object };
          await new Promise((resolve) => setTimeout(resolve, delays[id] ?? 0));
          const values = [{ value: true, count: flagged }];
          const facets = { ...whole.facets, is_spammed: { values, others: 0 } };
          const json = { ...whole, facets, overdue: { count: overdue, amount: overdue, unknown: 0 } };
          await route.fulfill({ response, json });
        });
      };
      await visits.visit({ token: ofOffices, path: '/', prepare }, async (page) => {
        const names = page.locator('.chooser-account > :first-child');
        await page.getByText(words.reading('2', '3')).waitFor();
        assert.equal(await names.count(), 0, 'nothing is shown that moves');
        await names.nth(2).waitFor();
        assert.deepEqual(await names.allTextContents(), ['Office 100', 'Office 10', 'Office 9']);
        await page.getByText(words.byNeed).waitFor();
        // These accounts have no currency.
        const amount = words.withoutCurrency('2.00');
        assert.equal(await page.locator('.flagged').filter({ hasText: amount }).count(), 2);
        assert.deepEqual(await complaints(page), []);
      });
    }
  });

  test('that fail to say what they need are there all the same', () =>
    visits.visit(
      {
        token,
        path: '/',
        prepare: (page) => page.route('**/facets*', (route) => route.fulfill({ status: 500 })),
      },
      async (page) => {
        await page.getByRole('link', { name: /^Customer 01/ }).waitFor();
        assert.equal(await page.locator('.chooser-list .flagged').count(), 0);
        // What nobody knows is not said to be nothing.
        await page.getByText(texts.glance.failed).first().waitFor();
      },
    ));

  test('are in every request, link and file', async () => {
    const named = new Set<string | undefined>();
    const prepare = async (page: Page) => {
      page.on('request', (request) => {
        if (request.url().includes('/api/')) named.add(request.headers()[HEADER]);
      });
    };
    await visits.visit(
      { token, path: `${NUMBERS}?${ACCOUNT_QUERY}&country_codes=DE`, prepare, acceptDownloads: true },
      async (page) => {
        await total(page, 16);
        const hrefs = await page
          .locator('a[href*="/virtual-numbers"], a[href*="/additional-services"]')
          .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
        assert.ok(hrefs.length > 16);
        assert.deepEqual(
          hrefs.filter((href) => !href.endsWith(ACCOUNT_QUERY)),
          [],
        );
        await page.getByRole('button', { name: 'Comment' }).click();
        await page.locator('[aria-sort=ascending]').waitFor();
        assert.equal(accountOf(page), SMALL_FIRM);
        const coming = page.waitForEvent('download');
        await page.getByRole('button', { name: texts.export.label, exact: true }).click();
        await page.getByRole('menuitem', { name: texts.export.csv }).click();
        assert.match((await coming).suggestedFilename(), /^Pennywharf Dental - virtual numbers - Germany/);
        await page.getByRole('link', { name: 'Additional services' }).click();
        await page.waitForURL(`**${SERVICES}?${ACCOUNT_QUERY}`);
        await page.locator('.row-link').first().click();
        await dialog(page).locator('.field').first().waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: texts.overview.title }).click();
        await page.locator('.overview-sentence').waitFor();
        assert.equal(accountOf(page), SMALL_FIRM);
        assert.deepEqual([...named], [SMALL_FIRM]);
      },
    );
  });

  test('are in what is copied', () =>
    visits.visit(
      {
        token,
        path: `${NUMBERS}?account=customer%2007`,
        permissions: ['clipboard-read', 'clipboard-write'],
      },
      async (page) => {
        await page.getByText(texts.nothingFound.account('Virtual numbers')).waitFor();
        for (const [form, expected] of [
          ['curl', /-H 'Linecard-Account: customer%2007' /],
          ['cli', /virtual-numbers list --account='customer 07'/],
          ['typescript', /client\.account\("customer 07"\)\.virtualNumbers\.list/],
        ] as const) {
          await page.getByRole('button', { name: texts.copyAs.label }).click();
          await page.getByRole('menuitem', { name: texts.copyAs[form], exact: true }).click();
          await page.getByText(texts.copyAs.done(texts.copyAs[form])).waitFor({ state: 'attached' });
          // While it closes, its button does not open it.
          await page.getByRole('menu').waitFor({ state: 'detached' });
          assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), expected);
        }
      },
    ));

  test('that the token does not reach are a sentence and a way back', async () => {
    for (const path of [
      `${NUMBERS}?account=ringmallow-answers`,
      '/?account=nobody',
      `/?account=${'x'.repeat(101)}`,
    ]) {
      await visits.visit({ token, path }, async (page) => {
        const alert = page.getByRole('alert');
        await alert.getByText(/^You cannot see the account .*, or it does not exist\.$/).waitFor();
        assert.deepEqual(await complaints(page), []);
        await page.getByRole('link', { name: words.back }).click();
        await choose(page, 'Northgate').waitFor();
        assert.equal(page.url(), `${visits.server.origin}/`);
      });
    }
  });

  test('are not chosen with a token of one account alone', () =>
    visits.visit({ path: `${NUMBERS}?account=branch` }, async (page) => {
      await page.getByRole('link', { name: words.back }).click();
      await page.getByRole('button', { name: SMALL_FIRM_NAME }).waitFor();
      assert.equal(await page.locator('.account-chooser').count(), 0);
    }));

  test('another one is shown in one tab alone', () =>
    visits.visit({}, async (page, context) => {
      await total(page, TOTAL);
      const other = await context.newPage();
      await other.goto(visits.server.origin + NUMBERS);
      await total(other, TOTAL);
      await page.getByRole('button', { name: texts.menu }).click();
      await page.getByRole('menuitem', { name: words.other }).click();
      await dialog(page).getByLabel(texts.signIn.token, { exact: true }).fill(token);
      await page.keyboard.press('Enter');
      await choose(page, 'Northgate').waitFor();
      await page.reload();
      await choose(page, 'Northgate').waitFor();
      await other.reload();
      await other.getByRole('button', { name: SMALL_FIRM_NAME }).waitFor();
      await other.close();
      const third = await context.newPage();
      await third.goto(visits.server.origin);
      await third.getByRole('button', { name: texts.signIn.go }).waitFor();
    }));

  for (const locale of Object.keys(LANGUAGES)) {
    test(`have headers in which nothing overlaps, sticks out or is squeezed, in ${locale}`, async () => {
      const { server } = visits;
      const { out } = await server.command('token', 'create', '--operator', '--may', 'read');
      const { token: own } = await server.token(LONG);
      for (const [who, how] of Object.entries({
        customer: { token: own, path: '/' },
        tree: { token, path: `/?account=${LONG}` },
        operator: { token: out.trim(), path: `/?account=${LONG}` },
      }))
        await visits.visit({ locale, ...how }, async (page) => {
          await page.locator('.account-button[aria-haspopup=menu]').waitFor();
          await page.locator('.account-name').waitFor();
          for (const width of [SMALLEST.width, PHONE.width, 768, 1024, 1280]) {
            await page.setViewportSize({ width, height: 800 });
            assert.deepEqual(await page.evaluate<string[]>(FAULTS_OF_HEADER), [], `${who} at ${width}`);
          }
          if (!['en', 'de'].includes(locale)) return;
          await page.setViewportSize(PHONE);
          const lines = await page.evaluate<number[]>(`[...document.querySelectorAll('.tab')].map((tab) => {
            const words = document.createRange();
            words.selectNode(tab.firstChild);
            return words.getClientRects().length;
          })`);
          assert.deepEqual(lines, [1, 1, 1, 1]);
        });
    });
  }

  for (const viewport of [WIDE, PHONE, SMALLEST]) {
    test(`${viewport.width} wide: one can be chosen in either scheme`, () =>
      visits.visit({ token, viewport, path: `/?${ACCOUNT_QUERY}` }, async (page) => {
        await choose(page, SMALL_FIRM_NAME).click();
        await dialog(page).getByRole('listitem').first().waitFor();
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
          assert.deepEqual(await complaints(page, '[role=dialog]'), []);
        }
        await page.keyboard.type('penny');
        const current = page.locator('.chooser-account[aria-current]');
        await current.waitFor();
        await page.emulateMedia({ forcedColors: 'active' });
        const outline = `getComputedStyle(document.querySelector('.chooser-account[aria-current]')).outlineStyle`;
        assert.equal(await page.evaluate(outline), 'solid');
        await page.emulateMedia({ forcedColors: 'none' });
        await page.keyboard.press('Escape');
        await dialog(page).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: texts.menu }).click();
        await page.getByRole('menuitem', { name: words.other }).click();
        await dialog(page).getByLabel(texts.signIn.token, { exact: true }).waitFor();
        assert.deepEqual(await complaints(page), []);
        const [chooser, menu] = ['.account-chooser', '.account-button[aria-haspopup=menu]'].map((one) =>
          page.locator(one).boundingBox(),
        );
        assert.equal((await chooser)?.y, (await menu)?.y, 'in one line');
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(width <= viewport.width, `${width} wide`);
      }));
  }
});
