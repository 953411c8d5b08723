// A cache of what the database says about callers: valid for one state of the database or, if the store has
// no state numbers, for a short time.

/** How long a lookup is cached if it takes a round trip. */
const CACHED_MILLISECONDS = 2_000;
const MAX_CACHED = 20_000;

/** What was found, or the lookup in flight that concurrent requests share. */
export type Cached<T> = T | Promise<T | undefined>;

interface Entry<T> {
  value: Cached<T>;
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
  readonly #entries = new Map<string, Entry<T>>();
  readonly #max: number;

  constructor(max = MAX_CACHED) {
    this.#max = max;
  }

  find(key: string, state: number | undefined): Cached<T> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.state !== state) return undefined;
    return state !== undefined || entry.until > performance.now() ? entry.value : undefined;
  }

  /** Caches a lookup and then its result; a lookup that finds nothing is removed. */
  set(key: string, state: number | undefined, lookup: Promise<T | undefined>): void {
    const now = performance.now();
    const until = state === undefined ? now + CACHED_MILLISECONDS : Number.POSITIVE_INFINITY;
    const value: Promise<T | undefined> =
      state === undefined ? lookup.then((found) => found && { ...found, revision: undefined }) : lookup;
    const entry: Entry<T> = { value, state, until };
    this.#entries.delete(key);
    this.#evict(now, state);
    this.#entries.set(key, entry);
    const drop = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
    value.then((found) => {
      if (found === undefined) drop();
      else entry.value = found;
    }, drop);
  }

  #evict(now: number, state: number | undefined): void {
    for (const [key, entry] of this.#entries) {
      const isValid = entry.until > now && entry.state === state;
      if (isValid && this.#entries.size < this.#max) return;
      this.#entries.delete(key);
    }
  }
}
