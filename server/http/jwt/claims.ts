// What a JWT must say, and what follows from it: pure functions over its header and its claims.

import { createHash } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { accountIdFault } from '../../store/access/accounts.ts';
import type { Reason, RefusedToken } from '../../store/access/refusals.ts';
import { ISSUED_SCOPES, NO_LIMITS, type TokenLimits } from '../../store/access/token-scopes.ts';
import { type ListName, tables } from '../../store/tables.ts';

const CLOCK_SECONDS = 30;
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];
const MAX_ACCOUNTS = 50;
const TOKEN_ID_CHARACTERS = 16;
const LISTS = Object.keys(tables) as ListName[];

export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];

/** The checks of a JWT, in order, and what it means that one fails. */
export const CHECKS = {
  form: 'it is not a JWT that this service accepts',
  issuer: 'it was issued by another identity provider than the one of this service',
  signature: 'it is not signed with a key of the identity provider, or with another algorithm',
  audience: 'it was issued for another service',
  expired: 'it has expired. Request a new one',
  'not yet valid': 'it is not valid yet. Compare the clocks',
  lifetime: 'it is valid for longer than this service accepts, or does not say since when',
} as const;

export type Check = keyof typeof CHECKS;

/** A JWT that failed a check. */
export class BadJwt extends Error {
  override readonly name = 'BadJwt';
  readonly check: Check;
  /** Whose it is, if its signature holds. */
  readonly token: RefusedToken | undefined;

  constructor(check: Check, options?: ErrorOptions, token?: RefusedToken) {
    super(CHECKS[check], options);
    this.check = check;
    this.token = token;
  }
}

/** The reason of a refusal for a check. */
export const jwtReason = (check: Check): Reason => `jwt_${check.replaceAll(' ', '_')}`;
/** The reasons of access tokens. */
export const JWT_REASONS = [...(Object.keys(CHECKS) as Check[]).map(jwtReason), 'jwt_account'];

export interface ClaimRules {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly maxLifetimeMs: number;
  readonly accountClaim: string;
  /** Whether scopes limit lists and charges. */
  readonly scopes: boolean;
}

type Claims = Readonly<Record<string, unknown>>;

/** Without the header fields that name a key (`jku`, `x5u`, `jwk`, `x5c`): only keys of the issuer count. */
export function checkHeader({ alg, typ, crit }: Claims): void {
  const type = typeof typ === 'string' ? typ.toLowerCase() : typ;
  if (crit !== undefined || !TYPES.includes(type)) throw new BadJwt('form');
  if (!ALGORITHMS.includes(String(alg))) throw new BadJwt('signature');
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** What no key is needed for. */
export function checkIssuer({ iss }: Claims, { issuer }: ClaimRules): void {
  if (iss !== issuer) throw new BadJwt('issuer');
}

/** @param now milliseconds since 1970 */
export function checkClaims(claims: Claims, rules: ClaimRules, now = Date.now()): void {
  const { aud, exp, nbf, iat, cnf } = claims;
  const seconds = now / 1_000;
  // A token that is bound to a key (RFC 9449, RFC 8705) must not be accepted from who lacks the key.
  if (cnf !== undefined || !isTime(exp)) throw new BadJwt('form');
  if (![aud].flat().some((one) => rules.audiences.includes(one as string))) throw new BadJwt('audience');
  if (exp <= seconds) throw new BadJwt('expired');
  for (const time of [nbf, iat]) {
    if (time === undefined) continue;
    if (!isTime(time)) throw new BadJwt('form');
    if (time > seconds + CLOCK_SECONDS) throw new BadJwt('not yet valid');
  }
  if (!isTime(iat) || exp - iat > rules.maxLifetimeMs / 1_000) throw new BadJwt('lifetime');
}

/** A claim by its name, which may contain dots, or by its path. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

function accountOf(value: unknown): string | undefined {
  const id = Number.isSafeInteger(value) ? String(value) : value;
  return typeof id === 'string' && accountIdFault(id) === undefined ? id : undefined;
}

/** The account of a token, or the accounts if the claim is a list; `undefined` if it is not valid. */
function accountsOf(value: unknown): string | readonly string[] | undefined {
  if (!Array.isArray(value)) return accountOf(value);
  const accounts = value.map(accountOf).filter((one) => one !== undefined);
  const isValid = value.length > 0 && value.length <= MAX_ACCOUNTS && accounts.length === value.length;
  return isValid ? [...new Set(accounts)] : undefined;
}

function scopesOf({ scope, scp }: Claims): readonly string[] {
  return [scope, scp].flat().flatMap((one) => (typeof one === 'string' ? one.split(' ') : []));
}

function limitsOf(claims: Claims, { scopes }: ClaimRules): TokenLimits {
  const given = scopesOf(claims);
  const reach = given.includes(ISSUED_SCOPES.tree) ? 'tree' : 'account';
  if (!scopes) return reach === NO_LIMITS.reach ? NO_LIMITS : { ...NO_LIMITS, reach };
  const lists = LISTS.filter((list) => given.includes(ISSUED_SCOPES[list]));
  const charges = given.includes(ISSUED_SCOPES.charges);
  return { ...NO_LIMITS, lists: lists.length === LISTS.length ? null : lists, charges, reach };
}

/** What a valid JWT stands for. */
export interface Verified {
  /** The same for all tokens of a subject. */
  readonly token_id: string;
  /** Of the client that the token was issued to; empty if it does not say. */
  readonly name: string;
  readonly expires_at: string;
  readonly accounts: string | readonly string[] | undefined;
  readonly limits: TokenLimits;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** A digest of issuer and subject, and the client; `undefined` if the claims name no subject. */
export function subjectOf(
  claims: Claims,
  { issuer }: ClaimRules,
): { readonly token_id: string; readonly client: string } | undefined {
  const client = textOf(claims['client_id']) || textOf(claims['azp']);
  const subject = textOf(claims['sub']) || client;
  if (subject === '') return undefined;
  const digest = createHash('sha256').update(`${issuer}\0${subject}`).digest('base64url');
  return { token_id: digest.slice(0, TOKEN_ID_CHARACTERS), client };
}

/** Of claims that were checked. */
export function verifiedOf(claims: Claims, rules: ClaimRules): Verified {
  const subject = subjectOf(claims, rules);
  if (subject === undefined) throw new BadJwt('form');
  return {
    token_id: subject.token_id,
    name: subject.client,
    expires_at: timestampOf(Number(claims['exp']) * 1_000),
    accounts: accountsOf(claimOf(claims, rules.accountClaim)),
    limits: limitsOf(claims, rules),
  };
}
