// How much each owner may have in flight at one PostgreSQL server: sixty large pages of one account would
// hold up every other's.
//
// The reads of one owner are in all round trips but one at most, and next to those of others they are half of
// one. Large ones, whose rows take the thread for milliseconds, are limited while other owners read as well;
// without that contention there are as many as connections for them.

import { limits } from '../../limits/limits.ts';
import { Quotas } from '../../limits/quotas.ts';

/** Whose reads are about nobody's rows, and have no limit. */
export const NOBODY = '';

/** Reads of more rows are large. */
const LARGE_ROWS = 200;
/** How long there is contention after a read of another owner. */
const CONTENTION_MILLISECONDS = 1_000;

export class ReadShares {
  readonly #maxRoundTrips: number;
  readonly #batchReads: number;
  readonly #shares = new Quotas(limits.largeReads.each, limits.firstReads.each);
  readonly #roundTrips = new Map<string, number>();
  #lastOwner = NOBODY;
  #contentionUntil = 0;

  constructor({ connections, batchReads }: { readonly connections: number; readonly batchReads: number }) {
    this.#maxRoundTrips = Math.max(1, connections - 1);
    this.#batchReads = batchReads;
  }

  /** Records that an owner reads. */
  note(owner: string): void {
    if (owner === this.#lastOwner || owner === NOBODY) return;
    if (this.#lastOwner !== NOBODY) this.#contentionUntil = performance.now() + CONTENTION_MILLISECONDS;
    this.#lastOwner = owner;
  }

  /**
   * Whether another read of an owner may be in flight, next to `count` of it in the same round trip;
   * `isShared` where reads of several owners are queued.
   */
  mayTake(owner: string, count: number, isShared: boolean): boolean {
    if (owner === NOBODY) return true;
    if (!this.#shares.mayBegin(owner) && performance.now() <= this.#contentionUntil) return false;
    if (count > 0) return !isShared || count < this.#batchReads / 2;
    return (this.#roundTrips.get(owner) ?? 0) < this.#maxRoundTrips;
  }

  /** Records that a read of an owner is in flight, as the first of it in a round trip or a further one. */
  take(owner: string, isFirst: boolean): void {
    this.#shares.begin(owner);
    if (isFirst) this.#countRoundTrip(owner, 1);
  }

  /** Records that the reads of an owner in one round trip have ended; one that failed has no count. */
  end(owner: string, reads: readonly { readonly rowCount: number | undefined }[], isQueued: boolean): void {
    this.#countRoundTrip(owner, -1);
    const counts = reads.flatMap(({ rowCount }) => rowCount ?? []);
    this.#shares.end(owner, reads.length, counts.length > 0 ? Math.max(...counts) <= LARGE_ROWS : undefined);
    if (!isQueued) this.forget(owner);
  }

  /** Forgets an owner of which nothing is queued, unless it has reads in flight. */
  forget(owner: string): void {
    this.#shares.forget(owner);
  }

  #countRoundTrip(owner: string, more: number): void {
    const count = (this.#roundTrips.get(owner) ?? 0) + more;
    if (count === 0) this.#roundTrips.delete(owner);
    else this.#roundTrips.set(owner, count);
  }
}
