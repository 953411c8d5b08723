// The names of a CSV header, or of the columns of a query -> which cell belongs to which column.

import type { List } from '@linecard/client/contract/list';
import { type ImportColumn, KEYS, REMOVED, unknownColumn } from './columns.ts';
import { shownName } from './values.ts';

/** How messages speak of what is read. */
export interface HeaderWords {
  /** The whole of the names, as in "the header does not name it". */
  readonly header: string;
  /** What a name stands over. */
  readonly cell: string;
}

/**
 * For each column the position of its cell, or -1; `undefined` when a fault was reported.
 * @param report is called with the name at fault and what is wrong with it.
 */
export function headerPositions(
  list: List,
  columns: readonly ImportColumn[],
  names: readonly string[],
  words: HeaderWords,
  report: (column: string, fault: string) => void,
): readonly number[] | undefined {
  const positions = columns.map(({ name }) => names.indexOf(name));
  let faults = 0;
  const fault = (column: string, text: string) => {
    faults += 1;
    report(column, text);
  };
  for (const [i, given] of names.entries()) {
    const name = shownName(given);
    if (given === '') fault(`${words.cell} ${i + 1}`, `has no name; every column needs one.`);
    else if (!columns.some((column) => column.name === given))
      fault(name, unknownColumn(list, columns, given));
    else if (names.indexOf(given) < i)
      fault(
        name,
        `is there twice, in ${words.cell}s ${names.indexOf(given) + 1} and ${i + 1}; leave one out.`,
      );
  }
  // Rows that remove an item need its keys alone; what the others lack is reported with them.
  const mayRemove = names.includes(REMOVED);
  for (const [i, { name, required, mayBeAbsent }] of columns.entries()) {
    const isNeeded = required && mayBeAbsent !== true && (KEYS.includes(name) || !mayRemove);
    if (isNeeded && positions[i] === -1) fault(name, `is required, but ${words.header} does not name it.`);
  }
  return faults === 0 ? positions : undefined;
}
