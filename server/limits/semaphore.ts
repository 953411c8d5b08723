// A weighted semaphore: at most `each` per key and `total` in all. `take` returns a function that releases.

import type { Exceeded, Limit } from './limits.ts';
import { refusal } from './refusal.ts';

/** Releases what was taken. Calling it again has no effect. */
export type Release = () => void;

export class Semaphore {
  /** Number of refusals, by the maximum that was reached. */
  readonly refused: Record<Exceeded, number> = { each: 0, total: 0 };
  readonly #limit: Limit;
  readonly #each: number;
  readonly #total: number;
  readonly #taken = new Map<string, number>();
  #inUse = 0;

  /** A missing `each` or `total` means no maximum. */
  constructor(limit: Limit) {
    const { each = Number.POSITIVE_INFINITY, total = Number.POSITIVE_INFINITY } = limit;
    this.#limit = limit;
    this.#each = each;
    this.#total = total;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /**
   * The maximum that taking a weight would exceed. A weight above a maximum is still granted if nothing else
   * is taken: otherwise it could never be served.
   */
  exceeded(key: string | undefined, weight = 1): Exceeded | undefined {
    const taken = key === undefined ? 0 : (this.#taken.get(key) ?? 0);
    if (taken > 0 && taken + weight > this.#each) return 'each';
    return this.#inUse > 0 && this.#inUse + weight > this.#total ? 'total' : undefined;
  }

  /**
   * Takes a weight, or returns `undefined` if a maximum is reached. Without a key, only the total applies.
   */
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

  /** @throws {Problem} if a maximum is reached. */
  mustTake(key: string | undefined, weight = 1): Release {
    const release = this.take(key, weight);
    if (release === undefined) throw refusal(this.#limit, this.exceeded(key, weight) ?? 'total');
    return release;
  }

  #add(key: string | undefined, weight: number): void {
    this.#inUse += weight;
    if (key === undefined) return;
    const taken = (this.#taken.get(key) ?? 0) + weight;
    if (taken === 0) this.#taken.delete(key);
    else this.#taken.set(key, taken);
  }
}
