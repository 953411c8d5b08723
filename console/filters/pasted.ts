// Telephone numbers that are pasted where one would be searched: a column of a spreadsheet, a mail, a list.

import { folded, type ListFacts, mostValues, type View } from '../contract.ts';
import { observable } from '../observable.ts';
import { digitsOf, faultOf } from '../reading.ts';
import { withFilter, withSearch } from '../view.ts';

/** Also white space before the `+` of the next number. */
export const BETWEEN_NUMBERS = /[,;\r\n\t]+|(?<!\s)\s+(?=\+)/;
/** What is between the cells of a table. */
const DELIMITERS = ['\t', ';', ','];
const BETWEEN_PARTS = /[,;|\r\n\t\v\f\u2028]+/;
/** What is written like a number within a text, and is no part of a word. */
const WRITTEN_NUMBER =
  /(?<![\p{L}\p{N}])[+＋]?(?:\(\d+\)[\s-]*)?\d(?:[\d\s()./\p{Pd}\u2212\p{Cf}]*\d)?(?![\p{L}\p{N}])/gu;
const IS_INTERNATIONAL = /^(?:[+＋]|00)/;
const IS_DATE = /^(?:\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{4})(?!\d)/;
/** `1.` before the first of several lines. */
const ORDINAL = /^\s*\d+[.)]\s+/;
const HAS_LETTER = /\p{L}/u;
/** A text with fewer digits is more likely a search. */
const MIN_DIGITS = 6;
/** Of E.164, with a `00` before it. */
const MAX_DIGITS = 17;
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

/** Numbers between separators, each without what is around it; what is none stays as it is. */
export const numbersBetween = (text: string): string[] =>
  partsBetween(text, BETWEEN_NUMBERS).flatMap((part) => {
    const numbers = writtenIn(part);
    return numbers.length > 0 ? numbers : [part];
  });

const countDigits = (text: string) => text.replaceAll(NO_DIGIT, '').length;
const hasDigits = (text: string) => countDigits(text) >= MIN_DIGITS;

/** Numbers in one line that only white space is between, also where each has more: each begins alike then. */
function apart(written: string): string[] {
  const words = written.split(/\s+/);
  const isWhole = (parts: readonly string[]) =>
    parts.every((part) => hasDigits(part) && countDigits(part) <= MAX_DIGITS);
  if (isWhole([written])) return [written];
  if (isWhole(words)) return words;
  const starts = words.flatMap((word, i) => (word === words[0] ? [i] : []));
  const alike = starts.map((start, i) => words.slice(start, starts[i + 1]).join(' '));
  return isWhole(alike) ? alike : [written];
}

/** The numbers in a part of a text: those with a country code alone, if there are any. */
function writtenIn(part: string): string[] {
  const all = (part.match(WRITTEN_NUMBER) ?? []).flatMap(apart);
  const numbers = all.filter((one) => hasDigits(one) && !IS_DATE.test(one));
  const international = numbers.filter((one) => IS_INTERNATIONAL.test(one));
  if (international.length > 0) return international;
  return numbers.length === 1 || !HAS_LETTER.test(part) ? numbers : [];
}

/** The lines of a text without their numbering. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== '');
  const isNumbered = lines.length > 1 && lines.every((line) => ORDINAL.test(line));
  return isNumbered ? lines.map((line) => line.replace(ORDINAL, '')) : lines;
}

/** Of a table the columns that are mostly numbers, or the one that has most; else all of the text. */
function columnsOf(text: string): string {
  const lines = linesOf(text);
  const tables = DELIMITERS.map((delimiter) => lines.map((line) => line.split(delimiter)));
  const isTable = (rows: readonly string[][]) =>
    rows.length > 1 && rows.every(({ length }) => length > 1 && length === rows[0]?.length);
  const rows = tables.find(isTable);
  if (rows === undefined) return lines.join('\n');
  // Next to numbers with a country code, others are ids.
  const found = rows.map((row) => writtenIn(row.flatMap(writtenIn).join('\n')));
  const isNumber = (at: number) => (row: readonly string[], i: number) =>
    writtenIn(row[at] ?? '').some((one) => found[i]?.includes(one));
  const counts = (rows[0] ?? []).map((_, at) => rows.filter(isNumber(at)).length);
  const least = Math.min(rows.length / 2, Math.max(...counts));
  return rows.flatMap((row) => row.filter((_, at) => (counts[at] ?? 0) >= least)).join('\n');
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
  if (filter === undefined || countDigits(text) < MIN_NUMBERS * MIN_DIGITS) return undefined;
  const isNumber = (written: string) => faultOf(list, { [filter.name]: [written] }) === undefined;
  const parts = [...new Set(partsBetween(columnsOf(text), BETWEEN_PARTS))].map((part) => ({
    part,
    numbers: writtenIn(part).filter(isNumber),
  }));
  const numbers = firstOfEach(
    parts.flatMap((one) => one.numbers),
    digitsOf,
  );
  const others = firstOfEach(
    parts.flatMap((one) => (one.numbers.length > 0 ? [] : [one.part])),
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
