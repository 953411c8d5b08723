// A database with a small list in it, to be copied again and again: each copy is the same to the byte, and
// what happens to it happens to no other.

import { importBody } from '../../server/import/import.ts';
import type { ImportSummary } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { type Table, tables } from '../../server/store/tables.ts';
import { createOperatorToken } from '../../server/store/tokens.ts';
import { ACCOUNTS, csvOf, type Feed, OLD_ROWS } from './feeds.ts';
import { differenceOf } from './many.ts';
import { beginCopies, copiesFaults, type ListCopies, reading, seenLists } from './seen-lists.ts';
import type { StoreKind } from './service.ts';
import { copyOf, type Database } from './templates.ts';

export interface Grounds {
  readonly name: string;
  /** What customers see of the accounts, before anything has happened. */
  readonly old: string;
  /** Copies of the lists as they are then. */
  readonly copies: ListCopies;
  /** An operator's token, bound to no account. */
  readonly token: string;
  copy(): Promise<Database>;
  close(): Promise<void>;
}

/** Imports rows in process, as the command does with those options. */
export function importFeed(
  store: Store,
  { rows, options }: Pick<Feed, 'rows' | 'options'>,
  table: Table = tables.virtual_numbers,
): Promise<ImportSummary> {
  const job = {
    store,
    table,
    format: 'csv',
    update: options.includes('--update'),
    replace: options.includes('--replace'),
    replace_all: options.includes('--replace-all'),
    max_removed: { percent: 100 },
  } as const;
  return importBody(job, { bytes: Buffer.from(csvOf(rows)), isCompressed: false });
}

/** What customers see when the import has come to its end. */
export async function seenAfter(grounds: Grounds, feed: Feed): Promise<string> {
  const ground = await grounds.copy();
  try {
    const store = await openStore(ground.url, 'write');
    await importFeed(store, feed);
    await store.close();
    return await reading(ground.url, (one) => seenLists(one, ACCOUNTS));
  } finally {
    await ground.remove();
  }
}

/**
 * What is wrong with a database after an import went wrong: it must hold the old list or the new one,
 * copies that are kept by their changes must agree with it, and the next import must work.
 */
export async function aftermath(
  grounds: Grounds,
  { url }: Database,
  feed: Feed,
  after: string,
): Promise<string[]> {
  const faults: string[] = [];
  await reading(url, async (store) => {
    const seen = await seenLists(store, ACCOUNTS);
    if (seen !== grounds.old && seen !== after) faults.push(`it left ${differenceOf(seen, after)}`);
    faults.push(...(await copiesFaults(store, grounds.copies)));
  });
  const store = await openStore(url, 'write');
  await importFeed(store, feed);
  await store.close();
  await reading(url, async (one) => {
    const seen = await seenLists(one, ACCOUNTS);
    if (seen !== after) faults.push(`the next import left ${differenceOf(seen, after)}`);
    faults.push(...(await copiesFaults(one, grounds.copies)));
  });
  return faults;
}

async function fill(url: string): Promise<Pick<Grounds, 'old' | 'copies' | 'token'>> {
  const store = await openStore(url, 'write');
  // From the second import on there is a log of what changes.
  await importFeed(store, { rows: OLD_ROWS.slice(0, 5), options: [] });
  await importFeed(store, { rows: OLD_ROWS, options: [] });
  const { token } = await createOperatorToken(store, { name: 'drill' });
  await store.close();
  return reading(url, async (one) => ({
    old: await seenLists(one, ACCOUNTS),
    copies: await beginCopies(one, [...new Set(OLD_ROWS.map(({ account_id }) => String(account_id)))]),
    token,
  }));
}

/** Makes the first database of a kind of store, filled by two imports. */
export async function openGrounds(kind: StoreKind): Promise<Grounds> {
  const first = await kind.make();
  return {
    name: kind.name,
    ...(await fill(first.url)),
    copy: () => copyOf(first),
    close: () => first.remove(),
  };
}
