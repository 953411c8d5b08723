// Accounts, which own the rows. An account's id is the operator's own customer id.

import { randomUUID } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { trimmed } from '@linecard/client/contract/trimmed';
import {
  type ChangeStore,
  commandOrigin,
  type EventOrigin,
  NONE_BELOW,
  recordAccount,
  recordTokens,
} from '../log/audit.ts';
import { LOG_TABLES } from '../log/change-log.ts';
import { objectsOf, type Statement, separate, sql, statement } from '../sql.ts';
import type { LoadOptions, Snapshot, Store } from '../store.ts';
import { StoreBusy, StoreFull } from '../store-errors.ts';
import { tables } from '../tables.ts';
import { deleteStatements } from '../webhooks/webhook-records.ts';
import { lockAccount, waitForWriteLock } from '../write-lock.ts';
import { forgetDeleted, recordDeleted, renamedTo } from './deleted-accounts.ts';

export const MAX_ACCOUNT_ID_CHARACTERS = 100;
/** An account without a parent is on the first. */
export const MAX_ACCOUNT_LEVELS = 8;

const CONTROL = /\p{Cc}/u;
const PADDED = 'must not begin or end with white space';

export const ACCOUNT_COLUMNS = [
  'id',
  'name',
  'currency',
  'parent_id',
  'created_at',
  'updated_at',
  'disabled_at',
] as const;

export interface Account {
  id: string;
  name: string;
  /** Its own; `null` if it has that of the deployment. */
  currency: string | null;
  /** The account that it is below, if any. */
  parent_id: string | null;
  created_at: string;
  /** When anything last changed that a customer can see. */
  updated_at: string | null;
  /** Since when its tokens are refused; `null` if they are not. */
  disabled_at: string | null;
}

export interface AccountChange {
  readonly name?: string | undefined;
  readonly currency?: string | null | undefined;
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
  if (id.trim() !== id) return PADDED;
  return undefined;
}

/** The same of an id that is new: no file could name one with a character without a width at its ends. */
export const newAccountIdFault = (id: string): string | undefined =>
  accountIdFault(id) ?? (trimmed(id) === id ? undefined : PADDED);

/** A new revision: random, so that no two states of any account in any deployment ever share one. */
export function newRevision(): string {
  return randomUUID();
}

/** The statement that creates an account unless it exists; it changes one row or none. */
export function insertAccount(
  id: string,
  { name = '', currency = null }: AccountChange = {},
  revision = newRevision(),
): Statement {
  const now = timestampOf();
  return sql`insert into accounts (id, name, currency, created_at, updated_at, revision)
    values (${id}, ${name}, ${currency}, ${now}, ${now}, ${revision}) on conflict do nothing`;
}

/** Creates an account; false when it exists already. */
export async function createAccount(
  store: Store,
  id: string,
  what: AccountChange = {},
  by?: EventOrigin,
): Promise<boolean> {
  const revision = newRevision();
  const record = recordAccount('created', id, by, revision);
  const [made] = await store.write(insertAccount(id, what, revision), record, forgetDeleted(id));
  return made === 1;
}

/** Changes what is given of an account; false when there is no such account. */
export async function updateAccount(
  store: Store,
  id: string,
  { name, currency }: AccountChange,
  by?: EventOrigin,
): Promise<boolean> {
  const now = timestampOf();
  // The first statement locks the row, so that the revision that ends is the current one.
  const changes = [
    sql`update accounts set updated_at = ${now} where id = ${id}`,
    sql`insert into revisions (account_id, sequence, revision, ended_at)
      select id, sequence, revision, ${now} from accounts where id = ${id}`,
    sql`update accounts set revision = ${newRevision()}, sequence = sequence + 1 where id = ${id}`,
  ];
  if (name !== undefined) changes.push(sql`update accounts set name = ${name} where id = ${id}`);
  if (currency !== undefined) changes.push(sql`update accounts set currency = ${currency} where id = ${id}`);
  const [found] = await store.write(...changes, recordAccount('updated', id, by));
  return found === 1;
}

/**
 * Has the tokens of an account refused from now on; false when there is no such account. An import may hold
 * the lock of the account for minutes: so its tokens are suspended first, next to the import, and the account
 * itself is marked when that has ended.
 * @param waits how that is waited for.
 */
export async function disableAccount(
  store: ChangeStore,
  id: string,
  waits: LoadOptions = {},
  by?: EventOrigin,
): Promise<boolean> {
  if (!(await hasAccount(store, id))) return false;
  const now = timestampOf();
  await store.write(
    recordTokens(store, 'suspended', { account_id: id }, by),
    separate(sql`update tokens set suspended_at = ${now} where account_id = ${id} and suspended_at is null`),
  );
  const unmarked = `The tokens of ${id} are refused, but ${id} is not yet shown as disabled:`;
  let found: number | undefined;
  const mark = async () => {
    try {
      // The time stays as it is, where it was disabled before.
      [, found] = await store.write(
        recordAccount('disabled', id, by),
        sql`update accounts set disabled_at = coalesce(disabled_at, ${now}) where id = ${id}`,
      );
      return true;
    } catch (error) {
      if (error instanceof StoreFull)
        throw new StoreFull(`${unmarked} the disk of the database is full.`, { cause: error });
      if (!(error instanceof StoreBusy)) throw error;
      return false;
    }
  };
  const holder = () => `${unmarked} another command, such as an import,`;
  await waitForWriteLock(holder, mark, waits);
  if (found === 1) return true;
  // It may have got another id in between, and its tokens with it.
  const renamed_to = await renamedTo(store, id);
  return renamed_to !== undefined && disableAccount(store, renamed_to, waits, by);
}

/** Has the tokens of an account taken again; false when there is no such account. */
export async function enableAccount(store: Store, id: string, by?: EventOrigin): Promise<boolean> {
  const [, found] = await store.write(
    recordAccount('enabled', id, by),
    sql`update accounts set disabled_at = null where id = ${id}`,
    recordTokens(store, 'resumed', { account_id: id }, by),
    separate(
      sql`update tokens set suspended_at = null where account_id = ${id} and suspended_at is not null`,
    ),
  );
  return found === 1;
}

/**
 * Deletes an account with its tokens and items; false when there is no such account, or others are below it.
 */
export async function deleteAccount(store: Store, id: string, by = commandOrigin()): Promise<boolean> {
  const of = (name: string, column: string, more = '') =>
    statement(`delete from ${name} where ${column} = $1${more}`, id);
  // An import may have put an account below it since it was confirmed: then nothing is deleted.
  const account = { ...of('accounts', 'id', NONE_BELOW), isRequired: true } as const;
  // The account is deleted first: that waits for a transaction that has locked its row, to create a token of
  // it or to import items of it, and then deletes what that has written.
  const lock = lockAccount(store, id, 'update');
  const changes = await store.write(
    ...lock,
    recordAccount('deleted', id, by),
    account,
    recordTokens(store, 'deleted', { account_id: id }, by),
    separate(of('tokens', 'account_id')),
    ...deleteStatements({ account_id: id }, by),
    ...[...Object.keys(tables), ...LOG_TABLES].map((name) => of(name, 'account_id')),
    ...recordDeleted(id),
  );
  return changes[lock.length + 1] === 1;
}

export async function hasAccount(store: ChangeStore, id: string): Promise<boolean> {
  const [found] = await store.read(sql`select id from accounts where id = ${id}`);
  return found.length === 1;
}

const ALL_ACCOUNTS = statement(`select ${ACCOUNT_COLUMNS.join(', ')} from accounts order by id`);

export async function listAccounts(store: Store): Promise<Account[]> {
  const [rows] = await store.read(ALL_ACCOUNTS);
  return objectsOf<Account>(ACCOUNT_COLUMNS, rows);
}

/** All accounts, some at a time. */
export async function* accountBatches(snapshot: Snapshot): AsyncGenerator<Account[]> {
  for await (const rows of snapshot.rows(ALL_ACCOUNTS)) yield objectsOf<Account>(ACCOUNT_COLUMNS, rows);
}
