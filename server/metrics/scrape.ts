// What the metrics of a process are read from: the parts that count, and what is read once for a scrape.

import type { Answers } from '../answers/answers.ts';
import type { ListIndexes } from '../answers/indexes.ts';
import { checkReadiness } from '../answers/readiness.ts';
import type { WorkerPool } from '../answers/threads/pool.ts';
import type { Authenticator } from '../http/authentication.ts';
import type { HttpCounts } from '../http/http.ts';
import type { Log } from '../log.ts';
import { lastImports } from '../store/audit-reading.ts';
import { readLogSizes } from '../store/change-log.ts';
import type { ServerFigures, Store } from '../store/store.ts';
import { tables } from '../store/tables.ts';

/** The parts of a process that count. */
export interface CountingParts {
  readonly store: Store;
  readonly answers: Answers;
  readonly indexes: ListIndexes;
  readonly workers: WorkerPool;
  readonly authenticator: Authenticator;
  readonly app: HttpCounts;
  readonly log: Log;
}

/** What a scrape reads: the parts, and what is looked up once for all metrics. */
export interface Scraped extends CountingParts {
  /** The last import of each list; `undefined` where the database cannot be read. */
  readonly imports: Awaited<ReturnType<typeof lastImports>> | undefined;
  /** Whether what requests read can be read. */
  readonly isUp: boolean;
  /** The size of the log of each list; `undefined` where it cannot be read. */
  readonly logs: Awaited<ReturnType<typeof readLogSizes>> | undefined;
  /** A database on a server; `undefined` for a file. */
  readonly server: ServerFigures | undefined;
}

const LISTS = Object.values(tables).map(({ list }) => list.name);

/** Never fails: a database that is down is what the metrics are wanted for. */
export async function scrape(parts: CountingParts): Promise<Scraped> {
  const { store } = parts;
  const orNothing = <T>(read: Promise<T>) => read.catch(() => undefined);
  const [imports, logs, isUp = false] = await Promise.all([
    orNothing(lastImports(store, LISTS)),
    store.showsOneAccount ? undefined : orNothing(readLogSizes(store)),
    orNothing(checkReadiness(store).then(() => true)),
  ]);
  return { ...parts, imports, logs, isUp, server: store.figures?.() };
}
