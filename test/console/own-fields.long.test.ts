// The operator's own fields in the console: columns, filters, details and comparisons under the titles that
// the operator gave them, with what the API answers.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { shownShare } from '../../console/format.ts';
import { texts as german } from '../../console/texts/de.ts';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, inScheme, openFilters, rows, total } from '../kit/console-list.ts';
import { NUMBERS, PHONE, Visits } from '../kit/console-visits.ts';
import { until } from '../kit/until.ts';

const ACCOUNT = 'harbour-hotels';
const SITES = ['Basel', 'Zürich West', ''];
const ITEMS = 12;
const LAST_CALL = '2026-03-02T10:04:11.000000Z';
const FIELDS = [
  ['x_site', 'text', '--title', 'Site', '--title', 'de=Standort', '--search', '--shown'],
  ['x_last_call', 'timestamp', '--title', 'Last call'],
  ['x_cost', 'charge', '--title', 'Trunk cost'],
  ['x_sms', 'flag', '--title', 'SMS'],
  ['x_channels', 'integer', '--title', 'Channels', '--title', 'de=Kanäle'],
] as const;

/** From -2 on; each third is at no site, each second takes SMS. */
const items = Array.from({ length: ITEMS }, (_, i) => ({
  id: 940_001 + i,
  did: `+4420794${61_000 + i}`,
  monthly: 1.5 + i,
  x_site: SITES[i % SITES.length],
  x_last_call: i < 4 ? LAST_CALL : null,
  x_cost: i / 4,
  x_sms: i % 2 === 0,
  x_channels: i - 2,
}));

describe("the operator's own fields", { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  let token: string;
  before(async () => {
    visits = await Visits.start();
    const { server } = visits;
    for (const field of FIELDS)
      await server.command(
        'field',
        'add',
        'virtual-numbers',
        '--kind',
        field[1],
        field[0],
        ...field.slice(2),
      );
    await server.import(ACCOUNT, items);
    ({ token } = await server.token(ACCOUNT));
    const page = async () => (await fetch(server.origin)).text();
    await until('the page has the last field', async () => (await page()).includes('x_channels'));
  });
  after(() => visits?.end());
  const visit: Visits['visit'] = (how, use) => visits.visit({ token, ...how }, use);
  const heading = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: true });
  const answer = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const answered = await fetch(`${visits.server.origin}/api/v1/did/me${path}`, { headers });
    return JSON.parse(await answered.text());
  };

  test('are columns if the operator shows them or the reader chooses them, and sort the list', async () => {
    await visit({}, async (page) => {
      await total(page, ITEMS);
      await heading(page, 'Site').waitFor();
      assert.equal(await heading(page, 'Channels').count(), 0);
      await page.getByPlaceholder('Search number, comment, site').waitFor();
      await page.getByRole('button', { name: texts.table.columns }).click();
      await page.getByRole('checkbox', { name: 'Channels' }).check();
      await page.keyboard.press('Escape');
      await heading(page, 'Channels').getByRole('button').click();
      await heading(page, 'Channels').getByRole('button').click();
      await page.waitForURL((url) => url.search.includes('sort_by=x_channels&sort_order=desc'));
      await rows(page).first().filter({ hasText: /9$/ }).waitFor();
    });
  });

  test('have the title in the language of the reader', async () => {
    await visit({ locale: 'de-DE', path: `${NUMBERS}?fields=x_channels&fields=x_sms` }, async (page) => {
      await heading(page, 'Kanäle').waitFor();
      await heading(page, 'SMS').waitFor();
      await page.getByPlaceholder(/Standort/).waitFor();
      await openFilters(page, 'Kanäle');
      await page.getByRole('textbox', { name: german.filters.values('Kanäle'), exact: true }).waitFor();
    });
  });

  test('filter the list by their kind, as the API does', async () => {
    await visit({}, async (page) => {
      await total(page, ITEMS);
      await openFilters(page, 'Site', 'SMS', 'Last call', 'Trunk cost');
      await page.getByRole('checkbox', { name: /^Basel/ }).check();
      await total(page, (await answer('?x_site=Basel')).total);
      await page.getByRole('button', { name: texts.filters.exclude('Basel') }).click();
      await total(page, (await answer('?x_site_exclude=Basel')).total);
      await page.getByRole('link', { name: texts.filters.clear }).click();
      await page.locator('.facet').filter({ hasText: 'SMS' }).getByRole('checkbox', { name: /^Yes/ }).check();
      await total(page, ITEMS / 2);
      await page.getByRole('link', { name: texts.filters.remove('SMS: Yes') }).click();
      await page.getByRole('link', { name: 'Last call: None' }).click();
      await total(page, ITEMS - 4);
      await page.getByRole('link', { name: texts.filters.remove('Last call: None') }).click();
      const cost = page.getByRole('textbox', { name: 'Trunk cost: From' });
      await cost.fill('2.5');
      await cost.press('Enter');
      await total(page, 2);
      await page.getByRole('link', { name: texts.filters.remove('Trunk cost: 2.50 or more') }).click();
      await total(page, ITEMS);
    });
  });

  test('of integers are filtered by several values and by bounds, below zero as well', async () => {
    await visit({}, async (page) => {
      await openFilters(page, 'Channels');
      const values = page.getByRole('textbox', { name: texts.filters.values('Channels'), exact: true });
      await values.fill('-2, 4');
      await values.press('Enter');
      await total(page, 2);
      await page.getByRole('link', { name: texts.filters.clear }).click();
      const least = page.getByRole('textbox', { name: 'Channels: From' });
      await least.fill('many');
      await least.press('Enter');
      await page
        .getByRole('alert')
        .filter({ hasText: texts.filters.notAnInteger('many') })
        .waitFor();
      await least.fill('-1');
      await least.press('Enter');
      await total(page, ITEMS - 1);
      await page.getByRole('link', { name: texts.filters.remove('Channels: −1 or more') }).waitFor();
    });
  });

  test('are found by what is typed, and shown in a group of their own of the details', async () => {
    await visit({ path: `${NUMBERS}?q=z%C3%9Crich%20WEST` }, async (page) => {
      await total(page, 4);
      await page.locator('.row-link').first().click();
      const group = page.getByRole('region', { name: texts.product });
      await group.getByText('Zürich West').waitFor();
      assert.deepEqual(await group.locator('dt').allTextContents(), [
        'Site',
        'Last call',
        'Trunk cost',
        'SMS',
        'Channels',
      ]);
      assert.deepEqual(await complaints(page), []);
    });
  });

  test('of text are compared, with what their items cost', async () => {
    await visit({ path: `${NUMBERS}/compare-x_site` }, async (page) => {
      const { total: count, sums } = await answer('/facets?x_site=Basel');
      const row = page.getByRole('row', { name: /^Basel/ });
      await row.waitFor();
      const [counted, monthly] = await row.getByRole('link').allTextContents();
      assert.equal(counted, `${count}${shownShare(count / ITEMS)}`);
      assert.equal(monthly, sums.monthly.toFixed(2));
      // Each third item is at no site.
      await page.getByText('4 items have no value and are in the total only.').waitFor();
    });
    await visit({ path: `${NUMBERS}/compare-x_site?x_site=Basel&x_site=Z%C3%BCrich+West` }, async (page) => {
      await page.getByRole('row', { name: /^Total 8/ }).waitFor();
      assert.equal(await page.getByText(/no value/).count(), 0);
    });
  });

  test('that are charges are not there for a token without charges', async () => {
    const hidden = await visits.server.token(ACCOUNT, '--without-charges');
    await visit({ token: hidden.token }, async (page) => {
      await total(page, ITEMS);
      await openFilters(page, 'Channels');
      await page.getByRole('textbox', { name: 'Channels: From' }).waitFor();
      assert.equal(await page.getByText('Trunk cost').count(), 0);
    });
  });

  test('can be read on a telephone, in light and dark', async () => {
    await visit({ viewport: PHONE }, async (page) => {
      await page.locator('.card-facts dt', { hasText: 'Site' }).first().waitFor();
      for (const scheme of ['light', 'dark'] as const) {
        await inScheme(page, scheme);
        assert.deepEqual(await complaints(page), []);
      }
    });
  });
});
