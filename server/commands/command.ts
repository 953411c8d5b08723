// What a command of `linecard-server` is, and how it opens its database.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SettingName, Settings } from '../settings/settings.ts';
import { filePath, openStore } from '../store/open.ts';
import { useReserve } from '../store/sqlite/reserve.ts';
import type { Purpose, Store, StoreOptions } from '../store/store.ts';
import { StoreEmpty, StoreUnavailable } from '../store/store-errors.ts';

const RETRY_MILLISECONDS = 500;

export interface CommandDefinition {
  /** As they are typed after the group: `create <id>`; empty for what the group itself does. */
  readonly words: string;
  readonly about: string;
  readonly settings: readonly SettingName[];
  readonly examples?: readonly string[];
  /** Whether its messages are lines of a log, where they are not for a terminal. */
  readonly logs?: boolean;
  run(args: readonly string[], settings: Settings): Promise<void>;
}

/** A definition whose `run` is given the settings that it names. */
export function command<const N extends SettingName>(definition: {
  words: string;
  about: string;
  settings: readonly N[];
  examples?: readonly string[];
  logs?: boolean;
  run(args: readonly string[], settings: Pick<Settings, N>): Promise<void>;
}): CommandDefinition {
  return definition;
}

/** Which database, and how it is reached: almost every command takes these. */
export const DATABASE = ['config', 'database_url', 'database_pooler'] as const satisfies SettingName[];

/** What `import` takes to send a file to an intake. */
export const SENDING = ['intake_url', 'intake_token', 'sequence'] as const satisfies SettingName[];

export type DatabaseSettings = Pick<Settings, 'database_url' | 'database_pooler'>;

/**
 * Does what opens the database at the start, and again for as long as the settings wait for one that cannot
 * be reached.
 */
export async function onceReachable<T>(
  { wait_for_database: waitMs = 0 }: Pick<Settings, 'wait_for_database'>,
  onWait: (sentence: string) => Promise<void> | void,
  open: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() >= until) throw error;
      if (isFirst) await onWait(`${error.message} Waiting for it up to ${waitMs / 1_000} seconds.`);
      await sleep(Math.min(RETRY_MILLISECONDS, Math.max(0, until - performance.now())));
    }
  }
}

/** Opens the store, does the work and closes it, whether that fails or not. */
export async function withStore<T>(
  { database_url, database_pooler }: DatabaseSettings,
  work: (store: Store) => Promise<T>,
  purpose: Purpose = 'write',
  options: StoreOptions = {},
): Promise<T> {
  const store = await openStore(database_url, purpose, { pooler: database_pooler, ...options });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Changes what must be possible on a full disk, too: with the space that is reserved next to a file. */
export async function withStoreOnFullDisk<T>(
  settings: DatabaseSettings,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const path = filePath(settings.database_url);
  for (;;) {
    try {
      return await withStore(settings, work, 'change');
    } catch (error) {
      if (path === undefined || !useReserve(path, error)) throw error;
    }
  }
}

/**
 * Does work that is to change nothing on the database as it is: none is made, and no schema is brought up to
 * date. Where there is none yet, an empty one in a temporary folder takes its place.
 */
export async function withTrialStore<T>(
  settings: DatabaseSettings,
  tell: (sentence: string) => void,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  try {
    return await withStore(settings, work, 'change');
  } catch (error) {
    if (!(error instanceof StoreEmpty)) throw error;
    tell(`${error.what} Everything is compared with an empty one.`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'linecard-'));
  try {
    return await withStore({ ...settings, database_url: `sqlite:${join(folder, 'trial.db')}` }, work);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
