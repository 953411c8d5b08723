// The revisions of many accounts at once. It must not know who wants to know them.

import { revisionStatement } from './heads.ts';
import { Values } from './sql.ts';
import type { Store } from './store.ts';

/** More would hold up the reads of other requests, where each account takes a statement of its own. */
const STATEMENTS_AT_ONCE = 50;

/** `[id, revision]` of each account that is there, as it is now. */
type Revisions = readonly (readonly [account_id: string, revision: string])[];

async function readTogether(store: Store, account_ids: readonly string[]): Promise<Revisions> {
  const values = new Values(store.dialect);
  const among = store.dialect.among('id', values.bind(account_ids), 'text');
  const [rows] = await store.read({
    text: `select id, revision from accounts where ${among}`,
    values: values.list,
  });
  return rows as unknown as Revisions;
}

/** Row security shows a statement the rows of one account: so many statements share a round trip. */
async function readOneByOne(store: Store, account_ids: readonly string[]): Promise<Revisions> {
  const revisions: [string, string][] = [];
  for (let first = 0; first < account_ids.length; first += STATEMENTS_AT_ONCE) {
    const some = account_ids.slice(first, first + STATEMENTS_AT_ONCE);
    const results = await store.read(...some.map((id) => revisionStatement(store.dialect, id)));
    for (const [i, [row]] of results.entries()) {
      if (row !== undefined) revisions.push([some[i] as string, row[0] as string]);
    }
  }
  return revisions;
}

/**
 * The revisions of accounts, by id; an account that is gone has none.
 * @throws {StoreUnavailable}
 */
export async function readRevisions(
  store: Store,
  account_ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const read = store.showsOneAccount ? readOneByOne : readTogether;
  return new Map(await read(store, account_ids));
}
