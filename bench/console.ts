// How soon the console shows what the server has answered, on the account of 200,000 numbers: for each thing
// that a person does there, the time from the last byte of the page of the list to the first change of the
// table. `node bench/console.ts [rounds]`; it needs Chromium or Chrome. The data is made once.

import type { Page } from 'playwright-core';
import { texts } from '../console/texts.ts';
import { openBrowser } from '../test/browser.ts';
import { embedded } from './deployment.ts';
import { startLinecard } from './systems.ts';
import { table } from './table.ts';

const TOKEN_KEY = 'linecard-token';
const LIST = '/api/v1/did/me';
const GOAL_MS = 100;
const PATIENCE_MS = 60_000;
const ROUNDS = 3;
const SETTLED_MS = 1_500;
const WIDE = { width: 1_440, height: 900 };

interface Shown {
  /** From the request to the last byte of the answer, in milliseconds. */
  readonly server: number;
  /** From there to the first change of the table, in milliseconds. */
  readonly page: number;
}

/** Runs in the page: notes when the table changes, or comes with what has been drawn for the first time. */
const WATCH = `
  window.tableChanges = [];
  performance.setResourceTimingBufferSize(10_000);
  const inTable = (node) => (node instanceof Element ? node : node.parentElement)?.closest('table') != null;
  const withTable = (node) => node instanceof Element && (inTable(node) || node.querySelector('table') !== null);
  new MutationObserver((changes) => {
    if (changes.some(({ target, addedNodes }) => inTable(target) || [...addedNodes].some(withTable)))
      window.tableChanges.push(performance.now());
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });`;

/** Runs in the page: what became of the last page of the list, which alone has a page, once it is shown. */
const LAST_SHOWN = `(() => {
  const last = performance.getEntriesByType('resource').findLast(({ name, responseEnd }) => {
    const { pathname, searchParams } = new URL(name);
    return pathname === '${LIST}' && searchParams.has('page') && responseEnd > 0;
  });
  const shown = window.tableChanges.find((time) => time >= (last?.responseEnd ?? 0));
  return last === undefined || shown === undefined
    ? undefined
    : { at: last.responseEnd, server: last.responseEnd - last.startTime, page: shown - last.responseEnd };
})()`;

type Measured = Shown & { readonly at: number };

async function shownAfter(page: Page, act: () => Promise<unknown>): Promise<Shown> {
  const before = (await page.evaluate<Measured | undefined>(LAST_SHOWN).catch(() => undefined))?.at ?? 0;
  await act();
  for (;;) {
    const shown = await page.evaluate<Measured | undefined>(LAST_SHOWN);
    if (shown !== undefined && shown.at > before) return shown;
    await page.waitForTimeout(20);
  }
}

const sortBy = (page: Page, column: string) => page.getByRole('button', { name: column }).first().click();

/** In this order, each from where the one before has led. */
const ACTS: readonly (readonly [what: string, act: (page: Page) => Promise<unknown>])[] = [
  ['sort by charge', (page) => sortBy(page, 'Monthly charge')],
  ['sort the other way', (page) => sortBy(page, 'Monthly charge')],
  ['next page', (page) => page.getByRole('link', { name: texts.table.next }).click()],
  ['100 rows a page', (page) => page.getByLabel(texts.table.rows, { exact: true }).selectOption('100')],
  ['250 rows a page', (page) => page.getByLabel(texts.table.rows, { exact: true }).selectOption('250')],
  ['50 rows a page', (page) => page.getByLabel(texts.table.rows, { exact: true }).selectOption('50')],
  ['a country', (page) => page.getByRole('checkbox', { name: /^Germany/ }).check()],
  ['a search', (page) => page.getByRole('searchbox').first().fill('desk 12')],
  ['without filters', (page) => page.getByRole('link', { name: texts.filters.clear }).click()],
];

const rounds = Number(process.argv[2] ?? ROUNDS);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('Usage: node bench/console.ts [rounds]');
const { accounts, tokens, database_url } = await embedded();
const huge = accounts.find(({ kind }) => kind === 'huge')?.id ?? '';
const server = await startLinecard(database_url);
const browser = await openBrowser();
try {
  const shown = new Map<string, Shown[]>();
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ viewport: WIDE, locale: 'en-GB' });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await page.addInitScript(WATCH);
    await page.addInitScript(([key, token]) => sessionStorage.setItem(key, token), [
      TOKEN_KEY,
      tokens.get(huge) ?? '',
    ] as const);
    const acts = [['open', (page: Page) => page.goto(server.url)] as const, ...ACTS];
    for (const [what, act] of acts) {
      console.error(`round ${round + 1}: ${what}`);
      const took = await shownAfter(page, () => act(page));
      shown.set(what, [...(shown.get(what) ?? []), took]);
      // What else the act has asked for must not count as the next one's.
      await page.waitForTimeout(SETTLED_MS);
    }
    await context.close();
  }
  const most = (all: readonly Shown[], of: keyof Shown) => Math.max(...all.map((one) => one[of]));
  const rows = [...shown].map(([what, all]) => [
    what,
    most(all, 'server').toFixed(0),
    most(all, 'page').toFixed(0),
    most(all, 'page') <= GOAL_MS ? 'met' : 'MISSED',
  ]);
  console.log(table(['act', 'answer, ms', 'shown after it, ms', `within ${GOAL_MS} ms`], rows));
} finally {
  await browser.close();
  await server.stop();
}
