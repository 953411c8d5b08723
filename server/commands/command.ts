// What a command of `linecard-server` is, and how it opens its database.

import type { SettingName, Settings } from '../settings.ts';
import { openStore } from '../store/open.ts';
import type { Purpose, Store, StoreOptions } from '../store/store.ts';

export interface CommandDefinition {
  /** As they are typed after the group: `create <id>`. */
  readonly words: string;
  readonly about: string;
  readonly settings: readonly SettingName[];
  readonly examples?: readonly string[];
  run(args: readonly string[], settings: Settings): Promise<void>;
}

/** A definition whose `run` is given the settings that it names. */
export function command<const N extends SettingName>(definition: {
  words: string;
  about: string;
  settings: readonly N[];
  examples?: readonly string[];
  run(args: readonly string[], settings: Pick<Settings, N>): Promise<void>;
}): CommandDefinition {
  return definition;
}

/** Which database, and how it is reached: almost every command takes these. */
export const DATABASE = ['database_url', 'database_pooler'] as const satisfies SettingName[];

/** What `import` takes beside the database. */
export const IMPORT = [
  'format',
  'delimiter',
  'encoding',
  'account',
  'update',
  'replace',
  'replace_all',
  'max_removed',
  'expect_rows',
  'changes_kept',
  'dry_run',
  'json',
] as const satisfies SettingName[];

export type DatabaseSettings = Pick<Settings, (typeof DATABASE)[number]>;

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
