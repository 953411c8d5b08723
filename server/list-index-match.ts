// Which rows of an index match the conditions of a plan. Each column's conditions are one table of its ranks, so that a row
// costs one look-up for each column, however many values were asked for.

import type { IndexColumn, IndexData } from './list-index.ts';
import { rankOf } from './sorted-values.ts';
import type { Condition, Selection } from './sql.ts';
import { markContaining } from './trigrams.ts';

/** A condition on one column. */
type Single = Exclude<Condition, { either: unknown }>;

/** Which rows match. */
export interface Matching {
  /** 1 for each row that does. */
  readonly marks: Uint8Array;
  readonly total: number;
}

/** The rows of a selection. */
export function matchingOf(data: IndexData, { where }: Selection): Matching {
  const { length } = data.ids;
  const allowed = new Map<string, Uint8Array>();
  let matching: Matching = { marks: new Uint8Array(length).fill(1), total: length };
  for (const condition of where) {
    if ('either' in condition) matching = narrowed(matching, containing(data, condition.either));
    else if (condition.column === 'id') matching = narrowed(matching, among(data, condition));
    else allow(data, condition, allowed);
  }
  for (const [name, ranks] of allowed) matching = narrowedByRank(matching, columnOf(data, name), ranks);
  return matching;
}

export function columnOf({ columns }: IndexData, name: string): IndexColumn {
  const column = columns[name];
  if (column === undefined) throw new Error(`The index has no column ${name}.`);
  return column;
}

/** Marks rows in which one of the texts is contained. */
function containing({ ids, texts }: IndexData, either: readonly Condition[]): Uint8Array {
  const marks = new Uint8Array(ids.length);
  for (const condition of either) {
    const trigrams = 'either' in condition ? undefined : texts[condition.column];
    if (trigrams === undefined || 'either' in condition) throw new Error('The index has no such texts.');
    markContaining(trigrams, String(condition.value), marks);
  }
  return marks;
}

/** Marks rows with one of the ids. */
function among({ ids }: IndexData, { value }: Single): Uint8Array {
  const marks = new Uint8Array(ids.length);
  for (const id of value as readonly number[]) {
    const { rank: row, there } = rankOf(ids, id);
    if (there) marks[row] = 1;
  }
  return marks;
}

/** Leaves only those ranks of a column allowed that fulfil a condition; `null` fulfils none. */
function allow(
  data: IndexData,
  { column: name, test, value }: Single,
  allowed: Map<string, Uint8Array>,
): void {
  const { values, count } = columnOf(data, name);
  if (values === undefined) throw new Error(`The index has no values of ${name}.`);
  const ranks = new Uint8Array(count + 1);
  const asked = (Array.isArray(value) ? value : [value]) as readonly (string | number)[];
  for (const one of asked) {
    const { rank, there } = rankOf(values, one);
    if (test === 'after') ranks.fill(1, there ? rank + 1 : rank, count);
    else if (test === 'before') ranks.fill(1, 0, rank);
    else if (there) ranks[rank] = 1;
  }
  const before = allowed.get(name);
  if (before !== undefined) {
    for (let rank = 0; rank < count; rank++) {
      ranks[rank] = (ranks[rank] as number) & (before[rank] as number);
    }
  }
  allowed.set(name, ranks);
}

/** Rows that match and are marked; what is given first is used up. */
function narrowed({ marks }: Matching, others: Uint8Array): Matching {
  let total = 0;
  for (let row = 0; row < marks.length; row++) {
    const mark = (marks[row] as number) & (others[row] as number);
    marks[row] = mark;
    total += mark;
  }
  return { marks, total };
}

/** Rows that match and whose rank is allowed; what is given first is used up. */
function narrowedByRank({ marks }: Matching, { ranks }: IndexColumn, allowed: Uint8Array): Matching {
  let total = 0;
  for (let row = 0; row < marks.length; row++) {
    const mark = (marks[row] as number) & (allowed[ranks[row] as number] as number);
    marks[row] = mark;
    total += mark;
  }
  return { marks, total };
}
