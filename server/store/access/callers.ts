// The token of a request -> its caller.

import { type AnyStatement, ofAccount } from '../sql.ts';
import type { ReadOnlyStore, Store } from '../store.ts';
import { soundTime } from '../stored-times.ts';
import type { Stored } from '../tables.ts';
import { hashOfToken } from '../token-text.ts';
import { type Reason, Refusal, type RefusedToken } from './refusals.ts';
import {
  hasExpired,
  ISSUED_SCOPES,
  type IssuedScope,
  LIMITS,
  type OperatorScope,
  SCOPES,
  type TokenLimits,
} from './token-scopes.ts';

/** The caller of a request: what a customer's valid token stands for. */
export interface Caller {
  readonly token_id: string;
  readonly account_id: string;
  /** The account's revision, if the token was looked up for this very request. */
  readonly revision: string | undefined;
  readonly expires_at: string | null;
  /** Whether no use of the token has been recorded yet. */
  readonly isUnused: boolean;
  readonly limits: TokenLimits;
  /** Of an access token that an identity provider issued; absent for a token of the database. */
  readonly issued?: IssuedToken | undefined;
  /** Of an operator's token, which reads as customers do. */
  readonly operator?: ReadingOperator | undefined;
}

export interface ReadingOperator {
  /** Of the token. */
  readonly name: string;
  readonly expires_at: string | null;
  /** Those that it reads; `null` for all. The request says which of them it reads. */
  readonly accounts: readonly string[] | null;
}

export interface IssuedToken {
  /** Of the client that it was issued to; empty if it does not say. */
  readonly name: string;
  readonly expires_at: string;
  /** If it is for several accounts: which. The request says which of them it reads. */
  readonly accounts?: readonly string[] | undefined;
}

/** The account of a caller that has not said yet which of its accounts it reads. No account has this id. */
export const NO_ACCOUNT = '';

export const mustNameAccount = ({ account_id }: Pick<Caller, 'account_id'>): boolean =>
  account_id === NO_ACCOUNT;

/** The token of a caller that may read several accounts; `undefined` for one that reads its own alone. */
export const tokenOfMany = ({
  token_id,
  limits,
  issued,
}: Pick<Caller, 'token_id' | 'limits' | 'issued'>): string | undefined =>
  limits.reach !== 'account' || issued?.accounts !== undefined ? token_id : undefined;

/** The store, if need be with the token of a caller who may read many accounts at each statement. */
export function storeFor<S extends ReadOnlyStore>(
  store: S,
  caller: Pick<Caller, 'token_id' | 'limits' | 'issued'>,
): ReadOnlyStore {
  const token = tokenOfMany(caller);
  // Reads of a file wait for no connection, of which a token could take too many.
  if (token === undefined || !store.isRemote) return store;
  const { dialect, isRemote, showsOneAccount } = store;
  return {
    dialect,
    isRemote,
    showsOneAccount,
    read: <const T extends readonly AnyStatement[]>(...statements: T) =>
      store.read(...(statements.map((one) => ({ ...one, token })) as readonly AnyStatement[] as T)),
    snapshot: () => store.snapshot(),
  };
}

/** The headers of a problem about what a caller may not see: the scope that an issued token lacks. */
export function scopeHeaders({ issued }: Pick<Caller, 'issued'>, scope: IssuedScope): Record<string, string> {
  if (issued === undefined) return {};
  return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${ISSUED_SCOPES[scope]}"` };
}

/** What an operator's valid token stands for. */
export interface Operator extends OperatorScope {
  readonly token_id: string;
}

/**
 * A token and its account, each `null` where there is none; a disabled account is none. The columns of the
 * limits follow.
 */
type FoundToken = readonly [
  token_id: string | null,
  account_id: string | null,
  revision: string,
  expires_at: string | null,
  last_used_at: string | null,
  /** Its account, whether that is disabled or not. */
  of: string,
  revoked_at: string | null,
  suspended_at: string | null,
  /** First when a sign-in began; null of another token. */
  ...limits: Stored[],
];

const STATE = `tokens.account_id, revoked_at, suspended_at, case when kind = 'sign_in' then tokens.created_at end`;

/**
 * Finds a token and its account. It always returns a row, so that a lost row is not taken for an unknown
 * token.
 */
async function lookUp(store: Store, hash: string): Promise<FoundToken> {
  const { dialect } = store;
  const [account, join] = dialect.isDistributed
    ? ['tokens.account_id, null', '']
    : [
        'accounts.id, revision',
        'left join accounts on accounts.id = tokens.account_id and disabled_at is null',
      ];
  const [[row]] = await store.read({
    text: `select wanted.hash, tokens.id, ${account}, expires_at, last_used_at, ${STATE}, ${LIMITS.columns.join(', ')}
      from (select cast($1 as text) as hash) as wanted left join tokens on tokens.hash = wanted.hash ${join}`,
    values: [hash],
    owner: { kind: 'token_hash', value: hash },
  });
  if (row === undefined) throw new Error('The look-up of a token returned no row.');
  const found = row as FoundToken;
  return dialect.isDistributed ? withAccount(store, found) : found;
}

/** A token that was found on one node, and its account, which may be on another. */
async function withAccount(
  store: Store,
  [token_id, account_id, revision, ...rest]: FoundToken,
): Promise<FoundToken> {
  if (account_id === null) return [token_id, account_id, revision, ...rest];
  const found = await findEnabled(store, account_id);
  return [token_id, found === undefined ? null : account_id, String(found), ...rest];
}

/** The revision of an account; `undefined` when it is unknown or disabled. */
export async function findEnabled(store: Store, account_id: string): Promise<string | undefined> {
  const text = 'select id, revision from accounts where id = $1 and disabled_at is null';
  const [[row]] = await store.read(ofAccount(account_id, text));
  return row && String(row[0]);
}

/**
 * The caller that a token stands for.
 * @throws {Refusal} `unauthenticated` when it is unknown, expired or revoked, or its account is disabled.
 */
export async function callerOf(store: Store, text: string): Promise<Caller> {
  const found = await lookUp(store, hashOfToken(text));
  const [token_id, account_id, revision, expires_at, last_used_at, of, revoked_at, suspended_at, ...rest] =
    found;
  const [signed_in_at, ...limits] = rest;
  if (token_id === null) throw invalidToken('token_unknown');
  const token = { token_id, account_id: of };
  if (revoked_at !== null) throw invalidToken('token_revoked', token);
  // One that began while a clock was ahead would last that much longer.
  const isSound = typeof signed_in_at !== 'string' || soundTime('sign_in', signed_in_at, Date.now()) !== null;
  if (hasExpired({ expires_at }) || !isSound) throw invalidToken('token_expired', token);
  if (suspended_at !== null || account_id === null) throw invalidToken('account_disabled', token);
  const isUnused = last_used_at === null;
  return { token_id, account_id, revision, expires_at, isUnused, limits: LIMITS.read(limits) };
}

/** The same, or `undefined` for a token that is refused. */
export function findCaller(store: Store, text: string): Promise<Caller | undefined> {
  return callerOf(store, text).catch((error: unknown) => {
    if (error instanceof Refusal) return undefined;
    throw error;
  });
}

type OperatorRow = [string, name: string, string | null, string | null, ...Stored[]];

/** The row of an operator's token; `undefined` when it is unknown. */
async function operatorRow(store: Store, token: string) {
  const columns = ['name', 'expires_at', 'revoked_at', ...SCOPES.operator.columns];
  const hash = hashOfToken(token);
  const [[row]] = await store.read({
    text: `select hash, id, ${columns.join(', ')} from operator_tokens where hash = $1`,
    values: [hash],
    owner: { kind: 'token_hash', value: hash },
  });
  if (row === undefined) return undefined;
  const [token_id, name, expires_at, revoked_at, ...scope] = row as OperatorRow;
  return { token_id, name, expires_at, revoked_at, scope: SCOPES.operator.read(scope) };
}

/**
 * The operator that a token stands for.
 * @throws {Refusal} `unauthenticated` when it is unknown, expired or revoked.
 */
export async function operatorOf(store: Store, token: string): Promise<Operator> {
  const found = await operatorRow(store, token);
  if (found === undefined) throw invalidOperator('token_unknown');
  const { token_id, scope } = found;
  if (found.revoked_at !== null) throw invalidOperator('token_revoked', { token_id });
  if (hasExpired(found)) throw invalidOperator('token_expired', { token_id });
  return { token_id, ...scope };
}

/**
 * The caller that an operator's token stands for; `undefined` if it is unknown, its id if it may not read.
 * @throws {Refusal} `unauthenticated` when it is expired or revoked.
 */
export async function readingCallerOf(
  store: Store,
  token: string,
): Promise<Caller | Pick<RefusedToken, 'token_id'> | undefined> {
  const found = await operatorRow(store, token);
  if (found === undefined) return undefined;
  const { token_id, name, expires_at, revoked_at, scope } = found;
  const { accounts, may, ...limits } = scope;
  if (!may.includes('read')) return { token_id };
  if (revoked_at !== null) throw invalidToken('token_revoked', { token_id });
  if (hasExpired(found)) throw invalidToken('token_expired', { token_id });
  const common = { token_id, account_id: NO_ACCOUNT, revision: undefined, expires_at, isUnused: false };
  return { ...common, limits: { ...limits, reach: 'operator' }, operator: { name, expires_at, accounts } };
}

function invalidOperator(reason: Reason, token?: RefusedToken): Refusal {
  const detail = 'The token is not valid: it is unknown, has expired or was revoked.';
  return new Refusal('unauthenticated', detail, reason, { token });
}

/** The problem of a token that is well-formed and invalid, or whose account was deleted. */
export function invalidToken(
  reason: 'token_unknown' | 'token_revoked' | 'token_expired' | 'account_disabled',
  token?: RefusedToken,
): Refusal {
  return new Refusal(
    'unauthenticated',
    'The API token is not valid: it is unknown, has expired or was revoked.',
    reason,
    { token },
  );
}
