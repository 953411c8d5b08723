// What axe finds in every kind of view of the console, in light and in dark, and in what opens over it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { complaints, inScheme } from '../kit/console-list.ts';
import { NUMBERS, PHONE, SERVICES, type Visit, Visits } from '../kit/console-visits.ts';

/** Tests at a time: each in a context of its own, and most of what one does is wait. */
const AT_ONCE = { concurrency: 3 };

const ATTEMPTED = '2026-11-21T03:12:47.190000Z';
const ATTEMPT = {
  at: ATTEMPTED,
  message_id: 'msg_1',
  type: 'virtual_numbers.added',
  status: 503,
  fault: null,
  ms: 20,
  next_at: ATTEMPTED,
};
/** One that works, one that fails, one that is disabled. */
const WEBHOOKS = [null, ATTEMPTED, ATTEMPTED].map((failing_since, i) => ({
  id: String(i),
  name: '',
  url: `https://example.com:${443 + i}`,
  format: 'json',
  lists: ['virtual_numbers'],
  events: Object.keys(texts.events),
  fields: null,
  charges: true,
  status: i === 2 ? 'disabled' : 'active',
  reason: i === 2 ? 'gone' : null,
  created_at: ATTEMPTED,
  succeeded_at: null,
  failing_since,
  next_at: null,
  attempts: [ATTEMPT, { ...ATTEMPT, message_id: 'msg_2', status: 204, next_at: null }],
}));

interface Look {
  /** What is looked at by itself: what lies over a view, or all that is new in a frame seen before. */
  readonly part?: string;
  readonly reach: (page: Page) => Promise<unknown>;
}

describe('the console is for everybody', {
  skip: process.env['CI'] === 'true' ? false : NO_BROWSER,
  ...AT_ONCE,
}, () => {
  let visits: Visits;
  before(async () => {
    visits = await Visits.start();
  });
  after(() => visits?.end());

  const dialog = (page: Page) => page.getByRole('dialog');
  const listed = (page: Page) => page.locator('.row-link, .card-link').first().waitFor();
  const escaped = async (page: Page) => {
    await page.keyboard.press('Escape');
    await page.locator('[role=dialog], .columns').first().waitFor({ state: 'detached' });
  };
  test('axe finds nothing in a list and in the details of an item, in light and in dark', async () => {
    await visits.visit({ path: `${NUMBERS}?page_size=10` }, async (page) => {
      await listed(page);
      for (const part of ['body', '[role=dialog]']) {
        await inScheme(page, 'light');
        if (part !== 'body') {
          await page.locator('.row-link').nth(6).click();
          await dialog(page).locator('.field').first().waitFor();
        }
        assert.deepEqual(await complaints(page, part), []);
        await inScheme(page, 'dark');
        assert.deepEqual(await complaints(page, part, true), []);
      }
    });
  });

  /** Each begins with one load, and its looks lead on from one to the next. */
  const walks: readonly (Visit & { readonly looks: Readonly<Record<string, Look>> })[] = [
    {
      token: '',
      looks: {
        'signing in': { reach: (page) => page.getByLabel(texts.signIn.token, { exact: true }).waitFor() },
      },
    },
    {
      path: `${NUMBERS}?next_payment_from=2026-12-03&next_payment_to=2026-12-20`,
      looks: {
        'the days of a filter': {
          part: '.calendar',
          reach: async (page) => {
            await listed(page);
            await page.getByRole('button', { name: texts.filters.calendar('Next payment') }).click();
            await page.locator('.calendar [data-selected]').first().waitFor();
          },
        },
      },
    },
    {
      path: `${NUMBERS}?country_codes=GB&q=a&sort_by=monthly&page_size=10`,
      looks: {
        'virtual numbers': { reach: listed },
        'the columns': {
          part: '.columns',
          reach: (page) => page.getByRole('button', { name: texts.table.columns }).click(),
        },
        details: {
          part: '[role=dialog]',
          reach: async (page) => {
            await escaped(page);
            await page.locator('.row-link').nth(6).click();
            await dialog(page).getByText(texts.details.next).waitFor({ state: 'attached' });
            await dialog(page).locator('.field').first().waitFor();
            await dialog(page).locator('.history li').first().waitFor();
          },
        },
        'what selected rows are for': {
          part: '.toolbar',
          reach: async (page) => {
            await escaped(page);
            await page.locator('.row-check').nth(1).check();
            await page.getByRole('button', { name: texts.select.copy, exact: true }).waitFor();
          },
        },
        'the kinds of files': {
          part: '[role=menu]',
          reach: async (page) => {
            await page.getByRole('button', { name: texts.export.label, exact: true }).click();
            await page.getByRole('menuitemradio').first().waitFor();
          },
        },
        'the menu of the account': {
          part: '[role=menu]',
          reach: async (page) => {
            await escaped(page);
            await page.getByRole('button', { name: texts.menu }).click();
            await page.getByRole('menuitemradio', { name: 'Deutsch' }).waitFor();
          },
        },
        'the palette': {
          part: '[role=dialog]',
          reach: async (page) => {
            await escaped(page);
            await page.keyboard.press('Control+k');
            await page.getByRole('combobox', { name: texts.palette.label }).waitFor();
          },
        },
      },
    },
    {
      path: '/',
      looks: {
        'the overview': { reach: (page) => page.locator('.overview-sentence').waitFor() },
        'a day of its payments': {
          part: '.panel-timeline',
          reach: async (page) => {
            await page.getByRole('slider').focus();
            await page.keyboard.press('End');
          },
        },
      },
    },
    {
      path: '/activity',
      viewport: PHONE,
      looks: { 'what happened': { reach: (page) => page.locator('.happened').first().waitFor() } },
    },
    {
      path: '/notifications',
      prepare: (page) =>
        page.route('**/api/v1/webhooks', (route) => route.fulfill({ json: { data: WEBHOOKS } })),
      looks: { notifications: { reach: (page) => page.locator('.attempts').first().waitFor() } },
    },
    {
      path: `${SERVICES}?page_size=5`,
      looks: {
        'additional services': { reach: listed },
        'nothing found': {
          part: 'main',
          reach: async (page) => {
            await page.getByRole('searchbox').fill('zzzz');
            await page.getByText(texts.nothingFound.title).waitFor();
          },
        },
        'a wrong address': {
          part: 'main',
          reach: async (page) => {
            await page.goto(`${visits.server.origin}${NUMBERS}?status=active`);
            await page.getByText(texts.trouble.title).waitFor();
          },
        },
      },
    },
    {
      viewport: PHONE,
      path: `${NUMBERS}?page_size=5`,
      looks: {
        'cards on a phone': { reach: listed },
        'filters on a phone': {
          part: '[role=dialog]',
          reach: async (page) => {
            await page.getByRole('button', { name: texts.filters.title }).click();
            await dialog(page).getByRole('checkbox').first().waitFor();
            await dialog(page).locator('.show-results').waitFor();
          },
        },
      },
    },
  ];

  for (const { looks, ...walk } of walks) {
    test(`${Object.keys(looks).join(', ')}, in light and in dark`, async (t) => {
      await visits.visit(walk, async (page) => {
        for (const [name, { part, reach }] of Object.entries(looks)) {
          await t.test(name, async () => {
            await inScheme(page, 'light');
            await reach(page);
            assert.deepEqual(await complaints(page, part, false), []);
            await inScheme(page, 'dark');
            const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
            assert.equal(ground, 'rgb(15, 20, 23)');
            assert.deepEqual(await complaints(page, part, true), []);
          });
        }
      });
    });
  }
});
