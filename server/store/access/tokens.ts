// Tokens of customers (docs/generated/api.md, "Account and authentication") and of operators: made, listed,
// replaced, ended and revoked. Only a token's hash is ever stored.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { Values } from '../conditions.ts';
import {
  type ChangeStore,
  type EventOrigin,
  recordTokens,
  type TokenEvent,
  type TokenTable,
} from '../log/audit.ts';
import { type Statement, separate, statement } from '../sql.ts';
import type { ResultRow, Store } from '../store.ts';
import type { Stored } from '../tables.ts';
import { hashOfToken, isTokenText, newToken, newTokenId, type TokenPrefix } from '../token-text.ts';
import { lockAccount } from '../write-lock.ts';
import { listOf, type TokenListChoice } from './token-lists.ts';
import { type CustomerScope, hasExpired, type OperatorScope, SCOPES } from './token-scopes.ts';

/**
 * The kinds of tokens: a customer's reads the lists of one account, an operator's writes those of some
 * accounts or of all.
 */
export const TOKEN_KINDS = {
  customer: { table: 'tokens', prefix: 'lc_' },
  operator: { table: 'operator_tokens', prefix: 'lco_' },
} as const satisfies Record<keyof typeof SCOPES, { table: TokenTable; prefix: TokenPrefix }>;

export type TokenKind = keyof typeof TOKEN_KINDS;

const KINDS = Object.keys(TOKEN_KINDS) as TokenKind[];
export const DATES = ['created_at', 'expires_at', 'revoked_at', 'last_used_at'] as const;

/** What is known of a token, by its columns. */
export interface Token {
  id: string;
  name: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

export interface CustomerToken extends Token, CustomerScope {}
export interface OperatorToken extends Token, OperatorScope {}

export type TokenOf = { customer: CustomerToken; operator: OperatorToken };

export interface CreatedToken {
  readonly id: string;
  readonly token: string;
}

/** Whether a text has the form of such a token and its checksum is right. */
export const isTokenOf = (kind: TokenKind, text: string): boolean =>
  isTokenText(text, TOKEN_KINDS[kind].prefix);

interface TokenRequest {
  readonly name: string;
  /** Milliseconds since 1970, or `undefined` for never. */
  readonly expires_at?: number | undefined;
}

interface NewToken extends TokenRequest {
  readonly event?: TokenEvent;
  /** Who creates it, if not the user of a command. */
  readonly by?: EventOrigin | undefined;
  /** Whether a disabled account counts as one that does not exist. */
  readonly ofEnabled?: boolean;
}

/** Stores a new token; `undefined` when its account does not exist. */
export async function insertToken(
  store: Store,
  kind: TokenKind,
  scope: readonly Stored[],
  { name, expires_at, event = 'created', by, ofEnabled = false }: NewToken,
): Promise<CreatedToken | undefined> {
  const { table, prefix } = TOKEN_KINDS[kind];
  const id = newTokenId();
  const token = newToken(prefix);
  const expiry = expires_at === undefined ? null : timestampOf(expires_at);
  const values = new Values();
  const row = [id, name, hashOfToken(token), timestampOf(), expiry, ...scope].map((one) => values.bind(one));
  const account = kind === 'customer' ? (scope[0] as string) : undefined;
  const rows =
    account === undefined
      ? `values (${row.join(', ')})`
      : `select ${row.join(', ')} from accounts where id = ${values.bind(account)}${ofEnabled ? ' and disabled_at is null' : ''}`;
  // Waits for a deletion of the account, and keeps it from being deleted meanwhile.
  const lock = account === undefined ? [] : lockAccount(store, account, 'key share');
  const columns = ['id', 'name', 'hash', 'created_at', 'expires_at', ...SCOPES[kind].columns];
  // None can conflict. Without that clause Citus writes what it selects by COPY, which row security refuses.
  const text = `insert into ${table} (${columns.join(', ')}) ${rows} on conflict do nothing`;
  const insert = separate({ text, values: values.list });
  const changes = await store.write(...lock, insert, recordTokens(store, event, { table, id }, by));
  return changes[lock.length] === 1 ? { id, token } : undefined;
}

/**
 * Creates a token of an account; `undefined` when there is no such account.
 * @param expires_at milliseconds since 1970, or `undefined` for never.
 */
export function createToken(
  store: Store,
  account_id: string,
  name: string,
  expires_at?: number,
  more: Partial<Omit<CustomerScope, 'account_id'>> = {},
  by?: EventOrigin,
): Promise<CreatedToken | undefined> {
  const scope = SCOPES.customer.stored({ ...SCOPES.customer.none, ...more, account_id });
  return insertToken(store, 'customer', scope, { name, expires_at, by });
}

/** What an operator's token is created with; by default it may import, into all accounts. */
export interface OperatorTokenRequest extends TokenRequest {
  readonly accounts?: OperatorScope['accounts'] | undefined;
  readonly may?: OperatorScope['may'] | undefined;
  readonly limits?: Partial<Omit<OperatorScope, 'accounts' | 'may'>> | undefined;
}

export async function createOperatorToken(
  store: Store,
  { accounts = null, may = ['import'], limits, ...request }: OperatorTokenRequest,
): Promise<CreatedToken> {
  const scope = SCOPES.operator.stored({ ...SCOPES.operator.none, ...limits, accounts, may });
  return (await insertToken(store, 'operator', scope, request)) as CreatedToken;
}

const selectOf = (kind: TokenKind) =>
  `select id, name, ${[...DATES, ...SCOPES[kind].columns].join(', ')} from ${TOKEN_KINDS[kind].table}`;

export function tokenFrom<K extends TokenKind>(kind: K, [id, name, ...rest]: ResultRow): TokenOf[K] {
  const times = Object.fromEntries(DATES.map((date, i) => [date, rest[i]]));
  const scope = SCOPES[kind].read(rest.slice(DATES.length));
  return { id, ...scope, name, ...times } as TokenOf[K];
}

export const listStatement = (
  store: Pick<Store, 'dialect'>,
  kind: TokenKind,
  choice: TokenListChoice = {},
): Statement => listOf(store, selectOf(kind), kind === 'customer' ? 'account_id, ' : '', choice);

/** All tokens of a kind by age, those of customers by account first; or those of one account. */
export async function listTokens<K extends TokenKind>(
  store: Store,
  kind: K,
  account_id?: string,
): Promise<TokenOf[K][]> {
  const accounts = account_id === undefined ? undefined : [account_id];
  const [rows] = await store.read(listStatement(store, kind, { accounts }));
  return rows.map((row) => tokenFrom(kind, row));
}

/** The token of an id, of whichever kind it is. */
export async function findToken(
  store: ChangeStore,
  id: string,
): Promise<CustomerToken | OperatorToken | undefined> {
  for (const kind of KINDS) {
    const [[row]] = await store.read(statement(`${selectOf(kind)} where id = $1`, id));
    if (row !== undefined) return tokenFrom(kind, row);
  }
  return undefined;
}

/** The id of a token itself, which is at hand where it was leaked; `undefined` when it is none of these. */
export async function idOfToken(store: ChangeStore, token: string): Promise<string | undefined> {
  for (const kind of KINDS) {
    const text = `select id from ${TOKEN_KINDS[kind].table} where hash = $1`;
    const [[row]] = await store.read(statement(text, hashOfToken(token)));
    if (row !== undefined) return String(row[0]);
  }
  return undefined;
}

/**
 * Creates the successor of a token: of the same scope, limits and name, valid for as long as the other was
 * created for; `undefined` when the other is unknown, expired or revoked, or its account is deleted.
 */
export async function succeedToken(
  store: Store,
  id: string,
  by?: EventOrigin,
): Promise<(CreatedToken & { readonly old: CustomerToken | OperatorToken }) | undefined> {
  const old = await findToken(store, id);
  if (old === undefined || old.revoked_at !== null || hasExpired(old)) return undefined;
  const { name, created_at, expires_at: end } = old;
  const expires_at = end === null ? undefined : Date.now() + Date.parse(end) - Date.parse(created_at);
  const request = { name, expires_at, event: 'rotated' as const, by };
  const created =
    'account_id' in old
      ? await insertToken(store, 'customer', SCOPES.customer.stored(old), request)
      : await insertToken(store, 'operator', SCOPES.operator.stored(old), request);
  return created && { ...created, old };
}

/**
 * Changes the token of an id, `$1`, of whichever kind it is, and records that in the same transaction;
 * returns whether anything changed.
 */
async function change(
  store: ChangeStore,
  [event, by]: readonly [TokenEvent, by?: EventOrigin | undefined],
  id: string,
  textOf: (table: TokenTable) => string,
  ...values: string[]
): Promise<boolean> {
  // The role of the intake may not write those of operators.
  const kinds: readonly TokenKind[] = by?.origin === 'intake' ? ['customer'] : KINDS;
  const changes = kinds.flatMap((kind) => {
    const { table } = TOKEN_KINDS[kind];
    return [recordTokens(store, event, { table, id }, by), separate(statement(textOf(table), id, ...values))];
  });
  const changed = await store.write(...changes);
  return changed.some((rows, i) => i % 2 === 1 && rows === 1);
}

/** Ends a token at a time, in milliseconds since 1970, unless it ends before. */
export async function endToken(store: Store, id: string, ms: number, by?: EventOrigin): Promise<void> {
  const textOf = (table: TokenTable) =>
    `update ${table} set expires_at = $2 where id = $1 and (expires_at is null or expires_at > $2)`;
  await change(store, ['ending', by], id, textOf, timestampOf(ms));
}

/** Deletes a token that nobody has received. */
export async function forgetToken(store: Store, token_id: string): Promise<void> {
  await change(store, ['withdrawn'], token_id, (table) => `delete from ${table} where id = $1`);
}

/** Revokes a token for good: `revoked`, `already` when it was, or `unknown`. */
export async function revokeToken(
  store: ChangeStore,
  token_id: string,
  by?: EventOrigin,
): Promise<'revoked' | 'already' | 'unknown'> {
  const textOf = (table: TokenTable) =>
    `update ${table} set revoked_at = $2 where id = $1 and revoked_at is null`;
  if (await change(store, ['revoked', by], token_id, textOf, timestampOf())) return 'revoked';
  return (await findToken(store, token_id)) === undefined ? 'unknown' : 'already';
}
