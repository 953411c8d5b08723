// A cache of what the database says about callers: valid for one state of the database or, if the store has
// no state numbers, for a short time.

import { type CacheStatistics, ValueCache } from '../answers/cache.ts';

/** How long a lookup is cached if it takes a round trip. */
const CACHED_MILLISECONDS = 2_000;
/** Of about 20,000 tokens. */
const MAX_BYTES = 16_777_216;

/** What was found, or the lookup in flight that concurrent requests share. */
export type Cached<T> = T | Promise<T | undefined>;

interface Entry<T> {
  readonly value: Cached<T>;
  /** The state of the database when it was read; absent if the store has no state numbers. */
  readonly state: number | undefined;
  /** When it expires, on the clock of `performance.now`. */
  readonly until: number;
}

export interface OfAccount {
  /** The account's revision; absent if it may change while the entry is cached. */
  readonly revision: string | undefined;
}

export class LookupCache<T extends OfAccount> {
  readonly #entries: ValueCache<Entry<T>>;

  constructor(maxBytes = MAX_BYTES) {
    this.#entries = new ValueCache(maxBytes);
  }

  get statistics(): CacheStatistics {
    return this.#entries.statistics;
  }

  find(key: string, state: number | undefined): Cached<T> | undefined {
    const entry = this.#entries.find(key);
    const isValid =
      entry?.state === state && (state !== undefined || Number(entry?.until) > performance.now());
    this.#entries.count(isValid && entry !== undefined);
    return isValid ? entry?.value : undefined;
  }

  /** Caches a lookup and then its result; a lookup that finds nothing is removed. */
  set(key: string, state: number | undefined, lookup: Promise<T | undefined>): void {
    const until = state === undefined ? performance.now() + CACHED_MILLISECONDS : Number.POSITIVE_INFINITY;
    const value: Promise<T | undefined> =
      state === undefined ? lookup.then((found) => found && { ...found, revision: undefined }) : lookup;
    const entry: Entry<T> = { value, state, until };
    this.#entries.set(key, entry);
    const isCurrent = () => this.#entries.find(key) === entry;
    const drop = () => {
      if (isCurrent()) this.#entries.delete(key);
    };
    value.then((found) => {
      if (found === undefined) drop();
      else if (isCurrent()) this.#entries.set(key, { value: found, state, until });
    }, drop);
  }
}
