// The rows of a workbook: of the sheet that is named, or of the first one that has the header of what is
// imported.

import type { Readable } from 'node:stream';
import { listed } from '@linecard/client/contract/wording';
import { plainName } from '../columns.ts';
import { type ImportFile, UnreadableFile } from '../files.ts';
import type { FileRow, RowContext } from '../rows.ts';
import { TableRows } from '../table-rows.ts';
import { quoted, shownName } from '../values.ts';
import { Archive, type ArchiveOptions } from './archive.ts';
import { type SheetRow, sheetRows } from './sheet.ts';
import { type Sheet, type Workbook, workbookOf } from './workbook.ts';

/** A header is among the first rows of a sheet. */
const HEADER_ROWS = 50;
const MAX_SHOWN_SHEETS = 12;
const MAX_HEADER_CELLS = 1_000;

/** Opens a workbook for as long as its rows are read. */
export async function* withWorkbook<T>(
  file: ImportFile,
  stdin: Readable,
  options: ArchiveOptions,
  read: (workbook: Workbook) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const archive = await Archive.open(file, stdin, options);
  try {
    yield* read(await workbookOf(archive));
  } finally {
    archive.close();
  }
}

/** The first rows of a sheet that have something in them. */
export async function firstRows(workbook: Workbook, sheet: Sheet, count: number): Promise<SheetRow[]> {
  const found: SheetRow[] = [];
  for await (const { rows } of sheetRows(workbook, sheet)) {
    found.push(...rows);
    if (found.length >= count) break;
  }
  return found.slice(0, count);
}

/**
 * The sheet that is named, or the first visible one with a row of which this says that it is the header, or
 * the first one that has a row.
 * @throws {UnreadableFile} when there is none.
 */
export async function sheetOf(
  workbook: Workbook,
  wanted: string | undefined,
  isHeader: (names: readonly string[]) => boolean,
): Promise<Sheet> {
  const { sheets } = workbook;
  if (wanted !== undefined) {
    const found = sheets.find(({ name }) => plainName(name) === plainName(wanted));
    if (found !== undefined) return found;
    const names = sheets.slice(0, MAX_SHOWN_SHEETS).map(({ name }) => quoted(name));
    throw new UnreadableFile(`The workbook has no sheet ${quoted(wanted)}. It has ${listed(names)}.`);
  }
  let first: Sheet | undefined;
  for (const sheet of sheets.filter(({ isHidden }) => !isHidden)) {
    const rows = await firstRows(workbook, sheet, HEADER_ROWS);
    if (rows.length === 0) continue;
    first ??= sheet;
    if (rows.some(({ cells }) => isHeader(cells.map(plainName)))) return sheet;
  }
  if (first === undefined)
    throw new UnreadableFile('There is no row in the sheets of the workbook that are visible.');
  return first;
}

/** Rows of a workbook, and the part of it that was read. */
export interface WorkbookChunk {
  readonly rows: Iterable<FileRow>;
  readonly part: number;
}

export class WorkbookRows {
  readonly #context: RowContext;
  readonly #table: TableRows;
  /** The next row of the sheet. */
  nextLine = 1;
  /** Those of a sheet mean nothing: formats may go on to its last row. */
  readonly blankLines = 0;

  constructor(context: RowContext) {
    this.#context = context;
    this.#table = new TableRows(context, (names) => this.#misread(names));
  }

  async *chunks(file: ImportFile, stdin: Readable, options: ArchiveOptions): AsyncGenerator<WorkbookChunk> {
    const { sheet: wanted } = this.#context;
    const isHeader = this.#isHeader.bind(this);
    const own = this.#rows.bind(this);
    yield* withWorkbook(file, stdin, options, async function* (workbook) {
      const sheet = await sheetOf(workbook, wanted, isHeader);
      for await (const { rows, part } of sheetRows(workbook, sheet)) yield { rows: own(rows), part };
    });
    if (this.#table.header === undefined) this.#context.report(0, undefined, 'There is no header row.');
  }

  *#rows(rows: readonly SheetRow[]): Generator<FileRow> {
    for (const record of rows) {
      this.nextLine = record.line + 1;
      const row = this.#table.row(record);
      if (row !== undefined) yield row;
    }
  }

  /** Whether most of these names are those of columns, or of the mapping. */
  #isHeader(names: readonly string[]): boolean {
    const { columns, mapped } = this.#context;
    const known = mapped?.fed ?? new Set(columns.map(({ name }) => name));
    const there = names.filter((name) => name !== '');
    return (
      there.length > 0 &&
      2 * there.filter((name) => known.has(name)).length >= Math.min(there.length, known.size)
    );
  }

  #misread(names: readonly string[]): string | undefined {
    if (names.length <= MAX_HEADER_CELLS) return undefined;
    return `The header has ${names.length.toLocaleString('en')} cells, from ${quoted(shownName(names[0] ?? ''))} on; this is no header of a list.`;
  }
}
