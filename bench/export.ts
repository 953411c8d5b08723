// J5: every row of the largest account, walked by `Link: next` and as one export, and what an export adds to the memory.

import { request } from 'node:http';
import type { Deployment } from './deployment.ts';
import type { Verdict } from './goals.ts';
import { PATH } from './jobs.ts';
import type { Running } from './running.ts';
import { count } from './table.ts';

const EXPORTS = 3;
const WATCH_MILLISECONDS = 10;
const SETTLE_MILLISECONDS = 1_000;
const ROWS_A_SECOND = 300_000;
const MOST_MEBIBYTES = 64;
const NEWLINE = 0x0a;
const FORMATS = { NDJSON: 'application/x-ndjson', CSV: 'text/csv' } as const;

function largest({ accounts, tokens }: Deployment): { token: string; numbers: number } {
  const [account] = accounts.toSorted((a, b) => b.numbers - a.numbers);
  return { token: tokens.get(account?.id ?? '') ?? '', numbers: account?.numbers ?? 0 };
}

/** The paths of all pages of a thousand, as the links give them, and how many rows a second one client reads so. */
export async function walk(
  server: Running,
  deployment: Deployment,
): Promise<{ paths: string[]; rows_a_second: number }> {
  const { token, numbers } = largest(deployment);
  const paths: string[] = [];
  const begin = performance.now();
  let next: string | undefined = `${PATH}?page_size=1000`;
  while (next !== undefined) {
    paths.push(next);
    const answer: Response = await fetch(server.url + next, { headers: { authorization: token } });
    await answer.arrayBuffer();
    next = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  return { paths, rows_a_second: numbers / ((performance.now() - begin) / 1_000) };
}

/** Reads an export to its end; gives the seconds it took and how many lines there were. */
async function read(
  server: Running,
  token: string,
  accept: string,
): Promise<{ seconds: number; lines: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const begin = performance.now();
  let lines = 0;
  const asking = request(server.url + PATH, { headers: { authorization: token, accept } }, (answer) => {
    answer.on('data', (bytes: Buffer) => {
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
    });
    answer.on('error', reject).on('end', () => resolve(answer.statusCode ?? 0));
  });
  asking.on('error', reject).end();
  const status = await promise;
  if (status !== 200) throw new Error(`An export was answered ${status}.`);
  return { seconds: (performance.now() - begin) / 1_000, lines };
}

/** What exports of a server that did nothing before take. */
export async function measureExports(server: Running, deployment: Deployment): Promise<Verdict[]> {
  const { token, numbers } = largest(deployment);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLISECONDS));
  const idle = server.mebibytes;
  let most = idle;
  const watching = setInterval(() => {
    most = Math.max(most, server.mebibytes);
  }, WATCH_MILLISECONDS);
  const verdicts: Verdict[] = [];
  for (const [name, accept] of Object.entries(FORMATS)) {
    const rates: number[] = [];
    for (let i = 0; i < EXPORTS; i++) {
      const { seconds, lines } = await read(server, token, accept);
      if (lines < numbers) throw new Error(`An export in ${name} had ${lines} lines for ${numbers} numbers.`);
      rates.push(numbers / seconds);
    }
    const rate = rates.toSorted((a, b) => a - b)[Math.floor(EXPORTS / 2)] ?? 0;
    verdicts.push({
      what: `J5, export of ${count(numbers)} rows in ${name}`,
      measured: `${count(rate)} rows a second`,
      goal: `at least ${count(ROWS_A_SECOND)}`,
      met: rate >= ROWS_A_SECOND,
    });
  }
  clearInterval(watching);
  verdicts.push({
    what: 'J5, memory of the exports over idle',
    measured: `${count(most - idle)} MiB`,
    goal: `at most ${MOST_MEBIBYTES} MiB`,
    met: most - idle <= MOST_MEBIBYTES,
  });
  return verdicts;
}
