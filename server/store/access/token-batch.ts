// Several tokens: created by one statement, revoked or deleted by one transaction, read some at a time.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { Values } from '../conditions.ts';
import { type ChangeStore, recordTokens } from '../log/audit.ts';
import { inParts, type Statement, separate, sql } from '../sql.ts';
import type { Snapshot, Store } from '../store.ts';
import { hashOfToken } from '../token-text.ts';
import { hasAccount } from './accounts.ts';
import { chosenTokens, type TokenListChoice } from './token-lists.ts';
import { type CustomerScope, SCOPES } from './token-scopes.ts';
import { type CreatedToken, listStatement, type TokenKind, type TokenOf, tokenFrom } from './tokens.ts';

const IDS_AT_ONCE = 10_000;

export interface NewToken {
  readonly account_id: string;
  readonly name: string;
}

/** What all of them have in common; `expires_at` is in milliseconds since 1970, or `undefined` for never. */
export interface BatchOptions extends Omit<CustomerScope, 'account_id' | 'kind'> {
  readonly expires_at: number | undefined;
}

export type Created = NewToken & CreatedToken;

/** The statement that creates tokens of the accounts that exist. */
export function insertTokens(tokens: readonly Created[], options: BatchOptions): Statement {
  const { expires_at, ...limits } = options;
  const values = new Values();
  const bound = tokens.map(({ id, name, token, account_id }) =>
    [id, name, hashOfToken(token), account_id].map((value) => values.bind(value)).join(', '),
  );
  const expiry = expires_at === undefined ? null : timestampOf(expires_at);
  const scope = { ...SCOPES.customer.none, ...limits };
  const [, ...limitValues] = SCOPES.customer.stored(scope);
  const same = [timestampOf(), expiry, ...limitValues].map((value) => values.bind(value));
  const columns = ['id', 'name', 'hash', ...SCOPES.customer.columns.slice(0, 1), 'created_at', 'expires_at'];
  const text = `insert into tokens (${[...columns, ...SCOPES.customer.columns.slice(1)].join(', ')})
    select column1, column2, column3, column4, ${same.join(', ')}
    from (values ${bound.map((row) => `(${row})`).join(', ')}) as given join accounts on accounts.id = column4`;
  return separate({ text, values: values.list });
}

/** Deletes tokens that nobody has received. */
export async function forgetTokens(store: Store, tokens: readonly CreatedToken[]): Promise<void> {
  const ids = tokens.map(({ id }) => id);
  const among = store.dialect.among('id', '$1', 'text');
  const statements = inParts(ids, IDS_AT_ONCE).flatMap((some) => [
    recordTokens(store, 'withdrawn', { column: 'id', among: some }),
    separate({ text: `delete from tokens where ${among}`, values: [some] }),
  ]);
  await store.write(...statements);
}

/**
 * Revokes all tokens of an account for good; returns how many were not revoked before, or `undefined` when
 * there is no such account.
 */
export async function revokeTokensOf(store: ChangeStore, account_id: string): Promise<number | undefined> {
  if (!(await hasAccount(store, account_id))) return undefined;
  const [, revoked] = await store.write(
    recordTokens(store, 'revoked', { account_id }),
    separate(
      sql`update tokens set revoked_at = ${timestampOf()} where account_id = ${account_id} and revoked_at is null`,
    ),
  );
  return revoked;
}

/** The tokens of a kind as `listTokens` has them, some at a time. */
export async function* tokenBatches<K extends TokenKind>(
  snapshot: Snapshot,
  store: Pick<Store, 'dialect'>,
  kind: K,
  choice: TokenListChoice = {},
): AsyncGenerator<TokenOf[K][]> {
  for await (const rows of snapshot.rows(listStatement(store, kind, choice)))
    yield rows.map((row) => tokenFrom(kind, row));
}

/** Which customers' tokens, and which of them. */
export interface TokenPage extends TokenListChoice {
  readonly limit: number;
  readonly offset: number;
}

/** A part of the tokens of customers, in the order of `listTokens`, and how many there are. */
export async function tokenPage(
  store: Store,
  { limit, offset, ...choice }: TokenPage,
): Promise<{ readonly total: number; readonly tokens: readonly TokenOf['customer'][] }> {
  const counted = new Values();
  const where = chosenTokens(store, counted, choice);
  const { text, values } = listStatement(store, 'customer', choice);
  const [first, second] = [values.length + 1, values.length + 2];
  const [counts, rows] = await store.read(
    separate({ text: `select count(*) from tokens${where}`, values: counted.list }),
    separate({
      text: `${text} limit ${store.dialect.limit(`$${first}`)} offset $${second}`,
      values: [...values, limit, offset],
    }),
  );
  return { total: Number(counts[0]?.[0]), tokens: rows.map((row) => tokenFrom('customer', row)) };
}
