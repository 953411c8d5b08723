// The stores of intake: open as long as it runs, and opened again where the file of an embedded one was
// replaced, as by a restored backup, so that nothing is written to a file that nobody reads any more.

import { statSync } from 'node:fs';
import type { WithStore } from '../intake/delivery.ts';
import type { Settings } from '../settings/settings.ts';
import { filePath, openStore } from '../store/open.ts';
import type { Purpose, Store, StoreOptions } from '../store/store.ts';
import { StoreRefused, StoreUnavailable } from '../store/store-errors.ts';
import { withStore } from './command.ts';

/** An embedded store for one purpose, with what its file is known by. */
interface OpenFile {
  readonly store: Store;
  readonly identity: string;
}

export interface IntakeStores {
  readonly read: WithStore;
  /** One import at a time. */
  readonly write: WithStore;
  /** A store for one dry run. */
  readonly trial: WithStore;
  /** Another store, to record the use of tokens in. */
  openForNotes(): Promise<Store>;
  close(): Promise<void>;
}

function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? '' : `${found.dev} ${found.ino}`;
}

/** Runs work on the store that the path leads to now. */
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
        // It was there when the intake started: it may come back.
        throw new StoreUnavailable(error.message, { cause: error });
      }
      opened.add(current.store);
    }
    return work(current.store);
  };
}

/**
 * Opens the database, brings its schema up to date, and keeps it open. One that is not there is not made:
 * no token would be good in it.
 */
export async function openIntakeStores({
  database_url,
  database_pooler,
}: Pick<Settings, 'database_url' | 'database_pooler'>): Promise<IntakeStores> {
  // The role may be one that row security shows every row.
  const options: StoreOptions = { pooler: database_pooler, rowSecurity: false };
  const open = (purpose: Purpose) => openStore(database_url, purpose, options);
  const openForNotes = () => open('note');
  const first = await openStore(database_url, 'write', { ...options, create: false });
  const path = filePath(database_url);
  if (path === undefined) {
    const onServer: WithStore = (work) => work(first);
    return { read: onServer, write: onServer, trial: onServer, openForNotes, close: () => first.close() };
  }
  await first.close();
  const opened = new Set<Store>();
  return {
    read: onFile(path, () => open('read'), opened),
    write: onFile(path, () => open('change'), opened),
    trial: (work) => withStore({ database_url, database_pooler }, work, 'change', options),
    openForNotes,
    close: async () => {
      for (const store of opened) await store.close();
    },
  };
}
