// Writes workbooks (.xlsx) as other programs do, independently of the server: shared, inline and rich texts,
// both calendars, prefixes, gaps.

import { strToU8, zipSync } from 'fflate';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const DAY = 86_400_000;

/** What a cell is; a number may have one of the formats of the workbook. */
export type Cell =
  | undefined
  | { readonly text: string; readonly as?: 'shared' | 'inline' | 'rich' | 'formula' }
  | { readonly number: string; readonly format?: number }
  | { readonly flag: boolean }
  | { readonly error: string }
  | { readonly iso: string }
  | { readonly xml: string };

export interface SheetModel {
  readonly name: string;
  readonly rows: readonly (readonly Cell[])[];
  readonly isHidden?: boolean;
}

export interface WorkbookModel {
  readonly sheets: readonly SheetModel[];
  /** The texts of formats; a cell has one by its place here, and 0 is none. */
  readonly formats?: readonly string[];
  readonly is1904?: boolean;
  /** Of all tags of spreadsheets, such as `x:`. */
  readonly prefix?: string;
  /** Whether rows and cells say where they are. */
  readonly hasReferences?: boolean;
  /** Parts in addition, or in the place of others. */
  readonly parts?: Readonly<Record<string, string | Uint8Array>>;
}

const xml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function letters(column: number): string {
  const rest = String.fromCharCode(65 + (column % 26));
  return column < 26 ? rest : letters(Math.floor(column / 26) - 1) + rest;
}

/** The serial number of a local time, as spreadsheets count. */
export function serialOf(local: string, is1904 = false): string {
  const days = (Date.parse(`${local}Z`) - Date.UTC(1899, 11, 30)) / DAY;
  return String(is1904 ? days - 1_462 : days);
}

class Writer {
  readonly #shared: string[] = [];
  readonly #p: string;
  readonly #hasReferences: boolean;

  constructor({ prefix = '', hasReferences = true }: WorkbookModel) {
    this.#p = prefix;
    this.#hasReferences = hasReferences;
  }

  tag(name: string, content: string, attributes = ''): string {
    return `<${this.#p}${name}${attributes}>${content}</${this.#p}${name}>`;
  }

  root(name: string, content: string): string {
    const own = this.#p === '' ? 'xmlns' : `xmlns:${this.#p.slice(0, -1)}`;
    return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${this.tag(name, content, ` ${own}="${MAIN}" xmlns:r="${OFFICE}"`)}`;
  }

  #text(text: string): string {
    return this.tag('t', xml(text), ' xml:space="preserve"');
  }

  #cell(cell: NonNullable<Cell>, at: string): string {
    const c = (type: string, content: string) => this.tag('c', content, `${at}${type}`);
    const v = (text: string) => this.tag('v', xml(text));
    if ('number' in cell) return c(cell.format ? ` s="${cell.format}"` : '', v(cell.number));
    if ('flag' in cell) return c(' t="b"', v(cell.flag ? '1' : '0'));
    if ('error' in cell) return c(' t="e"', v(cell.error));
    if ('iso' in cell) return c(' t="d"', v(cell.iso));
    if ('xml' in cell) return cell.xml;
    const { text, as = 'shared' } = cell;
    if (as === 'formula') return c(' t="str"', this.tag('f', 'A1&amp;B1') + v(text));
    if (as === 'inline') return c(' t="inlineStr"', this.tag('is', this.#text(text)));
    const points = Array.from(text);
    const half = points.slice(0, points.length / 2).join('').length;
    const run = (part: string) => this.tag('r', this.tag('rPr', `<${this.#p}b/>`) + this.#text(part));
    const spoken = this.tag('rPh', this.#text('spoken'), ' sb="0" eb="1"');
    this.#shared.push(
      as === 'rich' ? run(text.slice(0, half)) + run(text.slice(half)) + spoken : this.#text(text),
    );
    return c(' t="s"', v(String(this.#shared.length - 1)));
  }

  sheet({ rows }: SheetModel): string {
    const written = rows.map((cells, y) => {
      const all = cells.map((cell, x) => {
        if (cell === undefined) return this.#hasReferences ? '' : `<${this.#p}c/>`;
        return this.#cell(cell, this.#hasReferences ? ` r="${letters(x)}${y + 1}"` : '');
      });
      return this.tag('row', all.join(''), this.#hasReferences ? ` r="${y + 1}"` : '');
    });
    return this.root('worksheet', this.tag('sheetData', written.join('\n')));
  }

  get sharedTexts(): string {
    return this.root('sst', this.#shared.map((text) => this.tag('si', text)).join(''));
  }
}

const relationship = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
const relationships = (...all: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="${PACKAGE}">${all.join('')}</Relationships>`;

/** The parts of a workbook, by their names. */
function partsOf(model: WorkbookModel): Record<string, string | Uint8Array> {
  const { sheets, formats = [], is1904 = false } = model;
  const writer = new Writer(model);
  const written = sheets.map((sheet) => writer.sheet(sheet));
  const numFmts = formats.map((code, i) =>
    writer.tag('numFmt', '', ` numFmtId="${164 + i}" formatCode="${xml(code)}"`),
  );
  const xfs = ['0', ...formats.map((_, i) => String(164 + i))].map((id) =>
    writer.tag('xf', '', ` numFmtId="${id}"`),
  );
  const list = sheets.map(({ name, isHidden }, i) =>
    writer.tag(
      'sheet',
      '',
      ` name="${xml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"${isHidden ? ' state="hidden"' : ''}`,
    ),
  );
  const ids = sheets.length;
  return {
    '[Content_Types].xml':
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': relationships(relationship('rId1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': writer.root(
      'workbook',
      writer.tag('workbookPr', '', is1904 ? ' date1904="1"' : '') + writer.tag('sheets', list.join('')),
    ),
    'xl/_rels/workbook.xml.rels': relationships(
      ...sheets.map((_, i) =>
        relationship(
          `rId${i + 1}`,
          'worksheet',
          i % 2 ? `/xl/worksheets/s${i + 1}.xml` : `worksheets/s${i + 1}.xml`,
        ),
      ),
      relationship(`rId${ids + 1}`, 'sharedStrings', 'sharedStrings.xml'),
      relationship(`rId${ids + 2}`, 'styles', './styles.xml'),
    ),
    ...Object.fromEntries(written.map((text, i) => [`xl/worksheets/s${i + 1}.xml`, text])),
    'xl/sharedStrings.xml': writer.sharedTexts,
    'xl/styles.xml': writer.root(
      'styleSheet',
      writer.tag('numFmts', numFmts.join('')) +
        writer.tag('cellStyleXfs', writer.tag('xf', '', ' numFmtId="14"')) +
        writer.tag('cellXfs', xfs.join('')),
    ),
    ...model.parts,
  };
}

/** The file of a workbook. */
export function workbook(model: WorkbookModel): Buffer {
  const parts = Object.entries(partsOf(model)).map(([name, part]) => [
    name,
    typeof part === 'string' ? strToU8(part) : part,
  ]);
  return Buffer.from(zipSync(Object.fromEntries(parts), { level: 6 }));
}

/** Rows of texts as cells. */
export const textRows = (...rows: readonly (readonly string[])[]): Cell[][] =>
  rows.map((row) => row.map((text) => (text === '' ? undefined : { text })));
