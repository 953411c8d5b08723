// The telephone numbers and ranges of a file, each with its line and its amount. The column of numbers is
// found by its content where it is not named; a line without a number is reported, never skipped.

import { numberDigits, typed } from '../contract/digits.ts';
import {
  isRange,
  MAX_NUMBER_CHARACTERS,
  NUMBER_LENGTH,
  numberFault,
  rangeOf,
} from '../contract/telephone.ts';
import { trimmed } from '../contract/trimmed.ts';
import { chargeReader } from './charge-text.ts';
import { type CheckFault, kindOf } from './check-faults.ts';
import { currencyOf, decimalSign, isPhoneNumber, mostly, present } from './contents.ts';
import { type FileTable, type LineFault, tablesOf, textOf, Uncheckable } from './file-table.ts';
import { WrittenNumbers } from './written-numbers.ts';

/** Of the numbers of all ranges of a file; a longer one is more likely a fault. */
const MAX_RANGE_NUMBERS = 1_000_000;
const MAX_SHOWN_CHARACTERS = 100;
const MAX_REMEMBERED = 1_000;
/** The field of exports that has the number. */
const OWN_NAME = 'did';
/** Most numbers. */
const PLAIN = /^\+?[1-9]\d{2,14}$/;
const WRITTEN = /^[+\d\s()./-]*$/;
const DECIMAL = /^-?\d{1,15}(?:\.(\d{1,6})0*)?$/;

export interface NumbersRead {
  readonly numbers: WrittenNumbers;
  /** What has no number, or no amount, and why. */
  readonly faults: readonly LineFault[];
  readonly hasAmounts: boolean;
}

export interface ColumnNames {
  readonly number?: string | undefined;
  readonly amount?: string | undefined;
}

function isWritten(text: string): boolean {
  if (text.length > MAX_NUMBER_CHARACTERS) return false;
  return isRange(text) || (isPhoneNumber(typed(text)) && numberFault(text) === undefined);
}

const isInternational = (text: string) => /^(?:\+|00)/.test(typed(text));
const plain = (name: string) => name.normalize('NFC').toLowerCase();

/** The position of a named column, -1 where there is none. */
const named = (table: FileTable, name: string): number =>
  (table.sample[0] ?? []).findIndex((one) => plain(one) === plain(trimmed(name)));

/** The positions of the columns that have numbers; several where it may be either of them. */
function numberColumns({ sample }: FileTable): number[] {
  const [header = [], ...rest] = sample;
  const rows = rest.length === 0 ? sample : rest;
  const textsOf = (i: number) => present(rows.map((cells) => cells[i] ?? ''));
  const found = header.map((_, i) => i).filter((i) => mostly(textsOf(i), isWritten));
  const own = found.filter((i) => plain(header[i] ?? '') === OWN_NAME);
  const international = found.filter((i) => mostly(textsOf(i), isInternational));
  return [own, international].find((some) => some.length === 1) ?? found;
}

/** No other column can be meant: what is no number in it is named, line by line. */
const isOneColumn = ({ sample }: FileTable): boolean => sample.every(({ length }) => length <= 1);

interface Columns {
  readonly table: FileTable;
  readonly number: number;
  /** -1 where amounts are not compared. */
  readonly amount: number;
  readonly hasHeader: boolean;
}

const quoted = (name: string) => `"${name}"`;

function missing(column: 'number' | 'amount', name: string, tables: readonly FileTable[]): Uncheckable {
  const names = (tables[0]?.sample[0] ?? []).filter((one) => one !== '').map(quoted);
  return new Uncheckable(`no_such_${column}_column`, { values: [name, names.slice(0, 20)] });
}

/** @throws {Uncheckable} */
function columnsOf(tables: readonly FileTable[], names: ColumnNames): Columns {
  const all = [names.number, names.amount].filter((name) => name !== undefined);
  const fitting = tables.filter((table) => all.every((name) => named(table, name) >= 0));
  if (fitting.length === 0) {
    const isMissing = (name: string) => tables.every((table) => named(table, name) < 0);
    const isNumber = names.number !== undefined && isMissing(names.number);
    throw isNumber ? missing('number', names.number, tables) : missing('amount', names.amount ?? '', tables);
  }
  let several: string[] = [];
  for (const table of fitting) {
    const found = names.number === undefined ? numberColumns(table) : [named(table, names.number)];
    const [number] = found;
    const header = table.sample[0] ?? [];
    if (found.length > 1 && several.length === 0) several = found.map((i) => header[i] ?? '');
    if (number === undefined || found.length > 1) continue;
    const amount = names.amount === undefined ? -1 : named(table, names.amount);
    const hasHeader = !table.isNamed && (all.length > 0 || !isWritten(header[number] ?? ''));
    return { table, number, amount, hasHeader };
  }
  if (several.length > 0) throw new Uncheckable('several_columns', { values: [several.map(quoted)] });
  const [table] = all.length === 0 && tables.every(isOneColumn) ? tables : [];
  if (table?.sample.some(([text = '']) => isWritten(text)))
    return { table, number: 0, amount: -1, hasHeader: false };
  throw new Uncheckable(table === undefined ? 'no_column' : 'no_numbers');
}

/**
 * The names of the columns, to choose from; none where the first row has a number.
 * @throws {Uncheckable}
 */
export function columnNames(bytes: Uint8Array): string[] {
  const [table] = tablesOf(textOf(bytes));
  const [header = []] = table?.sample ?? [];
  return header.some(isWritten) ? [] : header.filter((name) => name !== '');
}

/** The same function, which remembers what it gave: the amounts of a file are few. */
function remembered(read: (text: string) => number | undefined): (text: string) => number | undefined {
  const known = new Map<string, number | undefined>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined || known.has(text)) return found;
    if (known.size === MAX_REMEMBERED) known.clear();
    const amount = read(text);
    known.set(text, amount);
    return amount;
  };
}

/** How the amounts of the file are read. @throws {Uncheckable} where it is not clear */
function amountReader({ table, amount }: Columns): (text: string) => number | undefined {
  const texts = present(table.sample.slice(1).map((cells) => cells[amount] ?? ''));
  const { found: currency, ways: several } = currencyOf(texts);
  if (several !== undefined) throw new Uncheckable('several_currencies', { values: [several] });
  const bare = currency === undefined ? texts : texts.map((text) => text.replace(currency, '').trim());
  const { found, unclear } = decimalSign(bare);
  if (unclear !== undefined) throw new Uncheckable('unclear_amounts', { values: [unclear] });
  const read = chargeReader(found ?? '.', currency);
  return remembered((text) => {
    const number = read(text)?.number;
    const [matched, fraction = ''] = DECIMAL.exec(number ?? '') ?? [];
    if (matched === undefined) return undefined;
    const [whole = ''] = matched.split('.');
    const size = Number(whole.replace('-', '') + fraction.padEnd(6, '0'));
    if (!Number.isSafeInteger(size)) return undefined;
    return whole.startsWith('-') && size !== 0 ? -size : size;
  });
}

const shortened = (text: string) =>
  text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;

/** Reads written numbers one by one; the file, and the tool, whose numbers have no file. */
export class NumberReader {
  readonly numbers = new WrittenNumbers();
  readonly faults: LineFault[] = [];
  #inRanges = 0;

  report(line: number, text: string, kind: CheckFault['kind'], ...values: CheckFault['values']): void {
    this.faults.push({ line, text: shortened(text), fault: { kind, values } });
  }

  take(line: number, number: string, amount?: number): void {
    const common = { line, number, ...(amount !== undefined && { amount }) };
    if (number === '') return this.report(line, number, 'no_number');
    if (number.length > MAX_NUMBER_CHARACTERS) return this.report(line, number, 'not_a_number');
    if (PLAIN.test(number)) {
      this.numbers.push(common);
      return;
    }
    const fault = numberFault(number);
    if (fault !== undefined && isRange(number)) {
      const range = rangeOf(number);
      if (range === undefined) return this.report(line, number, 'backwards');
      this.#inRanges += Number(range[1]) - Number(range[0]) + 1;
      if (this.#inRanges <= MAX_RANGE_NUMBERS) this.numbers.push({ ...common, range });
      else this.report(line, number, 'long_ranges', MAX_RANGE_NUMBERS);
      return;
    }
    const isNumber = WRITTEN.test(typed(number)) && numberDigits(number).length >= NUMBER_LENGTH.min;
    if (fault === undefined && isNumber) this.numbers.push(common);
    else if (fault === undefined) this.report(line, number, 'not_a_number');
    else
      this.report(line, number, kindOf(fault) ?? 'too_long', numberDigits(number).length, NUMBER_LENGTH.max);
  }
}

/** @throws {Uncheckable} */
export function numbersOfFile(bytes: Uint8Array, names: ColumnNames = {}): NumbersRead {
  const reader = new NumberReader();
  const hasAmounts = names.amount !== undefined;
  const text = textOf(bytes);
  if (text.trim() === '') return { numbers: reader.numbers, faults: [], hasAmounts };
  const columns = columnsOf(tablesOf(text), names);
  const amountOf = hasAmounts ? amountReader(columns) : () => undefined;
  const rows = columns.table.rows(({ line, text: whole, fault }) =>
    reader.report(line, whole, fault.kind, ...fault.values),
  );
  let isHeader = columns.hasHeader;
  for (const { line, cells } of rows) {
    if (isHeader) {
      isHeader = false;
      continue;
    }
    const number = trimmed(cells[columns.number] ?? '');
    if (number === '') {
      reader.report(line, cells.join(' ').trim(), 'no_number');
      continue;
    }
    const written = hasAmounts ? trimmed(cells[columns.amount] ?? '') : '';
    const amount = amountOf(written);
    reader.take(line, number, amount);
    if (hasAmounts && amount === undefined)
      reader.report(line, number, written === '' ? 'no_amount' : 'not_an_amount', written);
  }
  return { numbers: reader.numbers, faults: reader.faults, hasAmounts };
}
