// A database with a small list in it, to be copied again and again: each copy is the same to the byte, and
// what happens to it happens to no other.

import { openStore } from '../../server/store/open.ts';
import { createOperatorToken } from '../../server/store/tokens.ts';
import { ACCOUNTS, type Feed, OLD_ROWS } from './feeds.ts';
import { differenceOf } from './many.ts';
import { importRows } from './random-imports.ts';
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

/** What customers see when the import has come to its end. */
export async function seenAfter(grounds: Grounds, feed: Feed): Promise<string> {
  const ground = await grounds.copy();
  try {
    const store = await openStore(ground.url, 'write');
    await importRows(store, feed);
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
  await importRows(store, feed);
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
  await importRows(store, { mode: 'insert', rows: OLD_ROWS.slice(0, 5) });
  await importRows(store, { mode: 'insert', rows: OLD_ROWS });
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
