// Networks that are slow, cut bytes into slices, reset connections, refuse them or fall silent: between a
// service and PostgreSQL, and between its clients and the service.

import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultProxy, faultProxy, type NetworkFault } from '../kit/fault-proxy.ts';
import { ACCOUNTS, hardRows } from '../kit/hard-rows.ts';
import { PostgresServer } from '../kit/postgres-server.ts';
import { openService, type Service } from '../kit/service.ts';
import {
  BUSY,
  backendsOf,
  DATABASE_TIMEOUT,
  isOver,
  PATH,
  pages,
  whileAsking,
  wrongWith,
} from '../kit/under-trouble.ts';
import { type Drill, type DrillResult, type DrillSize, ofSize, Tally } from './drill.ts';

const ROUNDS = { short: 1, long: 2, full: 5 };
const CONNECTIONS = 4;
const POOLS = 3;
/** How long each fault lasts. */
const LASTS_MS = { short: 250, long: 1_500 };
const RESET_EVERY_MS = 100;
const CLIENTS = 16;
/** More than the longest delay of the network. */
const SETTLED_WITHIN_MS = 5_000;

interface Trial {
  readonly fault: NetworkFault;
  /** Connections are reset again and again. */
  readonly resets?: boolean;
  /** Nothing is lost, so no request may fail for it. */
  readonly isHarmless?: boolean;
}

const TRIALS: Readonly<Record<string, Trial>> = {
  'every byte 40 ms later': { fault: { latency_ms: 40 }, isHarmless: true },
  'slices of 61 bytes': { fault: { slice: 61 }, isHarmless: true },
  'connections reset ten times a second': { fault: {}, resets: true },
  'every byte 3 s later': { fault: { latency_ms: 3_000 } },
  'a black hole': { fault: { isHole: true } },
  'connections reset and refused': { fault: { isRefusing: true }, resets: true },
};
/** What the short form has time for, all within the time of one. */
const IN_SHORT = ['slices of 61 bytes', 'connections reset ten times a second', 'a black hole'];

async function suffer(proxy: FaultProxy, { fault, resets = false }: Trial, ms: number): Promise<void> {
  const until = performance.now() + ms;
  proxy.set(fault);
  while (performance.now() < until) {
    if (resets) proxy.reset();
    await sleep(Math.min(RESET_EVERY_MS, ms));
  }
  proxy.set({});
}

/** A page on a connection of its own: its status and body, or `undefined` where that broke. */
async function page(
  url: string,
  authorization: string,
): Promise<{ status: number; body: string } | undefined> {
  const { promise, resolve } = Promise.withResolvers<{ status: number; body: string } | undefined>();
  const outgoing = request(url, { agent: false, headers: { authorization }, timeout: 10_000 }, (answer) => {
    let body = '';
    answer.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    answer.on('error', () => resolve(undefined));
    answer.on('end', () => resolve(answer.complete ? { status: answer.statusCode ?? 0, body } : undefined));
  });
  outgoing.on('error', () => resolve(undefined));
  outgoing.on('timeout', () => outgoing.destroy());
  outgoing.end();
  return promise;
}

/** Clients on a bad network: each has its own complete page, or its connection broke. */
async function amongClients(service: Service, size: DrillSize): Promise<DrillResult> {
  const proxy = await faultProxy(`http://127.0.0.1:${await service.listen()}`);
  const tally = new Tally();
  let broke = 0;
  let isRunning = true;
  const clients = Array.from({ length: CLIENTS }, async (_, i) => {
    for (let round = i; isRunning; round += 5) {
      const account_id = ACCOUNTS[round % ACCOUNTS.length] as string;
      const answer = await page(new URL(PATH, proxy.url).href, service.tokenOf(account_id).token);
      if (answer === undefined) broke += 1;
      const isOwn = answer === undefined || (answer.status === 200 && answer.body === pages.get(account_id));
      tally.add(isOwn ? undefined : `${account_id} got ${answer.status}: ${answer.body}`);
    }
  });
  for (const [what, trial] of Object.entries(TRIALS)) {
    if (size === 'short' && !IN_SHORT.includes(what)) continue;
    await suffer(proxy, trial, ofSize(LASTS_MS, size));
  }
  isRunning = false;
  await Promise.all(clients);
  proxy.close();
  return tally.result('pages over a bad network to the clients', `${broke} connections broke`);
}

/**
 * How many connections the database has, when those that the network has not brought to their end yet are
 * gone.
 */
async function connectionsOf(url: string): Promise<number> {
  const until = performance.now() + SETTLED_WITHIN_MS;
  let open = (await backendsOf(url)).length;
  for (; open > POOLS * CONNECTIONS && performance.now() < until; await sleep(100)) {
    open = (await backendsOf(url)).length;
  }
  return open;
}

async function amidDatabase(
  service: Service,
  proxy: FaultProxy,
  size: DrillSize,
  report: (line: string) => void,
): Promise<DrillResult[]> {
  const results: DrillResult[] = [];
  const connections = new Tally();
  for (const [what, trial] of Object.entries(TRIALS)) {
    if (size === 'short' && !IN_SHORT.includes(what)) continue;
    const tally = new Tally();
    let refused = 0;
    for (let round = 0; round < ofSize(ROUNDS, size); round++) {
      const trouble = await whileAsking(service, () => suffer(proxy, trial, ofSize(LASTS_MS, size)));
      for (const seen of trouble.seen) {
        const isNeedless = size !== 'short' && trial.isHarmless === true && seen.status === 503;
        tally.add(
          wrongWith(seen, trouble, size !== 'short' ? 1 : BUSY) ??
            (isNeedless ? 'a 503 though nothing was lost' : undefined),
        );
        if (seen.status === 503) refused += 1;
      }
      tally.add(isOver(trouble) ? undefined : 'no request was answered afterwards');
      const open = await connectionsOf(service.database_url);
      connections.add(open <= POOLS * CONNECTIONS ? undefined : `${open} connections after ${what}`);
    }
    report(what);
    results.push(
      tally.result(
        `requests amid, to the database: ${what}`,
        `${ofSize(ROUNDS, size)} times; ${refused} times 503`,
      ),
    );
  }
  return [...results, connections.result('looks at the connections of the database')];
}

export const drill: Drill = {
  name: 'network',
  proves: [
    'A network to PostgreSQL that is slow or cuts bytes into slices fails no request; one that resets, refuses, falls silent or delays beyond use costs 503s, within two seconds, and none half a second after it is over.',
    'A client behind such a network gets its own complete page or a broken connection, never another page or a part that looks complete.',
  ],

  async run(size, report) {
    const server = await PostgresServer.shared();
    const database = await server.makeDatabase();
    const proxy = await faultProxy(database.url);
    const kind = {
      name: 'through a proxy',
      share: 1,
      make: async () => ({ ...database, readingUrl: proxy.url }),
    };
    const reach = { database_timeout: DATABASE_TIMEOUT, database_connections: CONNECTIONS };
    const service = await openService(kind, { accounts: ACCOUNTS, rows: hardRows, cacheBytes: 0, reach });
    try {
      const results = await amidDatabase(service, proxy, size, report);
      return [...results, await amongClients(service, size)];
    } finally {
      await service.close();
      proxy.close();
    }
  },
};
