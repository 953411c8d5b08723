// Operators' tokens (docs/how-to/import-over-http.md): made, listed, revoked and looked up in a table of
// their own. Each may write the lists of the accounts that it is bound to, or of all.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { recordTokens } from './audit.ts';
import { apart, template } from './sql.ts';
import type { ResultRow, Store } from './store.ts';
import { lifecycleOf, useStatement } from './token-lifecycle.ts';
import { hashOfToken, isTokenText, newToken, newTokenId } from './token-text.ts';

const PREFIX = 'lco_';

export interface OperatorToken {
  id: string;
  name: string;
  /** The accounts that it may write; `null` for all. */
  accounts: readonly string[] | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** Who writes: what a valid token stands for. */
export interface Operator {
  readonly token_id: string;
  /** The accounts that may be written; `undefined` for all. */
  readonly accounts: readonly string[] | undefined;
}

/** What a token is made of. */
export interface OperatorTokenRequest {
  readonly name: string;
  readonly accounts?: readonly string[] | undefined;
  /** Milliseconds since 1970, or `undefined` for never. */
  readonly expires_at?: number | undefined;
}

export function isOperatorToken(text: string): boolean {
  return isTokenText(text, PREFIX);
}

const stored = (accounts: readonly string[] | undefined) =>
  accounts === undefined ? null : JSON.stringify(accounts);

const accountsOf = (text: unknown) => (text === null ? null : (JSON.parse(text as string) as string[]));

export async function createOperatorToken(
  store: Store,
  { name, accounts, expires_at }: OperatorTokenRequest,
  event: 'created' | 'rotated' = 'created',
): Promise<{ id: string; token: string }> {
  const id = newTokenId();
  const token = newToken(PREFIX);
  const expiry = expires_at === undefined ? null : timestampOf(expires_at);
  const bound = accounts && [...new Set(accounts)].toSorted();
  await store.write(
    apart(
      template(store.dialect)`insert into operator_tokens (hash, id, name, accounts, created_at, expires_at)
        values (${hashOfToken(token)}, ${id}, ${name}, ${stored(bound)}, ${timestampOf()}, ${expiry})`,
    ),
    recordTokens(store, event, { table: 'operator_tokens', id }),
  );
  return { id, token };
}

function tokenOf([
  id,
  name,
  accounts,
  created_at,
  expires_at,
  revoked_at,
  last_used_at,
]: ResultRow): OperatorToken {
  const rest = { created_at, expires_at, revoked_at, last_used_at };
  return { id, name, accounts: accountsOf(accounts), ...rest } as OperatorToken;
}

/** All of them, by age. */
export async function listOperatorTokens(store: Store): Promise<OperatorToken[]> {
  const [rows] = await store.read(
    template(store.dialect)`select id, name, accounts, created_at, expires_at, revoked_at, last_used_at
      from operator_tokens order by created_at, id`,
  );
  return rows.map(tokenOf);
}

/** A token by its id. */
export async function operatorTokenOf(store: Store, id: string): Promise<OperatorToken | undefined> {
  const [[row]] = await store.read(
    template(store.dialect)`select id, name, accounts, created_at, expires_at, revoked_at, last_used_at
      from operator_tokens where id = ${id}`,
  );
  return row && tokenOf(row);
}

/** Whether a token is still good. */
export function isGood({ expires_at, revoked_at }: OperatorToken): boolean {
  return revoked_at === null && (expires_at === null || expires_at > timestampOf());
}

/** What becomes of a token of an operator. */
export const {
  end: endOperatorToken,
  forget: forgetOperatorToken,
  revoke: revokeOperatorToken,
} = lifecycleOf('operator_tokens');

/** The operator that a token stands for, or `undefined` when it is unknown, expired or revoked. */
export async function findOperator(store: Store, token: string): Promise<Operator | undefined> {
  const [[row]] = await store.read(
    template(store.dialect)`select id, accounts from operator_tokens
      where hash = ${hashOfToken(token)} and revoked_at is null
        and (expires_at is null or expires_at > ${timestampOf()})`,
  );
  if (row === undefined) return undefined;
  return { token_id: String(row[0]), accounts: accountsOf(row[1]) ?? undefined };
}

/** Records when tokens were last used, in milliseconds since 1970 by token id. */
export async function recordOperatorUse(store: Store, used: ReadonlyMap<string, number>): Promise<void> {
  await store.write(...Array.from(used, ([id, at]) => useStatement(store, 'operator_tokens', id, at)));
}
