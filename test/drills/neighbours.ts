// One customer does the worst that a valid token allows, kind by kind, while another reads pages and begins
// exports: the other must hardly notice, on either store.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DrillService, LIST } from '../kit/drill-service.ts';
import { loadFrom, raw } from '../kit/load.ts';
import { quantile } from '../kit/many.ts';
import type { StoreKind } from '../kit/service.ts';
import { begin } from '../kit/sockets.ts';
import { type Drill, type DrillResult, type DrillSize, ofSize, onStores, Tally } from './drill.ts';

const NOISY_ROWS = { short: 2_500, long: 200_000 };
const QUIET_ROWS = 1_500;
/** The accounts that the token of an operator reads. */
const READ_ACCOUNTS = many(24, (i) => `read-${i}`);
const READ_ROWS = { short: 100, long: 4_000 };
const NOISE_MS = { short: 700, long: 3_000, full: 5_000 };
/** By then the process of the noise has started. */
const BEGUN_MS = 500;
const P99_MS = 50;
const BEGIN_MS = 1_000;
const EXPORT_EVERY_MS = 250;
const MEBIBYTE = 1_048_576;
const JSON_BODY = { method: 'QUERY', headers: 'Content-Type: application/json\r\n' };

/** Each costs the request thread some milliseconds, and this many are in flight. */
const BODIES = 4;
/** Where pages take longer without any noise, the machine has other work, and no time says anything. */
const QUIET_P99_MS = 10;
const QUIET_MS = 1_000;
/** What the noise has begun is over by then. */
const SETTLED_MS = 6_000;

function many(count: number, one: (i: number) => string): string[] {
  return Array.from({ length: count }, (_, i) => one(i));
}

/** What the noisy one sends, over how many concurrent connections. */
interface Noise {
  readonly connections: number;
  requests(tokens: Tokens): readonly string[];
}

interface Tokens {
  /** Of one account. */
  readonly token: string;
  /** Of an operator, who reads all accounts. */
  readonly reading: string;
}

const over = (connections: number, requests: Noise['requests']): Noise => ({ connections, requests });
const bodies = (body: string) => over(BODIES, ({ token }) => [raw(LIST, token, { ...JSON_BODY, body })]);
const ORDERS = ['did', 'provider', 'monthly'];

const NOISES: Readonly<Record<string, Noise>> = {
  '60 concurrent exports': over(60, ({ token }) =>
    many(20, (i) => raw(`${LIST}.${i % 3 === 0 ? 'xlsx' : 'csv'}?sort_by=comment`, token)),
  ),
  '60 concurrent searches': over(60, ({ token }) =>
    many(400, (i) => raw(`${LIST}?q=${i % 2 ? 'e' : ''}${i}&sort_by=comment&page=${1 + (i % 40)}`, token)),
  ),
  '60 concurrent facets': over(60, ({ token }) => many(400, (i) => raw(`${LIST}/facets?q=${i}`, token))),
  '60 concurrent walks of changes': over(60, ({ token }) =>
    many(4, (i) => raw(`${LIST}/changes?page_size=${1_000 - i}`, token)),
  ),
  'far pages in every order': over(32, ({ token }) =>
    many(300, (i) => {
      const page = `page_size=1000&page=${1 + ((i * 37) % 200)}`;
      return raw(`${LIST}?${page}&sort_by=${ORDERS[i % ORDERS.length]}&sort_order=desc`, token);
    }),
  ),
  'bodies of a MiB of unknown names': bodies(
    `{${many(60_000, (i) => `"name_${i}":1`).join(',')}}`.slice(0, MEBIBYTE - 1),
  ),
  'bodies of a MiB of commas': bodies(`{"ids":"${','.repeat(MEBIBYTE - 20)}"}`),
  'bodies nested half a million deep': bodies(`{"ids":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
  'long URLs': over(BODIES, ({ token }) =>
    [
      many(8_000, (i) => `a${i}=1`)
        .join('&')
        .slice(0, 60_000),
      `ids=${','.repeat(60_000)}`,
      `q=${'%25'.repeat(20_000)}`,
      'ids%5B%5D=1&'.repeat(5_000),
    ].map((query) => raw(`${LIST}?${query}`, token)),
  ),
  'lists of 15,000 commas in headers, without a token': over(100, () =>
    ['accept-encoding', 'accept', 'if-none-match', 'prefer'].map((name) =>
      raw('/openapi.json', '', { headers: `${name}: ${','.repeat(15_000)}\r\n` }),
    ),
  ),
  'one token that reads 24 accounts': over(60, ({ reading }) =>
    many(480, (i) => {
      const headers = `Linecard-Account: ${READ_ACCOUNTS[i % READ_ACCOUNTS.length]}\r\n`;
      const paths = [`${LIST}?q=e${i}&sort_by=comment`, `${LIST}/facets?q=${i}`, `${LIST}.csv?q=${i % 10}`];
      return raw(paths[i % paths.length] as string, reading, { headers });
    }),
  ),
  'wrong tokens': over(32, () =>
    many(200, (i) =>
      raw(LIST, `lc_${String(i).padStart(42, 'a')}`, { headers: `X-Forwarded-For: 203.0.113.${i}\r\n` }),
    ),
  ),
};

/** What the short form has time for. */
const TOGETHER: Readonly<Record<string, Noise>> = {
  'every kind of noise together': {
    connections: 40,
    requests: (tokens) => Object.values(NOISES).flatMap((noise) => noise.requests(tokens).slice(0, 4)),
  },
};

/** Reads a page at a time for so long; how long each took. */
function readPages({ lists, url }: Place, ms: number, tally = new Tally()): Promise<number[]> {
  const until = performance.now() + ms;
  return lists.readPages(url, 'quiet', tally, () => performance.now() >= until);
}

/** Begins an export now and then and reads it to its end; each must begin in time. */
async function beginExports(
  url: string,
  authorization: string,
  ms: number,
  tally: Tally,
  isTimed: boolean,
): Promise<void> {
  const until = performance.now() + ms;
  do {
    const at = performance.now();
    const answer = await begin(Number(new URL(url).port), `${LIST}.ndjson`, { authorization });
    const began_ms = performance.now() - at;
    answer.resume();
    await once(answer, 'end');
    if (answer.statusCode !== 200) tally.add(`an export was ${answer.statusCode}`);
    else
      tally.add(
        isTimed && began_ms > BEGIN_MS ? `an export began after ${Math.round(began_ms)} ms` : undefined,
      );
    await sleep(EXPORT_EVERY_MS);
  } while (performance.now() < until);
}

/** A service with its lists, and what is known of it. */
interface Place {
  readonly lists: DrillService;
  readonly url: string;
  readonly size: DrillSize;
  /** The name of its store. */
  readonly store: string;
}

/** Whether times can be judged: not in short, where pages are quick as long as nobody makes noise. */
const isQuiet = async (place: Place) =>
  place.size !== 'short' && quantile(await readPages(place, QUIET_MS), 0.99) < QUIET_P99_MS;

async function withNoise(place: Place, what: string, noise: Noise, judged: Tally): Promise<DrillResult[]> {
  const { lists, url, size, store } = place;
  const ms = ofSize(NOISE_MS, size);
  const authorization = lists.tokenOf('quiet');
  const [pages, exports] = [new Tally(), new Tally()];
  const isTimed = await isQuiet(place);
  const loading = loadFrom({
    port: Number(new URL(url).port),
    requests: noise.requests({ token: lists.tokenOf('noisy'), reading: await lists.readingToken() }),
    connections: noise.connections,
    ms: ms + BEGUN_MS,
  });
  await sleep(BEGUN_MS);
  const [took] = await Promise.all([
    readPages(place, ms, pages),
    beginExports(url, authorization, ms, exports, isTimed),
  ]);
  const { statuses } = await loading;
  const p99 = quantile(took, 0.99);
  const isLate = isTimed && p99 >= P99_MS;
  // Other work may have come to the machine meanwhile.
  if (isLate) await sleep(SETTLED_MS);
  const isJudged = isTimed && (!isLate || (await isQuiet(place)));
  if (isJudged) judged.add();
  if (isJudged && isLate) pages.add(`the p99 of pages was ${Math.round(p99)} ms`);
  const said = `p99 ${p99.toFixed(0)} ms${isJudged ? '' : ', not judged'}; noise ${JSON.stringify(statuses)}`;
  return [
    pages.result(`pages during ${what}, on ${store}`, said),
    exports.result(`exports begun during ${what}, on ${store}`),
  ];
}

async function onStore(
  kind: StoreKind,
  size: DrillSize,
  report: (line: string) => void,
): Promise<DrillResult[]> {
  const read = READ_ACCOUNTS.map((account_id) => [account_id, ofSize(READ_ROWS, size)]);
  const rows = { noisy: ofSize(NOISY_ROWS, size), quiet: QUIET_ROWS, ...Object.fromEntries(read) };
  const lists = await DrillService.make({ rows, kind });
  try {
    const { url } = await lists.serve('--rate-limit', '0', '--log-level', 'error');
    const results: DrillResult[] = [];
    const judged = new Tally();
    for (const [what, noise] of Object.entries(size === 'short' ? TOGETHER : NOISES)) {
      results.push(...(await withNoise({ lists, url, size, store: kind.name }, what, noise, judged)));
      report(
        `${what}, on ${kind.name}: ${results.at(-2)?.note}; ${results.at(-1)?.note ?? 'exports in time'}`,
      );
    }
    // Where the machine was never quiet, nothing of it is proved.
    if (size !== 'short') results.push(judged.result(`kinds of noise on a quiet machine, on ${kind.name}`));
    return results;
  } finally {
    await lists.remove();
  }
}

export const drill: Drill = {
  name: 'neighbours',
  proves: [
    'While one account runs 60 concurrent exports, searches, facets or walks, or sends bodies of a MiB of unknown names, commas or brackets, long URLs or wrong tokens, or one token reads many accounts at once, the pages of another account keep a p99 under 50 ms, on either store.',
    'Meanwhile exports of the other account begin within a second.',
  ],

  run: (size, report) => onStores(size, (kind) => onStore(kind, size, report)),
};
