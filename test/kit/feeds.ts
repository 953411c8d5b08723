// A small list and what may be imported into it, in every mode: for tests of what becomes of it when
// something goes wrong in between.

import type { ImportMode } from '../../server/import/job.ts';
import { type FileRow, WORDS } from './random-imports.ts';
import { numberRow } from './rows.ts';

export const ACCOUNTS = ['C1', 'C2', 'C3', 'C4'] as const;

/** What is imported, and how. */
export interface Feed {
  readonly mode: ImportMode;
  readonly rows: readonly FileRow[];
}

/** As the command is called. */
export const nameOf = ({ mode }: Feed) => ['import', ...WORDS[mode].slice(0, 1)].join(' ');

const accountOf = (id: number) => (id <= 30 ? 'C1' : id <= 45 ? 'C2' : 'C3');

function number(id: number, more: FileRow = {}): FileRow {
  const plain = {
    comment: `old, "${id}" – ünï`,
    subscription_status: id % 3 === 0 ? 'disabled' : 'active',
    monthly: `${id}.25`,
    is_spammed: false,
  };
  return { ...numberRow(accountOf(id), id, plain), ...more } as FileRow;
}

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** What is there before. */
export const OLD_ROWS: readonly FileRow[] = ids(1, 55).map((id) => number(id));

const CHANGED: FileRow = { comment: 'new', is_spammed: true };

/** An import of each mode that changes, adds, moves and removes as far as the mode can. */
export const FEEDS: readonly [Feed, Feed, Feed, Feed] = [
  {
    mode: 'insert',
    rows: [
      ...ids(1, 12).map((id) => number(id, CHANGED)),
      // One that moves, and one that goes.
      number(40, { account_id: 'C1' }),
      { account_id: 'C2', id: 41, removed: true },
      ...ids(60, 90).map((id) => number(id, { account_id: 'C4', comment: 'new' })),
    ],
  },
  { mode: 'update', rows: ids(8, 50).map((id) => ({ account_id: accountOf(id), id, ...CHANGED })) },
  {
    mode: 'replace',
    rows: [...ids(1, 20).map((id) => number(id, CHANGED)), ...ids(31, 40).map((id) => number(id))],
  },
  {
    mode: 'replace-all',
    rows: [...ids(20, 44).map((id) => number(id, CHANGED)), ...ids(60, 75).map((id) => number(id))],
  },
];
