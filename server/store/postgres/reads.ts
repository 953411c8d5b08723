// What is read from one PostgreSQL server: reads that wait for the same connection share a trip, and each has an answer or
// a failure by its deadline. It must not know what is read.
//
// Why trips are shared: a page costs PostgreSQL some 30 microseconds and a trip as much again, so a server that is busy
// answers twice as many requests in half as many trips. Only reads of a few milliseconds may share, since one waits for
// those before it. All of a trip see one moment, later than any request that it answers.
//
// Why the deadlines: a backend that was stopped answers nothing and refuses nothing. Whoever waits too long is told so, and
// the connection is destroyed, so that an answer that comes late cannot reach anybody.

import type { Pool, PoolClient } from 'pg';
import type { Statement } from '../sql.ts';
import { type Row, StoreRefused, StoreUnavailable } from '../store.ts';
import { Batch, ForeignAnswer, type Outcome, Preparations } from './batch.ts';
import { drop, poolOf, type Settings } from './connect.ts';
import { isConnectionsFault, STALE_PLAN, sqlState, troubleOf } from './errors.ts';
import { reading } from './transaction.ts';

/**
 * Whoever has waited for a connection for this share of the time has no chance of an answer in the rest of it. Reads that
 * share trips need little of it once they are on their way.
 */
const waitingShare = ({ together }: Settings) => (together > 1 ? 0.8 : 0.5);

/** One read and whoever waits for it. */
class Asking {
  readonly statements: readonly Statement[];
  readonly answer: Promise<Row[][]>;
  /** When it stops waiting for a connection. */
  readonly waits_until: number;
  over = false;
  tried = false;
  /** Breaks the trip that it is on. */
  interrupt: (() => void) | undefined;
  readonly #resolve: (rows: Row[][]) => void;
  readonly #reject: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(statements: readonly Statement[], settings: Settings) {
    const { timeout_ms } = settings;
    const { promise, resolve, reject } = Promise.withResolvers<Row[][]>();
    this.statements = statements;
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.waits_until = performance.now() + timeout_ms * waitingShare(settings);
    this.#timer = setTimeout(() => {
      this.fail(new StoreUnavailable('The database did not answer in time.'));
      this.interrupt?.();
    }, timeout_ms);
  }

  succeed(rows: Row[][]): void {
    this.over = true;
    clearTimeout(this.#timer);
    this.#resolve(rows);
  }

  fail(error: Error): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.#timer);
    this.#reject(error);
  }
}

/** A server that turns the service away while it runs may take it back: a password is changed in two places. */
function passing(error: unknown): Error {
  const trouble = troubleOf(error);
  return trouble instanceof StoreRefused
    ? new StoreUnavailable(trouble.message, { cause: trouble })
    : trouble;
}

function newPreparations({ pooler }: Settings): Preparations {
  return new Preparations(pooler !== 'transaction');
}

export class Reads {
  readonly #settings: Settings;
  #preparations: Preparations;
  readonly #pool: Pool;
  #waiting: Asking[] = [];
  #trips = 0;
  #closed = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#preparations = newPreparations(settings);
    const { pooler, timeout_ms } = settings;
    this.#pool = poolOf(settings, {
      connectionTimeoutMillis: timeout_ms * waitingShare(settings),
      // A pooler takes no settings for a session: there they come with each transaction.
      ...(pooler === 'none' ? { statement_timeout: timeout_ms } : {}),
    });
  }

  /** @throws {StoreUnavailable} */
  read(statements: readonly Statement[]): Promise<Row[][]> {
    const asking = new Asking(statements, this.#settings);
    if (this.#closed) asking.fail(new StoreUnavailable('The store is closed.'));
    else {
      this.#waiting.push(asking);
      this.#send();
    }
    return asking.answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const asking of this.#waiting) asking.fail(new StoreUnavailable('The store is closed.'));
    this.#waiting = [];
    await this.#pool.end();
  }

  /** Starts trips while there is somebody waiting and a connection to be had. */
  #send(): void {
    while (this.#trips < this.#settings.connections) {
      const company = this.#nextCompany();
      if (company.length === 0) return;
      this.#trips += 1;
      void this.#travel(company).finally(() => {
        this.#trips -= 1;
        this.#send();
      });
    }
  }

  #nextCompany(): Asking[] {
    const company: Asking[] = [];
    const now = performance.now();
    let taken = 0;
    for (; taken < this.#waiting.length && company.length < this.#settings.together; taken++) {
      const asking = this.#waiting[taken] as Asking;
      if (asking.over) continue;
      if (asking.waits_until > now) company.push(asking);
      else asking.fail(new StoreUnavailable('The database has more to do than it can.'));
    }
    this.#waiting.splice(0, taken);
    return company;
  }

  async #travel(company: readonly Asking[]): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      for (const asking of company) asking.fail(passing(error));
      return;
    }
    const present = company.filter(({ over }) => !over);
    const asked = present.flatMap(({ statements }) => statements);
    const { statements, places } = reading(this.#settings, asked);
    const batch = new Batch(statements, this.#preparations);
    for (const asking of present) asking.interrupt = () => drop(client);
    const error = await batch.travel(client);
    client.release(error !== undefined);
    // A table has changed since: what is prepared on other connections is of no more use either.
    if (sqlState(error) === STALE_PLAN) this.#preparations = newPreparations(this.#settings);
    this.#handOut(present, places, batch.outcomes, error);
  }

  /** Gives each its part of a trip; one whose part did not come, through no fault of its own, goes once more. */
  #handOut(
    company: readonly Asking[],
    places: readonly number[],
    outcomes: readonly Outcome[],
    error: unknown,
  ): void {
    const again: Asking[] = [];
    let first = 0;
    for (const asking of company) {
      asking.interrupt = undefined;
      const mine = places.slice(first, first + asking.statements.length);
      first += asking.statements.length;
      const complete = mine.every((place) => place < outcomes.length);
      const to_blame = !complete && mine.some((place) => place === outcomes.length);
      if (asking.over) continue;
      if (error instanceof ForeignAnswer) asking.fail(error);
      else if (complete) asking.succeed(mine.map((place) => outcomes[place]?.rows ?? []));
      else if (asking.tried || (to_blame && !isConnectionsFault(error))) asking.fail(passing(error));
      else again.push(asking);
    }
    for (const asking of again) asking.tried = true;
    this.#waiting.unshift(...again);
  }
}
