// Writes a list as a workbook with one sheet for Excel and LibreOffice (docs/generated/api.md, "Files"),
// batch by batch and in constant memory.

import { chargeText, parseCharge } from '@linecard/client/contract/charge';
import type { Item } from '@linecard/client/contract/csv';
import { summedFields } from '@linecard/client/contract/facets';
import { fieldLabel, type Language, TOTAL } from '@linecard/client/contract/labels';
import type { Field, Kind, List } from '@linecard/client/contract/list';
import { ownTitle } from '@linecard/client/contract/own-fields';
import { CELLS, columnName, FORMATS, numberCell, textCell } from './cells.ts';
import {
  type ChargeFormats,
  DECLARATION,
  firstParts,
  MAIN,
  SHEET_PART,
  WORKBOOK_PART,
  workbookXml,
} from './parts.ts';
import { ZipWriter } from './zip.ts';

/** A sheet has 1,048,576 rows including the header. Callers must check this before they begin. */
export const MAX_XLSX_ITEMS = 1_048_575;

/** An empty row and the sums. */
export const TOTALS_ROWS = 2;

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

/** Whom a workbook is for, if for people: it has headings, a currency and a row of sums. */
export interface People {
  readonly language: Language;
  /** ISO 4217. */
  readonly currency: string | null;
}

const EXACT = '.00####';

/** The formats of charges, with the currency where the language writes it. */
function chargeFormats(people: People | undefined): ChargeFormats {
  if (people === undefined) return { charge: `0${EXACT}` };
  const { language, currency } = people;
  if (currency === null) return { charge: `#,##0${EXACT}`, sum: '#,##0.00' };
  const style = new Intl.NumberFormat(language, { style: 'currency', currency });
  const digits = style.resolvedOptions().maximumFractionDigits ?? 2;
  const written = (number: string) =>
    style
      .formatToParts(0)
      .map(({ type, value }) => {
        if (type === 'integer') return number;
        return type === 'currency' ? `[$${value}]` : type === 'literal' ? String.raw`\ ` : '';
      })
      .join('');
  return {
    charge: written(`#,##0${EXACT}`),
    sum: written(digits === 0 ? '#,##0' : `#,##0.${'0'.repeat(digits)}`),
  };
}

interface Column {
  readonly name: string;
  readonly heading: string;
  readonly letter: string;
  readonly kind: Kind;
  readonly cell: (at: string, value: string) => string;
}

/** Times are in UTC, which a heading for people says. */
function headingOf(name: string, { kind, own }: Field, people: People | undefined): string {
  if (people === undefined) return name;
  const { language } = people;
  const label = own === undefined ? fieldLabel(language, name) : ownTitle(own, language);
  return kind === 'timestamp' ? `${label} (UTC)` : label;
}

/** The bytes of `begin`, all calls of `rows`, and `end` form the file. Equal items result in equal files. */
export class XlsxWriter {
  readonly #zip = new ZipWriter();
  readonly #title: string;
  readonly #columns: readonly Column[];
  readonly #people: People | undefined;
  /** By field, in millionths. */
  readonly #sums = new Map<string, bigint>();
  #text = '';
  #rows = 1;

  /** @param columns fields of the list; by default all, in the order of the contract. */
  constructor(list: List, columns: readonly string[] = Object.keys(list.fields), people?: People) {
    this.#title = list.title;
    this.#people = people;
    this.#columns = columns.map((name, index) => {
      const field = list.fields[name];
      if (field === undefined) throw new Error(`${list.title} have no field ${name}.`);
      const { kind } = field;
      const heading = headingOf(name, field, people);
      return { name, heading, letter: columnName(index), kind, cell: CELLS[kind] };
    });
    if (people === undefined) return;
    for (const name of summedFields(list)) if (columns.includes(name)) this.#sums.set(name, 0n);
  }

  begin(): Uint8Array {
    const widths = this.#columns.map(({ heading, kind }, index) => {
      const width = Math.max(WIDTHS[kind], heading.length + BUTTON_WIDTH);
      return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
    });
    const headings = this.#columns.map(({ heading, letter }) =>
      textCell(`${letter}1`, heading, FORMATS.heading),
    );
    this.#text =
      `${DECLARATION}<worksheet xmlns="${MAIN}">${HEADER_FROZEN}` +
      `<cols>${widths.join('')}</cols><sheetData><row r="1">${headings.join('')}</row>`;
    const parts = firstParts(chargeFormats(this.#people)).map(([name, xml]) =>
      this.#zip.file(name, DECLARATION + xml),
    );
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
    this.#text += `${this.#totals()}</sheetData><autoFilter ref="A1:${lastColumn}${this.#rows}"/>`;
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
    for (const [name, sum] of this.#sums) {
      this.#sums.set(name, sum + BigInt(parseCharge(String(item[name])) ?? 0));
    }
    return `<row r="${this.#rows}">${cells}</row>`;
  }

  /** After an empty row, so that filters and sorting leave it in place. */
  #totals(): string {
    if (this.#people === undefined || this.#sums.size === 0) return '';
    const row = this.#rows + TOTALS_ROWS;
    const label = TOTAL[this.#people.language];
    const cells = this.#columns.map(({ name, letter }, index) => {
      const sum = this.#sums.get(name);
      if (sum !== undefined) return numberCell(`${letter}${row}`, chargeText(sum), FORMATS.sum);
      return index === 0 ? textCell(`${letter}${row}`, label, FORMATS.heading) : '';
    });
    return `<row r="${row}">${cells.join('')}</row>`;
  }

  #flush(): Uint8Array {
    const packed = this.#zip.write(this.#text);
    this.#text = '';
    return packed;
  }
}
