// Which columns a table shows: the chosen ones, else those that fit the line.

import type { Field, List } from '@linecard/client/contract/list';
import { nearest } from '@linecard/client/contract/suggestion';
import { valuesOf } from './options.ts';
import { WrongUsage } from './outcome.ts';

/** Flags that stand out, with the word that shows them. */
export const ALARMS: Readonly<Record<string, string>> = { is_spammed: 'SPAM' };

const ALL = 'all';

/** @throws {WrongUsage} where `--columns` names an unknown column */
export function columnsNamed(list: List, texts: readonly string[]): string[] {
  const known = Object.keys(list.fields);
  const names = [...new Set(valuesOf(texts))];
  if (names.length === 1 && names[0] === ALL) return known;
  const faults = names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known);
      return `--columns: there is no ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    });
  if (names.length === 0) faults.push('--columns names no column.');
  if (faults.length > 0)
    throw new WrongUsage(`${faults.join('\n')}\nThere are ${known.join(', ')}; or ${ALL}.`);
  return names;
}

/** The parameter that requests only these columns; none for all, of which some may not be visible. */
export function fieldsParam(
  list: List,
  columns: readonly string[] | undefined,
): { fields?: readonly string[] } {
  const isAll = columns === undefined || columns.length === Object.keys(list.fields).length;
  return isAll ? {} : { fields: columns };
}

/** The columns that an item has: a token may see no charges. */
export function visibleColumns(columns: readonly string[], item: object): string[] {
  return columns.filter((name) => name in item);
}

/** Numbers are aligned right, charges at their decimal point, the rest left. */
export type Alignment = 'left' | 'right' | 'point';

export function alignmentOf(field: Field | undefined): Alignment {
  if (field?.kind === 'charge') return 'point';
  return field?.kind === 'integer' ? 'right' : 'left';
}

/** Whether a cell may be truncated: never a number, a time or a code, which would become another one. */
export function mayShrink(list: List, name: string): boolean {
  const field = list.fields[name];
  return field?.kind === 'text' && field.country !== true && name !== list.searchDigits;
}
