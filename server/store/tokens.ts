// Tokens of customers (docs/generated/api.md, "Authentication") and of operators
// (docs/how-to/import-files.md, "Over HTTP"): made, listed, replaced, ended and revoked. Only a token's hash
// is ever stored.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { lockAccount } from './accounts.ts';
import { type ChangeStore, recordTokens, type TokenEvent, type TokenTable } from './audit.ts';
import { Values } from './conditions.ts';
import { separate, template } from './sql.ts';
import type { ResultRow, Store } from './store.ts';
import { hashOfToken, isTokenText, newToken, newTokenId, type TokenPrefix } from './token-text.ts';

/**
 * The kinds of tokens: a customer's reads the lists of one account, an operator's writes those of some
 * accounts or of all. `scope` is the column that says of which.
 */
export const TOKEN_KINDS = {
  customer: { table: 'tokens', prefix: 'lc_', scope: 'account_id' },
  operator: { table: 'operator_tokens', prefix: 'lco_', scope: 'accounts' },
} as const satisfies Record<string, { table: TokenTable; prefix: TokenPrefix; scope: string }>;

export type TokenKind = keyof typeof TOKEN_KINDS;

const KINDS = Object.keys(TOKEN_KINDS) as TokenKind[];
const DATES = ['created_at', 'expires_at', 'revoked_at', 'last_used_at'] as const;

/** What is known of a token, by its columns. */
export interface Token {
  id: string;
  name: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

export interface CustomerToken extends Token {
  account_id: string;
}

export interface OperatorToken extends Token {
  /** The accounts that it may write; `null` for all. */
  accounts: readonly string[] | null;
}

type TokenOf = { customer: CustomerToken; operator: OperatorToken };

export interface CreatedToken {
  readonly id: string;
  readonly token: string;
}

/** Whether a text has the form of such a token and its checksum is right. */
export function isTokenOf(kind: TokenKind, text: string): boolean {
  return isTokenText(text, TOKEN_KINDS[kind].prefix);
}

/** Stores a new token; `undefined` when its account does not exist. */
async function insertToken(
  store: Store,
  kind: TokenKind,
  scope: string | null,
  {
    name,
    expires_at,
    event = 'created',
  }: { name: string; expires_at?: number | undefined; event?: TokenEvent },
): Promise<CreatedToken | undefined> {
  const { table, prefix, scope: column } = TOKEN_KINDS[kind];
  const id = newTokenId();
  const token = newToken(prefix);
  const expiry = expires_at === undefined ? null : timestampOf(expires_at);
  const values = new Values(store.dialect);
  const row = [id, scope, name, hashOfToken(token), timestampOf(), expiry].map((one) => values.bind(one));
  const account = kind === 'customer' ? scope : null;
  const rows =
    account === null
      ? `values (${row.join(', ')})`
      : `select ${row.join(', ')} from accounts where id = ${values.bind(account)}`;
  // Waits for a deletion of the account, and keeps it from being deleted meanwhile.
  const lock = account === null ? [] : lockAccount(store, account, 'key share');
  const text = `insert into ${table} (id, ${column}, name, hash, created_at, expires_at) ${rows}`;
  const insert = separate({ text, values: values.list });
  const changes = await store.write(...lock, insert, recordTokens(store, event, { table, id }));
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
): Promise<CreatedToken | undefined> {
  return insertToken(store, 'customer', account_id, { name, expires_at });
}

/** What an operator's token is created with; without accounts it may write all of them. */
export interface OperatorTokenRequest {
  readonly name: string;
  readonly accounts?: readonly string[] | undefined;
  /** Milliseconds since 1970, or `undefined` for never. */
  readonly expires_at?: number | undefined;
}

export async function createOperatorToken(
  store: Store,
  { accounts, ...request }: OperatorTokenRequest,
): Promise<CreatedToken> {
  const scope = accounts === undefined ? null : JSON.stringify([...new Set(accounts)].toSorted());
  return (await insertToken(store, 'operator', scope, request)) as CreatedToken;
}

/** The accounts of an operator's token as they are stored; `null` for all. */
export function accountsOf(scope: unknown): readonly string[] | null {
  return scope === null ? null : (JSON.parse(scope as string) as string[]);
}

const selectOf = (kind: TokenKind) =>
  `select id, ${TOKEN_KINDS[kind].scope}, name, ${DATES.join(', ')} from ${TOKEN_KINDS[kind].table}`;

/** A token from a row of such a statement. */
function tokenFrom<K extends TokenKind>(kind: K, [id, scope, name, ...dates]: ResultRow): TokenOf[K] {
  const whose = kind === 'customer' ? { account_id: scope } : { accounts: accountsOf(scope) };
  const times = Object.fromEntries(DATES.map((date, i) => [date, dates[i]]));
  return { id, ...whose, name, ...times } as unknown as TokenOf[K];
}

/** All tokens of a kind by age, those of customers by account first; or those of one account. */
export async function listTokens<K extends TokenKind>(
  store: Store,
  kind: K,
  account_id?: string,
): Promise<TokenOf[K][]> {
  const where = account_id === undefined ? '' : `where account_id = ${store.dialect.placeholder(1)}`;
  const order = kind === 'customer' ? 'account_id, ' : '';
  const [rows] = await store.read({
    text: `${selectOf(kind)} ${where} order by ${order}created_at, id`,
    values: account_id === undefined ? [] : [account_id],
  });
  return rows.map((row) => tokenFrom(kind, row));
}

/** The token of an id, of whichever kind it is. */
export async function findToken(
  store: ChangeStore,
  id: string,
): Promise<CustomerToken | OperatorToken | undefined> {
  for (const kind of KINDS) {
    const text = `${selectOf(kind)} where id = ${store.dialect.placeholder(1)}`;
    const [[row]] = await store.read({ text, values: [id] });
    if (row !== undefined) return tokenFrom(kind, row);
  }
  return undefined;
}

/** Whether a token has expired. */
export function hasExpired({ expires_at }: Pick<Token, 'expires_at'>): boolean {
  return expires_at !== null && expires_at <= timestampOf();
}

/**
 * Creates the successor of a token: of the same scope and name, valid for as long as the other was created
 * for; `undefined` when the other is unknown, expired or revoked, or its account is deleted.
 */
export async function succeedToken(
  store: Store,
  id: string,
): Promise<(CreatedToken & { readonly old: CustomerToken | OperatorToken }) | undefined> {
  const old = await findToken(store, id);
  if (old === undefined || old.revoked_at !== null || hasExpired(old)) return undefined;
  const { name, created_at, expires_at: end } = old;
  const expires_at = end === null ? undefined : Date.now() + Date.parse(end) - Date.parse(created_at);
  const request = { name, expires_at, event: 'rotated' as const };
  const created =
    'account_id' in old
      ? await insertToken(store, 'customer', old.account_id, request)
      : await insertToken(store, 'operator', old.accounts && JSON.stringify(old.accounts), request);
  return created && { ...created, old };
}

/**
 * Changes the token of an id, of whichever kind it is, and records that in the same transaction; returns
 * whether anything changed.
 */
async function change(
  store: ChangeStore,
  event: TokenEvent,
  id: string,
  textOf: (table: TokenTable, values: Values) => string,
): Promise<boolean> {
  const changes = KINDS.map((kind) => {
    const { table } = TOKEN_KINDS[kind];
    const values = new Values(store.dialect);
    const text = `${textOf(table, values)}id = ${values.bind(id)}`;
    return [recordTokens(store, event, { table, id }), separate({ text, values: values.list })];
  });
  const changed = await store.write(...changes.flat());
  return changed.some((rows, i) => i % 2 === 1 && rows === 1);
}

/** Ends a token at a time (milliseconds since 1970), unless it ends before. */
export async function endToken(store: Store, token_id: string, milliseconds: number): Promise<void> {
  await change(store, 'ending', token_id, (table, values) => {
    const end = values.bind(timestampOf(milliseconds));
    return `update ${table} set expires_at = ${end} where (expires_at is null or expires_at > ${end}) and `;
  });
}

/** Deletes a token that nobody has received. */
export async function forgetToken(store: Store, token_id: string): Promise<void> {
  await change(store, 'withdrawn', token_id, (table) => `delete from ${table} where `);
}

/** Revokes a token for good: `revoked`, `already` when it was, or `unknown`. */
export async function revokeToken(
  store: ChangeStore,
  token_id: string,
): Promise<'revoked' | 'already' | 'unknown'> {
  const isRevoked = await change(
    store,
    'revoked',
    token_id,
    (table, values) =>
      `update ${table} set revoked_at = ${values.bind(timestampOf())} where revoked_at is null and `,
  );
  if (isRevoked) return 'revoked';
  return (await findToken(store, token_id)) === undefined ? 'unknown' : 'already';
}

/**
 * Revokes all tokens of an account for good; returns how many were not revoked before, or `undefined` when
 * there is no such account.
 */
export async function revokeTokensOf(store: ChangeStore, account_id: string): Promise<number | undefined> {
  const sql = template(store.dialect);
  const [rows] = await store.read(sql`select id from accounts where id = ${account_id}`);
  if (rows.length === 0) return undefined;
  const [, revoked] = await store.write(
    recordTokens(store, 'revoked', { account_id }),
    separate(
      sql`update tokens set revoked_at = ${timestampOf()} where account_id = ${account_id} and revoked_at is null`,
    ),
  );
  return revoked;
}
