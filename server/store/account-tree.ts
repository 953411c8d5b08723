// The tree of accounts (docs/generated/api.md, "Accounts below accounts"): the line from an account upwards.
//
// Why a read for each level: on Citus each account is in a shard of its own, and with row security a
// statement sees one account. The line is cached, and hardly ever longer than two or three.

import { MAX_ACCOUNT_LEVELS } from './accounts.ts';
import { Values } from './conditions.ts';
import { statementOf } from './sql.ts';
import type { Store } from './store.ts';

/** An account that is there and enabled, and the accounts that it is below, whether enabled or not. */
export interface Line {
  /** Absent if it may have changed since. */
  readonly revision: string | undefined;
  /** The parent first. */
  readonly above: readonly string[];
}

type Row = [parent_id: string | null, revision: string, disabled_at: string | null];

async function readOne(store: Store, id: string): Promise<Row | undefined> {
  const values = new Values(store.dialect);
  const text = `select id, parent_id, revision, disabled_at from accounts where id = ${values.bind(id)}`;
  const [[row]] = await store.read(statementOf(id, text, values));
  return row as unknown as Row | undefined;
}

/**
 * The line of an account; `undefined` if it is unknown or disabled.
 * @throws {StoreUnavailable}
 */
export async function findLine(store: Store, id: string): Promise<Line | undefined> {
  const own = await readOne(store, id);
  if (own === undefined) return undefined;
  const [, revision, disabled_at] = own;
  if (disabled_at !== null) return undefined;
  const above: string[] = [];
  for (let [parent_id] = own; parent_id !== null && above.length < MAX_ACCOUNT_LEVELS - 1; ) {
    above.push(parent_id);
    [parent_id] = (await readOne(store, parent_id)) ?? [null];
  }
  return { revision, above };
}
