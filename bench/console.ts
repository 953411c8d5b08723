// Measures how fast the console is on the account with 200,000 numbers, each time next to what a bare page
// (bare-page.ts) takes for the same answers: the overview after signing in; for each action, the time from
// the last byte of the page to the first change of the table; the counts of a filter on a slow connection;
// and the frames of a long list that is scrolled. It needs Chromium or Chrome: `node bench/console.ts
// [rounds]`. The data is generated once.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { texts } from '../console/texts.ts';
import { openBrowser } from '../test/kit/browser.ts';
import { BarePage, delayed, scrolledFrames } from './bare-page.ts';
import { embedded, ROOT } from './deployment.ts';
import { ratioText, type Verdict, verdictOf } from './goals.ts';
import { startLinecard } from './systems.ts';
import { count, median, verdictText } from './table.ts';

const LIST = '/api/v1/did/me';
/** Times that of a bare page. */
const MAX_SHOWN = 8;
const MAX_OVERVIEW = 20;
const MAX_COUNTS = 2;
const MAX_FRAME = 2;
const PATIENCE_MS = 60_000;
const ROUNDS = 5;
const SETTLED_MS = 1_500;
const WIDE = { width: 1_440, height: 900 };

/** Runs in the page: records changes of the table and the time of the last action. */
const WATCH = `
  window.tableChanges = [];
  window.actedAt = 0;
  for (const name of ['click', 'input', 'change'])
    addEventListener(name, () => { window.actedAt = performance.now(); }, { capture: true });
  performance.setResourceTimingBufferSize(10_000);
  const inTable = (node) => (node instanceof Element ? node : node.parentElement)?.closest('table') != null;
  const withTable = (node) => node instanceof Element && (inTable(node) || node.querySelector('table') !== null);
  new MutationObserver((changes) => {
    if (changes.some(({ target, addedNodes }) => inTable(target) || [...addedNodes].some(withTable)))
      window.tableChanges.push(performance.now());
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });`;

/** Runs in the page: measures the last action. Its answer may have been prefetched or cached. */
const LAST_SHOWN = `(() => {
  const answers = performance.getEntriesByType('resource').filter(({ name, responseEnd }) => {
    const { pathname, searchParams } = new URL(name);
    return pathname === '${LIST}' && searchParams.has('page') && responseEnd > 0;
  });
  const answer = answers.findLast(({ responseEnd }) => responseEnd >= window.actedAt);
  const from = answer?.responseEnd ?? window.actedAt;
  const shown = window.tableChanges.find((time) => time >= from);
  return shown - from;
})()`;

const isBusy = (page: Page) => page.evaluate<boolean>(`document.querySelector('[aria-busy=true]') !== null`);

/**
 * Milliseconds from the last byte of an answer to the first change of the table, or from the action if the
 * page was prefetched.
 */
async function shownAfter(page: Page, act: () => Promise<unknown>): Promise<number> {
  await act();
  const deadline = Date.now() + PATIENCE_MS;
  do await page.waitForTimeout(SETTLED_MS);
  while ((await isBusy(page)) && Date.now() < deadline);
  const shown = await page.evaluate<number>(LAST_SHOWN);
  if (!Number.isFinite(shown)) throw new Error('The table has not changed.');
  return shown;
}

const sortBy = (page: Page, column: string) =>
  page.getByRole('columnheader').getByRole('button', { name: column }).click();

/** Of a connection to the other side of the world. */
const LATENCY_MS = 300;
const SCROLLED_ROWS = 250;

/** From pressing Enter at the sign-in to the sentence of the overview. */
async function overviewAfterSignIn(page: Page, url: string, token: string): Promise<number> {
  await page.goto(url);
  await page.getByLabel(texts.signIn.token, { exact: true }).fill(token);
  const begin = performance.now();
  await page.keyboard.press('Enter');
  await page.locator('.overview-sentence').waitFor();
  return performance.now() - begin;
}

/** From a click on a value to its counts, with every answer `LATENCY_MS` late. */
async function countsOfFilter(page: Page, value: RegExp): Promise<number> {
  const network = await delayed(page, LATENCY_MS);
  const box = page.getByRole('checkbox', { name: value });
  await box.waitFor();
  const begin = performance.now();
  await box.check();
  await page.locator('.layout[data-old]').waitFor();
  await page.locator('.layout:not([data-old])').waitFor();
  const took = performance.now() - begin;
  await network.detach();
  return took;
}

async function longList(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/virtual-numbers?page_size=${SCROLLED_ROWS}`);
  await page.locator(`tbody tr:has(.row-link) >> nth=${SCROLLED_ROWS - 1}`).waitFor();
  await page.waitForTimeout(SETTLED_MS);
}

/** What the console has requested: of the last action, and the last page of the list. */
interface Requested {
  readonly paths: readonly string[];
  readonly list: string;
}

interface Measure {
  readonly what: string;
  readonly measure: (page: Page, url: string, token: string) => Promise<number>;
  readonly bare: (bare: BarePage, requested: Requested) => Promise<number>;
  /** Times that of the bare page; absent for the first action, which loads the application itself. */
  readonly most?: number;
}

const listed = (bare: BarePage, { list }: Requested) => bare.table(list);

const shown = (what: string, act: (page: Page) => Promise<unknown>): Measure => ({
  what,
  measure: (page) => shownAfter(page, () => act(page)),
  bare: listed,
  most: MAX_SHOWN,
});

/** In this order, in one tab. */
const MEASURES: readonly Measure[] = [
  {
    what: 'overview after signing in',
    measure: overviewAfterSignIn,
    bare: (bare, { paths }) => bare.answers(paths),
    most: MAX_OVERVIEW,
  },
  {
    what: 'open',
    measure: (page, url) => shownAfter(page, () => page.goto(`${url}/virtual-numbers`)),
    bare: listed,
  },
  shown('sort by charge', (page) => sortBy(page, 'Monthly charge')),
  shown('sort the other way', (page) => sortBy(page, 'Monthly charge')),
  shown('next page', (page) => page.getByRole('link', { name: texts.table.next }).click()),
  shown('100 rows a page', (page) => page.getByLabel(texts.table.rows, { exact: true }).selectOption('100')),
  shown('250 rows a page', (page) => page.getByLabel(texts.table.rows, { exact: true }).selectOption('250')),
  shown('50 rows a page', (page) => page.getByLabel(texts.table.rows, { exact: true }).selectOption('50')),
  shown('a country', (page) => page.getByRole('checkbox', { name: /^Germany/ }).check()),
  shown('a search', (page) =>
    page.getByRole('searchbox', { name: /^Search virtual numbers/ }).fill('desk 12'),
  ),
  shown('without filters', (page) => page.getByRole('link', { name: texts.filters.clear }).click()),
  {
    what: `counts of a filter, answers ${LATENCY_MS} ms late`,
    measure: async (page, url) => {
      await page.goto(`${url}/virtual-numbers`);
      return countsOfFilter(page, /^Germany/);
    },
    bare: (bare, { paths }) => bare.answers(paths, LATENCY_MS),
    most: MAX_COUNTS,
  },
  {
    what: `a frame while ${SCROLLED_ROWS} rows are scrolled, p95`,
    measure: async (page, url) => {
      await longList(page, url);
      return scrolledFrames(page);
    },
    bare: (bare, { list }) => bare.frames(list),
    most: MAX_FRAME,
  },
];

interface Taken {
  readonly ours: number;
  readonly bare: number;
}

function verdictOn({ what, most }: Measure, taken: readonly Taken[]): Verdict {
  const ratio = median(taken.map(({ ours, bare }) => ours / bare));
  const [ours, bare] = (['ours', 'bare'] as const).map((key) => median(taken.map((one) => one[key])));
  const verdict = verdictOf(what, ratio, 'at most', most ?? Number.POSITIVE_INFINITY, ratioText);
  const measured = `${verdict.measured} (${count(ours ?? 0)} ms, ${(bare ?? 0).toFixed(1)} ms)`;
  return { ...verdict, measured, ...(most === undefined && { goal: '' }) };
}

const rounds = Number(process.argv[2] ?? ROUNDS);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('Usage: node bench/console.ts [rounds]');
// Builds the console if it is outdated, as `npm start` does.
execFileSync(process.execPath, [join(ROOT, 'tools', 'console.mjs')], { stdio: 'inherit' });
const { accounts, tokens, database_url } = await embedded();
const token = tokens.get(accounts.find(({ kind }) => kind === 'huge')?.id ?? '') ?? '';
const server = await startLinecard(database_url);
const browser = await openBrowser();
try {
  const taken = MEASURES.map(() => [] as Taken[]);
  // Round 0 is a warm-up: the server builds its index of the list on the same processors.
  for (let round = 0; round <= rounds; round++) {
    const context = await browser.newContext({ viewport: WIDE, locale: 'en-GB' });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await page.addInitScript(WATCH);
    let paths: string[] = [];
    let list = '';
    page.on('request', (request) => {
      const { pathname, search, searchParams } = new URL(request.url());
      if (request.method() !== 'GET' || !pathname.startsWith('/api/')) return;
      paths.push(pathname + search);
      if (pathname === LIST && searchParams.has('page')) list = pathname + search;
    });
    const bare = await BarePage.open(context, server.url, token);
    for (const [i, { what, measure, bare: alike }] of MEASURES.entries()) {
      console.error(`${round === 0 ? 'warming up' : `round ${round}`}: ${what}`);
      paths = [];
      await page.bringToFront();
      const ours = await measure(page, server.url, token);
      const least = await alike(bare, { paths, list });
      if (round > 0) taken[i]?.push({ ours, bare: least });
    }
    await context.close();
  }
  console.log(verdictText(MEASURES.map((measure, i) => verdictOn(measure, taken[i] ?? []))));
} finally {
  await browser.close();
  await server.stop();
}
