// Whose data is read, and what every reader of it needs.

import { revisionStatement } from '../store/heads.ts';
import type { Store } from '../store/store.ts';
import { type Caller, invalidToken } from '../store/tokens.ts';

/** Whose request it is, as far as reading goes. */
export type ListOwner = Pick<Caller, 'account_id' | 'revision'>;

export interface ReaderOptions {
  readonly store: Store;
  /** How long a client may wait for the database, where there is a limit. */
  readonly deadlineMs?: number | undefined;
  /** The currency of accounts that have none of their own. */
  readonly currency?: string | undefined;
}

/**
 * The account's revision, no older than the request.
 * @throws {StoreUnavailable}
 */
export async function revisionOf(store: Store, { account_id, revision }: ListOwner): Promise<string> {
  if (revision !== undefined) return revision;
  const [[row]] = await store.read(revisionStatement(store.dialect, account_id));
  return knownRow(row)[0] as string;
}

/**
 * The row of an account that a token has just led to.
 * @throws {Problem} `invalid-token` where it has been deleted since.
 */
export function knownRow<T>(row: T | undefined): T {
  if (row === undefined) throw invalidToken();
  return row;
}
