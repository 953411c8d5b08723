// API tokens (docs/generated/api.md, "Authentication"): made, listed, revoked and looked up. Only a token's
// hash is ever stored.

import { Problem } from '@linecard/client/contract/problems';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { lockAccount } from './accounts.ts';
import { recordTokens } from './audit.ts';
import { apart, template } from './sql.ts';
import type { Store } from './store.ts';
import { endOfSuccessor, lifecycleOf } from './token-lifecycle.ts';
import { hashOfToken, isTokenText, newToken, newTokenId } from './token-text.ts';

const PREFIX = 'lc_';

export interface Token {
  id: string;
  account_id: string;
  name: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** Whose a request is: what a valid token stands for. */
export interface Caller {
  readonly token_id: string;
  readonly account_id: string;
  /** The account's revision, where the token was looked up for this very request. */
  readonly revision: string | undefined;
  readonly expires_at: string | null;
  /** Whether no use of the token was written down yet. */
  readonly isUnused: boolean;
}

/** Whether a text has the form of a token and its checksum is right. */
export function isWellFormedToken(text: string): boolean {
  return isTokenText(text, PREFIX);
}

/**
 * Makes a token of an account; `undefined` when there is no such account.
 * @param expires_at milliseconds since 1970, or `undefined` for never.
 */
export async function createToken(
  store: Store,
  account_id: string,
  name: string,
  expires_at?: number,
  event: 'created' | 'rotated' = 'created',
): Promise<{ id: string; token: string } | undefined> {
  const id = newTokenId();
  const token = newToken(PREFIX);
  const expiry = expires_at === undefined ? null : timestampOf(expires_at);
  // The account cannot be deleted meanwhile, and one that is being deleted is waited for.
  const hold = lockAccount(store, account_id, 'key share');
  const changes = await store.write(
    ...hold,
    apart(
      template(store.dialect)`insert into tokens (id, account_id, name, hash, created_at, expires_at)
      select ${id}, id, ${name}, ${hashOfToken(token)}, ${timestampOf()}, ${expiry} from accounts where id = ${account_id}`,
    ),
    recordTokens(store, event, { table: 'tokens', id }),
  );
  return changes[hold.length] === 1 ? { id, token } : undefined;
}

/** All tokens, or those of one account, by account and age. */
export async function listTokens(store: Store, account_id?: string): Promise<Token[]> {
  const where = account_id === undefined ? '' : `where account_id = ${store.dialect.placeholder(1)}`;
  const [rows] = await store.read({
    text: `select id, account_id, name, created_at, expires_at, revoked_at, last_used_at
      from tokens ${where} order by account_id, created_at, id`,
    values: account_id === undefined ? [] : [account_id],
  });
  return rows.map(
    ([id, account_id, name, created_at, expires_at, revoked_at, last_used_at]) =>
      ({ id, account_id, name, created_at, expires_at, revoked_at, last_used_at }) as Token,
  );
}

/**
 * Makes a token that takes the place of another: of the same account, under the same name, good for as long
 * as the other was made for; `undefined` when the other is unknown, expired or revoked.
 */
export async function succeedToken(
  store: Store,
  id: string,
): Promise<{ id: string; token: string; account_id: string } | undefined> {
  const [rows] = await store.read(
    template(store.dialect)`select account_id, name, created_at, expires_at from tokens
      where id = ${id} and revoked_at is null`,
  );
  if (rows[0] === undefined) return undefined;
  const [account_id, name, created_at, expires_at] = rows[0] as [string, string, string, string | null];
  if (hasExpired({ expires_at })) return undefined;
  const end = endOfSuccessor({ created_at, expires_at });
  const made = await createToken(store, account_id, name, end, 'rotated');
  return made && { ...made, account_id };
}

/** What becomes of a token of a customer. */
export const { end: endToken, forget: forgetToken, revoke: revokeToken } = lifecycleOf('tokens');

/**
 * Revokes all tokens of an account for good; gives how many were not revoked before, or `undefined` when
 * there is no such account.
 */
export async function revokeTokensOf(store: Store, account_id: string): Promise<number | undefined> {
  const sql = template(store.dialect);
  const [rows] = await store.read(sql`select id from accounts where id = ${account_id}`);
  if (rows.length === 0) return undefined;
  const [, revoked] = await store.write(
    recordTokens(store, 'revoked', { account_id }),
    apart(
      sql`update tokens set revoked_at = ${timestampOf()} where account_id = ${account_id} and revoked_at is null`,
    ),
  );
  return revoked;
}

/** Whether a caller's token has come to its end. */
export function hasExpired({ expires_at }: Pick<Caller, 'expires_at'>): boolean {
  return expires_at !== null && expires_at <= timestampOf();
}

/**
 * What a token and its account say, `null` where there is none of that; an account that is disabled is none.
 */
type FoundToken = readonly [
  token_id: string | null,
  account_id: string | null,
  revision: string,
  expires_at: string | null,
  last_used_at: string | null,
];

/** Finds a token and its account. One row always comes, so that a token that nobody has is no lost row. */
async function findToken(store: Store, hash: string): Promise<FoundToken> {
  const { dialect } = store;
  const [account, join] = dialect.isDistributed
    ? ['tokens.account_id, null', '']
    : [
        'accounts.id, revision',
        'left join accounts on accounts.id = tokens.account_id and disabled_at is null',
      ];
  const [[row]] = await store.read({
    text: `select wanted.hash, tokens.id, ${account}, expires_at, last_used_at
      from (select cast(${dialect.placeholder(1)} as text) as hash) as wanted
      left join tokens on tokens.hash = wanted.hash and revoked_at is null ${join}`,
    values: [hash],
    owner: { kind: 'token_hash', value: hash },
  });
  if (row === undefined) throw new Error('The look-up of a token gave no row.');
  const found = row as unknown as FoundToken;
  return dialect.isDistributed ? withAccount(store, found) : found;
}

/** A token that was found on one node, and its account, which may be on another. */
async function withAccount(
  store: Store,
  [token_id, account_id, revision, ...times]: FoundToken,
): Promise<FoundToken> {
  const { dialect } = store;
  if (account_id === null) return [token_id, account_id, revision, ...times];
  const [[found]] = await store.read({
    text: `select id, revision from accounts
      where id = ${dialect.placeholder(1)} and disabled_at is null`,
    values: [account_id],
    owner: { kind: 'account_id', value: account_id },
  });
  return [token_id, found === undefined ? null : account_id, String(found?.[0]), ...times];
}

/**
 * The caller that a token stands for, or `undefined` when it is unknown, expired or revoked, or its account
 * is disabled.
 */
export async function findCaller(store: Store, token: string): Promise<Caller | undefined> {
  const found = await findToken(store, hashOfToken(token));
  const [token_id, account_id, revision, expires_at, last_used_at] = found;
  if (token_id === null || account_id === null || hasExpired({ expires_at })) return undefined;
  return { token_id, account_id, revision, expires_at, isUnused: last_used_at === null };
}

/** What is said of a token that is well-formed and stands for nobody, or for an account that was deleted. */
export function invalidToken(): Problem {
  return new Problem(
    'unauthenticated',
    'The API token is not valid: it is unknown, has expired or was revoked.',
  );
}
