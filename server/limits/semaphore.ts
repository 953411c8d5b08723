// A weighted semaphore: at most `each` per key, a quarter of the total per token where it is shared, and
// `total` in all. `take` returns a function that releases.

import { type Full, type Limit, shareOf } from './limits.ts';
import { refusal } from './refusal.ts';

/** Releases what was taken. Calling it again has no effect. */
export type Release = () => void;

type Taken = Map<string, number>;

const takenBy = (taken: Taken, key: string | undefined) => (key === undefined ? 0 : (taken.get(key) ?? 0));

function count(taken: Taken, key: string | undefined, weight: number): void {
  if (key === undefined) return;
  const now = takenBy(taken, key) + weight;
  if (now === 0) taken.delete(key);
  else taken.set(key, now);
}

export class Semaphore {
  /** Number of refusals, by the maximum that was reached. */
  readonly refused: Record<Full, number> = { each: 0, share: 0, total: 0 };
  readonly #limit: Limit;
  readonly #each: number;
  readonly #share: number;
  readonly #total: number;
  readonly #taken = new Map<string, number>();
  readonly #takenByToken = new Map<string, number>();
  #inUse = 0;

  /** A missing `each` or `total` means no maximum. */
  constructor(limit: Limit) {
    const { each = Number.POSITIVE_INFINITY, total = Number.POSITIVE_INFINITY } = limit;
    this.#limit = limit;
    this.#each = each;
    this.#share = shareOf(limit);
    this.#total = total;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /**
   * The maximum that taking a weight would exceed. A weight above a maximum is still granted if nothing else
   * is taken: otherwise it could never be served.
   */
  exceeded(key: string | undefined, weight = 1, token?: string): Full | undefined {
    const taken = takenBy(this.#taken, key);
    if (taken > 0 && taken + weight > this.#each) return 'each';
    const ofToken = takenBy(this.#takenByToken, token);
    if (ofToken > 0 && ofToken + weight > this.#share) return 'share';
    return this.#inUse > 0 && this.#inUse + weight > this.#total ? 'total' : undefined;
  }

  /**
   * Takes a weight, or returns `undefined` if a maximum is reached. Without a key, only the others apply.
   * @param token that of the caller, or what stands for a subject of an issuer.
   */
  take(key: string | undefined, weight = 1, token?: string): Release | undefined {
    const exceeded = this.exceeded(key, weight, token);
    if (exceeded !== undefined) {
      this.refused[exceeded] += 1;
      return undefined;
    }
    this.#add(key, weight, token);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(key, -weight, token);
      isTaken = false;
    };
  }

  /** @throws {Problem} if a maximum is reached. */
  mustTake(key: string | undefined, weight = 1, token?: string): Release {
    const release = this.take(key, weight, token);
    if (release === undefined) throw refusal(this.#limit, this.exceeded(key, weight, token) ?? 'total');
    return release;
  }

  #add(key: string | undefined, weight: number, token: string | undefined): void {
    this.#inUse += weight;
    count(this.#taken, key, weight);
    count(this.#takenByToken, token, weight);
  }
}
