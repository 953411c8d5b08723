// The revisions of many accounts in one read.

import { inParts, statement } from '../sql.ts';
import type { Store } from '../store.ts';
import { revisionStatement } from './heads.ts';

/** More would delay the reads of other requests, if each account takes a statement of its own. */
const STATEMENTS_AT_ONCE = 50;

type Revision = readonly [account_id: string, revision: string];
/** Of each account that exists. */
type Revisions = readonly Revision[];

async function readTogether(store: Store, account_ids: readonly string[]): Promise<Revisions> {
  const among = store.dialect.among('id', '$1', 'text');
  const text = `select id, revision from accounts where ${among}`;
  const [rows] = await store.read(statement<Revision>(text, account_ids));
  return rows;
}

/** Row security shows a statement the rows of one account: the statements share a round trip. */
async function readOneByOne(store: Store, account_ids: readonly string[]): Promise<Revisions> {
  const revisions: [string, string][] = [];
  for (const some of inParts(account_ids, STATEMENTS_AT_ONCE)) {
    const results = await store.read(...some.map((id) => revisionStatement(id)));
    for (const [i, [row]] of results.entries()) {
      if (row !== undefined) revisions.push([some[i] as string, row[0] as string]);
    }
  }
  return revisions;
}

/** By id; `undefined` for a deleted account. One that is missing could not be read. */
type RevisionsRead = ReadonlyMap<string, string | undefined>;

/** Each from its own node: only those of a node that cannot be reached are missing. */
async function readApart(store: Store, account_ids: readonly string[]): Promise<RevisionsRead> {
  const read = async (id: string) => {
    const [[row]] = await store.read(revisionStatement(id));
    return [id, row?.[0] as string | undefined] as const;
  };
  const results = await Promise.allSettled(account_ids.map(read));
  const there = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (there.length === 0 && results[0]?.status === 'rejected') throw results[0].reason;
  return new Map(there);
}

/**
 * The revisions of accounts.
 * @throws {StoreUnavailable} when none can be read.
 */
export async function readRevisions(store: Store, account_ids: readonly string[]): Promise<RevisionsRead> {
  if (store.dialect.isDistributed) return readApart(store, account_ids);
  const read = store.showsOneAccount ? readOneByOne : readTogether;
  const gone = account_ids.map((id) => [id, undefined] as const);
  return new Map([...gone, ...(await read(store, account_ids))]);
}
