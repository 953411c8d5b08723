// The most expensive requests that a valid token allows, one at a time, and how long each holds the request
// thread, by the processor time of that thread: of the kinds that are listed here all of it; of queries at
// random, files among them, of messages of agents and of scrapes, that of the longest iteration of its loop.

import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { activity } from '../../api/contract/activity.ts';
import { MCP_PATH } from '../../api/contract/addresses.ts';
import { MAX_BODY_LIST_VALUES } from '../../api/contract/contract.ts';
import { withStore } from '../../server/commands/command.ts';
import { importState } from '../../server/store/imports/import-state.ts';
import { DrillService, ID_SPACE, LIST } from '../kit/drill-service.ts';
import { hardQuery } from '../kit/hard-queries.ts';
import { longestIteration, probeOn } from '../kit/iteration-probe.ts';
import { virtual_numbers } from '../kit/model.ts';
import { busyMsOf } from '../kit/process-facts.ts';
import type { Serving } from '../kit/program.ts';
import type { StoreKind } from '../kit/service.ts';
import { ask } from '../kit/sockets.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';
import { type Drill, type DrillResult, type DrillSize, ofSize, onStores, Tally } from './drill.ts';

const HUGE_ROWS = { short: 2_500, long: 200_000 };
/** Each is as long as an item can be. */
const LONG_ROWS = { short: 200, long: 5_000 };
const SMALL_ROWS = 50;
/** How often each is sent; what counts is the least, since a machine may have other work. */
const TIMES = { short: 1, long: 5 };
const MAX_MS = 20;
/** How long queries are sent at random. */
const RANDOM_MS = { short: 1_000, long: 60_000 };
/** As many as there are. */
const MANY_FILTERS = Object.keys(virtual_numbers.filters).length;
/** Imports that change each item of the large account once, so that its log is as long as it may be. */
const LOGGED_IMPORTS = 20;
/** Imports that are recorded before a scrape, and their feeds. */
const RUNS = { short: 2_000, long: 100_000 };
const FEEDS = 100;
/** What was begun for the request before, such as an index, is not counted for the next. */
const PAUSE_MS = 60;
const MEBIBYTE = 1_048_576;
const LONG_TEXT = 900;

/** What is refused for what it is, is refused at no more cost. */
const ANSWERS: readonly number[] = [200, 304, 400, 401, 404, 406];

type Account = 'huge' | 'long' | 'small';
const ACCOUNTS: readonly Account[] = ['huge', 'long', 'small'];

/** A request: its path after that of the list, unless that is given; and the body of a QUERY. */
interface Kind {
  readonly path: string;
  readonly of?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const list = (count: number, one: (i: number) => unknown) => Array.from({ length: count }, (_, i) => one(i));
const texts = (count: number, length: number, character: string) =>
  list(count, (i) => String(i).padStart(length, character));
const query = (body: object, path = ''): Kind => ({ path, body: JSON.stringify(body) });

const MOST = MAX_BODY_LIST_VALUES;
const IDS = { ids: list(MOST, (i) => 7 * i + 1) };
const PROVIDERS = { providers: texts(MOST, 90, 'x') };
const NUMBERS = { dids: texts(MOST, 90, '4') };

/** The ids of the large account come after these, as it is the second of its import. */
const HUGE_IDS = ID_SPACE;

const LONGEST_URL = 65_000;
const LONGEST_HEADER = 15_000;
const ACCOUNT = '/api/v1/account';
/** The same header, on a list and on the account. */
const withHeader = (name: string, value: string): Kind[] =>
  [LIST, ACCOUNT].map((of) => ({ path: '', of, headers: { [name]: value } }));
const long = (text: string, length = LONGEST_HEADER) => text.repeat(length / text.length);

/** Headers that are as long as they may be, of what is read in each. */
const HEADERS: Readonly<Record<string, Kind[]>> = {
  'a preference after blanks': withHeader('prefer', `a,${long(' ')}wait`),
  'a preference with blanks': withHeader('prefer', `wait${long(' ')}=${long(' ', 500)}x`),
  'many preferences': withHeader('prefer', long('wait,')),
  'quotes that do not end': withHeader('prefer', long('a="\\')),
  'many types': withHeader('accept', long('a/b;q=0.1,')),
  'a type after blanks': withHeader('accept', `a/b;${long(' ')}q`),
  'many codings': [
    ...withHeader('accept-encoding', long(',')),
    { path: '', of: '/openapi.json', headers: { 'accept-encoding': long(',') } },
  ],
  'many short types': withHeader('accept', long(',')),
  'many tags': withHeader('if-none-match', long('W/"a",')),
  'a token after blanks': withHeader('authorization', `Bearer ${long(' ')}x`),
  'many addresses': withHeader('x-forwarded-for', long('192.0.2.7, ')),
  'a long trace': withHeader('traceparent', long('0')),
  'a long request id': withHeader('x-request-id', long('a')),
  'many cookies': withHeader('cookie', long('a=b; ')),
};

const KINDS: Readonly<Record<string, Kind>> = {
  'a long path that is none': { of: `/${long('a', LONGEST_URL)}/`, path: '' },
  'a long path that is none, encoded': { of: `/api/v1/did/me/${long('%25', LONGEST_URL)}/x`, path: '' },
  'many segments': { of: long('/a', LONGEST_URL), path: '' },
  'a long id': { path: `/${long('1', LONGEST_URL)}` },
  'a long cursor': { path: `?cursor=${long('A', LONGEST_URL)}` },
  'a long token of changes': { path: `/changes?since=${long('A', LONGEST_URL)}` },
  'many ampersands': { path: `?${long('&', LONGEST_URL)}` },
  'the same parameter': { path: `?${long('page=1&', LONGEST_URL)}` },
  'the same parameter in brackets': { path: `?${long('q[]&', LONGEST_URL)}` },
  'parameters of the account': { of: `${ACCOUNT}?${long('a=1&', LONGEST_URL)}`, path: '' },
  ...Object.fromEntries(
    Object.entries(HEADERS).flatMap(([what, kinds]) => kinds.map((kind) => [`${what} on ${kind.of}`, kind])),
  ),
  'a page of 20': { path: '?page_size=20' },
  'a page of 100': { path: '?page_size=100' },
  'a page of 1,000': { path: '?page_size=1000' },
  'two fields of 1,000': { path: '?page_size=1000&fields=id,comment' },
  'a far page of 1,000': { path: '?page_size=1000&page=150' },
  ...Object.fromEntries(
    ['did', 'comment', 'provider', 'monthly', 'created_at', 'is_spammed'].map((key) => [
      `1,000 in the order of ${key}`,
      { path: `?page_size=1000&page=3&sort_by=${key}` },
    ]),
  ),
  'a search of one character': { path: '?q=e&page_size=1000' },
  'a search for digits': { path: '?q=99&sort_by=comment&page_size=1000' },
  'ten thousand ids': query(IDS),
  'ten thousand ids, changes': query(IDS, '/changes'),
  'ten thousand ids, facets': query(IDS, '/facets'),
  'ten thousand providers': query(PROVIDERS),
  'ten thousand providers, changes': query(PROVIDERS, '/changes'),
  'ten thousand providers, facets': query(PROVIDERS, '/facets'),
  'ten thousand providers of two bytes a character': query({ providers: texts(MOST, 40, 'ж') }),
  'a thousand providers of a thousand characters': query({ providers: texts(1_000, 900, 'x') }),
  'ten thousand numbers': query(NUMBERS),
  'ten thousand numbers of odd characters': query({
    dids: list(MOST, (i) => `＋４４‑(0)２０ ${String(i).padStart(20, '٣')}`),
  }),
  'short odd numbers of less than 64 KiB': query({ dids: list(7_000, (i) => `(${i})`) }),
  'ten thousand numbers and as many providers': query({
    dids: texts(MOST, 40, '4'),
    providers: texts(MOST, 40, 'x'),
  }),
  'changes from the beginning': { path: '/changes?page_size=1000' },
  facets: { path: '/facets' },
  'a thousand ranges': { path: '/ranges?page_size=1000' },
  'ranges of a search, split': { path: '/ranges?q=9&split_by=provider,status&page_size=1000' },
  'a far page of ranges': { path: '/ranges?page=150&page_size=1000' },
  'ten thousand ids, ranges': query(IDS, '/ranges'),
  activity: { of: `${activity.path}?events=changed,spam_flagged&page_size=100`, path: '' },
  'activity of a hundred ids': {
    of: `${activity.path}?lists=virtual_numbers&page_size=100&ids=`,
    path: list(100, (i) => HUGE_IDS + 1_999 * i + 1).join(','),
  },
  'a thousand ids in the URL': { path: `?ids=${list(1_000, (i) => 100_000 + i).join(',')}` },
  'five thousand unknown names in the URL': { path: `?${list(5_000, (i) => `a${i}=1`).join('&')}` },
  'a MiB of unknown names': {
    path: '',
    body: `{${list(60_000, (i) => `"name_${i}":1`).join(',')}}`.slice(0, MEBIBYTE - 1),
  },
  'a MiB of commas': { path: '', body: `{"ids":[${','.repeat(MEBIBYTE - 100)}]}` },
  'a MiB of brackets': { path: '', body: `{"ids":${'['.repeat(MEBIBYTE - 100)}}` },
  'a MiB in one text': query({ q: 'x'.repeat(MEBIBYTE - 100) }),
  'ten thousand wrong ids': query({ ids: list(MOST, () => 'x') }),
  'ten thousand control characters': query({ providers: list(MOST, () => '\u0001') }),
};

const call = (name: string, given: object, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});
const NUMBERS_TOOL = 'virtual_numbers_list';
/** As many as a batch may have. */
const batch = (one: (id: number) => object) => JSON.stringify(list(100, one));
const ODD_NUMBERS = { dids: list(1_500, (i) => `＋４４‑(0)２０ ${String(i).padStart(20, '٣')}`) };

/** Messages of agents that are as long as they may be, of what is read in each. */
const MESSAGES: Readonly<Record<string, string>> = {
  'brackets of a MiB': '['.repeat(MEBIBYTE),
  'small objects of a MiB': `[${'{},'.repeat(MEBIBYTE / 3 - 1)}{}]`,
  'a long text': JSON.stringify(call(NUMBERS_TOOL, { q: 'x'.repeat(MEBIBYTE - 200) })),
  'twenty thousand texts': JSON.stringify(call(NUMBERS_TOOL, { providers: texts(2 * MOST - 10, 45, 'x') })),
  'a list that is text': JSON.stringify(call(NUMBERS_TOOL, { ids: '['.repeat(60_000) })),
  'short odd numbers': JSON.stringify(call(NUMBERS_TOOL, { dids: list(7_000, (i) => `(${i})`) })),
  'long odd numbers': JSON.stringify(call(NUMBERS_TOOL, ODD_NUMBERS)),
  'unknown arguments': JSON.stringify(
    call(NUMBERS_TOOL, Object.fromEntries(list(5_000, (i) => [`page_${i}`, 1]) as [string, unknown][])),
  ),
  'a batch of small objects': batch(() => ({})),
  'a batch of pages': batch((id) => call(NUMBERS_TOOL, { page_size: 50, fields: ['id', 'did'] }, id)),
  'a batch of facets': batch((id) => call('virtual_numbers_facets', { q: `${id}` }, id)),
  'a batch of long lists': batch((id) => call(NUMBERS_TOOL, { dids: texts(190, 40, '4') }, id)),
  'a batch of lists of tools': batch((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
};

interface Answered {
  readonly status: number;
  readonly ms: number;
}

/** Sends one request, and gives what it cost the thread. */
async function send(url: string, pid: number, agent: Agent, token: string, kind: Kind): Promise<Answered> {
  await sleep(PAUSE_MS);
  const before = busyMsOf(pid);
  const headers = { authorization: token, 'content-type': 'application/json', ...kind.headers };
  const method = kind.body === undefined ? 'GET' : 'QUERY';
  const how = { agent, method, headers, ...(kind.body !== undefined && { body: kind.body }) };
  const { status } = await ask(`${url}${kind.of ?? LIST}${kind.path}`, how);
  return { status, ms: busyMsOf(pid) - before };
}

/** A service, and where it says how long its iterations take. */
interface Measured {
  readonly serving: Serving;
  readonly probe: string;
  readonly size: DrillSize;
}

/** The least that one of several times holds the thread; one is enough where it is short. */
async function heldBy({ probe, size }: Measured, send: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ofSize(TIMES, size) && least > MAX_MS; i++) {
    await longestIteration(probe);
    await send();
    least = Math.min(least, await longestIteration(probe));
  }
  return least;
}

/** Counts what holds the thread, and remembers the worst. */
class Holds extends Tally {
  worst = { ms: 0, what: 'nothing' };

  hold(what: string, ms: number, size: DrillSize): void {
    if (ms > this.worst.ms) this.worst = { ms, what };
    this.add(size !== 'short' && ms > MAX_MS ? `${what}: ${ms.toFixed(1)} ms` : undefined);
  }

  /** Sends a request several times; it must be answered with one of the statuses. */
  async measure(measured: Measured, what: string, send: () => Promise<number>): Promise<void> {
    let status = 0;
    const ms = await heldBy(measured, async () => {
      status = await send();
    });
    if (ANSWERS.includes(status)) this.hold(what, ms, measured.size);
    else this.add(`${what}: ${status}`);
  }

  done(did: string): DrillResult {
    const { ms, what } = this.worst;
    return this.result(did, `the most expensive takes ${ms.toFixed(0)} ms: ${what}`);
  }
}

async function kindsOf(
  lists: DrillService,
  { serving, size }: Measured,
  store: string,
): Promise<DrillResult> {
  const holds = new Holds();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const account of ACCOUNTS) {
    const { token } = await lists.newToken(account);
    for (const [what, kind] of Object.entries(KINDS)) {
      const answers: Answered[] = [];
      for (let i = 0; i < ofSize(TIMES, size); i++)
        answers.push(await send(serving.url, serving.child.pid ?? 0, agent, token, kind));
      const failed = answers.find(({ status }) => !ANSWERS.includes(status));
      if (failed !== undefined) holds.add(`${what}, ${account}: ${failed.status}`);
      else holds.hold(`${what}, ${account} account`, Math.min(...answers.map((one) => one.ms)), size);
    }
  }
  agent.destroy();
  return holds.done(`kinds of requests of three accounts, on ${store}`);
}

/** Of the first message all tools are loaded, once in the life of a process. */
async function messagesOf(lists: DrillService, measured: Measured, store: string): Promise<DrillResult> {
  const holds = new Holds();
  const { url } = measured.serving;
  const headers = {
    authorization: lists.tokenOf('long'),
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const post = async (body: string) => {
    const answer = await fetch(`${url}${MCP_PATH}`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  await post(batch((id) => call('account', {}, id)));
  for (const [what, body] of Object.entries(MESSAGES)) {
    await holds.measure(measured, `a message of ${what}`, () => post(body));
  }
  return holds.done(`messages of agents, on ${store}`);
}

/** Where queries at random are sent: pages, those of a thousand, facets, changes, files, items. */
const FORMS: readonly ((query: string, nth: number) => string)[] = [
  (query) => `?${query}`,
  (query) => `?${query.replace(/(?:^|&)page_size=[^&]*/g, '')}&page_size=1000`,
  (query) => `/facets?${query}`,
  (query) => `/changes?${query}`,
  (query) => `.csv?${query}`,
  (query) => `/ranges?${query.replace(/(?:^|&)(?:sort_by|sort_order|fields|cursor)=[^&]*/g, '')}`,
  (query) => `.ndjson?${query}`,
  (query) => `.xlsx?${query}`,
  (_query, nth) => `/${1_000_001 + nth}`,
];

async function atRandom(lists: DrillService, measured: Measured, store: string): Promise<DrillResult> {
  const { serving, size } = measured;
  const holds = new Holds();
  const until = performance.now() + ofSize(RANDOM_MS, size);
  for (let nth = 0; performance.now() < until; nth++) {
    // Each form of each account with a few filters and with many.
    const isWithMany = Math.floor(nth / FORMS.length / ACCOUNTS.length) % 2 === 1;
    const [query = ''] = fc.sample(hardQuery(virtual_numbers, isWithMany ? MANY_FILTERS : undefined), 1);
    const path = FORMS[nth % FORMS.length]?.(query, nth) ?? '';
    const account = ACCOUNTS[Math.floor(nth / FORMS.length) % ACCOUNTS.length] as Account;
    const headers = { authorization: lists.tokenOf(account) };
    await holds.measure(measured, `${path.slice(0, 200)} of the ${account} account`, async () => {
      const answer = await fetch(`${serving.url}${LIST}${path}`, { headers });
      await answer.arrayBuffer();
      return answer.status;
    });
  }
  return holds.done(`queries at random, files among them, on ${store}`);
}

/** Flags every item of the large account, a part of them by each import. */
async function flagAll(lists: DrillService, rows: number): Promise<void> {
  const part = Math.ceil(rows / LOGGED_IMPORTS);
  for (let from = 0; from < rows; from += part) {
    const ids = list(Math.min(part, rows - from), (i) => HUGE_IDS + from + i + 1);
    const { child, ended } = lists.start('import', 'virtual-numbers', '--update', '--format', 'csv', '-');
    child.stdin.end(`account_id,id,is_spammed\n${ids.map((id) => `huge,${id},true\n`).join('')}`);
    const { status, err } = await ended;
    if (status !== 0) throw new Error(`The import ended with ${status}: ${err}`);
  }
}

/** Records many imports, as feeds that run every few seconds do. */
async function recordRuns(database_url: string, runs: number): Promise<void> {
  const rest = 'rows, inserted, updated, moved, unchanged, removed, accounts_created, faults';
  const text = `insert into import_runs (id, list, feed, mode, origin, actor, source, started_at, updated_at, ended_at, outcome, ${rest})
    with recursive numbers(nth) as (select 1 union all select nth + 1 from numbers where nth < ${runs})
    select '${Date.now() * 1_000}-' || nth, 'virtual_numbers', 'feed-' || (nth % ${FEEDS}), 'update', 'intake', 'drill', 'drill',
      at, at, at, 'done', 1, 1, 1, 1, 1, 1, 1, 0 from numbers cross join (select '${new Date().toISOString()}' as at) as now`;
  await withStore({ database_url, database_pooler: 'none' }, async (store) => {
    await store.write({ text, values: [], separate: true });
    // Autovacuum does it within a minute.
    if (store.dialect.name !== 'sqlite') await store.write({ text: 'analyze import_runs', values: [] });
    const { feeds } = await importState(store);
    if (feeds.length < FEEDS) throw new Error(`There are ${feeds.length} feeds.`);
  });
}

async function scrapes(measured: Measured, store: string): Promise<DrillResult> {
  const [, url = ''] = await measured.serving.says(/"url":"(http:[^"]*\/metrics)"/);
  const holds = new Holds();
  let text = '';
  const scrape = async () => {
    const answer = await fetch(url);
    text = await answer.text();
    return answer.status;
  };
  // A thread that has to be started first opens the store.
  await until('the metrics have feeds', async () => {
    await scrape();
    return text.includes('feed="feed-');
  });
  for (let i = 0; i < ofSize(TIMES, measured.size); i++) await holds.measure(measured, 'a scrape', scrape);
  if (!text.includes(`feed="feed-${FEEDS - 1}"`)) holds.add('the metrics have no feeds');
  return holds.done(`scrapes of the metrics with ${FEEDS} feeds, on ${store}`);
}

async function onStore(
  kind: StoreKind,
  size: DrillSize,
  report: (line: string) => void,
): Promise<DrillResult[]> {
  const probe = join(temporaryFolder(), 'probe');
  const lists = await DrillService.make({
    rows: { long: ofSize(LONG_ROWS, size) },
    comment: '😀'.repeat(LONG_TEXT),
    environment: probeOn(probe),
    kind,
  });
  try {
    // After the ids of the first import.
    await lists.import({ none: 0, huge: ofSize(HUGE_ROWS, size), small: SMALL_ROWS });
    await lists.makeTokens(ACCOUNTS);
    await flagAll(lists, ofSize(HUGE_ROWS, size));
    await recordRuns(lists.database_url, ofSize(RUNS, size));
    const serving = await lists.serve('--rate-limit', '0', '--metrics-port', '0');
    const measured = { serving, probe, size };
    const results: DrillResult[] = [];
    for (const result of [
      () => scrapes(measured, kind.name),
      () => kindsOf(lists, measured, kind.name),
      () => messagesOf(lists, measured, kind.name),
      () => atRandom(lists, measured, kind.name),
    ]) {
      results.push(await result());
      report(`${results.at(-1)?.did}: ${results.at(-1)?.note}`);
    }
    return results;
  } finally {
    await lists.remove();
  }
}

export const drill: Drill = {
  name: 'request-thread',
  proves: [
    'No request, with a valid token or without, holds the request thread for more than 20 milliseconds: on accounts of 50 rows, of 200,000, and of 5,000 rows of maximum length, on either store.',
    'Neither does a scrape of the metrics, with 100,000 imports recorded.',
  ],

  run: (size, report) => onStores(size, (kind) => onStore(kind, size, report)),
};
