// Accounts: whose the rows are. An account's id is the operator's own customer id.

import { randomUUID } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { type Statement, template } from './sql.ts';
import type { Store } from './store.ts';

export const MAX_ACCOUNT_ID_CHARACTERS = 100;

const CONTROL = /\p{Cc}/u;

export interface Account {
  id: string;
  name: string;
  created_at: string;
}

/**
 * Why a text cannot be an account's id, or `undefined` when it can: 1 to 100 characters, none of them
 * control.
 */
export function accountIdFault(id: string): string | undefined {
  const length = Array.from(id).length;
  if (length < 1 || length > MAX_ACCOUNT_ID_CHARACTERS) {
    return `must have 1 to ${MAX_ACCOUNT_ID_CHARACTERS} characters, but has ${length}`;
  }
  if (CONTROL.test(id) || !id.isWellFormed()) return 'must not contain control characters';
  if (id.trim() !== id) return 'must not begin or end with white space';
  return undefined;
}

/** A new revision: random, so that no two states of any account in any deployment ever share one. */
function newRevision(): string {
  return randomUUID();
}

/** The statement that makes an account unless it is there; it changes one row or none. */
export function insertAccount(store: Store, id: string, name: string): Statement {
  const sql = template(store.dialect);
  return sql`insert into accounts (id, name, created_at, revision)
    values (${id}, ${name}, ${timestampOf()}, ${newRevision()}) on conflict do nothing`;
}

/** Makes an account; false when it was there already. */
export async function createAccount(store: Store, id: string, name: string): Promise<boolean> {
  const [made] = await store.write(insertAccount(store, id, name));
  return made === 1;
}

/** All accounts, by id. */
export async function listAccounts(store: Store): Promise<Account[]> {
  const [rows] = await store.read(
    template(store.dialect)`select id, name, created_at from accounts order by id`,
  );
  return rows.map(([id, name, created_at]) => ({ id, name, created_at }) as Account);
}
