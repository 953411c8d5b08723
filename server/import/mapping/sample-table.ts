// The table in the beginning of a CSV file: its delimiter, how quotes within quotes are written, where the
// header is among the first lines, and its rows.

import { CsvReader, type CsvRecord } from '@linecard/client/check/csv-reader';
import { DELIMITERS } from '@linecard/client/check/sniff';
import { trimmed } from '@linecard/client/contract/trimmed';
import { plainName } from '../columns.ts';
import { LinesBefore } from '../lines-before.ts';
import { quoted } from '../values.ts';
import type { Mapping } from './written.ts';

const MAX_ROWS = 1_000;
/** A header is among the first rows. */
const MAX_BEFORE = 50;
/** Names of a header that a mapping needs to find it. */
const SHOWN_NAMES = 3;
/** The part of the cells of a header that must have a name: a title is in one of them. */
const MOST = 0.6;
const ESCAPE = '\\';

export interface SampledTable {
  readonly delimiter: string;
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What of the file a mapping must say. */
  readonly form: Pick<Mapping, 'skip' | 'header' | 'quote_escape'>;
  readonly reasons: readonly string[];
}

type Records = readonly CsvRecord[];

const isThere = (cell: string) => trimmed(cell) !== '';

function recordsOf(text: string, delimiter: string, line: number, quoteEscape?: string): Records {
  const records: CsvRecord[] = [];
  for (const record of new CsvReader(delimiter, { line, quoteEscape }).records(text)) {
    if (record.fault === undefined && record.cells.some(isThere)) records.push(record);
    if (records.length > MAX_ROWS + MAX_BEFORE) break;
  }
  return records;
}

/** How many cells most records have, and how many of them have it. */
function widthOf(records: Records): readonly [width: number, even: number] {
  const counts = Map.groupBy(records, ({ cells }) => cells.length);
  const widths = [...counts].map(([width, some]) => [width, width > 1 ? some.length : 0] as const);
  return widths.toSorted((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0];
}

interface Reading {
  readonly delimiter: string;
  readonly records: Records;
  readonly width: number;
  readonly even: number;
}

function readingOf(text: string, delimiter: string, line: number, quoteEscape?: string): Reading {
  const records = recordsOf(text, delimiter, line, quoteEscape);
  const [width, even] = widthOf(records);
  return { delimiter, records, width, even };
}

const likeliest = (readings: readonly Reading[]) =>
  readings.toSorted((a, b) => b.even - a.even || b.width - a.width)[0] as Reading;

/** The first row that has a name in most of the cells of most rows; of a CSV file one of their width. */
function headerOf({ records, width }: Reading): number {
  return headerAmong(
    records.map(({ cells }) => (cells.length === width ? cells : [])),
    width,
  );
}

function headerAmong(rows: readonly (readonly string[])[], width: number): number {
  const at = rows.slice(0, MAX_BEFORE).findIndex((cells) => cells.filter(isThere).length >= MOST * width);
  return Math.max(at, 0);
}

/** The same in a sheet, whose rows have no empty cells at their end. */
export function sheetHeaderOf(rows: readonly (readonly string[])[]): number {
  const counts = Map.groupBy(rows, (cells) => cells.length);
  const [width = 0] = [...counts].toSorted((a, b) => b[1].length - a[1].length || b[0] - a[0])[0] ?? [];
  return headerAmong(rows, width);
}

/** What says where the header is, with the reason; nothing where it is the first row. */
export function placeOf(
  records: readonly Pick<CsvRecord, 'line' | 'cells'>[],
  at: number,
): { readonly place: Pick<Mapping, 'skip' | 'header'>; readonly reasons: string[] } {
  const { line = 1, cells = [] } = records[at] ?? {};
  if (at === 0) return { place: {}, reasons: [] };
  const names = cells.map(plainName).filter((name) => name !== '');
  const isOneLine = !cells.some((cell) => /[\r\n]/.test(cell));
  if (!isOneLine || names.length < 2)
    return {
      place: { skip: line - 1 },
      reasons: [`skip ${line - 1}: the lines before the header are no rows`],
    };
  const header = names.slice(0, SHOWN_NAMES);
  const shown = header.map(quoted).join(', ');
  return { place: { header }, reasons: [`header ${shown}: the lines before it are no rows`] };
}

export function tableOf(text: string): SampledTable {
  const before = new LinesBefore({}, undefined);
  const rest = before.after(text);
  const { line } = before;
  const given = before.delimiter;
  const delimiters = given === undefined ? DELIMITERS.map(([one]) => one) : [given];
  const read = (quoteEscape?: string) =>
    likeliest(delimiters.map((one) => readingOf(rest, one, line, quoteEscape)));
  const [plain, escaped] = [read(), rest.includes('\\"') ? read(ESCAPE) : undefined];
  const isEscaped = escaped !== undefined && escaped.even > plain.even;
  const reading = isEscaped ? escaped : plain;
  const at = headerOf(reading);
  const names = (reading.records[at]?.cells ?? []).map(plainName);
  const rows = reading.records.slice(at + 1, at + 1 + MAX_ROWS).map(({ cells }) => cells);
  // A delimiter that ends every row begins no column.
  const isTrailing =
    names.length > 2 && names.at(-1) === '' && rows.every((cells) => !isThere(cells[names.length - 1] ?? ''));
  const { place, reasons: where } = placeOf(reading.records, at);
  const reasons = [
    ...where,
    ...(isEscaped ? [`quote_escape ${quoted(ESCAPE)}: quotes within quotes follow a backslash`] : []),
  ];
  return {
    delimiter: reading.even > 0 ? reading.delimiter : (given ?? ','),
    names: isTrailing ? names.slice(0, -1) : names,
    rows,
    form: { ...place, ...(isEscaped ? { quote_escape: ESCAPE } : {}) },
    reasons: [...delimiterReason(reading, given), ...reasons],
  };
}

function delimiterReason({ delimiter, records, width, even }: Reading, given: string | undefined): string[] {
  const typed = DELIMITERS.find(([one]) => one === delimiter)?.[2].replaceAll("'", '') ?? delimiter;
  if (given !== undefined) return [`delimiter "${typed}", as the first line says`];
  return even === 0
    ? []
    : [`delimiter "${typed}": ${even} of ${records.length} lines have ${width} cells with it`];
}
