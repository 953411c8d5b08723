// Customers who ask all the time while something happens to the database, and what they must see: their own
// page, or a 503 in time and only while it lasts.

import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNTS, hardRows } from './hard-rows.ts';
import { Model, virtual_numbers } from './model.ts';
import { query } from './postgres-server.ts';
import type { Service, ServiceAnswer } from './service.ts';

export const PATH = `${virtual_numbers.path}?page_size=5`;
const FACETS = `${virtual_numbers.path}/facets`;
export const CUSTOMERS = 8;
const SLOWEST_MS = 2_000;
/** How long after the trouble it may still be felt. */
const AFTERMATH_MS = 500;
const BEFORE_MS = 100;
const AFTER_MS = 750;
/** Only ends what would wait for ever. */
const PATIENCE_MS = 10_000;
/** After a refusal a client waits a little. */
const PAUSE_MS = 20;
/** The slack of a test, which runs with others on any machine. */
export const BUSY = 6;
/** What each request may wait for the database: a little less than the slowest may take. */
export const DATABASE_TIMEOUT = 1_900;

const model = new Model(hardRows);
/** What `PATH` must answer to each account. */
export const pages: ReadonlyMap<string, string> = new Map(
  ACCOUNTS.map((account_id) => {
    const expected = model.expect(virtual_numbers, account_id, 'page_size=5');
    return [account_id, expected.status === 200 ? expected.body : ''];
  }),
);

/** The PostgreSQL processes that serve the connections of a service. */
export async function backendsOf(url: string): Promise<number[]> {
  const rows = await query(
    url,
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'linecard'`,
  );
  return rows.map(({ pid }) => Number(pid));
}

interface Seen {
  readonly account_id: string;
  readonly at: number;
  readonly ms: number;
  readonly status: number;
  /** What is wrong with it, whatever happens and however late it is. */
  readonly fault?: string;
}

/** What is wrong with an answer: it is another page, or a refusal that is not as it should be. */
function faultOf({ status, body, headers }: ServiceAnswer, expected: string | undefined): string | undefined {
  if (status === 200)
    return expected === undefined || body === expected ? undefined : `another page: ${body}`;
  if (status !== 503 || !body.includes('urn:linecard:problem:unavailable')) return `${status}: ${body}`;
  const { 'retry-after': wait } = headers;
  return wait === '1' ? undefined : `503 with Retry-After ${wait}`;
}

/** Asks once; what is not a 503 as it should be is the account's own page, or its facets. */
export async function askOnce(service: Service, account_id: string, path = PATH): Promise<Seen> {
  const at = performance.now();
  const answer = await service.ask(account_id, path);
  const fault = faultOf(answer, path === PATH ? pages.get(account_id) : undefined);
  const seen = { account_id, at, ms: performance.now() - at, status: answer.status };
  return fault === undefined ? seen : { ...seen, fault };
}

/** What many requests saw while something happened, and when that began and ended. */
interface Trouble {
  readonly seen: readonly Seen[];
  readonly from: number;
  readonly to: number;
}

/** Has customers ask, with a pause after each request, until the trouble has been over for a while. */
export async function whileAsking(
  service: Service,
  trouble: () => Promise<void>,
  { pauseMs = 0, afterMs = AFTER_MS } = {},
): Promise<Trouble> {
  let isAsking = true;
  const seen: Seen[] = [];
  const customers = Array.from({ length: CUSTOMERS }, async (_, i) => {
    for (let round = i; isAsking; round += 7) {
      const account_id = ACCOUNTS[round % ACCOUNTS.length] as string;
      const one = await askOnce(service, account_id, round % 9 === 0 ? FACETS : PATH);
      seen.push(one);
      const pause = one.status === 503 ? PAUSE_MS : pauseMs;
      if (pause > 0) await sleep(pause);
    }
  });
  await sleep(BEFORE_MS);
  const from = performance.now();
  try {
    await trouble();
    const to = performance.now();
    await sleep(afterMs);
    // A busy machine has not come to the first request after it.
    while (!isOver({ seen, from, to }) && performance.now() < to + PATIENCE_MS) await sleep(PAUSE_MS);
    isAsking = false;
    await Promise.all(customers);
    return { seen, from, to };
  } finally {
    isAsking = false;
  }
}

/**
 * What is wrong with one of them: more than a 503, one that is late, or a 503 when it was over. `slack` is
 * how many times as long everything may take as on a machine that does nothing else.
 */
export function wrongWith(seen: Seen, { from, to }: Trouble, slack = 1): string | undefined {
  const { at, ms, status, fault } = seen;
  if (fault !== undefined) return fault;
  if (ms >= slack * SLOWEST_MS) return `${status} after ${Math.round(ms)} ms`;
  const isQuiet = at < from - slack * DATABASE_TIMEOUT || at > to + slack * AFTERMATH_MS;
  return status === 503 && isQuiet ? `a 503 ${Math.round(at - to)} ms after it was over` : undefined;
}

/** Whether anybody was answered again afterwards. */
export function isOver({ seen, to }: Trouble): boolean {
  return seen.some(({ at, status }) => at > to + AFTERMATH_MS && status === 200);
}
