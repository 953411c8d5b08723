// What each account has in flight where its cost is known only afterwards: one whose last work was small has
// no limit, any other has only a few at a time.

interface Share {
  inFlight: number;
  /** Whether the last that ended was small; absent before any has. */
  isSmall?: boolean;
}

export class Shares {
  readonly #large: number;
  readonly #unknown: number;
  readonly #shares = new Map<string, Share>();

  /** How much an account may have in flight whose last work was large, and one of which nothing is known. */
  constructor(large: number, unknown: number) {
    this.#large = large;
    this.#unknown = unknown;
  }

  /** All that is in flight. */
  get inFlight(): number {
    let sum = 0;
    for (const { inFlight } of this.#shares.values()) sum += inFlight;
    return sum;
  }

  mayBegin(account: string): boolean {
    const share = this.#shares.get(account);
    if (share === undefined || share.isSmall === true) return true;
    return share.inFlight < (share.isSmall === undefined ? this.#unknown : this.#large);
  }

  begin(account: string): void {
    const share = this.#shares.get(account);
    if (share === undefined) this.#shares.set(account, { inFlight: 1 });
    else share.inFlight += 1;
  }

  /** `isSmall`: `undefined` where what has ended shows nothing of it, such as what failed. */
  end(account: string, count: number, isSmall: boolean | undefined): void {
    const share = this.#shares.get(account);
    if (share === undefined) return;
    share.inFlight -= count;
    if (isSmall !== undefined) share.isSmall = isSmall;
  }

  /** Forgets an account of which nothing is queued, unless it has something in flight. */
  forget(account: string): void {
    if (this.#shares.get(account)?.inFlight === 0) this.#shares.delete(account);
  }
}
