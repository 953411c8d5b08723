// What each owner has under way at one PostgreSQL server, and whether it may have more: sixty large pages of
// one account would hold up every other's.
//
// The reads of one owner are in all round trips but one at most, and beside those of others they are half of
// one. Of large ones, whose rows take the thread for milliseconds, few are under way at a time; without
// contention, as many as there are connections for.

/** Whose reads are about nobody's rows, and have no limit. */
export const NOBODY = '';

/** So many large reads of one owner are under way at once; and so many of one whose size is not known yet. */
const [LARGE_AT_ONCE, UNKNOWN_AT_ONCE] = [2, 8];
/** Reads of more rows are large. */
const LARGE_ROWS = 200;
/** After a read of another owner there is contention for so long. */
const CONTENTION_MILLISECONDS = 1_000;

interface OwnerReads {
  roundTrips: number;
  reads: number;
  /** The most rows of a read of its last round trip; absent before the first. */
  rows?: number;
}

/** What comes back for one read. */
interface Rows {
  /** How many rows; `undefined` where it failed, which says nothing of how large it was. */
  readonly rowCount: number | undefined;
}

export class ReadShares {
  readonly #connections: number;
  readonly #batchReads: number;
  /** Of each owner that has reads under way. */
  readonly #shares = new Map<string, OwnerReads>();
  #lastOwner = NOBODY;
  #contentionUntil = 0;

  constructor({ connections, batchReads }: { readonly connections: number; readonly batchReads: number }) {
    this.#connections = connections;
    this.#batchReads = batchReads;
  }

  /** Notes that an owner asks. */
  note(owner: string): void {
    if (owner === this.#lastOwner || owner === NOBODY) return;
    if (this.#lastOwner !== NOBODY) this.#contentionUntil = performance.now() + CONTENTION_MILLISECONDS;
    this.#lastOwner = owner;
  }

  /**
   * Whether another read of an owner may be under way, beside so many of it in the same round trip;
   * `isShared` where reads of several owners are queued.
   */
  mayTake(owner: string, count: number, isShared: boolean): boolean {
    const share = this.#shares.get(owner);
    if (share === undefined || owner === NOBODY) return true;
    if (!this.#mayHaveMore(share)) return false;
    if (count > 0) return !isShared || count < this.#batchReads / 2;
    return share.roundTrips < Math.max(1, this.#connections - 1);
  }

  /** Notes that a read of an owner is under way, as the first of it in a round trip or a further one. */
  take(owner: string, isFirst: boolean): void {
    const share = this.#shares.get(owner) ?? { roundTrips: 0, reads: 0 };
    this.#shares.set(owner, share);
    share.reads += 1;
    if (isFirst) share.roundTrips += 1;
  }

  /** Notes that the reads of an owner in one round trip have ended. */
  end(owner: string, reads: readonly Rows[], isQueued: boolean): void {
    const share = this.#shares.get(owner);
    if (share === undefined) return;
    share.roundTrips -= 1;
    share.reads -= reads.length;
    const counts = reads.flatMap(({ rowCount }) => rowCount ?? []);
    if (counts.length > 0) share.rows = Math.max(...counts);
    if (!isQueued) this.forget(owner);
  }

  /** Forgets an owner of which nothing is queued, unless it has reads under way. */
  forget(owner: string): void {
    if (this.#shares.get(owner)?.reads === 0) this.#shares.delete(owner);
  }

  #mayHaveMore({ reads, rows }: OwnerReads): boolean {
    if (rows !== undefined && rows <= LARGE_ROWS) return true;
    if (reads < (rows === undefined ? UNKNOWN_AT_ONCE : LARGE_AT_ONCE)) return true;
    return performance.now() > this.#contentionUntil;
  }
}
