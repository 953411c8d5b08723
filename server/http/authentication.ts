// Authenticates requests (docs/generated/api.md, "Account and authentication") and records when each token is
// used. The token determines the account and, with the reach `tree`, the accounts below it; with
// that of an operator, each request names the account.

import { ACCOUNT_HEADER } from '@linecard/client/contract/addresses';
import { Problem } from '@linecard/client/contract/problems';
import type { NamedStatistics } from '../answers/cache.ts';
import { type Caller, callerOf, invalidToken, readingCallerOf } from '../store/access/callers.ts';
import { type Reason, Refusal, type RefusedToken } from '../store/access/refusals.ts';
import { Readings } from '../store/access/token-readings.ts';
import { hasExpired } from '../store/access/token-scopes.ts';
import { TokenUses } from '../store/access/token-uses.ts';
import { isTokenOf, TOKEN_KINDS } from '../store/access/tokens.ts';
import type { Store } from '../store/store.ts';
import { StoreGone } from '../store/store-errors.ts';
import { tokenFault } from '../store/token-text.ts';
import { isJwt, type Jwts } from './jwt/jwt.ts';
import { LookupCache } from './lookup-cache.ts';
import { type PeerSource, peerOf } from './peer.ts';
import { type AccountHeaders, ReachedAccounts } from './reached-account.ts';

const SCHEME = /^bearer(?: +|$)/i;
const BASIC = /^basic +([a-z0-9+/]+=*) *$/i;
/** What stands for no user name or password. */
const PLACEHOLDERS = ['', 'token'];
/** Together with the time in the cache, less than the 5 seconds within which a revocation takes effect. */
const FOLLOW_MILLISECONDS = 2_000;
/** Longer headers contain a token with extra white space, and are not cached. */
const MAX_CACHED_CHARACTERS = 80;
const unauthenticated = (detail: string, reason: Reason, token?: RefusedToken) =>
  new Refusal('unauthenticated', detail, reason, { token });

/**
 * The token of an Authorization header: alone, with the scheme Bearer, or as the user name or the password of
 * Basic (RFC 7617), which spreadsheets send. Empty if there is none; other text if it is malformed.
 */
export function credentialsOf(authorization = ''): string {
  const [, encoded] = BASIC.exec(authorization) ?? [];
  if (encoded === undefined) return authorization.replace(SCHEME, '').trim();
  const pair = Buffer.from(encoded, 'base64').toString();
  const colon = pair.indexOf(':');
  const [user, password] = [pair.slice(0, colon), pair.slice(colon + 1)];
  if (colon >= 0 && PLACEHOLDERS.includes(password)) return PLACEHOLDERS.includes(user) ? '' : user;
  return PLACEHOLDERS.includes(user) ? password : pair;
}

export class Authenticator {
  readonly #store: Store;
  readonly #reached: ReachedAccounts;
  readonly #cache: LookupCache<Caller> | undefined;
  /** By token: hashing it for each request would take a sixth of the time of a cached page. */
  readonly #jwtCache: LookupCache<Caller> | undefined;
  /** Access tokens of an identity provider, if there is one. */
  readonly jwts: Jwts | undefined;
  readonly uses = new TokenUses('customer');
  readonly readings = new Readings();

  /** `caches`: whether to cache callers even if the store can tell immediately that nothing has changed. */
  constructor(store: Store, caches: boolean, jwts?: Jwts) {
    this.#store = store;
    const isCached = caches || store.state === undefined;
    this.#cache = isCached ? new LookupCache() : undefined;
    this.#jwtCache = isCached && jwts !== undefined ? new LookupCache() : undefined;
    this.#reached = new ReachedAccounts(store, isCached);
    this.jwts = jwts;
  }

  get statistics(): readonly NamedStatistics[] {
    const caches = {
      tokens: this.#cache,
      verified_access_tokens: this.jwts,
      access_tokens: this.#jwtCache,
      reached_accounts: this.#reached,
    };
    return Object.entries(caches).flatMap(([cache, of]) =>
      of?.statistics === undefined ? [] : [{ cache, list: '', ...of.statistics }],
    );
  }

  /**
   * Returns the caller synchronously if it is cached.
   * @throws {Problem} `unauthenticated`; the detail says whether the token is missing, malformed or invalid,
   *   or which check of a JWT has failed. For a JWT also `forbidden` and `unavailable`.
   */
  caller(authorization: string | undefined): Caller | Promise<Caller> {
    const { jwts } = this;
    if (jwts !== undefined && authorization?.includes('.')) {
      const token = credentialsOf(authorization);
      if (isJwt(token)) {
        return this.#find(this.#jwtCache, token, () => jwts.caller(this.#store, token));
      }
    }
    const isLong = (authorization?.length ?? 0) > MAX_CACHED_CHARACTERS;
    const cache = isLong ? undefined : this.#cache;
    return this.#find(cache, authorization, async () => this.#lookUp(authorization));
  }

  /** @throws {Problem} `forbidden`, `invalid-parameter` */
  readerOf(caller: Caller, account: string | readonly string[]): Caller | Promise<Caller> {
    return this.#reached.reader(caller, account);
  }

  /** The caller of a request that was admitted, as it is now. */
  async current(headers: AccountHeaders): Promise<Caller> {
    const caller = await this.caller(headers.authorization);
    const account = headers[ACCOUNT_HEADER];
    return account === undefined ? caller : this.readerOf(caller, account);
  }

  recordUse(caller: Caller, from?: PeerSource): void {
    const { token_id, isUnused, issued, operator } = caller;
    if (operator !== undefined) this.readings.uses.record(token_id);
    else if (issued === undefined)
      this.uses.record(token_id, isUnused && from !== undefined ? peerOf(from) : undefined);
  }

  /** Records that a request reads the account that it names, or the list of all. */
  recordReading({ token_id, account_id, operator }: Caller, from: PeerSource): void {
    if (operator !== undefined) this.readings.record(token_id, account_id, peerOf(from));
  }

  /**
   * Checks periodically whether the token of a long request is still valid and may still read the account,
   * and calls `onInvalid` if not or if the database was removed. Returns a function that stops the checks.
   */
  follow(headers: AccountHeaders, onInvalid: (error: Problem | StoreGone) => void): () => void {
    const check = async () => {
      try {
        this.recordUse(await this.current(headers));
      } catch (error) {
        // If the store is unreachable, the token may still be valid.
        if (error instanceof Problem || error instanceof StoreGone) onInvalid(error);
      }
    };
    const timer = setInterval(() => void check(), FOLLOW_MILLISECONDS);
    return () => clearInterval(timer);
  }

  #find(
    cache: LookupCache<Caller> | undefined,
    key: string | undefined,
    lookUp: () => Promise<Caller | undefined>,
  ): Caller | Promise<Caller> {
    if (cache === undefined || key === undefined) return lookUp().then((found) => this.#admit(found));
    const state = this.#store.state?.();
    let found = cache.find(key, state);
    if (found === undefined) {
      found = lookUp();
      cache.set(key, state, found);
    }
    return found instanceof Promise ? found.then((caller) => this.#admit(caller)) : this.#admit(found);
  }

  async #lookUp(authorization: string | undefined): Promise<Caller> {
    const token = credentialsOf(authorization);
    if (isTokenOf('customer', token)) return callerOf(this.#store, token);
    if (!isTokenOf('operator', token)) throw this.#malformed(authorization, token);
    const found = await readingCallerOf(this.#store, token);
    if (found !== undefined && 'limits' in found) return found;
    // Alike whether an operator has such a token or not.
    throw this.#malformed(authorization, token, found);
  }

  #malformed(authorization: string | undefined, token: string, known?: RefusedToken): Refusal {
    if (token === '') {
      return unauthenticated(
        'The API token is missing. Send it as `Authorization: Bearer lc_…`.',
        'token_missing',
      );
    }
    const how = BASIC.test(authorization ?? '') ? ' Send it as the user name alone, without a password.' : '';
    const fault = tokenFault(token, TOKEN_KINDS.customer.prefix);
    const reason = known === undefined ? 'token_malformed' : 'token_purpose';
    return unauthenticated(`The API token is malformed: ${fault}${how}`, reason, known);
  }

  #admit(caller: Caller | undefined): Caller {
    if (caller === undefined) throw invalidToken('token_unknown');
    if (!hasExpired(caller)) return caller;
    const { issued, token_id, account_id } = caller;
    if (issued === undefined || this.jwts === undefined)
      throw invalidToken('token_expired', { token_id, account_id });
    throw this.jwts.refused('expired', { token_id, client: issued.name });
  }
}
