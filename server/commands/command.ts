// The definition of a command of `linecard-server`, and how commands open the database.

import { existsSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brandSettings } from '../settings/brand.ts';
import type { ParameterName, Values } from '../settings/config.ts';
import { identitySettings } from '../settings/identity.ts';
import type { SettingName, Settings } from '../settings/settings.ts';
import { type ChangeStore, withoutEntries } from '../store/log/audit.ts';
import { filePath, openStore } from '../store/open.ts';
import { finishRenames } from '../store/rename.ts';
import { useReserve } from '../store/sqlite/reserve.ts';
import { removeUnused } from '../store/sqlite/unused.ts';
import type { Purpose, Snapshot, Store, StoreOptions } from '../store/store.ts';
import { StoreEmpty, StoreFull, StoreUnavailable } from '../store/store-errors.ts';
import { say } from './print.ts';

const RETRY_MILLISECONDS = 500;

export interface CommandDefinition {
  /** As typed after the name of the group: `create <id>`; empty for the group itself. */
  readonly words: string;
  readonly about: string;
  /** The settings and options that it takes. */
  readonly takes: readonly ParameterName[];
  readonly examples?: readonly string[];
  /** Options of similar commands that it does not take, and why. */
  readonly refused?: { readonly takes: readonly ParameterName[]; readonly why: string };
  /** Whether it logs its messages, unless standard error is a terminal. */
  readonly logs?: boolean;
  run(args: readonly string[], given: Values): Promise<void>;
}

/** Types what `run` gets by what the definition takes. */
export function command<const N extends ParameterName>(
  definition: Omit<CommandDefinition, 'takes' | 'run'> & {
    readonly takes: readonly N[];
    run(args: readonly string[], given: Pick<Values, N>): Promise<void>;
  },
): CommandDefinition {
  return definition;
}

export const DATABASE = [
  'config',
  'database_url',
  'database_pooler',
  'actor',
] as const satisfies SettingName[];

/** Those of the identity provider. */
export const IDENTITY = Object.keys(identitySettings) as (keyof typeof identitySettings)[];

export const SERVE = [
  ...DATABASE,
  'database_connections',
  'database_timeout',
  'replica_url',
  'replica_lag',
  'row_security',
  'wait_for_database',
  'host',
  'port',
  'socket',
  'tls_cert',
  'tls_key',
  'keep_alive',
  'drain',
  'metrics_port',
  'metrics_host',
  'workers',
  'base_path',
  'max_page_size',
  'cors_origin',
  'frame_ancestors',
  'rate_limit',
  'no_mcp',
  ...IDENTITY,
  ...(Object.keys(brandSettings) as (keyof typeof brandSettings)[]),
  'currency',
  'billing_months',
  'trust_proxy',
  'cache',
  'indexes',
  'signing_key',
  'deliver',
  'deliver_allow',
  'due_at',
  'log_level',
  'log_format',
  'log_sample',
] as const satisfies SettingName[];

/** The options of `serve`, which no variable and no file may give. */
export const SERVE_OPTIONS = ['create', 'demo'] as const satisfies ParameterName[];

export const INTAKE = [
  ...DATABASE,
  'wait_for_database',
  'intake_host',
  'intake_port',
  'import_timeout',
  'changes_kept',
  'mappings',
  'webhook_secret',
  'public_url',
  'signing_key',
  'max_webhooks',
  'deliver_allow',
  'rate_limit',
  'trust_proxy',
  'metrics_port',
  'metrics_host',
  'log_level',
  'log_format',
  'log_sample',
] as const satisfies SettingName[];

export type DatabaseSettings = Pick<Settings, 'database_url' | 'database_pooler'>;

/** Opens the database; if it is unreachable, retries for as long as the settings say. */
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
      if (isFirst) await onWait(`${error.message} Waiting up to ${waitMs / 1_000} seconds.`);
      await sleep(Math.min(RETRY_MILLISECONDS, Math.max(0, until - performance.now())));
    }
  }
}

export async function withStore<T>(
  { database_url, database_pooler }: DatabaseSettings,
  work: (store: Store) => Promise<T>,
  purpose: Purpose = 'write',
  options: StoreOptions = {},
): Promise<T> {
  const store = await openStore(database_url, purpose, { pooler: database_pooler, ...options });
  try {
    if (purpose === 'write') await finishRenames(store);
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Does something with a snapshot of the database, such as to read more than fits into memory. */
export function withSnapshot<T>(
  settings: DatabaseSettings,
  work: (snapshot: Snapshot, store: Store) => Promise<T>,
): Promise<T> {
  const read = async (store: Store) => {
    const snapshot = await store.snapshot();
    try {
      return await work(snapshot, store);
    } finally {
      await snapshot.close();
    }
  };
  return withStore(settings, read, 'read');
}

/**
 * As `withStore`, to write; reports that a file was created, because its path may be mistyped. If the work
 * fails, a file that was created for it is removed.
 */
export async function withWrittenStore<T>(
  settings: DatabaseSettings,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const path = filePath(settings.database_url);
  if (path === undefined || existsSync(path)) return withStore(settings, work);
  const hasNewFolder = !existsSync(dirname(path));
  try {
    const done = await withStore(settings, work);
    say(`A new database was created: ${path}`);
    return done;
  } catch (error) {
    removeUnused(path, hasNewFolder);
    throw error;
  }
}

/**
 * Runs a change that must be possible even on a full disk: with the space reserved next to a SQLite file; on
 * PostgreSQL without its entries in the audit log, if the disk has no space for these.
 */
export async function withStoreOnFullDisk<T>(
  settings: DatabaseSettings,
  work: (store: ChangeStore) => Promise<T>,
): Promise<T> {
  const path = filePath(settings.database_url);
  let isRecorded = true;
  for (;;) {
    try {
      return await withStore(settings, (store) => work(isRecorded ? store : withoutEntries(store)), 'change');
    } catch (error) {
      if (path !== undefined && useReserve(path, error)) continue;
      if (!(error instanceof StoreFull && isRecorded)) throw error;
      isRecorded = false;
      say('The disk of the database is full: the audit log has no space for entries of this.');
    }
  }
}

/**
 * Runs work that must not change anything: neither creates a database nor updates its schema. If there is no
 * database, an empty temporary one is used.
 */
export async function withTrialStore<T>(
  settings: DatabaseSettings,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  try {
    return await withStore(settings, work, 'change');
  } catch (error) {
    if (!(error instanceof StoreEmpty)) throw error;
    say(`${error.what} Comparing with an empty database.`);
  }
  return withEmptyStore(work);
}

/** Runs work on an empty database that is deleted afterwards. */
export async function withEmptyStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'linecard-'));
  const database_url = `sqlite:${join(folder.path, 'trial.db')}`;
  return await withStore({ database_url, database_pooler: 'none' }, work);
}
