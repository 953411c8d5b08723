// The queue of reads from one PostgreSQL server: reads that wait for the same connection share a round trip,
// and each has an answer or a failure by its deadline.
//
// Why round trips are shared: a page costs PostgreSQL some 30 microseconds and a round trip the same again,
// so a busy server answers twice the requests in half the round trips. Only reads of a few milliseconds may
// share, since one waits for those before it. All of a batch see one snapshot, later than any request that it
// answers.
//
// Owners are served round robin, and each has a limit of what is in flight (read-shares.ts).
//
// Why the deadlines: a backend that was stopped answers nothing and refuses nothing. A read that waits too
// long fails, and its connection is destroyed, so that an answer that comes late cannot reach another
// request.

import type { Pool, PoolClient } from 'pg';
import { FairQueue } from '../../limits/fair-queue.ts';
import type { Statement } from '../sql.ts';
import type { ResultRow, ServerFigures } from '../store.ts';
import { ForeignRows, StoreRefused, StoreUnavailable } from '../store-errors.ts';
import { Batch, Preparations, type StatementResult } from './batch.ts';
import { type ConnectionSettings, drop, poolOf } from './connect.ts';
import { isStatementsFault, STALE_PLAN, sqlState, storeErrorOf } from './errors.ts';
import { NOBODY, type Reader, ReadShares } from './read-shares.ts';
import { FOR_READERS, reading } from './transaction.ts';

/**
 * A read that has waited for a connection for this share of its time has no chance of an answer in the rest
 * of it. Reads that share round trips need little of it once they are on their way.
 */
const waitingShare = ({ batchReads }: ConnectionSettings) => (batchReads > 1 ? 0.8 : 0.5);

/** What a connection is opened with. */
const OPTIONS = Object.entries(FOR_READERS)
  .map(([setting, value]) => `-c ${setting}=${value}`)
  .join(' ');

/** One read and the promise of its rows. */
class PendingRead implements Reader {
  readonly statements: readonly Statement[];
  /** Whose read it is, for the fair queue. */
  readonly owner: string;
  readonly token: string;
  readonly caller: string;
  readonly rows: Promise<ResultRow[][]>;
  /** When it stops waiting for a connection. */
  readonly waitsUntil: number;
  isOver = false;
  isRetry = false;
  /** How many rows came back. */
  rowCount: number | undefined;
  /** Breaks the round trip that it is part of. */
  interrupt: (() => void) | undefined;
  readonly #resolve: (rows: ResultRow[][]) => void;
  readonly #reject: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(statements: readonly Statement[], settings: ConnectionSettings) {
    const { timeoutMs } = settings;
    const { promise, resolve, reject } = Promise.withResolvers<ResultRow[][]>();
    this.statements = statements;
    const { kind, value = NOBODY } = statements.find(({ owner }) => owner !== undefined)?.owner ?? {};
    this.owner = value;
    this.token = statements.find(({ token }) => token !== undefined)?.token ?? NOBODY;
    // Other kinds look tokens up, for whom is not known.
    this.caller = this.token === NOBODY && kind === 'account_id' ? value : this.token;
    this.rows = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.waitsUntil = performance.now() + timeoutMs * waitingShare(settings);
    this.#timer = setTimeout(() => {
      this.fail(StoreUnavailable.late());
      this.interrupt?.();
    }, timeoutMs);
  }

  succeed(rows: ResultRow[][]): void {
    this.isOver = true;
    this.rowCount = rows.reduce((sum, { length }) => sum + length, 0);
    clearTimeout(this.#timer);
    this.#resolve(rows);
  }

  fail(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#reject(error);
  }
}

/**
 * A server that refuses the service while it runs may accept it again: a password is changed in two places.
 */
function transient(error: unknown): Error {
  const known = storeErrorOf(error);
  return known instanceof StoreRefused ? new StoreUnavailable(known.message, { cause: known }) : known;
}

function newPreparations({ pooler }: ConnectionSettings): Preparations {
  return new Preparations(pooler !== 'transaction');
}

export class ReadQueue {
  readonly #settings: ConnectionSettings;
  #preparations: Preparations;
  readonly #pool: Pool;
  readonly #queue = new FairQueue<PendingRead>();
  readonly #shares: ReadShares;
  #roundTrips = 0;
  #isClosed = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.#preparations = newPreparations(settings);
    this.#shares = new ReadShares(settings);
    const { pooler, timeoutMs } = settings;
    this.#pool = poolOf(settings, {
      connectionTimeoutMillis: timeoutMs * waitingShare(settings),
      // A pooler takes no settings for a session: there they come with each transaction.
      ...(pooler === 'none' ? { statement_timeout: timeoutMs, options: OPTIONS } : {}),
    });
  }

  read(statements: readonly Statement[]): Promise<ResultRow[][]> {
    const pending = new PendingRead(statements, this.#settings);
    if (this.#isClosed) pending.fail(new StoreUnavailable('The store is closed.'));
    else {
      this.#shares.note(pending);
      this.#queue.push(pending.owner, pending);
      this.#flush();
    }
    return pending.rows;
  }

  get figures(): Omit<ServerFigures, 'replicas'> {
    const { totalCount: open, idleCount } = this.#pool;
    return { waiting: this.#queue.length, open, busy: open - idleCount };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (let pending = this.#queue.take(); pending !== undefined; pending = this.#queue.take())
      pending.fail(new StoreUnavailable('The store is closed.'));
    await this.#pool.end();
  }

  /** Starts round trips while reads are queued and there is a connection for them. */
  #flush(): void {
    while (this.#roundTrips < this.#settings.connections) {
      const batch = this.#nextBatch();
      if (batch.length === 0) return;
      this.#roundTrips += 1;
      void this.#send(batch).finally(() => {
        this.#roundTrips -= 1;
        this.#shares.end(batch, (owner) => this.#queue.has(owner));
        this.#flush();
      });
    }
  }

  #nextBatch(): PendingRead[] {
    const batch: PendingRead[] = [];
    const now = performance.now();
    const isShared = this.#queue.accounts > 1;
    const mayTake = (_owner: string, next: PendingRead) => this.#shares.mayTake(next, batch, isShared);
    while (batch.length < this.#settings.batchReads) {
      const pending = this.#queue.take(mayTake);
      if (pending === undefined) return batch;
      const { owner } = pending;
      if (!pending.isOver && pending.waitsUntil > now) {
        this.#shares.take(pending, batch);
        batch.push(pending);
      } else {
        pending.fail(new StoreUnavailable('The database has more to do than it can.'));
        if (!this.#queue.has(owner)) this.#shares.forget(owner);
      }
    }
    return batch;
  }

  async #send(queued: readonly PendingRead[]): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      for (const pending of queued) pending.fail(transient(error));
      return;
    }
    const present = queued.filter(({ isOver }) => !isOver);
    const own = present.flatMap(({ statements }) => statements);
    const { statements, positions } = reading(this.#settings, own);
    const batch = new Batch(statements, this.#preparations);
    for (const pending of present) pending.interrupt = () => drop(client);
    const error = await batch.send(client);
    client.release(error !== undefined);
    // A table has changed since: the prepared statements of other connections are invalid as well.
    if (sqlState(error) === STALE_PLAN) this.#preparations = newPreparations(this.#settings);
    this.#settle(present, positions, batch.results, error);
  }

  /**
   * Settles each read of a round trip. A read without a result that did not cause the failure is queued
   * again: once, or each time if a statement of another read caused it, such as one that needs a lost node of
   * Citus.
   */
  #settle(
    batch: readonly PendingRead[],
    positions: readonly number[],
    results: readonly StatementResult[],
    error: unknown,
  ): void {
    const retries: PendingRead[] = [];
    const isStatements = isStatementsFault(error);
    const isAnothersFault = isStatements && positions.includes(results.length);
    let first = 0;
    for (const pending of batch) {
      pending.interrupt = undefined;
      const own = positions.slice(first, first + pending.statements.length);
      first += pending.statements.length;
      const isComplete = own.every((position) => position < results.length);
      const isToBlame = !isComplete && own.includes(results.length);
      if (pending.isOver) continue;
      if (error instanceof ForeignRows) pending.fail(error);
      else if (isComplete) pending.succeed(own.map((position) => results[position]?.rows ?? []));
      else if ((isToBlame && isStatements) || (pending.isRetry && !isAnothersFault))
        pending.fail(transient(error));
      else retries.push(pending);
    }
    for (const pending of retries.toReversed()) {
      pending.isRetry ||= !isAnothersFault;
      this.#queue.unshift(pending.owner, pending);
    }
  }
}
