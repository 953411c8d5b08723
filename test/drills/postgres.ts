// What goes wrong with a PostgreSQL server, round after round, while customers ask all the time; and requests
// of which a third are given up, while an administrator cancels statements and terminates connections.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ACCOUNTS } from '../kit/hard-rows.ts';
import { PostgresServer, query } from '../kit/postgres-server.ts';
import type { Service } from '../kit/service.ts';
import { ask } from '../kit/sockets.ts';
import { askOnce, backendsOf, CUSTOMERS, PATH, pages } from '../kit/under-trouble.ts';
import { type Drill, type DrillResult, ofSize, Tally } from './drill.ts';
import { amid, type Break, openOn } from './rounds.ts';

/** The requests of which a third are given up; `TEST_REQUESTS` sets another count. */
const REQUESTS = { short: 3_000, long: 20_000, full: 200_000 };
const { TEST_REQUESTS } = process.env;
const CLIENTS = 32;
const DISTURB_EVERY_MS = 100;

function signal(pids: readonly number[], what: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, what);
    } catch {
      // It has ended since.
    }
  }
}

async function stopBackends(url: string, ms: number, some?: number): Promise<void> {
  const pids = (await backendsOf(url)).slice(0, some);
  signal(pids, 'SIGSTOP');
  await sleep(ms);
  signal(pids, 'SIGCONT');
}

async function isBack(url: string): Promise<void> {
  while ((await query(url, 'select 1').catch(() => [])).length === 0) await sleep(20);
}

async function mustGet(service: Service, account_id: string): Promise<void> {
  const { fault } = await askOnce(service, account_id);
  if (fault !== undefined) throw new Error(`${account_id}: ${fault}`);
}

const some = (refused: number) => refused > 0;

const breaksOf = (
  server: PostgresServer,
  service: Service,
  url = service.database_url,
): Readonly<Record<string, Break>> => ({
  'every connection terminated': {
    async run() {
      for (let i = 0; i < 3; i++) {
        const pids = `{${await backendsOf(url)}}`;
        await query(server.url, 'select pg_terminate_backend(pid) from unnest($1::int[]) as pid', pids);
        // A request is retried: none is to lose its connection twice, however slow the machine is.
        for (let round = 0; round < 2; round++)
          await Promise.all(ACCOUNTS.map((account_id) => mustGet(service, account_id)));
      }
    },
    // On a machine with other work some wait longer for another connection than a read may.
    mayRefuse: (refused, of) => refused <= of / 5,
  },
  'one backend stopped (SIGSTOP)': {
    run: () => stopBackends(url, 1_500, 1),
    mayRefuse: (refused) => refused <= CUSTOMERS * 4,
  },
  'every backend stopped': { run: () => stopBackends(url, 1_000) },
  'the server stopped, its connections ended': {
    async run() {
      const pids = await backendsOf(url);
      signal([server.pid], 'SIGSTOP');
      signal(pids, 'SIGTERM');
      await sleep(1_500);
      signal([server.pid], 'SIGCONT');
    },
  },
  'a backend killed (kill -9), upon which the server restarts': {
    async run() {
      signal((await backendsOf(url)).slice(0, 1), 'SIGKILL');
      await sleep(50);
      await isBack(server.url);
    },
  },
  'the server killed (kill -9) and started': {
    async run() {
      await server.crash();
      await isBack(server.url);
    },
  },
  'the server restarted': { run: () => server.restart(() => sleep(600)), mayRefuse: some },
  'a table locked': {
    async run() {
      const locker = new Client(url);
      await locker.connect();
      await locker.query('begin; lock table virtual_numbers in access exclusive mode');
      await sleep(1_500);
      await locker.query('rollback');
      await locker.end();
    },
    mayRefuse: some,
  },
});

/** Cancels the statement of one backend after the other, or terminates its connection, until all is over. */
async function disturbUntil(over: Promise<unknown>, url: string): Promise<void> {
  const ended = over.then(() => true);
  for (let turn = 1; !(await Promise.race([ended, sleep(DISTURB_EVERY_MS)])); turn++) {
    const pids = await backendsOf(url);
    const how = turn % 2 === 0 ? 'cancel' : 'terminate';
    await query(url, `select pg_${how}_backend($1)`, pids[turn % pids.length] ?? 0);
  }
}

async function disturbed(service: Service, requests: number): Promise<DrillResult> {
  const url = `http://127.0.0.1:${await service.listen()}${PATH}`;
  const tally = new Tally();
  let [next, answered, refused] = [0, 0, 0];
  const client = async () => {
    while (next < requests) {
      const turn = next++;
      const account_id = ACCOUNTS[(turn * 13) % ACCOUNTS.length] as string;
      const { token } = service.tokenOf(account_id);
      const givesUp = turn % 3 === 0 && { giveUpMs: turn % 5 };
      const { outcome, status, body } = await ask(url, { headers: { authorization: token }, ...givesUp });
      const isGood = status === 503 || (status === 200 && body === pages.get(account_id));
      tally.add(outcome !== 'whole' || isGood ? undefined : `${account_id} got ${status}: ${body}`);
      if (outcome === 'whole' && status === 200) answered += 1;
      if (outcome === 'whole' && status === 503) refused += 1;
    }
  };
  const asking = Promise.all(Array.from({ length: CLIENTS }, client));
  await disturbUntil(asking, service.database_url);
  await asking;
  const note = `${answered} times 200, ${refused} times 503`;
  if (answered <= requests / 2 || refused >= requests / 100) tally.add(`too many were refused: ${note}`);
  return tally.result('requests, a third given up, amid: statements cancelled, connections terminated', note);
}

export const drill: Drill = {
  name: 'postgres',
  proves: [
    'While PostgreSQL restarts, crashes, hangs, loses its connections or is locked, every request gets its own rows or a 503 with Retry-After, within two seconds; half a second after it is over, no request gets a 503.',
    'No connection leaks: afterwards the service has no more than its limit.',
  ],

  async run(size, report) {
    const server = await PostgresServer.start();
    const service = await openOn(() => server.makeDatabase());
    try {
      const results = await amid(service, breaksOf(server, service), size, report);
      return [...results, await disturbed(service, Number(TEST_REQUESTS ?? ofSize(REQUESTS, size)))];
    } finally {
      await service.close();
      await server.stop();
    }
  },
};
