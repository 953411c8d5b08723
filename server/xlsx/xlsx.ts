// Writes a list as a workbook with one sheet for Excel and LibreOffice (docs/generated/api.md, "Files"),
// batch by batch and in constant memory.

import type { Item } from '@linecard/client/contract/csv';
import type { Kind, List } from '@linecard/client/contract/list';
import { CELLS, columnName, FORMATS, textCell } from './cells.ts';
import { DECLARATION, FIXED_PARTS, MAIN, SHEET_PART, WORKBOOK_PART, workbookXml } from './parts.ts';
import { ZipWriter } from './zip.ts';

/** A sheet has 1,048,576 rows including the header. Callers must check this before they begin. */
export const MAX_XLSX_ITEMS = 1_048_575;

/** Characters compressed together: smaller chunks compress worse, larger ones hardly better. */
const CHUNK_CHARACTERS = 131_072;

/** Minimum widths in characters. */
const WIDTHS: Readonly<Record<Kind, number>> = { integer: 12, text: 22, timestamp: 20, charge: 12, flag: 8 };
/** Space for the filter button next to the name. */
const BUTTON_WIDTH = 4;

const HEADER_FROZEN =
  '<sheetViews><sheetView tabSelected="1" workbookViewId="0">' +
  '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
  '<selection pane="bottomLeft"/></sheetView></sheetViews>';

interface Column {
  readonly name: string;
  readonly letter: string;
  readonly kind: Kind;
  readonly cell: (at: string, value: string) => string;
}

/** The bytes of `begin`, all calls of `rows`, and `end` form the file. Equal items result in equal files. */
export class XlsxWriter {
  readonly #zip = new ZipWriter();
  readonly #title: string;
  readonly #columns: readonly Column[];
  #text = '';
  #rows = 1;

  /** @param columns fields of the list; by default all, in the order of the contract. */
  constructor(list: List, columns: readonly string[] = Object.keys(list.fields)) {
    this.#title = list.title;
    this.#columns = columns.map((name, index) => {
      const kind = list.fields[name]?.kind;
      if (kind === undefined) throw new Error(`${list.title} have no field ${name}.`);
      return { name, letter: columnName(index), kind, cell: CELLS[kind] };
    });
  }

  begin(): Uint8Array {
    const widths = this.#columns.map(({ name, kind }, index) => {
      const width = Math.max(WIDTHS[kind], name.length + BUTTON_WIDTH);
      return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
    });
    const names = this.#columns.map(({ name, letter }) => textCell(`${letter}1`, name, FORMATS.heading));
    this.#text =
      `${DECLARATION}<worksheet xmlns="${MAIN}">${HEADER_FROZEN}` +
      `<cols>${widths.join('')}</cols><sheetData><row r="1">${names.join('')}</row>`;
    const parts = FIXED_PARTS.map(([name, xml]) => this.#zip.file(name, DECLARATION + xml));
    return Buffer.concat([...parts, this.#zip.open(SHEET_PART)]);
  }

  /**
   * @param items numbers and flags may be given as text.
   * @returns no bytes until there is enough to compress.
   */
  rows(items: Iterable<Item>): Uint8Array {
    const chunks: Uint8Array[] = [];
    for (const item of items) {
      this.#text += this.#row(item);
      if (this.#text.length >= CHUNK_CHARACTERS) chunks.push(this.#flush());
    }
    return Buffer.concat(chunks);
  }

  end(): Uint8Array {
    const lastColumn = columnName(this.#columns.length - 1);
    const texts = this.#columns.filter(({ kind }) => kind === 'text').map(({ letter }) => letter);
    const rangeOf = (letter: string) => `${letter}1:${letter}${this.#rows}`;
    this.#text += `</sheetData><autoFilter ref="A1:${lastColumn}${this.#rows}"/>`;
    // Suppresses the warning for numbers stored as text, which is intended.
    if (texts.length > 0) {
      const ranges = texts.map(rangeOf).join(' ');
      this.#text += `<ignoredErrors><ignoredError sqref="${ranges}" numberStoredAsText="1"/></ignoredErrors>`;
    }
    this.#text += '</worksheet>';
    const range = `$A$1:$${lastColumn}$${this.#rows}`;
    return Buffer.concat([
      this.#flush(),
      this.#zip.close(),
      this.#zip.file(WORKBOOK_PART, workbookXml(this.#title, range)),
      this.#zip.end(),
    ]);
  }

  #row(item: Item): string {
    this.#rows += 1;
    if (this.#rows > MAX_XLSX_ITEMS + 1) throw new Error(`A sheet holds ${MAX_XLSX_ITEMS} items at most.`);
    let cells = '';
    for (const { name, letter, cell } of this.#columns) {
      const value = item[name];
      if (value !== null && value !== undefined) cells += cell(`${letter}${this.#rows}`, String(value));
    }
    return `<row r="${this.#rows}">${cells}</row>`;
  }

  #flush(): Uint8Array {
    const packed = this.#zip.write(this.#text);
    this.#text = '';
    return packed;
  }
}
