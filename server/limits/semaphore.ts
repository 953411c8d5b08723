// A semaphore: at most `each` per key, `total` in all, given back by the function that `take` returns.

/** What may be taken of a semaphore; no limit where it is left out. */
export interface Quota {
  readonly each?: number | undefined;
  readonly total?: number | undefined;
}

/** Gives back what was taken; a second call does nothing. */
export type Release = () => void;

export class Semaphore {
  /** How often nothing was given, by the quota that was used up. */
  readonly refused = { each: 0, total: 0 };
  readonly #each: number;
  readonly #total: number;
  readonly #taken = new Map<string, number>();
  #inUse = 0;

  constructor({ each = Number.POSITIVE_INFINITY, total = Number.POSITIVE_INFINITY }: Quota) {
    this.#each = each;
    this.#total = total;
  }

  /** How much is taken, by all keys together. */
  get inUse(): number {
    return this.#inUse;
  }

  /**
   * Which quota leaves no room for a weight. One that is greater than a quota has room where nothing else is
   * taken of it: else it would never be served.
   */
  exceeded(key: string | undefined, weight = 1): 'each' | 'total' | undefined {
    const taken = key === undefined ? 0 : (this.#taken.get(key) ?? 0);
    if (taken > 0 && taken + weight > this.#each) return 'each';
    return this.#inUse > 0 && this.#inUse + weight > this.#total ? 'total' : undefined;
  }

  /** Takes a weight; `undefined` where a quota does not allow it. Without a key only the total counts. */
  take(key: string | undefined, weight = 1): Release | undefined {
    const exceeded = this.exceeded(key, weight);
    if (exceeded !== undefined) {
      this.refused[exceeded] += 1;
      return undefined;
    }
    this.#add(key, weight);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(key, -weight);
      isTaken = false;
    };
  }

  #add(key: string | undefined, weight: number): void {
    this.#inUse += weight;
    if (key === undefined) return;
    const taken = (this.#taken.get(key) ?? 0) + weight;
    if (taken === 0) this.#taken.delete(key);
    else this.#taken.set(key, taken);
  }
}
