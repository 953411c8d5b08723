// What goes wrong with a PostgreSQL server, round after round, while customers ask all the time; and requests
// of which a third are given up, while an administrator cancels statements and terminates connections.

import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ACCOUNTS, hardRows } from '../kit/hard-rows.ts';
import { PostgresServer, query } from '../kit/postgres-server.ts';
import { openService, type Service } from '../kit/service.ts';
import {
  askOnce,
  BUSY,
  backendsOf,
  CUSTOMERS,
  DATABASE_TIMEOUT,
  isOver,
  PATH,
  pages,
  whileAsking,
  wrongWith,
} from '../kit/under-trouble.ts';
import { type Drill, type DrillResult, type DrillSize, ofSize, Tally } from './drill.ts';

const ROUNDS = { short: 1, long: 2, full: 5 };
/** The requests of which a third are given up; `TEST_REQUESTS` sets another count. */
const REQUESTS = { short: 3_000, long: 20_000, full: 200_000 };
const { TEST_REQUESTS } = process.env;
const CONNECTIONS = 4;
/** The threads of a service that have connections of their own: requests, quick and slow, and one worker. */
const POOLS = 3;
const CLIENTS = 32;
const DISTURB_EVERY_MS = 100;

interface At {
  readonly server: PostgresServer;
  readonly service: Service;
  readonly url: string;
}

interface Break {
  readonly run: (at: At) => Promise<unknown>;
  /** Whether that many requests may be refused; without it any number may. */
  readonly mayRefuse?: (refused: number, of: number) => boolean;
}

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

const BREAKS: Readonly<Record<string, Break>> = {
  'every connection terminated': {
    async run({ server, service, url }) {
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
    run: ({ url }) => stopBackends(url, 1_500, 1),
    mayRefuse: (refused) => refused <= CUSTOMERS * 4,
  },
  'every backend stopped': { run: ({ url }) => stopBackends(url, 1_000) },
  'the server stopped, its connections ended': {
    async run({ server, url }) {
      const pids = await backendsOf(url);
      signal([server.pid], 'SIGSTOP');
      signal(pids, 'SIGTERM');
      await sleep(1_500);
      signal([server.pid], 'SIGCONT');
    },
  },
  'a backend killed (kill -9), upon which the server restarts': {
    async run({ server, url }) {
      signal((await backendsOf(url)).slice(0, 1), 'SIGKILL');
      await sleep(50);
      await isBack(server.url);
    },
  },
  'the server killed (kill -9) and started': {
    async run({ server }) {
      await server.crash();
      await isBack(server.url);
    },
  },
  'the server restarted': { run: ({ server }) => server.restart(() => sleep(600)), mayRefuse: some },
  'a table locked': {
    async run({ url }) {
      const locker = new Client(url);
      await locker.connect();
      await locker.query('begin; lock table virtual_numbers in access exclusive mode');
      await sleep(1_500);
      await locker.query('rollback');
      await locker.end();
    },
    mayRefuse: some,
  },
};

/** Asks over a socket, which is closed after some milliseconds; the status, or nothing where it was cut. */
async function askOrGiveUp(
  port: number,
  account_id: string,
  authorization: string,
  giveUpMs?: number,
): Promise<{ status?: number; fault?: string }> {
  const { promise, resolve } = Promise.withResolvers<{ status?: number; fault?: string }>();
  const asking = request({ port, host: '127.0.0.1', path: PATH, headers: { authorization } }, (response) => {
    const { statusCode: status = 0 } = response;
    let body = '';
    response.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    response.on('error', () => resolve({}));
    response.on('end', () => {
      const isGood = status === 503 || (status === 200 && body === pages.get(account_id));
      resolve(isGood ? { status } : { status, fault: `${account_id} got ${status}: ${body}` });
    });
  });
  asking.on('error', () => resolve({}));
  asking.end();
  const timer = giveUpMs === undefined ? undefined : setTimeout(() => asking.destroy(), giveUpMs);
  return promise.finally(() => clearTimeout(timer));
}

/** Cancels the statement of one backend after the other, or terminates its connection, until all is over. */
async function disturbUntil(over: Promise<unknown>, url: string): Promise<void> {
  const ended = over.then(() => true);
  for (let turn = 1; !(await Promise.race([ended, sleep(DISTURB_EVERY_MS)])); turn++) {
    const pids = await backendsOf(url);
    const how = turn % 2 === 0 ? 'cancel' : 'terminate';
    await query(url, `select pg_${how}_backend($1)`, pids[turn % pids.length] ?? 0);
  }
}

async function disturbed({ service, url }: At, requests: number): Promise<DrillResult> {
  const port = await service.listen();
  const tally = new Tally();
  let [next, answered, refused] = [0, 0, 0];
  const client = async () => {
    while (next < requests) {
      const turn = next++;
      const account_id = ACCOUNTS[(turn * 13) % ACCOUNTS.length] as string;
      const { token } = service.tokenOf(account_id);
      const { status, fault } = await askOrGiveUp(
        port,
        account_id,
        token,
        turn % 3 === 0 ? turn % 5 : undefined,
      );
      tally.add(fault);
      if (status === 200) answered += 1;
      if (status === 503) refused += 1;
    }
  };
  const asking = Promise.all(Array.from({ length: CLIENTS }, client));
  await disturbUntil(asking, url);
  await asking;
  const note = `${answered} times 200, ${refused} times 503`;
  if (answered <= requests / 2 || refused >= requests / 100) tally.add(`too many were refused: ${note}`);
  return tally.result('requests, a third given up, amid: statements cancelled, connections terminated', note);
}

async function broken(at: At, size: DrillSize, report: (line: string) => void): Promise<DrillResult[]> {
  const connections = new Tally();
  const results: DrillResult[] = [];
  for (const [what, { run, mayRefuse = () => true }] of Object.entries(BREAKS)) {
    const tally = new Tally();
    let allRefused = 0;
    for (let round = 0; round < ofSize(ROUNDS, size); round++) {
      const trouble = await whileAsking(at.service, async () => void (await run(at)));
      for (const seen of trouble.seen) tally.add(wrongWith(seen, trouble, size === 'short' ? BUSY : 1));
      const refused = trouble.seen.filter(({ status }) => status === 503).length;
      if (!mayRefuse(refused, trouble.seen.length)) tally.add(`${refused} times 503`);
      allRefused += refused;
      tally.add(isOver(trouble) ? undefined : 'no request was answered afterwards');
      const open = (await backendsOf(at.url)).length;
      connections.add(open <= POOLS * CONNECTIONS ? undefined : `${open} connections after ${what}`);
    }
    report(what);
    results.push(
      tally.result(`requests amid: ${what}`, `${ofSize(ROUNDS, size)} times; ${allRefused} times 503`),
    );
  }
  return [...results, connections.result('looks at the connections afterwards')];
}

export const drill: Drill = {
  name: 'postgres',
  proves: [
    'While PostgreSQL restarts, crashes, hangs, loses its connections or is locked, every request gets its own rows or a 503 with Retry-After, within two seconds; half a second after it is over there is no 503 any more.',
    'No connection is left behind: afterwards there are no more than the service may have.',
  ],

  async run(size, report) {
    const server = await PostgresServer.start();
    const kind = { name: 'a server of its own', share: 1, make: async () => server.makeDatabase() };
    const reach = { database_timeout: DATABASE_TIMEOUT, database_connections: CONNECTIONS };
    const service = await openService(kind, { accounts: ACCOUNTS, rows: hardRows, cacheBytes: 0, reach });
    const at = { server, service, url: service.database_url };
    try {
      const results = await broken(at, size, report);
      return [...results, await disturbed(at, Number(TEST_REQUESTS ?? ofSize(REQUESTS, size)))];
    } finally {
      await service.close();
      await server.stop();
    }
  },
};
