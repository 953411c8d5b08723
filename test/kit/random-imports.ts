// Imports in process, of every mode, and rows at random for them: what the histories of copies, of events and
// of webhooks are made of.

import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { importBody } from '../../server/import/import.ts';
import type { ImportMode, ImportSummary } from '../../server/import/job.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { oneOf, type Random } from './many.ts';
import { ndjson } from './rows.ts';

export const LISTS = ['virtual_numbers', 'additional_services'] as const;
export type ListName = (typeof LISTS)[number];

/** A row as a file of NDJSON has it. */
export type FileRow = Readonly<Record<string, string | number | boolean>>;

export interface Import {
  readonly list: ListName;
  readonly mode: ImportMode;
  /** Whether what is known of changes is pruned, but for the newest. */
  readonly prunes: boolean;
  readonly rows: readonly FileRow[];
}

/** An operator who knows what is removed and moved. */
const ALL = { percent: 100 };

/** The options of a mode: of an import in process, of the command, and of a request. */
export const optionsOf = (mode: ImportMode) => ({
  update: mode === 'update',
  replace: mode === 'replace',
  replace_all: mode === 'replace-all',
});
export const WORDS: Readonly<Record<ImportMode, readonly string[]>> = {
  insert: [],
  update: ['--update'],
  replace: ['--replace', '--max-removed', '100%'],
  'replace-all': ['--replace-all', '--max-removed', '100%'],
};
export const SENT: Readonly<Record<ImportMode, readonly [method: string, query: string]>> = {
  insert: ['POST', ''],
  update: ['PATCH', ''],
  replace: ['PUT', ''],
  'replace-all': ['PUT', '&all=true'],
};
/** The address of a list at an intake, for an import in which everything may go. */
export const targetOf = (list: ListName, mode: ImportMode) =>
  `/intake/v1/${list.replaceAll('_', '-')}?max_removed=100%25&max_moved=100%25${SENT[mode][1]}`;

/** Imports all rows, however much goes. */
export async function importRows(
  store: Store,
  { list = 'virtual_numbers', mode, prunes, rows }: Partial<Import> & Pick<Import, 'mode' | 'rows'>,
): Promise<ImportSummary> {
  // Readers on this thread leave their snapshot.
  await setImmediate();
  const job = { store, table: tables[list], format: 'ndjson', max_removed: ALL, max_moved: ALL } as const;
  return importBody(
    { ...job, ...optionsOf(mode), ...(prunes && { changes_kept: -1_000 }) },
    { bytes: Buffer.from(ndjson(rows)), isCompressed: false },
  );
}

/** A whole row, which differs in some of its fields from the next of the same id. */
export function randomRow(random: Random, list: ListName, account_id: string, id: number): FileRow {
  const one = <T>(choices: readonly T[]) => oneOf(random, choices);
  const common = {
    account_id,
    id,
    comment: one(['', 'desk', 'note', 'a "note"\\', 'desk note']),
    subscription_status: one(['active', 'active', 'suspended']),
    monthly: one([2.25, 2.25, 3]),
  };
  if (list === 'additional_services')
    return {
      ...common,
      title: one(['VPN', 'VPN "1"', 'desk']),
      category: one(['additional', 'additional', 'additional', 'core']),
      frequency: one(['monthly', 'yearly']),
    };
  return {
    ...common,
    frequency: 'monthly',
    did: `+4420${10_000_000 + id}`,
    country_code: one(['GB', 'DE']),
    provider: 'Zed',
    status: one(['active', 'active', 'blocked']),
    is_spammed: random() < 0.4,
    incoming: one([0, 0, 0.005]),
    created_at: '2026-01-02T03:04:05.678901Z',
  };
}
