// One trouble of a database after the other, round after round, while customers ask all the time; and the
// connections that are left of each.

import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNTS, hardRows } from '../kit/hard-rows.ts';
import { openService, type Service } from '../kit/service.ts';
import type { Database } from '../kit/templates.ts';
import { BUSY, backendsOf, DATABASE_TIMEOUT, isOver, whileAsking, wrongWith } from '../kit/under-trouble.ts';
import { type DrillResult, type DrillSize, ofSize, Tally } from './drill.ts';

const ROUNDS = { short: 1, long: 2, full: 5 };
const CONNECTIONS = 4;
/** Of the threads of a service that have their own: requests, quick and slow, and one worker. */
const MOST_CONNECTIONS = 3 * CONNECTIONS;

export interface Break {
  readonly run: () => Promise<unknown>;
  /** Whether that many requests may be refused; without it any number may. */
  readonly mayRefuse?: (refused: number, of: number) => boolean;
}

/** A service with the hard rows, which caches nothing. */
export function openOn(make: () => Promise<Database>): Promise<Service> {
  const reach = { database_timeout: DATABASE_TIMEOUT, database_connections: CONNECTIONS };
  const kind = { name: 'in trouble', share: 1, make };
  return openService(kind, { accounts: ACCOUNTS, rows: hardRows, cacheBytes: 0, reach });
}

/** How many connections the database has, at the latest after a time in which they may come to their end. */
async function connectionsOf(url: string, withinMs: number): Promise<number> {
  const until = performance.now() + withinMs;
  for (;;) {
    const { length } = await backendsOf(url);
    if (length <= MOST_CONNECTIONS || performance.now() >= until) return length;
    await sleep(100);
  }
}

/** @param settleMs how long a connection may take to come to its end. */
export async function amid(
  service: Service,
  breaks: Readonly<Record<string, Break>>,
  size: DrillSize,
  report: (line: string) => void,
  settleMs = 0,
): Promise<DrillResult[]> {
  const connections = new Tally();
  const results: DrillResult[] = [];
  const rounds = ofSize(ROUNDS, size);
  for (const [what, { run, mayRefuse = () => true }] of Object.entries(breaks)) {
    const tally = new Tally();
    let allRefused = 0;
    for (let round = 0; round < rounds; round++) {
      const trouble = await whileAsking(service, async () => void (await run()));
      for (const seen of trouble.seen) tally.add(wrongWith(seen, trouble, size === 'short' ? BUSY : 1));
      const refused = trouble.seen.filter(({ status }) => status === 503).length;
      if (!mayRefuse(refused, trouble.seen.length)) tally.add(`${refused} times 503`);
      allRefused += refused;
      tally.add(isOver(trouble) ? undefined : 'no request was answered afterwards');
      const open = await connectionsOf(service.database_url, settleMs);
      connections.add(open <= MOST_CONNECTIONS ? undefined : `${open} connections after ${what}`);
    }
    report(what);
    results.push(tally.result(`requests amid: ${what}`, `${rounds} times; ${allRefused} times 503`));
  }
  return [...results, connections.result('looks at the connections afterwards')];
}
