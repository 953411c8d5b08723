// A database URL -> the store behind it.

import { SqliteStore } from './sqlite.ts';
import { type Purpose, type Store, StoreRefused } from './store.ts';

const SQLITE = 'sqlite:';

/**
 * Opens the database that a URL names: `sqlite:PATH`. Opened to write, it is made where it is missing and its schema is
 * brought up to date first; opened to read, it is never changed.
 * @throws {StoreRefused} when the URL or what stands there is of no use.
 */
export async function openStore(url: string, purpose: Purpose): Promise<Store> {
  if (url.startsWith(SQLITE)) return SqliteStore.open(url.slice(SQLITE.length), purpose);
  throw new StoreRefused('The database URL must look like sqlite:PATH, such as sqlite:data/linecard.db.');
}
