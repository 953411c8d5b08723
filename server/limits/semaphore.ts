// A semaphore: at most `each` per key, `total` in all, given back by the function that `take` returns.

import type { Exceeded, Limit } from './limits.ts';
import { refusal } from './refusal.ts';

/** Gives back what was taken; a second call does nothing. */
export type Release = () => void;

export class Semaphore {
  /** How often nothing was given, by the maximum that was reached. */
  readonly refused: Record<Exceeded, number> = { each: 0, total: 0 };
  readonly #limit: Limit;
  readonly #each: number;
  readonly #total: number;
  readonly #taken = new Map<string, number>();
  #inUse = 0;

  /** There is no maximum where `each` or `total` is left out. */
  constructor(limit: Limit) {
    const { each = Number.POSITIVE_INFINITY, total = Number.POSITIVE_INFINITY } = limit;
    this.#limit = limit;
    this.#each = each;
    this.#total = total;
  }

  /** How much is taken, by all keys together. */
  get inUse(): number {
    return this.#inUse;
  }

  /**
   * Which maximum leaves no room for a weight. One that is greater than a maximum has room where nothing else
   * is taken of it: else it would never be served.
   */
  exceeded(key: string | undefined, weight = 1): Exceeded | undefined {
    const taken = key === undefined ? 0 : (this.#taken.get(key) ?? 0);
    if (taken > 0 && taken + weight > this.#each) return 'each';
    return this.#inUse > 0 && this.#inUse + weight > this.#total ? 'total' : undefined;
  }

  /** Takes a weight; `undefined` where a maximum is reached. Without a key only the total counts. */
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

  /** @throws {Problem} that of the limit, where a maximum is reached. */
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
