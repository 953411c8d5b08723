// What the customer's staff do to a list in the console, and what they find afterwards: what was pasted and
// typed, values that no query can name, pages and details on the way back.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { plural } from '../../console/format.ts';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, openFilters, TOTAL, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, Visits, WIDE } from '../kit/console-visits.ts';
import { until } from '../kit/until.ts';

/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };
const MIXED = 'mixed';
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };
const PROVIDERS = 20;

/** Some of an international network, which is in no country, and each of another provider. */
const mixed = Array.from({ length: PROVIDERS }, (_, i) => ({
  id: 930_001 + i,
  did: `${i < 3 ? '+88351000' : '+44207946'}${1_000 + i}`,
  provider: `Provider ${i}`,
}));

describe('a list in the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  let mixedToken: string;

  before(async () => {
    visits = await Visits.start();
    await visits.server.import(MIXED, mixed);
    mixedToken = (await visits.server.token(MIXED)).token;
  });
  after(() => visits?.end());
  const visit: Visits['visit'] = (how, use) => visits.visit(how, use);

  const queryOf = (page: Page) => new URL(page.url()).searchParams;
  const dialog = (page: Page) => page.getByRole('dialog');

  describe('is filtered', { concurrency: 1 }, () => {
    /** As a spreadsheet, a mail or a list would have them. */
    const columns = {
      'a column of a spreadsheet': '+441174960000\r\n+441174960001\r\n',
      'lines that are written for people': '+44 117 496 0000\n+44 117 496 0001',
      'one line': '+44 117 496 0000 +44 117 496 0001',
      'a list in quotes': '"+44 117 496 0000", "+44 117 496 0001"',
    };
    for (const [name, pasted] of Object.entries(columns)) {
      test(`by numbers that are pasted: ${name}`, async () => {
        await visit(CLIPBOARD, async (page) => {
          await total(page, TOTAL);
          const field = page.getByRole('textbox', { name: texts.filters.values('Number') });
          await field.focus();
          await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`);
          await page.keyboard.press('Control+v');
          await page.keyboard.press('Enter');
          await total(page, 2);
          assert.equal(queryOf(page).getAll('dids').length, 2);
          await page.getByRole('link', { name: 'Remove filter Number: +44 117 496 0001' }).waitFor();
          assert.equal(await field.inputValue(), '+44 117 496 0000, +44 117 496 0001');
        });
      });
    }
  });

  test('has one number that is pasted in quotes as a filter without them', async () => {
    await visit(CLIPBOARD, async (page) => {
      await total(page, TOTAL);
      await page.getByRole('textbox', { name: texts.filters.values('Number') }).focus();
      await page.evaluate(`navigator.clipboard.writeText('"+441174960000"')`);
      await page.keyboard.press('Control+v');
      await page.keyboard.press('Enter');
      await total(page, 1);
      await page.getByRole('link', { name: 'Remove filter Number: +44 117 496 0000', exact: true }).waitFor();
    });
  });

  test('has numbers that are pasted in the search or the palette as a filter, and says what is missing', async () => {
    const words = texts.pasted;
    const lines = ['Desk\tNumber', 'A\t+44 117 496 0000', 'B\t0044 117 496 0001', 'C\t+15550100100'];
    const again = ['F\tFront desk', 'G\t+441174960000', 'H\tfront desk'];
    const column = [...lines, 'D\t0117 496 0001', 'E\tfront desk', ...again].join('\n');
    const paste = (page: Page, text: string) =>
      page
        .evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
        .then(() => page.keyboard.press('Control+v'));
    await visit({ ...CLIPBOARD, path: '/activity' }, async (page) => {
      await page.locator('.happenings').waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').focus();
      await paste(page, column);
      await total(page, 2);
      assert.equal(queryOf(page).getAll('dids').length, 4);
      const said = page.locator('.found-numbers');
      await said.getByText(plural(words.found, 2)).waitFor();
      await said.getByRole('button', { name: plural(words.national, 1) }).waitFor();
      await said.getByRole('button', { name: plural(words.others, 2) }).click();
      await said.getByText('Number, front desk').waitFor();
      await said.getByRole('button', { name: plural(words.missing, 1) }).click();
      await said.getByText('+15550100100').waitFor();
      await said.getByText(texts.copied).last().waitFor();
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), '+15550100100');
      assert.deepEqual(await complaints(page, '.found-numbers'), []);
      const search = page.getByRole('searchbox', { name: texts.search.label('Virtual numbers') });
      await search.fill('a');
      await search.focus();
      await paste(page, '+441174960000 +441174960001');
      await said.getByText(plural(words.found, 2)).waitFor();
      await total(page, 2);
      assert.equal(await search.inputValue(), '');
      assert.equal(await said.getByRole('button').count(), 0);
      // One number, and a sentence with some digits, are searches.
      await paste(page, '+441174960000');
      assert.equal(await search.inputValue(), '+441174960000');
    });
  });

  test('has its filters in groups, which stay as the reader left them, within 28 Tab stops', async () => {
    await visit({ viewport: { width: 1280, height: 900 } }, async (page) => {
      await total(page, TOTAL);
      const group = (name: string, expanded: boolean) =>
        page.locator('.sidebar').getByRole('button', { name, exact: true, expanded });
      await page.getByRole('searchbox').first().focus();
      await page.getByRole('checkbox', { name: /^Germany/ }).waitFor();
      const inSidebar = "document.activeElement.closest('.sidebar') !== null";
      let stops = 0;
      await page.locator('.tabs a').last().focus();
      for (let key = 0; key < 100 && !(await page.evaluate(inSidebar)); key += 1)
        await page.keyboard.press('Tab');
      for (; await page.evaluate(inSidebar); stops += 1) await page.keyboard.press('Tab');
      assert.ok(stops > 20 && stops < 29, `${stops} Tab stops`);
      // What excludes a value is next to it.
      const germany = page.getByRole('checkbox', { name: /^Germany/ });
      await germany.press('ArrowRight');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await total(page, 30);
      await page.keyboard.press('Enter');
      await total(page, TOTAL);
      await group('Country', true).press('Enter');
      await germany.waitFor({ state: 'detached' });
      await group('Billing', false).press('Enter');
      await page.getByRole('checkbox', { name: /^Yearly/ }).waitFor();
      await page.goto(`${visits.server.origin}${NUMBERS}?country_codes=GB&providers=Thameswire`);
      await group('Billing', true).waitFor();
      // Open, since it filters; what was closed says so in its heading.
      await group('Number provider', true).waitFor();
      await group('Country 1', false).waitFor();
      assert.deepEqual(await complaints(page, '.sidebar'), []);
    });
  });

  test('has the times of a filter in one Tab stop, which arrow keys go through', async () => {
    await visit({}, async (page) => {
      await total(page, TOTAL);
      const bar = page.getByRole('toolbar', { name: 'Next payment', exact: true });
      const [first, next, last] = [bar.locator('a').first(), bar.locator('a').nth(1), bar.locator('button')];
      const hasFocus = (one: Locator) => one.evaluate((node) => node === node.ownerDocument.activeElement);
      await first.focus();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowRight');
      assert.equal(await hasFocus(next), true);
      await page.keyboard.press('Tab');
      assert.equal(await bar.evaluate((node) => node.contains(node.ownerDocument.activeElement)), false);
      await page.keyboard.press('Shift+Tab');
      assert.equal(await hasFocus(next), true);
      for (let key = 0; key < 9; key += 1) await page.keyboard.press('ArrowRight');
      assert.equal(await hasFocus(last), true);
      await page.keyboard.press('Home');
      assert.equal(await hasFocus(first), true);
      await page.keyboard.press('End');
      assert.equal(await hasFocus(last), true);
      await page.keyboard.press('Enter');
      await page.locator('.calendar').waitFor();
    });
  });

  test('has every value of a filter in its place after one is ticked, also those that no item has any more', async () => {
    await visit({}, async (page) => {
      await total(page, TOTAL);
      const places = () =>
        page.evaluate<string[]>(`[...document.querySelectorAll('.sidebar .facet-words')].map((one) =>
          one.textContent + ' at ' + Math.round(one.getBoundingClientRect().top))`);
      await page.getByRole('checkbox', { name: 'Blocked 2' }).waitFor();
      const before = await places();
      await page.getByRole('checkbox', { name: 'Blocked 2' }).check();
      await total(page, 2);
      assert.deepEqual(await places(), before);
      await page.getByRole('checkbox', { name: 'Germany 0' }).waitFor();
      await page.getByRole('checkbox', { name: 'Blocked 2' }).uncheck();
      await page.getByRole('checkbox', { name: 'Germany 16' }).waitFor();
      assert.deepEqual(await places(), before);
    });
  });

  test('is filtered by what it is not, by what a number costs and by what has no date', async () => {
    await visit({}, async (page) => {
      await total(page, TOTAL);
      await page.getByRole('checkbox', { name: /^Germany/ }).check();
      await total(page, 16);
      // A value is one or the other: the keyboard makes it the other.
      const not = page.getByRole('button', { name: texts.filters.exclude('Germany') });
      await not.press('Enter');
      await total(page, 30);
      assert.equal(await not.getAttribute('aria-pressed'), 'true');
      // What is excluded is counted, so that it can be brought back.
      await page.getByRole('checkbox', { name: /^Germany 16$/, checked: false }).waitFor();
      await page.getByRole('link', { name: 'Next payment: None' }).click();
      await page.getByRole('link', { name: 'Remove filter Next payment: None' }).waitFor();
      await openFilters(page, 'Monthly charge');
      const field = page.getByRole('textbox', { name: 'Monthly charge: From' });
      await field.fill('1,2');
      await field.press('Enter');
      await page.getByRole('alert').getByText(texts.filters.notAnAmount('1,2', '2.50')).waitFor();
      await field.fill('1.2');
      await field.press('Enter');
      const removed = page.getByRole('link', { name: 'Remove filter Monthly charge: €1.20 or more' });
      await removed.waitFor();
      assert.equal(String(queryOf(page)), 'monthly_min=1.2&has_next_payment=false&country_codes_exclude=DE');
      await removed.click();
      await page.getByRole('link', { name: 'Remove filter Next payment: None' }).click();
      await page.getByRole('link', { name: 'Remove filter Country is not: Germany' }).click();
      await total(page, TOTAL);
      assert.equal(queryOf(page).size, 0);
    });
  });

  test('is compared with a file, of which nothing leaves the browser', async () => {
    const words = texts.check;
    const lines = ['+44 117 496 0000;1,20', '0044 117 496 0001;9,99', '+15550100100;1,00', 'front desk;1,00'];
    const invoice = ['Rufnummer;Preis', ...lines, lines[0]].join('\n');
    await visit({}, async (page, context) => {
      await total(page, TOTAL);
      const sent: string[] = [];
      context.on('request', (request) => {
        if (request.headers()['accept'] === 'application/x-ndjson') sent.push(request.url());
        else if (request.method() !== 'GET' || request.url().includes('15550100100')) sent.push('the file');
      });
      const opener = page.getByRole('button', { name: words.label });
      await opener.click();
      const panel = page.getByRole('dialog', { name: words.label });
      await panel.locator('input[type=file]').setInputFiles({
        name: 'invoice.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(invoice),
      });
      await panel.getByLabel(words.numberColumn).selectOption('Rufnummer');
      await panel.getByLabel(words.amountColumn).selectOption('Preis');
      await panel.getByRole('button', { name: words.go, exact: true }).press('Enter');
      for (const [name, counted] of Object.entries({
        both: 2,
        only_in_file: 1,
        only_on_account: TOTAL - 2,
        amounts: 1,
        twice: 1,
        ambiguous: 0,
      }) as [keyof typeof words.groups, number][])
        await panel.getByRole('heading', { name: `${words.groups[name]} ${counted}` }).waitFor();
      await panel.getByRole('heading', { name: `${words.withoutNumber} 1` }).waitFor();
      await panel.getByText('Line 5, “front desk”: this is no telephone number').waitFor();
      assert.equal(sent.length, 1, sent.join(' '));
      const amounts = panel.getByRole('region', { name: words.groups.amounts });
      assert.match(await amounts.innerText(), /0044 117 496 0001\s+\+44 117 496 0001\s+9\.99\s+€1\.20\s+\d+/);
      const saved = page.waitForEvent('download');
      await panel.getByRole('button', { name: words.save(words.groups.only_in_file) }).click();
      const file = await saved;
      assert.equal(file.suggestedFilename(), `invoice.csv - ${words.groups.only_in_file}.csv`);
      const csv = readFileSync(await file.path(), 'utf8');
      assert.deepEqual(csv.split('\r\n'), [
        'result,line,number,did,id,amount,monthly',
        'only_in_file,4,+15550100100,,,1,',
        '',
      ]);
      assert.deepEqual(await complaints(page, '.check'), []);
      await panel.getByLabel(words.paste).fill('01174960000\n+441174960001');
      await panel.getByRole('button', { name: words.go, exact: true }).click();
      await panel.getByRole('heading', { name: `${words.groups.both} 2` }).waitFor();
      assert.equal(sent.length, 2);
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      assert.ok(await opener.evaluate((element) => element === element.ownerDocument.activeElement));
    });
  });

  test('is compared with a file by the numbers that match its filters alone, and says so of their count', async () => {
    const words = texts.check;
    await visit({ path: `${NUMBERS}?country_codes=DE` }, async (page) => {
      await page.getByRole('button', { name: words.label }).click();
      const panel = page.getByRole('dialog', { name: words.label });
      await panel.getByLabel(words.paste).fill('+441174960000');
      await panel.getByRole('button', { name: words.go, exact: true }).click();
      await panel.getByText(`${words.matching}: 16, as of`).waitFor();
    });
  });

  describe('tells the truth', AT_ONCE, () => {
    test('about what is typed and is neither an id nor a number', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await openFilters(page, 'ID');
        for (const [label, typed, said] of [
          ['ID', 'abc def', texts.filters.notAnId('abc')],
          ['Number', 'front desk', texts.filters.notANumber('front desk')],
        ] as const) {
          const field = page.getByRole('textbox', { name: texts.filters.values(label) });
          await field.fill(typed);
          await field.press('Enter');
          await page.getByRole('alert').getByText(said).waitFor();
          assert.equal(await field.getAttribute('aria-invalid'), 'true');
        }
        assert.equal(queryOf(page).size, 0);
      });
    });

    test('about a year that is typed with two digits', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await page.getByRole('button', { name: texts.filters.calendar('Next payment') }).click();
        const field = page.getByLabel('Next payment: From');
        await field.focus();
        await field.pressSequentially('12/01/26');
        await page.keyboard.press('Enter');
        await page.getByRole('link', { name: /^Remove filter Next payment/ }).waitFor();
        assert.match(queryOf(page).get('next_payment_from') ?? '', /^2026-/);
      });
    });

    test('about items without a country: they are counted, and lead nowhere', async () => {
      await visit({ token: mixedToken }, async (page) => {
        await total(page, PROVIDERS);
        const filter = page.getByRole('group', { name: 'Country' });
        await filter.getByRole('checkbox', { name: /^United Kingdom/ }).waitFor();
        await filter.getByText(texts.nothing).waitFor();
        assert.equal(await filter.getByRole('checkbox').count(), 1);
        const panel = page.locator('.panel', { hasText: texts.glance.by('Country') });
        await panel.getByText(texts.nothing).waitFor();
        assert.equal(await panel.getByRole('link').count(), 1);
      });
    });

    test('by one of many countries, which stays in the figures, where all others are dim', async () => {
      const token = await visits.server.sampleToken('ringmallow-answers');
      await visit({ token, path: `${NUMBERS}?country_codes=IE` }, async (page) => {
        const panel = page.locator('.panel', { hasText: texts.glance.by('Country') });
        await panel.getByRole('link', { name: /^Ireland/ }).waitFor();
        assert.equal(await panel.locator('.part:not([data-excluded])').count(), 1);
        assert.equal(await panel.locator('.part-line:not([data-excluded])').count(), 1);
        // Also next to several that no number has.
        await page.goto(`${visits.server.origin}${NUMBERS}?country_codes=IE,AQ,BV,TF`);
        await panel.getByRole('link', { name: /^Ireland/ }).waitFor();
        assert.equal(await panel.locator('.part-line:not([data-excluded])').count(), 1);
      });
    });

    test('by flags, whose chips say which as all others do, unless it says itself what it is', async () => {
      const labelOf = { true: [], false: ['Spam flag:'] } as const;
      for (const [value, labels] of Object.entries(labelOf))
        await visit({ path: `${NUMBERS}?is_spammed=${value}` }, async (page) => {
          await page.getByRole('link', { name: /^Remove filter/ }).waitFor();
          assert.deepEqual(await page.locator('.chip .dim').allTextContents(), labels);
        });
    });

    test('by days from one to another, which are one filter, and none when it is removed', async () => {
      await visit({}, async (page) => {
        const presets = texts.filters.presets.next;
        await page.getByRole('link', { name: `Next payment: ${plural(presets, 7)}` }).click();
        const chips = page.getByRole('link', { name: /^Remove filter/ });
        await chips.waitFor();
        await chips.click();
        await total(page, TOTAL);
        assert.equal(queryOf(page).size, 0);
      });
    });

    test('by days from one to another, which are one way out where nothing matches', async () => {
      const path = `${NUMBERS}?next_payment_from=2020-01-01T00:00:00Z&next_payment_to=2020-01-31T23:59:59.999999Z`;
      await visit({ path }, async (page) => {
        const way = page.locator('.way-out').filter({ hasNotText: texts.filters.clear });
        await way.waitFor();
        assert.match((await way.textContent()) ?? '', /Next payment: 1\s*–\s*31 Jan 2020”\s*46$/);
        await way.click();
        await total(page, TOTAL);
        assert.equal(queryOf(page).size, 0);
      });
    });

    test('about how many filters there are, on a phone: as many as can be removed', async () => {
      const span = 'next_payment_from=2026-01-01T00:00:00Z&next_payment_to=2030-01-01T23:59:59.999999Z';
      await visit({ viewport: PHONE, path: `${NUMBERS}?statuses=active,blocked&${span}` }, async (page) => {
        const filters = page.getByRole('link', { name: /^Remove filter/ });
        await filters.first().waitFor();
        assert.equal(await filters.count(), 3);
        assert.equal(await page.locator('.filters-button .count').textContent(), '3');
      });
    });

    test('about the order of values, the most frequent first, also where no item has one that is ticked', async () => {
      await visit({ path: `${NUMBERS}?country_codes=DE&statuses=active,blocked` }, async (page) => {
        await page.getByRole('checkbox', { name: 'Blocked 0' }).waitFor();
        const words = await page.locator('.sidebar .facet-words').allTextContents();
        assert.ok(words.indexOf('Active') < words.indexOf('Blocked'), String(words));
      });
    });

    test('about a search among the values of a filter that finds none', async () => {
      await visit({ token: mixedToken }, async (page) => {
        await openFilters(page, 'Number provider');
        const search = page.getByRole('searchbox', { name: texts.filters.search('Number provider') });
        await search.fill('zzzz');
        await page.getByText(texts.filters.noValue).waitFor();
        await search.fill('Provider 19');
        await page.getByRole('checkbox', { name: /^Provider 19/ }).waitFor();
        assert.equal(await page.getByText(texts.filters.noValue).count(), 0);
      });
    });

    for (const path of [NUMBERS, `${NUMBERS}/ranges`]) {
      test(`to those who hear ${path}: that nothing matches, and what does once something matches again`, async () => {
        await visit({ path }, async (page) => {
          const range = page.locator('.pager-range');
          await range.waitFor();
          // Screen readers announce what changes in a region, not a region that is new.
          const region = await page.locator('.rows > [role=status]').elementHandle();
          const hears = (text: string) =>
            until(text, async () => (await region?.textContent())?.includes(text) === true);
          await page.evaluate(`{
            history.pushState(null, '', '${path}?q=zzzz');
            dispatchEvent(new PopStateEvent('popstate'));
          }`);
          await hears(texts.nothingFound.title);
          await page.goBack();
          await hears((await range.textContent()) ?? assert.fail('There is no range.'));
        });
      });
    }

    test('about a page past the end', async () => {
      await visit({ path: `${NUMBERS}?page=99` }, async (page) => {
        await page.getByText(plural(texts.table.all, TOTAL)).waitFor();
        await page.getByText(plural(texts.table.pages, 2)).waitFor();
        assert.equal(await page.getByText(/Page 99/).count(), 0);
      });
    });

    test('about how many match: nothing while that is requested', async () => {
      await visit({ path: `${NUMBERS}?country_codes=GB` }, async (page) => {
        await total(page, 30);
        const match = page.locator('.chips-total');
        assert.equal(await match.textContent(), plural(texts.filters.count, 30));
        const { promise: isSeen, resolve: go } = Promise.withResolvers<void>();
        await page.route('**/did/me?*statuses=active*', async (route) => {
          await isSeen;
          await route.continue();
        });
        await page
          .getByRole('checkbox', { name: /^Active/ })
          .first()
          .check();
        await page.getByRole('link', { name: 'Remove filter Status: Active' }).waitFor();
        assert.equal(await match.count(), 0);
        go();
        await match.waitFor();
      });
    });
  });

  describe('is walked back', AT_ONCE, () => {
    test('past details that were closed', async () => {
      await visit({}, async (page) => {
        await total(page, TOTAL);
        await page.getByRole('checkbox', { name: /^Germany/ }).check();
        await total(page, 16);
        await page.locator('.row-link').first().click();
        await dialog(page).getByRole('button', { name: texts.details.next }).click();
        await page.keyboard.press('Escape');
        await dialog(page).waitFor({ state: 'detached' });
        assert.equal(queryOf(page).get('country_codes'), 'DE');
        await page.goBack();
        await total(page, TOTAL);
        assert.equal(await dialog(page).count(), 0);
        assert.equal(new URL(page.url()).pathname, NUMBERS);
      });
    });

    for (const viewport of [WIDE, PHONE]) {
      test(`${viewport.width} wide: no further than the list by details that are closed twice`, async () => {
        await visit({ path: '/', viewport }, async (page) => {
          await page
            .getByRole('link', { name: /^Virtual numbers/ })
            .first()
            .click();
          await page.locator('.row-link, .card-link').first().click();
          await dialog(page).locator('.field').first().waitFor();
          // Both are there before the browser has gone back.
          const close = dialog(page).getByRole('button', { name: texts.close });
          await close.evaluate((button: { click(): void }) => {
            button.click();
            button.click();
          });
          await dialog(page).waitFor({ state: 'detached' });
          await total(page, TOTAL);
          // What a second step would have led to has had its time.
          await page.goForward();
          await dialog(page).waitFor();
          await page.goBack();
          await total(page, TOTAL);
          assert.equal(new URL(page.url()).pathname, NUMBERS);
        });
      });
    }

    test('from details that were opened by their address, to where one came from', async () => {
      await visit({}, async (page) => {
        await page.locator('.row-link').first().waitFor();
        const docs = `${visits.server.origin}/docs`;
        const address = await page.locator('.row-link').first().getAttribute('href');
        await page.goto(docs);
        await page.goto(`${visits.server.origin}${address}`);
        await dialog(page).locator('.field').first().waitFor();
        await page.keyboard.press('Escape');
        await dialog(page).waitFor({ state: 'detached' });
        await total(page, TOTAL);
        await page.goBack();
        assert.equal(page.url(), docs);
      });
    });
  });
});
