// Authorization header -> caller (docs/generated/api.md, "Authentication"), and when each token was last
// used. The account comes from the token and from nowhere else.

import { Problem } from '@linecard/client/contract/problems';
import type { FirstUse } from '../store/audit.ts';
import { type Caller, findCaller, invalidToken, recordUse } from '../store/callers.ts';
import type { Store } from '../store/store.ts';
import { StoreGone } from '../store/store-errors.ts';
import { hasExpired, isTokenOf } from '../store/tokens.ts';

const SCHEME = /^bearer(?: +|$)/i;
/** How long a caller is cached where a look-up is a round trip: a revoked token is refused soon enough. */
const CACHED_MILLISECONDS = 2_000;
/** With the time that a caller is cached it is less than the five seconds that a revocation may take. */
const FOLLOW_MILLISECONDS = 2_000;
const MAX_CACHED = 20_000;
/** A longer header is a token behind odd white space, and is not cached. */
const MAX_CACHED_CHARACTERS = 64;

const unauthenticated = (detail: string) => new Problem('unauthenticated', detail);

/** What an Authorization header carries, with or without a scheme; empty where there is nothing. */
export function credentialsOf(authorization: string | undefined): string {
  return authorization?.replace(SCHEME, '').trim() ?? '';
}

/** A caller, or a look-up in flight: many requests of one token make one. */
interface CachedCaller {
  caller: Caller | Promise<Caller | undefined>;
  /** The state of the database that the caller is true of; absent where the store has no such number. */
  readonly state: number | undefined;
  /** Until when, as `performance.now` counts, the caller is taken to be true. */
  readonly until: number;
}

/**
 * Callers by their header: valid for one state of the database or, where its state is not known, for a short
 * while.
 */
class CallerCache {
  /** The oldest first: they are evicted first. */
  readonly #entries = new Map<string, CachedCaller>();

  find(authorization: string, state: number | undefined): CachedCaller['caller'] | undefined {
    const entry = this.#entries.get(authorization);
    const isValid = entry !== undefined && entry.state === state && entry.until > performance.now();
    return isValid ? entry.caller : undefined;
  }

  /** Caches a look-up, and then its caller; one that finds nobody is dropped. */
  set(authorization: string, state: number | undefined, lookup: Promise<Caller | undefined>): void {
    const now = performance.now();
    const until = state === undefined ? now + CACHED_MILLISECONDS : Number.POSITIVE_INFINITY;
    // Without a state the account may have another revision by then, but its token is the same.
    const caller = state === undefined ? lookup.then(withoutRevision) : lookup;
    const entry: CachedCaller = { caller, state, until };
    this.#entries.delete(authorization);
    this.#evict(now, state);
    this.#entries.set(authorization, entry);
    const drop = () => {
      if (this.#entries.get(authorization) === entry) this.#entries.delete(authorization);
    };
    caller.then((found) => {
      if (found === undefined) drop();
      else entry.caller = found;
    }, drop);
  }

  /** Evicts what is no longer valid, and the oldest where there are too many. */
  #evict(now: number, state: number | undefined): void {
    for (const [authorization, entry] of this.#entries) {
      const isValid = entry.until > now && entry.state === state;
      if (isValid && this.#entries.size < MAX_CACHED) return;
      this.#entries.delete(authorization);
    }
  }
}

function withoutRevision(caller: Caller | undefined): Caller | undefined {
  return caller && { ...caller, revision: undefined };
}

/** Finds whose a request is, and notes that the token was used. */
export class Authenticator {
  readonly #store: Store;
  readonly #cache: CallerCache | undefined;
  /** Token id to milliseconds since 1970. */
  #used = new Map<string, number>();
  #firstUses = new Map<string, FirstUse>();
  /** How many requests were refused for their token, by reason. */
  readonly refused = { missing: 0, malformed: 0, invalid: 0 };

  /** `caches`: whether callers are cached where the store can tell at once that nothing has changed. */
  constructor(store: Store, caches: boolean) {
    this.#store = store;
    this.#cache = caches || store.state === undefined ? new CallerCache() : undefined;
  }

  /**
   * The caller of a request, without a promise where nothing must be read.
   * @throws {Problem} `unauthenticated`, which says whether the token is missing, malformed or not valid.
   */
  caller(authorization: string | undefined): Caller | Promise<Caller> {
    const cache = this.#cache;
    const isLong = (authorization?.length ?? 0) > MAX_CACHED_CHARACTERS;
    if (cache === undefined || authorization === undefined || isLong) return this.#lookUp(authorization);
    const state = this.#store.state?.();
    const cached = cache.find(authorization, state);
    if (cached === undefined) return this.#lookUp(authorization, cache, state);
    return cached instanceof Promise ? cached.then((found) => this.#admit(found)) : this.#admit(cached);
  }

  /** Notes where a token was used first from; that it was used is noted already. */
  noteFirstUse(token_id: string, peer: string): void {
    if (!this.#firstUses.has(token_id)) this.#firstUses.set(token_id, { at: Date.now(), peer });
  }

  /**
   * Looks from time to time whether the token of a request that takes long is still valid, and calls with
   * why not where it is not, or where what says so is gone. Returns how to end that.
   */
  follow(authorization: string | undefined, onInvalid: (error: Problem | StoreGone) => void): () => void {
    const look = async () => {
      try {
        await this.caller(authorization);
      } catch (error) {
        // A store that cannot be reached says nothing of the token.
        if (error instanceof Problem || error instanceof StoreGone) onInvalid(error);
      }
    };
    const timer = setInterval(() => void look(), FOLLOW_MILLISECONDS);
    return () => clearInterval(timer);
  }

  async #lookUp(authorization: string | undefined, cache?: CallerCache, state?: number): Promise<Caller> {
    const lookup = findCaller(this.#store, this.#tokenOf(authorization));
    cache?.set(authorization as string, state, lookup);
    return this.#admit(await lookup);
  }

  /** A token as an Authorization header carries it, with or without a scheme. */
  #tokenOf(authorization: string | undefined): string {
    const token = credentialsOf(authorization);
    if (isTokenOf('customer', token)) return token;
    if (token === '') {
      this.refused.missing += 1;
      throw unauthenticated('The API token is missing: send it as `Authorization: Bearer lc_…`.');
    }
    this.refused.malformed += 1;
    throw unauthenticated(
      'The API token is malformed: it is `lc_` and 42 letters and digits, and one of them is wrong or missing.',
    );
  }

  #admit(caller: Caller | undefined): Caller {
    if (caller === undefined || hasExpired(caller)) {
      this.refused.invalid += 1;
      throw invalidToken();
    }
    this.#used.set(caller.token_id, Date.now());
    return caller;
  }

  /**
   * Writes down when tokens were last used, in one transaction beside the requests.
   * @throws {StoreUnavailable} when the store is being written to; nothing is lost, the next call tries
   * again.
   */
  async noteUse(store: Store): Promise<void> {
    if (this.#used.size === 0) return;
    const [used, firstUses] = [this.#used, this.#firstUses];
    this.#used = new Map();
    this.#firstUses = new Map();
    try {
      await recordUse(store, 'customer', used, firstUses);
    } catch (error) {
      this.#used = new Map([...used, ...this.#used]);
      this.#firstUses = new Map([...this.#firstUses, ...firstUses]);
      throw error;
    }
  }

  get hasUse(): boolean {
    return this.#used.size > 0;
  }
}
