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

/** The first row with the number of cells of most rows, and a name in most of them. */
function headerOf({ records, width }: Reading): number {
  const at = records
    .slice(0, MAX_BEFORE)
    .findIndex(({ cells }) => cells.length === width && cells.filter(isThere).length >= MOST * width);
  return Math.max(at, 0);
}

/** What says where the header is; nothing where it is the first row. */
function placeOf({ records }: Reading, at: number): Pick<Mapping, 'skip' | 'header'> {
  const { line = 1, cells = [] } = records[at] ?? {};
  if (at === 0) return {};
  const names = cells.map(plainName).filter((name) => name !== '');
  const isOneLine = !cells.some((cell) => /[\r\n]/.test(cell));
  return isOneLine && names.length > 1 ? { header: names.slice(0, SHOWN_NAMES) } : { skip: line - 1 };
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
  const place = placeOf(reading, at);
  const reasons = [
    ...(place.header === undefined
      ? []
      : [`header ${place.header.map(quoted).join(', ')}: the lines before it are no rows`]),
    ...(place.skip === undefined ? [] : [`skip ${place.skip}: the lines before the header are no rows`]),
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
