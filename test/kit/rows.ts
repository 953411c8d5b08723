// A virtual number with what an import requires, ids without end, and rows as a file, for tests that look at
// few values of a row.

import type { ModelRow } from './model.ts';

/** What an item must have, in addition to its account and its id. */
export const REQUIRED_VALUES = {
  did: '+442079460018',
  status: 'active',
  subscription_status: 'active',
  frequency: 'monthly',
  created_at: '2026-02-10T16:04:11.482913Z',
} as const;

export function numberRow(account_id: string, id: number, more: Partial<ModelRow> = {}): ModelRow {
  return { account_id, id, ...REQUIRED_VALUES, did: `+4420${70_000_000 + id}`, ...more };
}

/** That many numbers of an account, with ids from one on, whose comments have that many characters. */
export function longRows(account_id: string, from: number, rows: number, characters: number): ModelRow[] {
  const comment = 'x'.repeat(characters);
  return Array.from({ length: rows }, (_, i) => numberRow(account_id, from + i, { comment }));
}

/** Rows as a file of CSV, with a column for each name that one of them has; null is an empty cell. */
export function csv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown) => {
    const text = ((value ?? '') as string | number | boolean).toString();
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows.map((row) => columns.map((name) => row[name]))]
    .map((cells) => `${cells.map(cell).join(',')}\n`)
    .join('');
}

/** Rows as a file of NDJSON. */
export const ndjson = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** The most ids that a filter takes, these among them: those before them are nobody's. */
export function tenThousandIds(own: readonly number[]): number[] {
  return [...Array.from({ length: 10_000 - own.length }, (_, i) => 8_000_000_000 + i), ...own];
}
