// What an accountant, a support agent and the administrator of a dialler come to the console for: one job on
// each page, and the clicks that it takes from the overview: on a screen, and on a phone.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { plural } from '../../console/format.ts';
import { texts } from '../../console/texts.ts';
import { NO_BROWSER } from '../kit/browser.ts';
import { PHONE, Visits } from '../kit/console-visits.ts';

const WIDE = { width: 1280, height: 800 };
const NUMBER = '+441174960001';
const COMMENT = 'Front desk, overflow';

/** Somebody at a page, who counts clicks and keys; typing is free. */
class Reader {
  readonly page: Page;
  readonly isPhone: boolean;
  clicks = 0;

  constructor(page: Page, isPhone: boolean) {
    this.page = page;
    this.isPhone = isPhone;
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('link', { name }).first());
  }

  button(name: string): Promise<void> {
    return this.click(this.page.getByRole('button', { name, exact: true }));
  }

  /** A menu above the list: on a phone there is one. */
  menu(name: string): Promise<void> {
    return this.button(this.isPhone ? texts.table.more : name);
  }

  item(name: string): Promise<void> {
    return this.click(this.page.getByRole('menuitem', { name, exact: true }));
  }

  /** A link or a box among the filters, which are behind a button on a phone. */
  async filter(target: 'link' | 'checkbox', name: string | RegExp): Promise<void> {
    if (this.isPhone) await this.button(texts.filters.title);
    const place = this.page.locator(this.isPhone ? '.filters-drawer' : '.sidebar');
    await this.click(place.getByRole(target, { name }).first());
    if (!this.isPhone) return;
    this.clicks += 1;
    await this.page.keyboard.press('Escape');
  }

  async search(text: string): Promise<void> {
    await this.click(this.page.getByRole('searchbox').first());
    await this.page.keyboard.type(text);
  }

  seen(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }
}

const NUMBERS = 'Virtual numbers';
const SERVICES = 'Additional services';
const DETAILS = 'Details';
const row = ({ page }: Reader, text: string | RegExp) =>
  page.locator('tr:has(.row-link), .card').filter({ hasText: text }).first();
const open = (reader: Reader, text: string | RegExp) =>
  reader.click(row(reader, text).locator('.row-link, .card-link'));
const panel = (page: Page, title: string) => page.locator('.panel').filter({ hasText: title });
const compare = (reader: Reader, title: string) =>
  reader.click(panel(reader.page, title).getByRole('link', { name: /^Compare by/ }));

type Clicks = readonly [wide: number, phone: number];
type Job = readonly [page: string, what: string, clicks: Clicks, run: (reader: Reader) => Promise<unknown>];

const jobs: Readonly<Record<string, readonly Job[]>> = {
  accountant: [
    [
      texts.overview.title,
      'what is due in 30 days, and what is overdue, in money',
      [0, 0],
      async (reader) => {
        await reader.seen(/^€\d+\.\d\d$/);
        await reader.seen(/overdue: €\d+\.\d\d$/);
      },
    ],
    [
      NUMBERS,
      'a spreadsheet of what is due in 30 days',
      [4, 6],
      async (reader) => {
        await reader.link(NUMBERS);
        await reader.filter('link', plural(texts.filters.presets.next, 30));
        const coming = reader.page.waitForEvent('download');
        await reader.menu(texts.export.label);
        await reader.item(texts.export.xlsx);
        assert.match((await coming).suggestedFilename(), /virtual numbers - Next payment from .*\.xlsx$/);
      },
    ],
    [
      SERVICES,
      'what the services cost a month',
      [1, 1],
      async (reader) => {
        await reader.link(SERVICES);
        await reader.seen(/^€\d+\.\d\d( a month)?$/);
      },
    ],
    [
      DETAILS,
      'what one number costs, and when it is paid next',
      [2, 2],
      async (reader) => {
        await reader.link(NUMBERS);
        await open(reader, COMMENT);
        await reader.seen(texts.details.groups.money);
      },
    ],
    [
      texts.activity.title,
      'which charges changed',
      [2, 4],
      async (reader) => {
        await reader.link(texts.activity.title);
        await reader.filter('checkbox', texts.events.charges_changed);
        await reader.page.waitForURL(/events=charges_changed/);
      },
    ],
    [
      texts.compare.open,
      'what the numbers of each country cost, and what is due',
      [1, 1],
      async (reader) => {
        await compare(reader, texts.compare.title(texts.compare.monthly, 'country'));
        await reader.seen(plural(texts.filters.presets.next, 30));
      },
    ],
  ],
  'support agent': [
    [
      texts.overview.title,
      'which numbers are flagged as spam',
      [1, 1],
      async (reader) => {
        await reader.link(/flagged as spam$/);
        await reader.page.waitForURL(/is_spammed=true/);
      },
    ],
    [
      NUMBERS,
      'the number that a customer reads out',
      [2, 2],
      async (reader) => {
        await reader.link(NUMBERS);
        await reader.search('0117 496 0001');
        await row(reader, COMMENT).waitFor();
      },
    ],
    [
      SERVICES,
      'whether a service is active',
      [1, 1],
      async (reader) => {
        await reader.link(SERVICES);
        await row(reader, /Active/).waitFor();
      },
    ],
    [
      DETAILS,
      'since when a number is what it is',
      [2, 2],
      async (reader) => {
        await reader.button(texts.palette.open);
        await reader.page.getByRole('combobox', { name: texts.palette.label }).waitFor();
        await reader.page.keyboard.type(NUMBER);
        await reader.click(reader.page.getByRole('option', { name: COMMENT }));
        await reader.page.locator('.details .history li').first().waitFor();
      },
    ],
    [
      texts.activity.title,
      'what happened in the last seven days',
      [2, 4],
      async (reader) => {
        await reader.link(texts.activity.title);
        await reader.filter('link', plural(texts.filters.presets.last, 7));
        await reader.page.waitForURL(/[?&]from=/);
      },
    ],
    [
      texts.compare.open,
      'how many numbers are blocked, or wait',
      [2, 3],
      async (reader) => {
        await reader.link(NUMBERS);
        // Its figures are part of its name, once they have come.
        const glance = reader.page.getByRole('button', { name: texts.glance.title });
        if (reader.isPhone) await reader.click(glance);
        await compare(reader, texts.glance.by('Status'));
        await reader.page.getByRole('rowheader', { name: 'Blocked' }).waitFor();
      },
    ],
  ],
  "dialler's administrator": [
    [
      texts.overview.title,
      'whether any number is flagged as spam',
      [0, 0],
      (reader) => reader.seen(/\d+\sflagged as spam$/),
    ],
    [
      NUMBERS,
      'the flagged numbers, to take out of a campaign',
      [4, 6],
      async (reader) => {
        await reader.link(/flagged as spam$/);
        if (reader.isPhone) {
          await reader.menu(texts.select.start);
          await reader.item(texts.select.start);
        }
        await reader.click(reader.page.getByRole('checkbox', { name: texts.select.page }));
        await reader.button(texts.select.copy);
        await reader.item(texts.select.names(NUMBERS));
        await reader.seen(texts.copied);
      },
    ],
    [
      SERVICES,
      'the request for them, for a program',
      [3, 3],
      async (reader) => {
        await reader.link(SERVICES);
        await reader.menu(texts.copyAs.label);
        await reader.item(texts.copyAs.curl);
        await reader.page.getByText(texts.copyAs.done(texts.copyAs.curl)).waitFor({ state: 'attached' });
        const copied = await reader.page.evaluate<string>('navigator.clipboard.readText()');
        assert.match(copied, /^curl .*services\/additional/);
      },
    ],
    [
      DETAILS,
      'one number, as it is stored',
      [3, 3],
      async (reader) => {
        await reader.link(NUMBERS);
        await open(reader, COMMENT);
        await reader.click(reader.page.getByTitle(texts.details.copyValue('Number'), { exact: true }));
        await reader.page.locator('.copy-mark[data-done]').waitFor();
        assert.equal(await reader.page.evaluate<string>('navigator.clipboard.readText()'), NUMBER);
      },
    ],
    [
      texts.activity.title,
      'which numbers were flagged, and when',
      [2, 4],
      async (reader) => {
        await reader.link(texts.activity.title);
        await reader.filter('checkbox', texts.events.spam_flagged);
        await reader.page.waitForURL(/events=spam_flagged/);
      },
    ],
    [
      texts.compare.open,
      'whose numbers are flagged most',
      [1, 1],
      async (reader) => {
        await compare(reader, texts.compare.title(texts.compare.monthly, 'number provider'));
        await reader.seen(texts.flags.is_spammed.yes);
      },
    ],
  ],
};

describe('in the console', { skip: process.env['CI'] === 'true' ? false : NO_BROWSER }, () => {
  let visits: Visits;
  before(async () => {
    visits = await Visits.start();
  });
  after(() => visits?.end());

  /** The clicks of each job on a screen of this size. */
  async function clicksOf(own: readonly Job[], viewport: typeof WIDE): Promise<number[]> {
    const clicks: number[] = [];
    const permissions = ['clipboard-read', 'clipboard-write'];
    await visits.visit({ path: '/', viewport, permissions, acceptDownloads: true }, async (page) => {
      for (const [, , , run] of own) {
        const reader = new Reader(page, viewport === PHONE);
        await page.goto(`${visits.server.origin}/`);
        await page.locator('.overview-sentence').waitFor();
        await run(reader);
        clicks.push(reader.clicks);
      }
    });
    return clicks;
  }

  for (const [who, own] of Object.entries(jobs)) {
    test(`the jobs of the ${who} take these clicks`, async () => {
      const [wide, phone] = [await clicksOf(own, WIDE), await clicksOf(own, PHONE)];
      assert.deepEqual(
        own.map(([page, what], i) => [page, what, [wide[i], phone[i]]]),
        own.map(([page, what, clicks]) => [page, what, clicks]),
      );
    });
  }
});
