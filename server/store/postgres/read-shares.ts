// How much each owner may have in flight at one PostgreSQL server: sixty large pages of one account would
// hold up every other's.
//
// The reads of one owner are in all round trips but one at most, and next to those of others they are half of
// one. Large ones, whose rows take the thread for milliseconds, are limited while other owners read as well;
// without that contention there are as many as connections for them. A token that reads many accounts is in a
// quarter of all round trips, while other callers read as well.

import { limits, shareOf } from '../../limits/limits.ts';
import { Quotas } from '../../limits/quotas.ts';

/** Whose reads are about nobody's rows, and have no limit. */
export const NOBODY = '';

/** Reads of more rows are large. */
const LARGE_ROWS = 200;
/** How long there is contention after a read of another owner, or of another caller. */
const CONTENTION_MILLISECONDS = 1_000;

/** Who reads. */
export interface Reader {
  /** Whose rows. */
  readonly owner: string;
  /** A token that reads many accounts; `NOBODY` for any other. */
  readonly token: string;
  /** The token, or else the account whose rows they are; `NOBODY` where that is not known. */
  readonly caller: string;
}

export interface EndedRead extends Reader {
  readonly rowCount: number | undefined;
}

const isIn = (taken: readonly Reader[], key: 'owner' | 'token', value: string): boolean =>
  taken.some((one) => one[key] === value);

/** Whether several have read of late. */
class Contention {
  #last = NOBODY;
  #until = 0;

  note(one: string): void {
    if (one === this.#last || one === NOBODY) return;
    if (this.#last !== NOBODY) this.#until = performance.now() + CONTENTION_MILLISECONDS;
    this.#last = one;
  }

  get isOn(): boolean {
    return performance.now() <= this.#until;
  }
}

/** The round trips in flight, by whose reads are in them. */
class RoundTrips {
  readonly #counts = new Map<string, number>();

  of(one: string): number {
    return this.#counts.get(one) ?? 0;
  }

  count(one: string, more: number): void {
    const count = this.of(one) + more;
    if (count === 0) this.#counts.delete(one);
    else this.#counts.set(one, count);
  }
}

export class ReadShares {
  readonly #maxRoundTrips: number;
  readonly #maxOfToken: number;
  readonly #batchReads: number;
  readonly #shares = new Quotas(limits.largeReads.each, limits.firstReads.each);
  readonly #roundTrips = new RoundTrips();
  readonly #ofTokens = new RoundTrips();
  readonly #owners = new Contention();
  readonly #callers = new Contention();

  constructor({ connections, batchReads }: { readonly connections: number; readonly batchReads: number }) {
    this.#maxRoundTrips = Math.max(1, connections - 1);
    this.#maxOfToken = shareOf({ ...limits.manyAccountsReads, total: connections });
    this.#batchReads = batchReads;
  }

  /** Records that somebody reads. */
  note({ owner, caller }: Reader): void {
    this.#owners.note(owner);
    this.#callers.note(caller);
  }

  /**
   * Whether another read may be in flight, next to those `taken` for the same round trip; `isShared` where
   * reads of several owners are queued.
   */
  mayTake({ owner, token }: Reader, taken: readonly Reader[], isShared: boolean): boolean {
    if (owner === NOBODY) return true;
    if (!this.#shares.mayBegin(owner) && this.#owners.isOn) return false;
    if (token !== NOBODY && !isIn(taken, 'token', token) && !this.#mayBeginOf(token)) return false;
    if (!isIn(taken, 'owner', owner)) return this.#roundTrips.of(owner) < this.#maxRoundTrips;
    return !isShared || taken.filter((one) => one.owner === owner).length < this.#batchReads / 2;
  }

  #mayBeginOf(token: string): boolean {
    return this.#ofTokens.of(token) < (this.#callers.isOn ? this.#maxOfToken : this.#maxRoundTrips);
  }

  /** Records that a read is in flight, next to those `taken` before it for the same round trip. */
  take({ owner, token }: Reader, taken: readonly Reader[]): void {
    this.#shares.begin(owner);
    if (!isIn(taken, 'owner', owner)) this.#roundTrips.count(owner, 1);
    if (token !== NOBODY && !isIn(taken, 'token', token)) this.#ofTokens.count(token, 1);
  }

  /** Records that the reads of one round trip have ended; one that failed has no count. */
  end(reads: readonly EndedRead[], isQueued: (owner: string) => boolean): void {
    for (const token of new Set(reads.map((one) => one.token)))
      if (token !== NOBODY) this.#ofTokens.count(token, -1);
    for (const [owner, own] of Map.groupBy(reads, (one) => one.owner)) {
      this.#roundTrips.count(owner, -1);
      const counts = own.flatMap(({ rowCount }) => rowCount ?? []);
      this.#shares.end(owner, own.length, counts.length > 0 ? Math.max(...counts) <= LARGE_ROWS : undefined);
      if (!isQueued(owner)) this.forget(owner);
    }
  }

  /** Forgets an owner of which nothing is queued, unless it has reads in flight. */
  forget(owner: string): void {
    this.#shares.forget(owner);
  }
}
