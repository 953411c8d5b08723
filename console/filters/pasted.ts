// Telephone numbers that are pasted where one would be searched: a column of a spreadsheet, a mail, a list.

import { folded, type ListFacts, mostValues, type View } from '../contract.ts';
import { observable } from '../observable.ts';
import { digitsOf, faultOf } from '../reading.ts';
import { withFilter, withSearch } from '../view.ts';

/** Also white space before the `+` of the next number. */
export const BETWEEN_NUMBERS = /[,;\r\n\t]+|(?<!\s)\s+(?=\+)/;
/** A text with fewer digits is more likely a search. */
const MIN_DIGITS = 6;
const MIN_NUMBERS = 2;
const NO_DIGIT = /\D/g;

export interface Pasted {
  readonly numbers: readonly string[];
  /** What was among them and is no number. */
  readonly others: readonly string[];
  /** Whether there were more than a filter takes. */
  readonly isCut?: boolean;
}

/** What was pasted last, by the numbers that became a filter. */
export const pasted = observable<Pasted>({ numbers: [], others: [] });

export const numbersFilter = (list: ListFacts) =>
  list.filters.find(({ field, test }) => field.isNumber && test === 'any');

export const partsBetween = (text: string, separator: RegExp): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

const hasDigits = (text: string) => text.replaceAll(NO_DIGIT, '').length >= MIN_DIGITS;

/** Of a table the column that has most numbers, else all of the text. */
function columnOf(text: string): string {
  const rows = text.split(/\r?\n|\r/).map((line) => line.split('\t'));
  const columns = Math.max(...rows.map(({ length }) => length));
  if (rows.length === 1 || columns === 1) return text;
  const numbersIn = (column: number) => rows.filter((row) => hasDigits(row[column] ?? '')).length;
  const counts = Array.from({ length: columns }, (_, column) => numbersIn(column));
  const best = counts.indexOf(Math.max(...counts));
  return rows.map((row) => row[best] ?? '').join('\n');
}

/** Each text once, as it is written first. */
function firstOfEach(all: readonly string[], keyOf: (text: string) => string): string[] {
  const byKey = new Map<string, string>();
  for (const text of all) if (!byKey.has(keyOf(text))) byKey.set(keyOf(text), text);
  return [...byKey.values()];
}

/** The numbers in a text, where it has several and hardly anything else. */
function numbersIn(list: ListFacts, text: string): Pasted | undefined {
  const filter = numbersFilter(list);
  if (filter === undefined || text.replaceAll(NO_DIGIT, '').length < MIN_NUMBERS * MIN_DIGITS)
    return undefined;
  const parts = [...new Set(partsBetween(columnOf(text), BETWEEN_NUMBERS))];
  const isNumber = (part: string) =>
    hasDigits(part) && faultOf(list, { [filter.name]: [part] }) === undefined;
  const numbers = firstOfEach(parts.filter(isNumber), digitsOf);
  const others = firstOfEach(
    parts.filter((part) => !isNumber(part)),
    folded,
  );
  return numbers.length < MIN_NUMBERS || numbers.length < others.length ? undefined : { numbers, others };
}

/** A view of the numbers in a text: undefined where it is a search. */
export function withPasted(list: ListFacts, view: View, text: string): View | undefined {
  const found = numbersIn(list, text);
  const filter = numbersFilter(list);
  if (found === undefined || filter === undefined) return undefined;
  const numbers = found.numbers.slice(0, mostValues);
  pasted.set({ ...found, numbers, isCut: found.numbers.length > mostValues });
  return withFilter(list, withSearch(view, ''), filter.name, numbers);
}
