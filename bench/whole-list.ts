// J5: reads every row of the largest account, by following `Link: next` and as an export. Measures the last
// pages compared with the first, the speed of the export compared with that of reading the items, and its
// memory.

import { spawnSync } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Deployment, ROOT } from './deployment.ts';
import { ratioText, type Verdict, verdictOf } from './goals.ts';
import { PATH } from './jobs.ts';
import { asLoad, CORES, pinned, type Running } from './running.ts';
import { count, mebibytes, median, rowsASecond } from './table.ts';

const END_PAGES = 10;
const REPETITIONS = 20;
const MAX_RATIO = 1.2;
const EXPORTS = 5;
const WATCH_MILLISECONDS = 10;
const SETTLE_MILLISECONDS = 1_000;
/** The part of the speed of reading the items that an export has at least: 300,000 rows a second and more. */
const OF_READING = 0.2;
const MAX_MEBIBYTES = 64;
const NEWLINE = 0x0a;
export const NDJSON = 'application/x-ndjson';
const FORMATS = { NDJSON, CSV: 'text/csv' } as const;

export function largest({ accounts, tokens }: Deployment): { id: string; token: string; numbers: number } {
  const [{ id, numbers } = { id: '', numbers: 0 }] = accounts.toSorted((a, b) => b.numbers - a.numbers);
  return { id, token: tokens.get(id) ?? '', numbers };
}

interface Reading {
  readonly items: number;
  readonly seconds: number;
  /** Seconds of the processor. */
  readonly processor: number;
}

/** The yardstick reads the items of the account, on the core of the server. */
function readItems({ database_url }: Deployment, account_id: string, numbers: number): Reading {
  const words = [join(ROOT, 'bench', 'yardstick.ts'), database_url, 'read', account_id];
  const [command, args] = pinned(CORES.server, process.execPath, ...words);
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  const reading = JSON.parse(stdout || '{}') as Reading;
  if (reading.items !== numbers) throw new Error(`The yardstick has read ${reading.items} items. ${stderr}`);
  return reading;
}

async function page(server: Running, token: string, path: string): Promise<string | undefined> {
  const answer = await fetch(server.url + path, {
    // As `wrk` asks: the walk measures pages, not their compression.
    headers: { authorization: token, 'accept-encoding': 'identity' },
  });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`A page of the walk was answered ${answer.status}.`);
  return /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
}

/** Requests the first and last pages of a walk alternately, so that other load affects both alike. */
async function measureWalk(server: Running, deployment: Deployment): Promise<Verdict[]> {
  const { token, numbers } = largest(deployment);
  const paths: string[] = [];
  const begin = performance.now();
  for (let next: string | undefined = `${PATH}?page_size=1000`; next !== undefined; ) {
    paths.push(next);
    next = await page(server, token, next);
  }
  const rate = numbers / ((performance.now() - begin) / 1_000);
  const ends = [paths.slice(0, END_PAGES), paths.slice(-END_PAGES)];
  const times: [number[], number[]] = [[], []];
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    for (let i = 0; i < END_PAGES; i++) {
      for (const end of [0, 1] as const) {
        const begin = performance.now();
        await page(server, token, ends[end]?.[i] ?? PATH);
        times[end].push(performance.now() - begin);
      }
    }
  }
  const [first, last] = times.map(median) as [number, number];
  const verdict = verdictOf(
    `J5, the last ${END_PAGES} of ${paths.length} pages by \`Link: next\`, times the first`,
    last / first,
    'at most',
    MAX_RATIO,
    ratioText,
  );
  const details = `${first.toFixed(1)} ms, ${last.toFixed(1)} ms; ${rowsASecond(rate)}`;
  return [{ ...verdict, measured: `${verdict.measured} (${details})` }];
}

export async function readExport(
  server: Running,
  token: string,
  accept: string,
): Promise<{ seconds: number; lines: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const begin = performance.now();
  let lines = 0;
  const outgoing = request(server.url + PATH, { headers: { authorization: token, accept } }, (answer) => {
    answer.on('data', (bytes: Buffer) => {
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
    });
    answer.on('error', reject).on('end', () => resolve(answer.statusCode ?? 0));
  });
  outgoing.on('error', reject).end();
  const status = await promise;
  if (status !== 200) throw new Error(`An export was answered ${status}.`);
  return { seconds: (performance.now() - begin) / 1_000, lines };
}

async function measureExports(server: Running, deployment: Deployment): Promise<Verdict[]> {
  const { id, token, numbers } = largest(deployment);
  await sleep(SETTLE_MILLISECONDS);
  const idle = server.mebibytes;
  let most = idle;
  const watching = setInterval(() => {
    most = Math.max(most, server.mebibytes);
  }, WATCH_MILLISECONDS);
  const verdicts: Verdict[] = [];
  for (const [name, accept] of Object.entries(FORMATS)) {
    const parts: { rate: number; processor: number; rows: number }[] = [];
    for (let i = 0; i < EXPORTS; i++) {
      const yardstick = readItems(deployment, id, numbers);
      const before = server.processor_seconds;
      const { seconds, lines } = await readExport(server, token, accept);
      if (lines < numbers) throw new Error(`An export in ${name} had ${lines} lines for ${numbers} numbers.`);
      const used = server.processor_seconds - before;
      const rate = yardstick.seconds / seconds;
      parts.push({ rate, processor: yardstick.processor / used, rows: numbers / seconds });
    }
    const middle = (of: keyof (typeof parts)[number]) => median(parts.map((part) => part[of]));
    const what = `J5, export of ${count(numbers)} rows in ${name}, of reading the items`;
    const verdict = verdictOf(what, middle('rate'), 'at least', OF_READING, ratioText);
    const details = `by processor ${ratioText(middle('processor'))}; ${rowsASecond(middle('rows'))}`;
    verdicts.push({ ...verdict, measured: `${verdict.measured} (${details})` });
  }
  clearInterval(watching);
  const what = 'J5, memory of the exports over idle';
  verdicts.push(verdictOf(what, most - idle, 'at most', MAX_MEBIBYTES, mebibytes));
  return verdicts;
}

/** Measures J5 on a server that has not answered other requests. */
export function measureWholeList(server: Running, deployment: Deployment): Promise<Verdict[]> {
  return asLoad(async () => [
    ...(await measureExports(server, deployment)),
    ...(await measureWalk(server, deployment)),
  ]);
}
