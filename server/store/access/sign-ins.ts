// Sign-ins: customers' tokens for hours, which the backend of a portal creates and ends
// (docs/how-to/sign-customers-in-from-your-portal.md).

import { timestampOf } from '@linecard/client/contract/timestamp';
import { forParts } from '../../limits/steps.ts';
import { type ChangeStore, recordTokens } from '../log/audit.ts';
import { separate, sql } from '../sql.ts';
import type { Store } from '../store.ts';
import { type CustomerScope, SCOPES } from './token-scopes.ts';
import { type CreatedToken, insertToken } from './tokens.ts';

/** How long one that has ended is still listed. */
const RETENTION_MILLISECONDS = 7 * 86_400_000;
const DELETED_AT_ONCE = 500;

export interface SignIn extends Pick<CustomerScope, 'account_id' | 'lists' | 'charges'> {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly expires_at: number;
}

const provenance = (actor: string) => ({ origin: 'intake', actor }) as const;

/**
 * Creates one; `undefined` when there is no such account, or it is disabled.
 * @param actor the id of the operator's token
 */
export function createSignIn(
  store: Store,
  { name, expires_at, ...limits }: SignIn,
  actor: string,
): Promise<CreatedToken | undefined> {
  const scope = SCOPES.customer.stored({ ...SCOPES.customer.none, ...limits, kind: 'sign_in' });
  return insertToken(store, 'customer', scope, {
    name,
    expires_at,
    by: provenance(actor),
    ofEnabled: true,
  });
}

/**
 * Ends one for good, if it has not ended; returns whether there is one of that id.
 * @param accounts which accounts it may be of; `undefined` for all
 */
export async function endSignIn(
  store: ChangeStore,
  id: string,
  accounts: readonly string[] | undefined,
  actor: string,
): Promise<boolean> {
  const [[row]] = await store.read(
    sql`select account_id, revoked_at from tokens where id = ${id} and kind = 'sign_in'`,
  );
  if (row === undefined || accounts?.includes(String(row[0])) === false) return false;
  if (row[1] === null)
    await store.write(
      recordTokens(store, 'revoked', { table: 'tokens', id }, provenance(actor)),
      separate(sql`update tokens set revoked_at = ${timestampOf()} where id = ${id} and revoked_at is null`),
    );
  return true;
}

/**
 * Deletes those that ended a week ago, a part at a time: on the embedded store it has the thread of the
 * requests, and the file of the tokens.
 */
export async function deleteEndedSignIns(store: ChangeStore): Promise<void> {
  const oldest = timestampOf(Date.now() - RETENTION_MILLISECONDS);
  const [ended] = await store.read(
    sql`select id from tokens where kind = 'sign_in' and (expires_at < ${oldest} or revoked_at < ${oldest})`,
  );
  const ids = ended.map(([id]) => String(id));
  const text = `delete from tokens where ${store.dialect.among('id', '$1', 'text')}`;
  await forParts(ids, DELETED_AT_ONCE, (some) => store.write(separate({ text, values: [some] })));
}
