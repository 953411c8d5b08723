// A database with a small list in it, to be copied again and again: each copy is the same to the byte, and
// what happens to it happens to no other.

import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { ACCOUNTS, type Feed, OLD_ROWS } from './feeds.ts';
import { differenceOf } from './many.ts';
import { importRows } from './random-imports.ts';
import { beginCopies, copiesFaults, reading, seenLists } from './seen-lists.ts';
import type { StoreKind } from './service.ts';
import { copyOf } from './templates.ts';

/** Works on a copy, alone or while a service reads it. */
export async function onCopy<T>(
  grounds: Grounds,
  isRead: boolean,
  work: (url: string, reader: Store | undefined) => Promise<T>,
): Promise<T> {
  const ground = await grounds.copy();
  const reader = isRead ? await openStore(ground.url, 'read') : undefined;
  try {
    return await work(ground.url, reader);
  } finally {
    await reader?.close();
    await ground.remove();
  }
}

const seenIn = (url: string) => reading(url, (store) => seenLists(store, ACCOUNTS));

async function importInto(url: string, feed: Feed): Promise<void> {
  const store = await openStore(url, 'write');
  await importRows(store, feed);
  await store.close();
}

/** What customers see when the import has come to its end. */
export const seenAfter = (grounds: Grounds, feed: Feed): Promise<string> =>
  onCopy(grounds, false, async (url) => {
    await importInto(url, feed);
    return seenIn(url);
  });

/**
 * What is wrong with a database after an import went wrong: it must hold the old list or the new one, who
 * reads on must see one of them, copies that are kept by their changes must agree with it, and the next
 * import must work. And whether it holds the new one.
 */
export async function aftermath(
  grounds: Grounds,
  [url, reader]: readonly [url: string, reader: Store | undefined],
  feed: Feed,
  after: string,
): Promise<{ faults: string[]; isNew: boolean }> {
  const faults: string[] = [];
  const mustBeOneOfThem = (what: string, seen: string) => {
    if (seen !== grounds.old && seen !== after) faults.push(`${what} ${differenceOf(seen, after)}`);
  };
  if (reader !== undefined) mustBeOneOfThem('who reads on sees', await seenLists(reader, ACCOUNTS));
  const left = await seenIn(url);
  mustBeOneOfThem('it left', left);
  const copiesMustAgree = async () =>
    faults.push(...(await reading(url, (store) => copiesFaults(store, grounds.copies))));
  await copiesMustAgree();
  await importInto(url, feed);
  const next = await seenIn(url);
  if (next !== after) faults.push(`the next import left ${differenceOf(next, after)}`);
  await copiesMustAgree();
  return { faults, isNew: left === after };
}

/** Makes the first database of a kind of store, filled by two imports. */
export async function openGrounds(kind: StoreKind) {
  const first = await kind.make();
  const store = await openStore(first.url, 'write');
  // From the second import on there is a log of what changes.
  await importRows(store, { mode: 'insert', rows: OLD_ROWS.slice(0, 5) });
  await importRows(store, { mode: 'insert', rows: OLD_ROWS });
  const { token } = await createOperatorToken(store, { name: 'drill' });
  await store.close();
  const accounts = new Set(OLD_ROWS.map(({ account_id }) => String(account_id)));
  return {
    name: kind.name,
    /** What customers see of the accounts, before anything has happened. */
    old: await seenIn(first.url),
    /** Copies of the lists as they are then. */
    copies: await reading(first.url, (one) => beginCopies(one, [...accounts])),
    /** An operator's token, bound to no account. */
    token,
    copy: () => copyOf(first),
    close: () => first.remove(),
  };
}

export type Grounds = Awaited<ReturnType<typeof openGrounds>>;
