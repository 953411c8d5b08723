// CSV as in RFC 4180, or with another delimiter -> records, each with the line where it begins. No library:
// csv-parse takes more time than the rest of an import's reading together and stops at the first fault; a
// test compares the two.

/** The longest record: a quote that is never closed must not swallow a file. */
export const MAX_RECORD_CHARACTERS = 1_048_576;

const CARRIAGE_RETURN = 13;
const QUOTE = 34;

/** What is wrong with a cell; each follows which one it is. */
export const CELL_FAULTS = {
  stray_quote:
    'has a quote in a cell that does not begin with one; put the cell in quotes and double those within.',
  trailing_text: 'goes on after its closing quote; double every quote that belongs to the text.',
  open_quote: 'begins with a quote that is not closed; the rest of the file was not read.',
} as const;
const { stray_quote: STRAY, trailing_text: TRAILING, open_quote: NOT_CLOSED } = CELL_FAULTS;

export interface CsvRecord {
  /** The line where the record begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** What is wrong with the cell after these cells. */
  readonly fault?: string;
}

export interface CsvForm {
  readonly line?: number;
  readonly quoteEscape?: string | undefined;
}

/** Reads the records of one file, which comes in chunks of complete lines; empty lines are skipped. */
export class CsvReader {
  readonly #delimiter: string;
  readonly #escape: string | undefined;
  blankLines = 0;
  /** The next line. */
  #line: number;
  /** The record that the last line left open: its first line, its cells, and the quoted cell so far. */
  #begin = 1;
  #cells: string[] = [];
  #quoted: string | undefined;
  /** How long that record is so far. */
  #characters = 0;
  #isLost = false;

  /**
   * @param delimiter the one character between two cells.
   * @param how.line the number of the first line.
   * @param how.quoteEscape what is before a quote within quotes; one that is doubled is one in any case.
   */
  constructor(delimiter = ',', { line = 1, quoteEscape }: CsvForm = {}) {
    this.#delimiter = delimiter;
    this.#line = line;
    this.#escape = quoteEscape;
  }

  /** The line that comes next; `undefined` where a quote that is not closed has taken the rest. */
  get nextLine(): number | undefined {
    return this.#isLost ? undefined : this.#line;
  }

  *records(chunk: string): Generator<CsvRecord> {
    let start = 0;
    while (start < chunk.length && !this.#isLost) {
      const feed = chunk.indexOf('\n', start);
      const next = feed < 0 ? chunk.length : feed + 1;
      const returned = feed > start && chunk.charCodeAt(feed - 1) === CARRIAGE_RETURN;
      const end = feed < 0 ? next : returned ? feed - 1 : feed;
      const line = chunk.slice(start, end);
      const lineEnd = chunk.slice(end, next);
      start = next;
      const record =
        this.#quoted === undefined && !line.includes('"') ? this.#plain(line) : this.#take(line, lineEnd);
      this.#line += 1;
      if (record !== undefined) yield record;
    }
  }

  /** The record that the end of the file left open, which is a fault. */
  rest(): CsvRecord | undefined {
    return this.#quoted === undefined ? undefined : this.#end(NOT_CLOSED);
  }

  #plain(line: string): CsvRecord | undefined {
    if (line !== '') return { line: this.#line, cells: line.split(this.#delimiter) };
    this.blankLines += 1;
    return undefined;
  }

  /** Takes a line with quotes, or one within a quoted cell; returns the record that ends with this line. */
  #take(line: string, lineEnd: string): CsvRecord | undefined {
    if (this.#quoted === undefined) this.#begin = this.#line;
    let at = 0;
    for (;;) {
      if (this.#quoted === undefined && line.charCodeAt(at) !== QUOTE) {
        const comma = line.indexOf(this.#delimiter, at);
        const cell = line.slice(at, comma < 0 ? line.length : comma);
        if (cell.includes('"')) return this.#end(STRAY);
        this.#cells.push(cell);
        if (comma < 0) return this.#end();
        at = comma + 1;
        continue;
      }
      if (this.#quoted === undefined) {
        this.#quoted = '';
        at += 1;
      }
      const quote = this.#quoteIn(line, at);
      if (quote < 0) return this.#leaveOpen(line.slice(at) + lineEnd, line.length + lineEnd.length);
      this.#quoted += this.#unescaped(line.slice(at, quote));
      at = quote + 1;
      if (line.charCodeAt(at) === QUOTE) {
        this.#quoted += '"';
        at += 1;
        continue;
      }
      if (at < line.length && line[at] !== this.#delimiter) return this.#end(TRAILING);
      this.#cells.push(this.#quoted);
      this.#quoted = undefined;
      if (at === line.length) return this.#end();
      at += 1;
    }
  }

  /** Where the next quote is that nothing escapes, or -1. */
  #quoteIn(line: string, at: number): number {
    for (let quote = line.indexOf('"', at); ; quote = line.indexOf('"', quote + 1)) {
      if (quote < 0 || this.#escape === undefined) return quote;
      let begin = quote;
      while (begin > at && line[begin - 1] === this.#escape) begin -= 1;
      if ((quote - begin) % 2 === 0) return quote;
    }
  }

  /** As MySQL and PHP write it, a backslash is before a quote or another backslash. */
  #unescaped(text: string): string {
    return this.#escape === undefined ? text : text.replaceAll(/\\(["\\])/g, '$1');
  }

  #leaveOpen(text: string, characters: number): CsvRecord | undefined {
    this.#characters += characters;
    this.#quoted = (this.#quoted ?? '') + this.#unescaped(text);
    return this.#characters > MAX_RECORD_CHARACTERS ? this.#end(NOT_CLOSED) : undefined;
  }

  #end(fault?: string): CsvRecord {
    const record = { line: this.#begin, cells: this.#cells, ...(fault === undefined ? {} : { fault }) };
    this.#cells = [];
    this.#quoted = undefined;
    this.#characters = 0;
    this.#isLost = fault === NOT_CLOSED;
    return record;
  }
}
