// Exports of the console while their reader does something else.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { total } from '../kit/console-list.ts';
import { NUMBERS, SERVICES, Visits } from '../kit/console-visits.ts';

/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };
const words = texts.export;
const FILE = String.raw`virtual numbers - Germany - [\d-]+\.csv`;

/** Holds the answer to an export back; gives what lets it go. */
async function heldExport(page: Page): Promise<() => void> {
  const { promise: isFree, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/did/me?*', async (route) => {
    const isExport = route.request().headers()['accept'] === 'text/csv';
    if (isExport) await isFree;
    await route.continue().catch(() => {});
  });
  return release;
}

/** Which columns is a choice, after which the menu is still open. */
async function startExport(page: Page): Promise<void> {
  await page.getByRole('button', { name: words.label, exact: true }).click();
  const columns = page.getByRole('group', { name: texts.table.columns });
  await columns.getByRole('menuitemradio', { name: words.columns.all }).click();
  await columns.getByRole('menuitemradio', { name: words.columns.all, checked: true }).waitFor();
  await page.getByRole('menuitem', { name: words.csv }).click();
  await page.getByRole('button', { name: words.cancel }).waitFor();
}

describe('an export in the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  before(async () => {
    visits = await Visits.start();
  });
  after(() => visits?.end());
  const germans = { path: `${NUMBERS}?country_codes=DE`, acceptDownloads: true };

  test('is saved whole, and a download that is cancelled saves nothing', async () => {
    await visits.visit(germans, async (page) => {
      const save = async (format: 'csv' | 'xlsx') => {
        await page.getByRole('button', { name: texts.export.label, exact: true }).click();
        await page.getByRole('menuitem', { name: texts.export[format] }).click();
      };
      const saved = async (format: 'csv' | 'xlsx') => {
        const [download] = await Promise.all([page.waitForEvent('download'), save(format)]);
        await page.getByText(texts.export.done(download.suggestedFilename())).waitFor();
        return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
      };
      const csv = await saved('csv');
      assert.match(csv.name, /^Pennywharf Dental - virtual numbers - Germany - \d{4}-\d\d-\d\d\.csv$/);
      assert.equal(csv.bytes.toString().trimEnd().split('\r\n').length, 17);
      const spreadsheet = await saved('xlsx');
      assert.equal(spreadsheet.name, csv.name.replace(/csv$/, 'xlsx'));
      const sheet = unzipSync(spreadsheet.bytes)['xl/worksheets/sheet1.xml'];
      // With the sums.
      assert.equal(strFromU8(sheet ?? new Uint8Array()).match(/<row\b/g)?.length, 18);
      await page.route('**/did/me?*', () => {});
      await save('csv');
      await page.getByRole('button', { name: texts.export.cancel }).click();
      await page.getByText(texts.export.cancelled).waitFor();
    });
  });

  describe('whose reader goes on', AT_ONCE, () => {
    test('to the other list goes on as well, and is announced there', async () => {
      await visits.visit(germans, async (page) => {
        await total(page, 16);
        const release = await heldExport(page);
        await startExport(page);
        await page.getByRole('link', { name: 'Additional services' }).click();
        await page.waitForURL(`**${SERVICES}`);
        await page.getByRole('button', { name: words.cancel }).waitFor();
        await page.getByText(new RegExp(`${FILE}: ${words.starting}`)).waitFor();
        assert.equal(await page.getByRole('button', { name: words.label, exact: true }).isDisabled(), true);
        const coming = page.waitForEvent('download');
        release();
        const download = await coming;
        assert.match(download.suggestedFilename(), new RegExp(`^Pennywharf Dental - ${FILE}$`));
        await page.getByText(new RegExp(words.done(FILE))).waitFor();
        await page.getByRole('button', { name: texts.close }).click();
        assert.equal(await page.getByText(new RegExp(words.done(FILE))).count(), 0);
        await page.locator('button:focus').filter({ hasText: words.label }).waitFor();
      });
    });

    test('from the other list is cancelled there', async () => {
      await visits.visit(germans, async (page) => {
        await total(page, 16);
        await heldExport(page);
        await startExport(page);
        await page.getByRole('link', { name: 'Additional services' }).click();
        await page.getByRole('button', { name: words.cancel }).click();
        await page.getByText(words.cancelled).waitFor();
      });
    });

    test('and signs out ends, and saves nothing', async () => {
      await visits.visit(germans, async (page) => {
        await total(page, 16);
        const release = await heldExport(page);
        const saved: string[] = [];
        page.on('download', (download) => saved.push(download.suggestedFilename()));
        const isEnded = page.waitForEvent('requestfailed', (request) => request.url().includes('/did/me?'));
        await startExport(page);
        await page.getByRole('button', { name: texts.menu }).click();
        await page.getByRole('menuitem', { name: texts.signOut }).click();
        await page.getByText(texts.signIn.left).waitFor();
        await isEnded;
        release();
        await page.getByLabel(texts.signIn.token, { exact: true }).fill(visits.token);
        await page.keyboard.press('Enter');
        await total(page, 16);
        assert.equal(await page.getByText(new RegExp(FILE)).count(), 0);
        assert.deepEqual(saved, []);
      });
    });
  });
});
