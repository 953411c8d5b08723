// A check as rows, for a table or a spreadsheet: one for each number of a group, by its line.

import { cellText } from '../contract/csv.ts';
import type { Check, GroupName } from './compare.ts';

export const CHECK_COLUMNS = ['result', 'line', 'number', 'did', 'id', 'amount', 'monthly'] as const;

export type CheckRow = Readonly<
  { readonly result: GroupName } & Partial<
    Record<Exclude<(typeof CHECK_COLUMNS)[number], 'result'>, string | number | null>
  >
>;

/** @param groups in this order; of an ambiguous number, a row for each candidate */
export function* checkRows(check: Check, groups: readonly GroupName[]): Generator<CheckRow> {
  for (const result of groups) {
    if (result !== 'ambiguous') for (const row of check[result]) yield { result, ...row };
    else
      for (const { candidates, ...row } of check.ambiguous)
        for (const candidate of candidates) yield { result, ...row, ...candidate };
  }
}

export function* checkCsv(check: Check, groups: readonly GroupName[]): Generator<string> {
  yield `${CHECK_COLUMNS.join(',')}\r\n`;
  for (const row of checkRows(check, groups)) {
    const cells = CHECK_COLUMNS.map((name) => {
      const value = row[name] ?? '';
      const isNumber = name === 'number' || name === 'did';
      return typeof value === 'number' ? String(value) : cellText(value, isNumber);
    });
    yield `${cells.join(',')}\r\n`;
  }
}
