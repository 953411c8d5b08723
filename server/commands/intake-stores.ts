// The stores of the intake and of the deliverer. A SQLite file that was replaced, such as by restoring a
// backup, is opened again, so that nothing is written to the old file.

import { statSync } from 'node:fs';
import type { Settings } from '../settings/settings.ts';
import { filePath, openStore } from '../store/open.ts';
import { finishRenames } from '../store/rename.ts';
import type { Purpose, Store, StoreOptions, WithStore } from '../store/store.ts';
import { StoreRefused, StoreUnavailable } from '../store/store-errors.ts';
import { withStore } from './command.ts';

/** Deleting an account with many items takes long. */
const SLOW_MILLISECONDS = 600_000;

interface OpenFile {
  readonly store: Store;
  readonly identity: string;
}

export interface IntakeStores {
  readonly read: WithStore;
  /** One import at a time. */
  readonly write: WithStore;
  /** On a connection of its own, which waits for no import. */
  readonly own: WithStore;
  /** The same for what may take minutes; while an import holds a lock, a write fails without blocking. */
  readonly slow: WithStore;
  openForTokenUses(): Promise<Store>;
  close(): Promise<void>;
}

function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? '' : `${found.dev} ${found.ino}`;
}

function onFile(path: string, open: () => Promise<Store>, opened: Set<Store>): WithStore {
  let current: OpenFile | undefined;
  return async (work) => {
    const identity = identityOf(path);
    if (current === undefined || current.identity !== identity) {
      if (current !== undefined) {
        opened.delete(current.store);
        await current.store.close();
        current = undefined;
      }
      try {
        current = { store: await open(), identity };
      } catch (error) {
        if (!(error instanceof StoreRefused)) throw error;
        // The database existed when the intake started, so its absence may be temporary.
        throw new StoreUnavailable(error.message, { cause: error });
      }
      opened.add(current.store);
    }
    return work(current.store);
  };
}

/**
 * Opens the database and updates its schema. It is not created if missing: it would contain no valid token.
 */
export async function openIntakeStores(
  { database_url, database_pooler }: Pick<Settings, 'database_url' | 'database_pooler'>,
  more: Pick<StoreOptions, 'connections' | 'batchReads' | 'sharesSnapshots'> = {},
): Promise<IntakeStores> {
  // Row security may apply to the role, which then needs to see every row.
  const options: StoreOptions = { pooler: database_pooler, rowSecurity: false, ...more };
  const open = (purpose: Purpose) => openStore(database_url, purpose, options);
  const openForTokenUses = () => open('note');
  const slow: WithStore = (work) =>
    withStore({ database_url, database_pooler }, work, 'change', {
      ...options,
      timeoutMs: SLOW_MILLISECONDS,
      busyMs: 0,
    });
  const first = await openStore(database_url, 'write', { ...options, create: false });
  await finishRenames(first);
  const path = filePath(database_url);
  if (path === undefined) {
    const onServer: WithStore = (work) => work(first);
    const stores = { read: onServer, write: onServer, own: onServer, slow };
    return { ...stores, openForTokenUses, close: () => first.close() };
  }
  await first.close();
  const opened = new Set<Store>();
  return {
    read: onFile(path, () => open('read'), opened),
    write: onFile(path, () => open('change'), opened),
    own: (work) => withStore({ database_url, database_pooler }, work, 'change', options),
    slow,
    openForTokenUses,
    close: async () => {
      for (const store of opened) await store.close();
    },
  };
}
