// The rows of a sheet as a stream: the text of each cell, and what kind of cell it is where that says more.

import { UnreadableFile, UnreadableLine } from '../files.ts';
import { clockTime, localTime } from './number-formats.ts';
import { RichText, unescaped } from './texts.ts';
import type { Sheet, Workbook } from './workbook.ts';
import { parsed } from './xml.ts';

/** The most that a sheet has, as Excel writes it. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_ROW_CHARACTERS = 1_048_576;
const REFERENCE = /^([A-Z]{1,3})(\d{1,7})$/;
const LETTERS = 26;
const LETTER_BEFORE_A = 64;
/** Spreadsheets calculate and show this many digits. */
const DIGITS = 15;
const TOO_LONG = 10 ** DIGITS;
const DECIMALS = 20;

/** What a cell is, where its text alone does not say it: a number, a local time, or no value. */
export type CellKind = 'number' | 'time' | 'fault' | undefined;

export interface SheetRow {
  /** The number of the row, from 1. */
  readonly line: number;
  /** The texts of the cells; of one with a fault, what is wrong. */
  readonly cells: readonly string[];
  readonly kinds: readonly CellKind[];
}

interface Cell {
  readonly type: string;
  readonly style: number;
  value: string;
  hasFormula: boolean;
}

type Read = readonly [text: string, kind: CellKind];

/** A number as Excel shows it, without exponent. */
function plainNumber(number: number): string {
  const shown = Number(number.toPrecision(DIGITS));
  const text = String(shown);
  if (!text.includes('e')) return text;
  const digits = shown.toFixed(DECIMALS);
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, digits[end - 1] === '.' ? end - 1 : end);
}

function numberOf({ value, style }: Cell, { shown, is1904 }: Workbook): Read {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number))
    return [`is ${JSON.stringify(value.slice(0, DIGITS))}, and no number.`, 'fault'];
  const format = shown[style] ?? 'number';
  if (format === 'number') {
    if (Math.abs(number) < TOO_LONG) return [plainNumber(number), 'number'];
    return [
      `is a number of more than ${DIGITS} digits, which a spreadsheet does not keep: format the column as text, and enter it again.`,
      'fault',
    ];
  }
  const time = format === 'day' ? localTime(number, is1904) : clockTime(number);
  if (time === undefined)
    return [
      `is a time that programs read differently, the number ${plainNumber(number)}: write it as text.`,
      'fault',
    ];
  return format === 'day' ? [time, 'time'] : [time, undefined];
}

/** What a cell that is not empty holds. */
function readCell(cell: Cell, rich: string, workbook: Workbook): Read {
  const { type, value } = cell;
  if (type === 'inlineStr') return [rich, undefined];
  if (value === '' && cell.hasFormula && type !== 'str')
    return [
      'has a formula without a result: open the workbook in Excel or LibreOffice, and save it again.',
      'fault',
    ];
  if (value === '') return ['', undefined];
  if (type === 's') return [workbook.texts.get(value), undefined];
  if (type === 'str') return [unescaped(value), undefined];
  if (type === 'b') return [value === '1' || value === 'true' ? 'true' : 'false', undefined];
  if (type === 'e') return [`is the error ${value.slice(0, DIGITS)}: correct it in the workbook.`, 'fault'];
  if (type === 'd') return [value, /Z$|[+-]\d\d:\d\d$/.test(value) ? undefined : 'time'];
  return numberOf(cell, workbook);
}

function columnOf(letters: string): number {
  let column = 0;
  for (let i = 0; i < letters.length; i++)
    column = LETTERS * column + letters.charCodeAt(i) - LETTER_BEFORE_A;
  return column - 1;
}

/** Collects the rows of a sheet from the events of its XML. */
class Rows {
  readonly #workbook: Workbook;
  readonly #rich = new RichText();
  done: SheetRow[] = [];
  line = 0;
  #cells: string[] = [];
  #kinds: CellKind[] = [];
  #column = -1;
  #characters = 0;
  #cell: Cell | undefined;
  #isValue = false;
  #isWithin = false;

  constructor(workbook: Workbook) {
    this.#workbook = workbook;
  }

  open(tag: string, attributeOf: (name: string) => string | undefined): void {
    if (tag === 'sheetData') this.#isWithin = true;
    else if (!this.#isWithin) return;
    else if (tag === 'row') this.#openRow(attributeOf('r'));
    else if (tag === 'c') {
      this.#column = this.#columnAfter(attributeOf('r'));
      const style = Number(attributeOf('s') ?? 0);
      this.#cell = { type: attributeOf('t') ?? 'n', style, value: '', hasFormula: false };
    } else if (this.#cell !== undefined) {
      this.#isValue = tag === 'v';
      if (tag === 'f') this.#cell.hasFormula = true;
      else this.#rich.open(tag);
    }
  }

  text(text: string): void {
    if (this.#cell === undefined) return;
    if (this.#isValue) this.#cell.value += text;
    else this.#rich.add(text);
  }

  close(tag: string): void {
    if (tag === 'sheetData') this.#isWithin = false;
    else if (tag === 'row' && this.#isWithin) this.#closeRow();
    else if (this.#cell !== undefined) {
      this.#isValue = false;
      this.#rich.close(tag);
      if (tag === 'c') this.#closeCell(this.#cell);
    }
  }

  #openRow(reference: string | undefined): void {
    const line = reference === undefined ? this.line + 1 : Number(reference);
    if (!(line > this.line && line <= MAX_ROWS))
      throw new UnreadableLine('The rows of the workbook are in no order.');
    this.line = line;
    this.#column = -1;
    this.#characters = 0;
  }

  #columnAfter(reference: string | undefined): number {
    const letters = reference === undefined ? undefined : REFERENCE.exec(reference)?.[1];
    const column = letters === undefined ? this.#column + 1 : columnOf(letters);
    if (column > this.#column && column < MAX_COLUMNS) return column;
    throw new UnreadableLine('The cells of the workbook are in no order.');
  }

  #closeCell(cell: Cell): void {
    this.#cell = undefined;
    const [text, kind] = readCell(cell, this.#rich.take(), this.#workbook);
    // A blank cell after the last name is no cell of the row.
    if (text.trim() === '') return;
    this.#characters += text.length;
    if (this.#characters > MAX_ROW_CHARACTERS) throw new UnreadableLine('A row of the workbook is too long.');
    while (this.#cells.length < this.#column) this.#cells.push('');
    this.#cells.push(text);
    if (kind !== undefined) this.#kinds[this.#column] = kind;
  }

  #closeRow(): void {
    // Rows with nothing but formats are none.
    if (this.#cells.some((cell) => cell.trim() !== ''))
      this.done.push({ line: this.line, cells: this.#cells, kinds: this.#kinds });
    this.#cells = [];
    this.#kinds = [];
  }
}

/** Some rows of a sheet, and the part of it that was read. */
export interface SheetChunk {
  readonly rows: readonly SheetRow[];
  readonly part: number;
}

/**
 * Reads the rows of a sheet that have something in them.
 * @throws {UnreadableFile} when it cannot be read on.
 */
export async function* sheetRows(workbook: Workbook, { part }: Sheet): AsyncGenerator<SheetChunk> {
  const { archive } = workbook;
  const rows = new Rows(workbook);
  const handler = {
    open: (tag: string, attributeOf: (name: string) => string | undefined) => rows.open(tag, attributeOf),
    close: (tag: string) => rows.close(tag),
    text: (text: string) => rows.text(text),
  };
  let bytes = 0;
  for await (const size of parsed(part, archive.read(part), handler)) {
    bytes += size;
    const { done } = rows;
    rows.done = [];
    yield { rows: done, part: bytes / Math.max(1, archive.sizeOf(part)) };
  }
  if (rows.done.length > 0) yield { rows: rows.done, part: 1 };
  if (bytes === 0) throw new UnreadableFile('The sheet of the workbook is empty.');
}
