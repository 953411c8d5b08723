// What goes wrong with a PostgreSQL server, round after round, while customers ask all the time.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ACCOUNTS, hardRows } from '../kit/hard-rows.ts';
import { backendsOf } from '../kit/impatience.ts';
import { PostgresServer, query } from '../kit/postgres-server.ts';
import { openService } from '../kit/service.ts';
import { DATABASE_TIMEOUT, isOver, type Trouble, whileAsking, wrongWith } from '../kit/under-trouble.ts';
import { type Drill, ofSize, Tally } from './drill.ts';

const ROUNDS = { short: 1, long: 2, full: 5 };
const CONNECTIONS = 4;
/** The threads of a service that have connections of their own: requests, quick and slow, and one worker. */
const POOLS = 3;

type Break = (server: PostgresServer, url: string) => Promise<void>;

function signal(pids: readonly number[], what: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, what);
    } catch {
      // It has ended since.
    }
  }
}

const stoppedFor =
  (ms: number, some: number): Break =>
  async (_server, url) => {
    const pids = (await backendsOf(url)).slice(0, some);
    signal(pids, 'SIGSTOP');
    await sleep(ms);
    signal(pids, 'SIGCONT');
  };

async function isBack(url: string): Promise<void> {
  while ((await query(url, 'select 1').catch(() => [])).length === 0) await sleep(20);
}

const BREAKS: Readonly<Record<string, Break>> = {
  async 'every connection terminated'(server, url) {
    for (const pid of await backendsOf(url)) await query(server.url, 'select pg_terminate_backend($1)', pid);
  },
  'one backend stopped (SIGSTOP)': stoppedFor(1_500, 1),
  'every backend stopped': stoppedFor(1_000, Number.POSITIVE_INFINITY),
  async 'the server stopped, its connections ended'(server, url) {
    const pids = await backendsOf(url);
    signal([server.pid], 'SIGSTOP');
    signal(pids, 'SIGTERM');
    await sleep(1_500);
    signal([server.pid], 'SIGCONT');
  },
  async 'a backend killed (kill -9), upon which the server restarts'(server, url) {
    signal((await backendsOf(url)).slice(0, 1), 'SIGKILL');
    await sleep(50);
    await isBack(server.url);
  },
  async 'the server killed (kill -9) and started'(server) {
    await server.crash();
    await isBack(server.url);
  },
  'the server restarted': (server) => server.restart(async () => sleep(600)),
  async 'a table locked'(_server, url) {
    const locker = new Client(url);
    await locker.connect();
    await locker.query('begin; lock table virtual_numbers in access exclusive mode');
    await sleep(1_500);
    await locker.query('rollback');
    await locker.end();
  },
};

function addTo(tally: Tally, trouble: Trouble): void {
  for (const seen of trouble.seen) tally.add(wrongWith(seen, trouble));
  tally.add(isOver(trouble) ? undefined : 'no request was answered afterwards');
}

export const drill: Drill = {
  name: 'postgres',
  proves: [
    'While PostgreSQL restarts, crashes, hangs, loses its connections or is locked, every request gets its own rows or a 503 with Retry-After, within two seconds; half a second after it is over there is no 503 any more.',
    'No connection is left behind: afterwards there are no more than the service may have.',
  ],
  short: 'test/postgres/faults.long.test.ts',

  async run(size, report) {
    const server = await PostgresServer.start();
    const kind = { name: 'a server of its own', share: 1, make: async () => server.makeDatabase() };
    const reach = { database_timeout: DATABASE_TIMEOUT, database_connections: CONNECTIONS };
    const service = await openService(kind, { accounts: ACCOUNTS, rows: hardRows, cacheBytes: 0, reach });
    const url = service.database_url;
    try {
      const connections = new Tally();
      const results = [];
      for (const [what, doBreak] of Object.entries(BREAKS)) {
        const tally = new Tally();
        let refused = 0;
        for (let round = 0; round < ofSize(ROUNDS, size); round++) {
          const trouble = await whileAsking(service, () => doBreak(server, url));
          addTo(tally, trouble);
          refused += trouble.seen.filter(({ status }) => status === 503).length;
          const open = (await backendsOf(url)).length;
          connections.add(open <= POOLS * CONNECTIONS ? undefined : `${open} connections after ${what}`);
        }
        report(what);
        results.push(
          tally.result(`requests amid: ${what}`, `${ofSize(ROUNDS, size)} times; ${refused} times 503`),
        );
      }
      return [...results, connections.result('looks at the connections afterwards')];
    } finally {
      await service.close();
      await server.stop();
    }
  },
};
