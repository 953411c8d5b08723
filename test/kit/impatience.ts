// Clients on real sockets, a third of which give up before they are answered, and an administrator
// who meanwhile cancels statements, ends connections and locks a table. Whatever is answered must be the
// account's own page.

import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ACCOUNTS, hardRows } from './hard-rows.ts';
import { Model, virtual_numbers } from './model.ts';
import { query } from './postgres-server.ts';
import type { Service } from './service.ts';

export const PATH = `${virtual_numbers.path}?page_size=5`;
const CUSTOMERS = 32;
const TROUBLE_EVERY_MS = 100;
/** Longer than a read waits, so that PostgreSQL ends its statement. */
const LOCKED_MS = 1_500;

const model = new Model(hardRows);

/** What `PATH` must answer to each account. */
export const pages: ReadonlyMap<string, string> = new Map(
  ACCOUNTS.map((account_id) => {
    const expected = model.expect(virtual_numbers, account_id, 'page_size=5');
    return [account_id, expected.status === 200 ? expected.body : ''];
  }),
);

/** What became of many requests. */
export interface Tally {
  /** How often each status came; `undefined` is for those that were given up or cut. */
  readonly statuses: ReadonlyMap<number | undefined, number>;
  readonly slowestMs: number;
}

/** The processes behind the connections of a service. */
export async function backendsOf(url: string): Promise<number[]> {
  const rows = await query(
    url,
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'linecard'`,
  );
  return rows.map(({ pid }) => Number(pid));
}

/** Asks over a socket; gives up after some milliseconds, if any. */
async function askOrGiveUp(
  port: number,
  account_id: string,
  authorization: string,
  give_up_ms?: number,
): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asking = request({ port, host: '127.0.0.1', path: PATH, headers: { authorization } }, (response) => {
    const { statusCode = 0 } = response;
    let body = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    response.on('error', () => resolve(undefined));
    response.on('end', () => {
      if (statusCode === 503 || (statusCode === 200 && body === pages.get(account_id))) resolve(statusCode);
      else reject(new Error(`${account_id} got ${statusCode}: ${body}`));
    });
  });
  asking.on('error', () => resolve(undefined));
  asking.end();
  const timer = give_up_ms === undefined ? undefined : setTimeout(() => asking.destroy(), give_up_ms);
  return promise.finally(() => clearTimeout(timer));
}

/**
 * Sends that many requests.
 * @throws {Error} when an answer is neither the account's own page nor a 503.
 */
export async function askImpatiently(
  service: Service,
  requests: number,
  onSent: (count: number) => void = () => {},
): Promise<Tally> {
  const port = await service.listen();
  const statuses = new Map<number | undefined, number>();
  let next = 0;
  let slowestMs = 0;
  const customers = Array.from({ length: CUSTOMERS }, async () => {
    while (next < requests) {
      const turn = next++;
      const account_id = ACCOUNTS[(turn * 13) % ACCOUNTS.length] as string;
      const begin = performance.now();
      const { token } = service.tokenOf(account_id);
      const status = await askOrGiveUp(port, account_id, token, turn % 3 === 0 ? turn % 5 : undefined);
      slowestMs = Math.max(slowestMs, performance.now() - begin);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      onSent(turn + 1);
    }
  });
  await Promise.all(customers);
  return { statuses, slowestMs };
}

async function lockFor(url: string, ms: number): Promise<void> {
  const locker = new Client(url);
  await locker.connect();
  await locker.query('begin; lock table virtual_numbers in access exclusive mode');
  await sleep(ms);
  await locker.query('rollback');
  await locker.end();
}

/** What was done to a database. */
export interface Troubles {
  cancelled: number;
  terminated: number;
  locked: number;
}

/**
 * Makes trouble until something is over: one backend after the other is cancelled or ended, and now and
 * then nothing goes on.
 */
export async function disturbUntil(
  over: Promise<unknown>,
  url: string,
  { lock_every = Number.POSITIVE_INFINITY } = {},
): Promise<Troubles> {
  const troubles: Troubles = { cancelled: 0, terminated: 0, locked: 0 };
  const ended = over.then(
    () => true,
    () => true,
  );
  for (let turn = 1; !(await Promise.race([ended, sleep(TROUBLE_EVERY_MS)])); turn++) {
    if (turn % lock_every === 0) {
      await lockFor(url, LOCKED_MS);
      troubles.locked += 1;
      continue;
    }
    const pids = await backendsOf(url);
    const how = turn % 2 === 0 ? 'cancel' : 'terminate';
    await query(url, `select pg_${how}_backend($1)`, pids[turn % pids.length] ?? 0);
    troubles[how === 'cancel' ? 'cancelled' : 'terminated'] += 1;
  }
  return troubles;
}
