// The lines of a CSV file before its header: as many as a mapping says, or all up to the one that has the
// names that it says; and first lines that say how the rest is written.

import { CsvReader } from '@linecard/client/check/csv-reader';
import { plainName } from './columns.ts';

/** `sep=;` as Excel writes and reads it. */
const SEPARATOR = /^"?sep=([^"\r\n])"?\1*$/i;
/** As `Export-Csv` of PowerShell begins. */
const TYPE = /^"?#TYPE /;
const LINE_BREAK = /\r?\n$/;
/** A longer line says nothing of this kind. */
const MAX_FIRST_CHARACTERS = 1_000;

export interface HeaderPlace {
  /** How many lines are before the header. */
  readonly skip?: number | undefined;
  /** Names that the header has. */
  readonly header?: readonly string[] | undefined;
}

export class LinesBefore {
  readonly #skip: number;
  readonly #names: readonly string[] | undefined;
  /** What separates cells: as it is given, or as the first line says. */
  delimiter: string | undefined;
  /** The line that comes next. */
  line = 1;
  isOver = false;

  constructor({ skip = 0, header }: HeaderPlace, delimiter: string | undefined) {
    this.#skip = skip;
    this.#names = header?.map(plainName);
    this.delimiter = delimiter;
  }

  /** What comes from the header on, of a chunk of complete lines. */
  after(chunk: string): string {
    let start = 0;
    while (start < chunk.length) {
      const feed = chunk.indexOf('\n', start);
      const next = feed < 0 ? chunk.length : feed + 1;
      const line = chunk.slice(start, next).replace(LINE_BREAK, '');
      this.isOver = !(this.#saysForm(line) || this.#isBefore(line));
      if (this.isOver) break;
      this.line += 1;
      start = next;
    }
    return chunk.slice(start);
  }

  #saysForm(line: string): boolean {
    if (this.line > 2 || line.length > MAX_FIRST_CHARACTERS) return false;
    const separator = this.line === 1 ? SEPARATOR.exec(line)?.[1] : undefined;
    if (separator !== undefined) this.delimiter ??= separator;
    return separator !== undefined || TYPE.test(line);
  }

  #isBefore(line: string): boolean {
    if (this.line <= this.#skip) return true;
    if (this.#names === undefined) return false;
    const [record] = new CsvReader(this.delimiter).records(`${line}\n`);
    const names = record?.fault === undefined ? record?.cells.map(plainName) : undefined;
    return names === undefined || !this.#names.every((name) => names.includes(name));
  }
}
