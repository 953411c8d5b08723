// Access tokens of the operator's identity provider (docs/how-to/sign-in-with-your-identity-provider.md): a
// JWT -> its caller. A token is verified once; whether its account exists and is enabled is looked up as for
// any caller.

import { hash } from 'node:crypto';
import { Problem } from '@linecard/client/contract/problems';
import type { LocalJWKSet } from 'jose';
import { type CacheStatistics, ValueCache } from '../../answers/cache.ts';
import { type Caller, findEnabled, NO_ACCOUNT } from '../../store/access/callers.ts';
import { Refusal, type RefusedToken } from '../../store/access/refusals.ts';
import { hasExpired } from '../../store/access/token-scopes.ts';
import type { Store } from '../../store/store.ts';
import type { ProtectedResource } from '../protected-resource.ts';
import {
  ALGORITHMS,
  BadJwt,
  CHECKS,
  type Check,
  type ClaimRules,
  checkClaims,
  checkHeader,
  checkIssuer,
  jwtReason,
  subjectOf,
  type Verified,
  verifiedOf,
} from './claims.ts';
import { IssuerKeys, type KeyOptions } from './issuer-keys.ts';
import type { KeySource } from './key-source.ts';

type Jose = typeof import('jose');

const MAX_CHARACTERS = 8_192;
/** Of about 20,000 access tokens, or of 2,000 that name 50 accounts each. */
const MAX_CACHED_BYTES = 16_777_216;
/** Keys that are tried for a token that does not say which it is signed with. */
const MAX_KEYS = 8;
/** The current set, one that is being fetched, and one that is fetched for the key. */
const MAX_SETS = 3;

const NAMES_NONE = 'The access token names no account. The operator can say which claim must have its id.';
const NOT_THERE = 'The account that the access token names does not exist or is disabled.';

export interface JwtSettings extends ClaimRules, KeySource, ProtectedResource {}

/** Whether a bearer token has the form of a JWT. */
export const isJwt = (text: string): boolean => text.split('.', 4).length === 3;

const OUTCOMES = ['accepted', ...(Object.keys(CHECKS) as Check[]), 'account', 'unavailable'] as const;
type Outcome = (typeof OUTCOMES)[number];

export class Jwts {
  readonly #settings: JwtSettings;
  readonly #jose: Jose;
  readonly #keys: IssuerKeys;
  /** By SHA-256. */
  readonly #verified = new ValueCache<Verified>(MAX_CACHED_BYTES);
  /** How checks ended: a token that is cached is not checked again. */
  readonly outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;

  private constructor(settings: JwtSettings, jose: Jose, options: Omit<KeyOptions, 'setOf'>) {
    this.#settings = settings;
    this.#jose = jose;
    this.#keys = new IssuerKeys(settings, { ...options, setOf: jose.createLocalJWKSet });
  }

  static async open(settings: JwtSettings, options: Omit<KeyOptions, 'setOf'>): Promise<Jwts> {
    return new Jwts(settings, await import('jose'), options);
  }

  get keysAgeSeconds(): number | undefined {
    return this.#keys.ageSeconds;
  }

  get statistics(): CacheStatistics {
    return this.#verified.statistics;
  }

  close(): void {
    this.#keys.close();
  }

  /** @throws {Problem} `unauthenticated`, `forbidden`, `unavailable` */
  async caller(store: Store, token: string): Promise<Caller> {
    const { limits, expires_at, token_id, name, accounts } = await this.#verify(token);
    const common = { token_id, expires_at, isUnused: false, limits };
    const issued = { name, expires_at };
    if (Array.isArray(accounts))
      return { ...common, account_id: NO_ACCOUNT, revision: undefined, issued: { ...issued, accounts } };
    const account_id = accounts as string | undefined;
    const revision = account_id === undefined ? undefined : await findEnabled(store, account_id);
    if (account_id !== undefined && revision !== undefined)
      return { ...common, account_id, revision, issued };
    this.outcomes.account += 1;
    throw new Refusal('forbidden', account_id === undefined ? NAMES_NONE : NOT_THERE, 'jwt_account', {
      token: { token_id, account_id, client: name },
    });
  }

  /** The problem of a JWT that failed a check (RFC 6750, section 3.1). */
  refused(check: Check, token?: RefusedToken): Refusal {
    this.outcomes[check] += 1;
    const description = `The access token is not valid (${check}): ${CHECKS[check]}.`;
    const challenge = `Bearer error="invalid_token", error_description="${description}"`;
    return new Refusal('unauthenticated', description, jwtReason(check), {
      headers: { 'www-authenticate': challenge },
      token,
    });
  }

  async #verify(token: string): Promise<Verified> {
    const key = hash('sha256', token, 'base64url');
    const cached = this.#verified.find(key);
    const isValid = cached !== undefined && !hasExpired(cached);
    this.#verified.count(isValid);
    if (isValid) return cached;
    this.#verified.delete(key);
    try {
      const verified = await this.#check(token);
      this.#verified.set(key, verified);
      this.outcomes.accepted += 1;
      return verified;
    } catch (error) {
      if (error instanceof BadJwt) throw this.refused(error.check, error.token);
      if (error instanceof Problem) this.outcomes.unavailable += 1;
      throw error;
    }
  }

  async #check(token: string): Promise<Verified> {
    const rules = this.#settings;
    const { decodeJwt, decodeProtectedHeader } = this.#jose;
    if (token.length > MAX_CHARACTERS) throw new BadJwt('form');
    let claims: ReturnType<Jose['decodeJwt']>;
    try {
      checkHeader(decodeProtectedHeader(token));
      claims = decodeJwt(token);
    } catch (error) {
      throw error instanceof BadJwt ? error : new BadJwt('form', { cause: error });
    }
    // First, so that tokens of others fetch no keys.
    checkIssuer(claims, rules);
    await this.#checkSignature(token);
    try {
      checkClaims(claims, rules);
      return verifiedOf(claims, rules);
    } catch (error) {
      throw error instanceof BadJwt ? new BadJwt(error.check, {}, subjectOf(claims, rules)) : error;
    }
  }

  /** @throws {BadJwt} @throws {Problem} `unavailable` */
  async #checkSignature(token: string): Promise<void> {
    const { JWKSNoMatchingKey } = this.#jose.errors;
    let set: LocalJWKSet | undefined = await this.#keys.current();
    for (let tries = 0; set !== undefined && tries < MAX_SETS; tries += 1) {
      try {
        await this.#checkWith(set, token);
        return;
      } catch (error) {
        // Whatever else is wrong with a key or a signature, it is not valid.
        if (!(error instanceof JWKSNoMatchingKey)) throw new BadJwt('signature', { cause: error });
      }
      set = await this.#keys.newerThan(set);
    }
    throw new BadJwt('signature');
  }

  async #checkWith(set: LocalJWKSet, token: string): Promise<void> {
    const { compactVerify, errors } = this.#jose;
    const options = { algorithms: ALGORITHMS };
    try {
      await compactVerify(token, set, options);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      let tries = 0;
      for await (const key of error) {
        tries += 1;
        const isValid = await compactVerify(token, key, options).then(
          () => true,
          () => false,
        );
        if (isValid) return;
        if (tries === MAX_KEYS) break;
      }
      throw error;
    }
  }
}
