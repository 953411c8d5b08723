// A small list and what may be imported into it, in every mode: for tests of what becomes of it when
// something goes wrong in between.

import { numberRow } from './rows.ts';

export const ACCOUNTS = ['C1', 'C2', 'C3', 'C4'] as const;

const COLUMNS = [
  'account_id',
  'id',
  'did',
  'comment',
  'status',
  'subscription_status',
  'frequency',
  'monthly',
  'created_at',
  'is_spammed',
  'removed',
] as const;

type FeedRow = Readonly<Partial<Record<(typeof COLUMNS)[number], string | number | boolean>>>;

/** What is imported, how, and as which request. */
export interface Feed {
  readonly name: string;
  readonly options: readonly string[];
  readonly method: 'POST' | 'PATCH' | 'PUT';
  readonly query: string;
  readonly rows: readonly FeedRow[];
}

const accountOf = (id: number) => (id <= 30 ? 'C1' : id <= 45 ? 'C2' : 'C3');

function number(id: number, more: FeedRow = {}): FeedRow {
  return {
    ...numberRow(accountOf(id), id),
    comment: `old, "${id}" – ünï`,
    subscription_status: id % 3 === 0 ? 'disabled' : 'active',
    monthly: `${id}.25`,
    is_spammed: false,
    ...more,
  };
}

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** What is there before. */
export const OLD_ROWS: readonly FeedRow[] = ids(1, 55).map((id) => number(id));

const CHANGED: FeedRow = { comment: 'new', is_spammed: true };

/** An import of each mode that changes, adds, moves and removes as far as the mode can. */
export const FEEDS: readonly Feed[] = [
  {
    name: 'import',
    options: [],
    method: 'POST',
    query: '',
    rows: [
      ...ids(1, 12).map((id) => number(id, CHANGED)),
      // One that moves, and one that goes.
      number(40, { account_id: 'C1' }),
      { account_id: 'C2', id: 41, removed: true },
      ...ids(60, 90).map((id) => number(id, { account_id: 'C4', comment: 'new' })),
    ],
  },
  {
    name: 'import --update',
    options: ['--update'],
    method: 'PATCH',
    query: '',
    rows: ids(8, 50).map((id) => ({ account_id: accountOf(id), id, ...CHANGED })),
  },
  {
    name: 'import --replace',
    options: ['--replace', '--max-removed', '100%'],
    method: 'PUT',
    query: '?max_removed=100%25',
    rows: [...ids(1, 20).map((id) => number(id, CHANGED)), ...ids(31, 40).map((id) => number(id))],
  },
  {
    name: 'import --replace-all',
    options: ['--replace-all', '--max-removed', '100%'],
    method: 'PUT',
    query: '?all=true&max_removed=100%25',
    rows: [...ids(20, 44).map((id) => number(id, CHANGED)), ...ids(60, 75).map((id) => number(id))],
  },
];

function columnsOf(rows: readonly FeedRow[]): (typeof COLUMNS)[number][] {
  return COLUMNS.filter((name) => rows.some((row) => name in row));
}

const cell = (value: unknown) => {
  const text = value === undefined ? '' : (value as string | number | boolean).toString();
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export function csvOf(rows: readonly FeedRow[]): string {
  const columns = columnsOf(rows);
  return [columns, ...rows.map((row) => columns.map((name) => row[name]))]
    .map((cells) => `${cells.map(cell).join(',')}\n`)
    .join('');
}
