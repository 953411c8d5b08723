// The console, used in a real browser against the real server: what the customer's staff do there, what
// they see when something goes wrong, and that everybody can use it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { openFilters, rows, TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SERVICES, SMALLEST, TOKEN_KEY, Visits, WIDE } from '../kit/console-visits.ts';
import { type DemoServer, SMALL_FIRM } from '../kit/demo-server.ts';

const HOSTILE = 'hostile';
const WORDS = 'words';
const WORLD = 'world';
/** A change is seen within this, also where it must be asked for now and then. */
const NEWS_MS = 15_000;
/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };
/** One after the other: they share what is not of a context. */
const IN_TURN = { concurrency: 1 };
const FIRST_ID = 900_001;

const LONG_WORD = 'W'.repeat(500);
const hostile = [
  { did: '+442079460018', comment: '<script>window.hurt = 1</script><img src=x onerror="window.hurt = 2">' },
  { did: '+442079460019', comment: '\u202Eمرحبا بالعالم, left?' },
  { did: '+442079460020', comment: LONG_WORD },
  { did: '+442079460021', comment: '=HYPERLINK("http://example.com")', provider: '"><b>Zed, Inc</b>' },
  { did: '+442079460022', comment: '', status: '<i>odd</i>' },
].map((row, i) => ({ id: FIRST_ID + i, ...row }));

/** Words that every object of JavaScript knows. */
const known = ['constructor', 'toString', '__proto__'].map((word, i) => ({
  id: FIRST_ID + 100 + i,
  did: `+44207946003${i}`,
  status: word,
  subscription_status: word,
  frequency: word,
  provider: word,
}));

describe('the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  let server: DemoServer;
  let token: string;
  let hostileToken: string;

  before(async () => {
    visits = await Visits.start();
    ({ server, token } = visits);
    await server.import(HOSTILE, hostile);
    ({ token: hostileToken } = await server.token(HOSTILE));
    await server.import(WORDS, known);
  });
  after(() => visits?.end());

  const visit: Visits['visit'] = (how, use) => visits.visit(how, use);
  const firstNumber = (page: Page) => page.locator('.row-link .digits').first();
  const queryOf = (page: Page) => new URL(page.url()).searchParams;
  const searchBox = (page: Page) => page.getByRole('searchbox', { name: 'Search virtual numbers' });

  describe('signing in', AT_ONCE, () => {
    test('takes a token, and leads to the view that was requested', async () => {
      await visit({ token: '', path: `${NUMBERS}?country_codes=DE` }, async (page) => {
        const field = page.getByLabel(texts.signIn.token, { exact: true });
        const go = page.getByRole('button', { name: texts.signIn.go });
        await go.click();
        await page.getByText(texts.signIn.empty).waitFor();
        const colours = await page.evaluate<string[]>(`[
          getComputedStyle(document.querySelector('.token-form input'), '::placeholder').color,
          getComputedStyle(document.querySelector('.sign-in-lead')).color]`);
        assert.equal(colours[0], colours[1], 'the placeholder is no fault');
        await field.fill(token);
        await page.route('**/api/v1/account', (route) => route.abort());
        await go.click();
        await page.getByRole('alert').getByText(texts.trouble.sentences.network).waitFor();
        assert.deepEqual(
          [await field.getAttribute('aria-invalid'), await field.inputValue()],
          ['false', token],
        );
        await page.unroute('**/api/v1/account');
        await field.fill(token.slice(0, -3));
        await go.click();
        await page.getByText(texts.signIn.cut).waitFor();
        await field.fill(`${token.slice(0, 20)}${token.at(20) === 'a' ? 'b' : 'a'}${token.slice(21)}`);
        await go.click();
        await page.getByText(texts.signIn.wrong).waitFor();
        await field.fill(` Bearer ${token} `);
        await go.click();
        await total(page, 16);
        assert.equal(queryOf(page).get('country_codes'), 'DE');
        const stored = await page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.cookie');
        assert.equal(stored.includes(token), false);
      });
    });

    test('a new tab is signed in as well, and signing out is for all of them', async () => {
      await visit({}, async (page, context) => {
        const other = await context.newPage();
        await other.goto(server.origin + SERVICES);
        await other.locator('.row-link').first().waitFor();
        await other.getByRole('button', { name: texts.menu }).click();
        await other.getByRole('menuitem', { name: texts.signOut }).click();
        for (const one of [other, page]) await one.getByText(texts.signIn.left).waitFor();
        assert.equal(await page.evaluate((key) => sessionStorage.getItem(key), TOKEN_KEY), null);
      });
    });

    test('a page that the browser retained is signed out where another one was meanwhile', async () => {
      await visit({}, async (page) => {
        await page.locator('.row-link').first().waitFor();
        const shownAgain = () =>
          page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
        await shownAgain();
        await page.locator('.row-link').first().waitFor();
        await page.evaluate((key) => sessionStorage.removeItem(key), TOKEN_KEY);
        await shownAgain();
        await page.getByText(texts.signIn.left).waitFor();
        assert.equal(await page.locator('.row-link').count(), 0);
      });
    });

    test('a token that ends leads back to signing in, and then to the same view', async () => {
      const made = await server.token(SMALL_FIRM);
      await visit({ token: made.token, path: `${NUMBERS}?q=desk` }, async (page) => {
        await rows(page).first().waitFor();
        await page.getByRole('button', { name: 'Comment' }).click();
        await page.locator('[aria-sort=ascending]').waitFor();
        // The request that waits for a change is refused, so nothing more must be done on the page.
        await server.command('token', 'revoke', made.id);
        await page.getByText(texts.signIn.expired).waitFor();
        await page.getByLabel(texts.signIn.token, { exact: true }).fill(token);
        await page.keyboard.press('Enter');
        await rows(page).first().waitFor();
        assert.equal(queryOf(page).get('q'), 'desk');
        assert.equal(queryOf(page).get('sort_by'), 'comment');
      });
    });
  });

  describe('a list', AT_ONCE, () => {
    test('is filtered, searched, sorted and paged, each step in the address, and walked back', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await page.getByRole('checkbox', { name: /^Germany/ }).check();
        await total(page, 16);
        await page.getByRole('columnheader').getByRole('button', { name: 'Monthly charge' }).click();
        await page
          .getByRole('columnheader', { name: 'Monthly charge' })
          .and(page.locator('[aria-sort=ascending]'))
          .waitFor();
        await page.getByRole('columnheader').getByRole('button', { name: 'Monthly charge' }).click();
        await page.locator('[aria-sort=descending]').waitFor();
        await page.getByLabel(texts.table.rows, { exact: true }).selectOption('10');
        await page.getByRole('link', { name: texts.table.next }).click();
        await page.locator('.pager-range').getByText('11–16 of 16').waitFor();
        const address = page.url();
        assert.deepEqual(Object.fromEntries(queryOf(page)), {
          country_codes: 'DE',
          sort_by: 'monthly',
          sort_order: 'desc',
          page: '2',
          page_size: '10',
        });
        const first = await firstNumber(page).textContent();
        await page.reload();
        await page.locator('.pager-range').getByText('11–16 of 16').waitFor();
        assert.equal(await firstNumber(page).textContent(), first);
        for (const _ of [1, 2, 3, 4, 5]) await page.goBack();
        await total(page, TOTAL);
        assert.equal(queryOf(page).size, 0);
        for (const _ of [1, 2, 3, 4, 5]) await page.goForward();
        await page.locator('.pager-range').getByText('11–16 of 16').waitFor();
        assert.equal(page.url(), address);
      });
    });

    test('is searched as one types; twenty digits survive exactly', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await searchBox(page).pressSequentially('front desk', { delay: 15 });
        await page.getByRole('link', { name: 'Remove filter “front desk”' }).waitFor();
        await page.goBack();
        await total(page, TOTAL);
        assert.equal(await searchBox(page).inputValue(), '');
        const digits = '12345678901234567890';
        await searchBox(page).fill(digits);
        await page.getByText(texts.nothingFound.title).waitFor();
        assert.equal(new URL(page.url()).search, `?q=${digits}`);
        await page.reload();
        assert.equal(await searchBox(page).inputValue(), digits);
        await page.getByRole('link', { name: `Without “${digits}”` }).click();
        await total(page, TOTAL);
      });
    });

    test('shows numbers as they are stored until their formats have come, and then as they are written', async () => {
      await visit({}, async (page) => {
        const { promise: isDrawn, resolve: go } = Promise.withResolvers<void>();
        await page.route('**/assets/min-*.js', async (route) => {
          await isDrawn;
          await route.continue();
        });
        await page.reload();
        await firstNumber(page).filter({ hasText: '+441174960000' }).waitFor();
        go();
        await firstNumber(page).filter({ hasText: '+44 117 496 0000' }).waitFor();
      });
    });

    test('says which filter to drop where nothing matches', async () => {
      await visit({ path: `${NUMBERS}?country_codes=DE&q=zzzz` }, async (page) => {
        // A region that was there before is announced.
        await page.locator('.rows > [role=status] > .empty').waitFor();
        const way = page.getByRole('link', { name: /Without “zzzz”\s*16/ });
        await way.waitFor();
        assert.equal(await page.getByRole('link', { name: /Without “Country”/ }).count(), 0);
        await page.getByText(texts.nothingFound.hint).waitFor();
        await way.click();
        await total(page, 16);
        await page.goto(`${server.origin}${NUMBERS}?statuses=none&q=zzzz`);
        await page.getByText(texts.nothingFound.noWay).waitFor();
        assert.equal(await page.getByText(texts.nothingFound.hint).count(), 0);
        await page.locator('.way-out').filter({ hasText: texts.filters.clear }).click();
        await total(page, TOTAL);
      });
    });

    test('opens what is counted as others at a glance', async () => {
      const countries = ['GB', 'DE', 'FR', 'ES', 'IT', 'PL'];
      await server.import(
        WORLD,
        countries.map((country_code, i) => ({
          id: FIRST_ID + 200 + i,
          did: `+4420794601${10 + i}`,
          country_code,
        })),
      );
      const { token: worldToken } = await server.token(WORLD);
      await visit({ token: worldToken }, async (page) => {
        const country = page.locator('.glance .panel').filter({ hasText: 'By country' });
        const parts = country.locator('.parts li');
        await country.getByRole('button', { name: texts.glance.rest }).click();
        await country.getByRole('link', { name: 'Poland' }).waitFor();
        assert.equal(await parts.count(), countries.length);
        await country.getByRole('button', { name: texts.filters.fewer }).click();
        await country.getByRole('button', { name: texts.glance.rest }).waitFor();
        assert.equal(await parts.count(), 4);
        // On paper the counts add up, too.
        await page.emulateMedia({ media: 'print' });
        await page.locator('.palette-button').waitFor({ state: 'hidden' });
        assert.ok(await country.getByText(texts.glance.rest).isVisible());
      });
    });

    test('leads from what it shows at a glance to what that counts', async () => {
      await visit({}, async (page) => {
        await page.getByRole('link', { name: '2 flagged as spam' }).click();
        await total(page, 2);
        // The chip, and what the folded filters say; next to each number is the mark.
        assert.equal(await page.getByText('Flagged as spam', { exact: true }).count(), 1);
        await page.getByRole('button', { name: 'Spam flag 1', expanded: false }).waitFor();
        assert.equal(await page.locator('.row-link + .mark').filter({ hasText: 'Spam' }).count(), 2);
        await page.getByRole('link', { name: texts.filters.clear }).click();
        await total(page, TOTAL);
        const day = page.locator('a.due-day').first();
        const due = Number(/ (\d+)\spayments?$/.exec((await day.getAttribute('title')) ?? '')?.[1]);
        await day.click();
        await total(page, due);
        await page.goBack();
        // What is counted is rendered after the rows.
        await page.locator('.glance').getByText(`${TOTAL} virtual numbers`, { exact: true }).waitFor();
        const week = page.locator('.due-sum', { hasText: 'Next 7 days' });
        const count = Number.parseInt((await week.locator('small').textContent()) ?? '', 10);
        await week.click();
        await total(page, count);
        await week.click();
        await total(page, TOTAL);
        // Its list price, on a screen of this width next to how many there are.
        const country = page.locator('.part-line', { hasText: 'United Kingdom' });
        const price = (await country.locator('.part-count').textContent()) ?? '';
        assert.match(price, /^€\d/);
        const numbers = Number(await country.locator('.part-items').textContent());
        await country.click();
        await total(page, numbers);
        await page.locator('.figure').getByText(price, { exact: true }).waitFor();
      });
    });

    test('has the columns that are chosen, also for those whom the address is sent to', async () => {
      await visit({}, async (page, context) => {
        await page.getByRole('button', { name: texts.table.columns }).click();
        await page.getByRole('checkbox', { name: 'Provider' }).check();
        await page.getByRole('checkbox', { name: 'Comment' }).uncheck();
        await page.keyboard.press('Escape');
        const other = await context.newPage();
        await other.goto(page.url());
        await other.getByRole('columnheader', { name: 'Provider' }).waitFor();
        assert.equal(await other.getByRole('columnheader', { name: 'Comment' }).count(), 0);
      });
    });

    test('a search leads to the value of a filter that it names, and to the number within a text', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        const search = page.getByRole('searchbox', { name: texts.search.label('Virtual numbers') });
        await search.fill('germ');
        await page.getByRole('link', { name: 'Country: Germany 16' }).click();
        await total(page, 16);
        assert.equal(String(queryOf(page)), 'country_codes=DE');
        await search.fill('call +44 117 496 0001 today');
        const number = '+44 117 496 0001';
        await page.getByRole('link', { name: texts.palette.searchFor(number, 'Virtual numbers') }).click();
        await page.waitForURL((url) => url.searchParams.get('q') === number);
      });
    });

    test('a change is shown in its place, and new rows wait until they are wanted', async () => {
      await visit({ token: hostileToken }, async (page) => {
        await total(page, hostile.length);
        let counted = 0;
        page.on('request', (request) => {
          if (request.url().includes('/facets')) counted += 1;
        });
        await server.import(HOSTILE, [{ ...hostile[4], comment: 'changed meanwhile' }]);
        await page
          .locator('tr[data-changed]')
          .filter({ hasText: 'changed meanwhile' })
          .waitFor({ timeout: NEWS_MS });
        await server.import(HOSTILE, [
          { id: FIRST_ID - 1, did: '+442079460099', comment: 'before all others' },
        ]);
        await page.getByText(texts.live.changed).waitFor({ timeout: NEWS_MS });
        assert.equal(await page.getByText('before all others').count(), 0);
        await page.getByRole('button', { name: texts.live.show }).click();
        await page.getByText('before all others').waitFor();
        assert.ok(counted <= 2, `two changes were taken for ${counted}`);
      });
    });
  });

  describe('the clipboard, which all contexts share', IN_TURN, () => {
    test('gets what is stored, from one item with every field', async () => {
      await visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
        await page.getByRole('link', { name: '+44 117 496 0001' }).click();
        const panel = page.getByRole('dialog');
        await panel.getByText('Front desk, overflow').waitFor();
        const copied = async (name: string) => {
          await panel.getByTitle(`Copy ${name}`, { exact: true }).first().click();
          return page.evaluate<string>('navigator.clipboard.readText()');
        };
        assert.equal(await copied('Number'), '+441174960001');
        assert.match(await copied('Added'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        await panel.getByRole('button', { name: texts.details.next }).click();
        await panel.getByText('Surgery 1').waitFor();
        const address = page.url();
        await page.keyboard.press('Escape');
        await panel.waitFor({ state: 'detached' });
        assert.equal(new URL(page.url()).pathname, NUMBERS);
        await page.goto(address);
        await panel.getByText('Surgery 1').waitFor();
      });
    });

    test('gets nothing that a spreadsheet would run: names, a table, one value', async () => {
      const titles = ['=1+1', '@SUM(1)', '=2\t+2', "'=3+3", '"=4+4"', 'VPN - access'];
      const safe = ["'=1+1", "'@SUM(1)", "'=2 +2", "''=3+3", '"""=4+4"""', 'VPN - access'];
      await server.importServices(HOSTILE, titles, FIRST_ID);
      const how = { path: SERVICES, token: hostileToken, permissions: ['clipboard-read', 'clipboard-write'] };
      await visit(how, async (page) => {
        await total(page, titles.length);
        const read = () => page.evaluate<string>('navigator.clipboard.readText()');
        await page.getByLabel(texts.select.page).check();
        const copy = page.getByRole('button', { name: texts.select.copy, exact: true });
        await copy.click();
        await page.getByRole('menuitem', { name: texts.select.names('Additional services') }).click();
        await page.getByText(texts.copied, { exact: true }).waitFor();
        assert.deepEqual((await read()).split('\n'), safe);
        await copy.click();
        await page.getByRole('menuitem', { name: texts.select.rows }).click();
        await page.waitForFunction(`navigator.clipboard.readText().then((text) => text.includes('\\t'))`);
        const [, ...lines] = (await read()).split('\n');
        assert.deepEqual(
          lines.map((line) => line.split('\t')[0]),
          safe,
        );
        await page.getByRole('link', { name: '=1+1', exact: true }).click();
        await page.getByRole('dialog').getByTitle('Copy Title').first().click();
        await page.waitForFunction(`navigator.clipboard.readText().then((text) => text === "'=1+1")`);
      });
    });

    test('gets a view as a request that works, without the token', async () => {
      await visit(
        { path: `${NUMBERS}?country_codes=DE&q=it%27s`, permissions: ['clipboard-read', 'clipboard-write'] },
        async (page) => {
          const copied: Record<string, string> = {};
          for (const form of ['curl', 'cli', 'typescript'] as const) {
            await page.getByRole('button', { name: texts.copyAs.label }).click();
            await page.getByRole('menuitem', { name: texts.copyAs[form], exact: true }).click();
            await page.getByText(texts.copyAs.done(texts.copyAs[form])).waitFor({ state: 'attached' });
            copied[form] = await page.evaluate<string>('navigator.clipboard.readText()');
          }
          const url = `${server.origin}/api/v1/did/me?country_codes=DE&q=it's&page=1&page_size=25`;
          const quoted = `'${url.replace("'", `'\\''`)}'`;
          assert.equal(copied['curl'], `curl -H "Authorization: Bearer $LINECARD_TOKEN" ${quoted}`);
          assert.match(
            copied['cli'] ?? '',
            /linecard virtual-numbers list --country-codes=DE --q='it'\\''s'/,
          );
          assert.match(
            copied['typescript'] ?? '',
            /client\.virtualNumbers\.list\(\{\n {2}country_codes: \["DE"\]/,
          );
          assert.equal(JSON.stringify(copied).includes(token), false);
        },
      );
    });
  });

  describe('trouble', AT_ONCE, () => {
    test('hostile texts are texts', async () => {
      await visit({ token: hostileToken }, async (page) => {
        await page.getByText('<script>window.hurt = 1</script>').first().waitFor();
        assert.equal(await page.evaluate('window.hurt'), undefined);
        assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= WIDE.width);
        await openFilters(page, 'Number provider');
        for (const text of ['<i>odd</i>', '"><b>Zed, Inc</b>']) {
          await page.getByRole('checkbox', { name: text }).check();
          await total(page, 1);
          assert.equal(await rows(page).count(), 1);
          await page.getByRole('checkbox', { name: text }).uncheck();
          await page.getByRole('link', { name: '+44 20 7946 0018' }).waitFor();
        }
        await page.goBack();
        await total(page, 1);
        await page.reload();
        await total(page, 1);
        await page.getByRole('checkbox', { name: '"><b>Zed, Inc</b>' }).uncheck();
        await page.getByRole('link', { name: '+44 20 7946 0020' }).click();
        await page.getByRole('dialog').getByText(LONG_WORD).waitFor();
        const sides = await page
          .getByRole('dialog')
          .evaluate((panel) => [panel.scrollWidth, panel.clientWidth]);
        assert.ok((sides[0] ?? 0) <= (sides[1] ?? 0), 'a long word sticks out');
        assert.equal(await page.evaluate('window.hurt'), undefined);
      });
    });

    test('words that JavaScript knows are values like any other', async () => {
      const { token: wordsToken } = await server.token(WORDS);
      await visit({ token: wordsToken, path: `${NUMBERS}?statuses=constructor` }, async (page) => {
        await total(page, 1);
        await page.getByRole('link', { name: texts.filters.remove('Status: Constructor') }).click();
        await total(page, known.length);
        for (const word of ['Constructor', 'toString', '__proto__']) {
          await rows(page).getByText(word, { exact: true }).first().waitFor();
        }
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: texts.palette.label }).waitFor();
        await page.keyboard.type('status tostr');
        await page.getByRole('option', { name: 'Status: toString' }).waitFor();
        await page.keyboard.press('Enter');
        await total(page, 1);
        await page.getByRole('link', { name: '+44 20 7946 0031' }).click();
        await page.getByRole('dialog').getByText('toString').first().waitFor();
      });
    });

    test('an address that leads nowhere is answered with a page', async () => {
      await visit({}, async (page) => {
        const answer = await page.goto(`${server.origin}/no/such/page`);
        assert.equal(answer?.status(), 404);
        await page.getByText(texts.trouble.invalid).waitFor();
        await page.getByRole('main').getByRole('link', { name: texts.overview.title }).click();
        await page.locator('.overview-sentence').waitFor();
        const api = await page.goto(`${server.origin}/api/v1/no-such-path`);
        assert.match(api?.headers()['content-type'] ?? '', /^application\/problem\+json/);
      });
    });

    test('an address that leads nowhere is answered with a page where Accept alone tells a browser', async () => {
      const url = `${server.origin}/no/such/page`;
      for (const [accept, type] of [
        ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', /^text\/html/],
        ['*/*', /^application\/problem\+json/],
      ] as const) {
        const [answer] = (await once(get(url, { headers: { accept } }), 'response')) as [IncomingMessage];
        answer.resume();
        assert.equal(answer.statusCode, 404);
        assert.match(String(answer.headers['content-type']), type);
      }
    });

    test('an address that asks for what does not exist is reported, with the way out', async () => {
      await visit({ path: `${NUMBERS}?status=active` }, async (page) => {
        await page.getByText('Did you mean `statuses`?').waitFor();
        await page.getByRole('link', { name: texts.trouble.start }).click();
        await total(page, TOTAL);
        await page.goto(`${server.origin}${NUMBERS}?page=9`);
        await page.getByRole('link', { name: texts.nothingFound.firstPage }).click();
        await total(page, TOTAL);
      });
    });

    test('a fault is shown with its request id, and tried again', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        const body = {
          type: 'urn:linecard:problem:internal',
          detail: 'Something broke.',
          request_id: 'req-42',
        };
        const fault = { status: 500, contentType: 'application/problem+json', body: JSON.stringify(body) };
        await page.route('**/did/me?*', (route) => route.fulfill(fault));
        await page.getByRole('checkbox', { name: /^Germany/ }).check();
        await page.getByText(texts.trouble.sentences.internal).waitFor();
        await page.getByText('req-42').waitFor();
        await page.unroute('**/did/me?*');
        await page.getByRole('button', { name: texts.trouble.again }).click();
        await total(page, 16);
      });
    });
  });

  describe('is for everybody', AT_ONCE, () => {
    const dialog = (page: Page) => page.getByRole('dialog');
    const escaped = async (page: Page) => {
      await page.keyboard.press('Escape');
      await page.locator('[role=dialog], .columns').first().waitFor({ state: 'detached' });
    };

    test('nothing sticks out on a phone, nor on the smallest', async () => {
      await visit({ viewport: PHONE, token: hostileToken }, async (page) => {
        for (const viewport of [PHONE, SMALLEST]) {
          await page.setViewportSize(viewport);
          await page.locator('.card-link').first().waitFor();
          const width = await page.evaluate<number>('document.documentElement.scrollWidth');
          assert.ok(width <= viewport.width, `${width} wide at ${viewport.width}`);
          await page.locator('.card-link').nth(2).click();
          await dialog(page).locator('.field').first().waitFor();
          const panel = await dialog(page).evaluate((one) => one.scrollWidth);
          assert.ok(panel <= viewport.width, `${panel} wide at ${viewport.width}`);
          await escaped(page);
        }
      });
    });

    test('the keyboard alone goes from the search to an item and back', async () => {
      await visit({}, async (page) => {
        await rows(page).first().waitFor();
        await page.locator('.row-link').first().focus();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').getByText('Front desk, overflow').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.waitForFunction(`document.activeElement.matches('.row-link')`);
      });
    });
  });
});
