// Which rows of an index match the conditions of a plan. Each column's conditions are one table of its ranks, so that a row
// costs one look-up for each column, however many values were asked for.

import type { Condition, Selection } from '../store/sql.ts';
import type { IndexColumn, IndexData } from './list-index.ts';
import { rankOf } from './sorted-values.ts';
import { markContaining } from './trigrams.ts';

/** A condition on one column. */
type Single = Exclude<Condition, { either: unknown }>;

/** Which rows match. */
export interface Matching {
  /** 1 for each row that does. */
  readonly marks: Uint8Array;
  readonly total: number;
}

/** Which rows match, told one by one. */
export interface Filter {
  readonly total: number;
  has(row: number): boolean;
}

/** The conditions of a selection, worked out as far as can be without looking at every row. */
interface Conditions {
  /** Of each other condition: 1 for each row that fulfils it. */
  readonly marks: readonly Uint8Array[];
  /** Of each column that is filtered by: 1 for each rank that is asked for. */
  readonly allowed: ReadonlyMap<string, Uint8Array>;
}

function conditionsOf(data: IndexData, { where }: Selection): Conditions {
  const marks: Uint8Array[] = [];
  const allowed = new Map<string, Uint8Array>();
  for (const condition of where) {
    if ('either' in condition) marks.push(containing(data, condition.either));
    else if (condition.column === 'id') marks.push(among(data, condition));
    else allow(data, condition, allowed);
  }
  return { marks, allowed };
}

function matchingWith(data: IndexData, { marks, allowed }: Conditions): Matching {
  const { length } = data.ids;
  let matching: Matching = { marks: new Uint8Array(length).fill(1), total: length };
  for (const others of marks) matching = narrowed(matching, others);
  for (const [name, ranks] of allowed) matching = narrowedByRank(matching, columnOf(data, name), ranks);
  return matching;
}

/** The rows of a selection. */
export function matchingOf(data: IndexData, selection: Selection): Matching {
  return matchingWith(data, conditionsOf(data, selection));
}

/**
 * The same for who looks at few of the rows: where only one column is filtered by, no other is looked at. `countsOf` gives how many
 * rows of a column have each rank.
 */
export function filterOf(
  data: IndexData,
  selection: Selection,
  countsOf: (name: string) => Uint32Array,
): Filter {
  const conditions = conditionsOf(data, selection);
  const [[name, allowed] = [], ...others] = conditions.allowed;
  if (name !== undefined && allowed !== undefined && others.length + conditions.marks.length === 0) {
    const { ranks } = columnOf(data, name);
    const total = countsOf(name).reduce((sum, count, rank) => sum + count * (allowed[rank] as number), 0);
    return { total, has: (row) => allowed[ranks[row] as number] === 1 };
  }
  const { marks, total } = matchingWith(data, conditions);
  return { total, has: (row) => marks[row] === 1 };
}

/** How many rows have each rank. */
export function rankCounts({ ranks, count }: IndexColumn): Uint32Array {
  const counts = new Uint32Array(count + 1);
  // biome-ignore lint/style/useForOf: an iterator over such an array takes five times as long
  for (let row = 0; row < ranks.length; row++) {
    const rank = ranks[row] as number;
    counts[rank] = (counts[rank] as number) + 1;
  }
  return counts;
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
