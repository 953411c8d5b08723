// Networks that are slow, cut bytes into slices, reset connections, refuse them or fall silent: between a
// service and PostgreSQL, and between its clients and the service.

import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultProxy, faultProxy, type NetworkFault } from '../kit/fault-proxy.ts';
import { ACCOUNTS } from '../kit/hard-rows.ts';
import { PostgresServer } from '../kit/postgres-server.ts';
import type { Service } from '../kit/service.ts';
import { ask } from '../kit/sockets.ts';
import { PATH, pages } from '../kit/under-trouble.ts';
import { type Drill, type DrillResult, type DrillSize, ofSize, Tally } from './drill.ts';
import { amid, openOn } from './rounds.ts';

/** How long each fault lasts. */
const LASTS_MS = { short: 250, long: 1_500 };
const RESET_EVERY_MS = 100;
const CLIENTS = 16;
/** More than the longest delay of the network. */
const SETTLED_WITHIN_MS = 5_000;
const PATIENCE_MS = 10_000;

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

const trialsOf = (size: DrillSize) =>
  Object.entries(TRIALS).filter(([what]) => size !== 'short' || IN_SHORT.includes(what));

async function suffer(proxy: FaultProxy, { fault, resets = false }: Trial, ms: number): Promise<void> {
  const until = performance.now() + ms;
  proxy.set(fault);
  while (performance.now() < until) {
    if (resets) proxy.reset();
    await sleep(Math.min(RESET_EVERY_MS, ms));
  }
  proxy.set({});
}

/** Clients on a bad network: each has its own complete page, or its connection broke. */
async function amongClients(service: Service, size: DrillSize): Promise<DrillResult> {
  const proxy = await faultProxy(`http://127.0.0.1:${await service.listen()}`);
  const url = new URL(PATH, proxy.url).href;
  const tally = new Tally();
  let broke = 0;
  let isRunning = true;
  const clients = Array.from({ length: CLIENTS }, async (_, i) => {
    for (let round = i; isRunning; round += 5) {
      const account_id = ACCOUNTS[round % ACCOUNTS.length] as string;
      const headers = { authorization: service.tokenOf(account_id).token };
      const { outcome, status, body } = await ask(url, { headers, giveUpMs: PATIENCE_MS });
      if (outcome !== 'whole') broke += 1;
      const isOwn = outcome !== 'whole' || (status === 200 && body === pages.get(account_id));
      tally.add(isOwn ? undefined : `${account_id} got ${status}: ${body}`);
    }
  });
  for (const [, trial] of trialsOf(size)) await suffer(proxy, trial, ofSize(LASTS_MS, size));
  isRunning = false;
  await Promise.all(clients);
  proxy.close();
  return tally.result('pages over a bad network to the clients', `${broke} connections broke`);
}

export const drill: Drill = {
  name: 'network',
  proves: [
    'A slow network to PostgreSQL, or one that cuts bytes into slices, fails no request. One that resets, refuses, falls silent or delays too long costs 503s, within two seconds, and none half a second after it is over.',
    "A client behind such a network gets its own complete page or a broken connection, never somebody else's page or a part that looks complete.",
  ],

  async run(size, report) {
    const server = await PostgresServer.shared();
    const database = await server.makeDatabase();
    const proxy = await faultProxy(database.url);
    const service = await openOn(async () => ({ ...database, readingUrl: proxy.url }));
    const breaks = trialsOf(size).map(([what, trial]) => {
      const isHarmless = size !== 'short' && trial.isHarmless === true;
      const run = () => suffer(proxy, trial, ofSize(LASTS_MS, size));
      return [
        `to the database, ${what}`,
        { run, mayRefuse: (refused: number) => !isHarmless || refused === 0 },
      ];
    });
    try {
      const results = await amid(service, Object.fromEntries(breaks), size, report, SETTLED_WITHIN_MS);
      return [...results, await amongClients(service, size)];
    } finally {
      await service.close();
      proxy.close();
    }
  },
};
