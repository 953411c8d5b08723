// The reading half of an import: files, or the rows of a query -> batches of checked rows, each in the form
// that its table stores.

import type { Readable } from 'node:stream';
import type { OwnFields, RowValues, Stored } from '../store/tables.ts';
import { Advice } from './advice.ts';
import type { ImportColumn } from './columns.ts';
import { type ImportFault, lineReference, MAX_COUNTED_FAULTS, MAX_REPORTED_FAULTS } from './faults.ts';
import { FileTooLarge, type ImportFile, UnreadableFile, UnreadableLine } from './files.ts';
import type { TargetName } from './job.ts';
import { MappedColumns } from './mapping/mapped.ts';
import { columnLabel, type Mapping } from './mapping/written.ts';
import { measure } from './measured.ts';
import { QUERY_ROWS, QUERY_TEXT, queryPositions, queryRows, unlessSilent } from './query-rows.ts';
import { type FileOptions, type FileRows, ROWS, rowChunks } from './row-chunks.ts';
import { type FileRow, type RowFormat, RowReader, type RowRules } from './rows.ts';
import { Slice } from './slice.ts';
import { openSource, withoutPassword } from './sources/address.ts';
import { type SourceColumn, SourceFault, type SourceQuery, type SourceResult } from './sources/source.ts';
import { type ImportTarget, targetOf } from './targets.ts';

/** Blank lines are skipped. More than this are refused, unless there is a row for every ten of them. */
const MAX_BLANK_LINES = 10_000;
const BLANK_LINES_A_ROW = 10;

export interface ReadJob extends FileOptions {
  readonly list: TargetName;
  readonly own?: OwnFields | undefined;
  readonly rules: RowRules;
  /** Files, unless it is a query. */
  readonly files: readonly ImportFile[];
  readonly query?: SourceQuery | undefined;
  /** What stands between the cells of CSV, where it is not a comma. */
  readonly delimiter?: string | undefined;
  /** How the names and texts of the source become Linecard's, where they are not. */
  readonly mapping?: Mapping | undefined;
}

/** The rows of one chunk of a file, or of some rows of a query. */
export interface RowBatch {
  /** As a load takes them; none once a run into a list has a fault, and none of a run that changes items. */
  readonly rows: readonly (readonly Stored[])[];
  readonly changes: readonly RowValues[];
  /** For each row the columns that it does not have, and an item that is there keeps. */
  readonly absent: readonly (readonly string[])[];
  readonly ids: readonly (number | string)[];
  readonly lines: readonly number[];
  readonly faults: readonly ImportFault[];
  readonly totalFaults: number;
  readonly leftOut: number;
  readonly bytes: number;
  /** What all rows so far have: see `RowReader`. */
  readonly seen: RowReader['seen'] & Pick<MappedColumns, 'warnings'>;
  /** Whether a file has more bytes than it may: it was read no further. */
  readonly isTooLarge?: boolean;
}

const emptyBatch = () => ({
  rows: [] as Stored[][],
  changes: [] as RowValues[],
  absent: [] as (readonly string[])[],
  ids: [] as (number | string)[],
  lines: [] as number[],
  faults: [] as ImportFault[],
});

/** Collects the rows and faults of a run. */
class Batches {
  readonly #job: ReadJob;
  readonly #target: ImportTarget;
  readonly #reader: RowReader;
  readonly #measure: ReturnType<typeof measure>;
  readonly mapped: MappedColumns | undefined;
  #batch = emptyBatch();
  #reported = 0;
  #advice: Advice | undefined;
  #totalFaults = 0;
  #rowsRead = 0;
  #file = 0;
  #line = 0;

  constructor(job: ReadJob) {
    const { list, own, rules, mapping } = job;
    this.#job = job;
    this.#target = targetOf(list, own);
    this.#reader = new RowReader(this.#target, rules);
    this.#measure = measure(this.#reader.columns, mapping);
    this.mapped = mapping && new MappedColumns(mapping, this.#reader.columns);
  }

  get columns(): readonly ImportColumn[] {
    return this.#reader.columns;
  }

  format(file: number, source: ImportFile): FileRows {
    this.#file = file;
    const { list } = this.#target;
    const { columns, mapped, report } = this;
    // The accounts of new tokens take no mapping.
    this.#advice = list.name === 'tokens' ? undefined : new Advice(list, source, mapped !== undefined);
    const foreign = this.#advice?.foreign;
    const { delimiter, mapping } = this.#job;
    const { records, sheet } = mapping ?? {};
    const context = { list, columns, report, mapped, foreign, delimiter, form: mapping, records, sheet };
    return new ROWS[source.format](context);
  }

  /** Begins the rows of a query; returns what says which of its columns is which. */
  queryColumns(columns: readonly SourceColumn[]): readonly number[] | undefined {
    this.#file = QUERY_TEXT;
    const report = (column: string | undefined, fault: string) => this.report(0, column, fault);
    const { list } = this.#target;
    const positions = queryPositions(list, this.#reader.columns, columns, report, this.mapped);
    this.#file = QUERY_ROWS;
    return positions;
  }

  reportSource({ message, line }: SourceFault, url: string): void {
    this.#file = line === undefined ? QUERY_ROWS : QUERY_TEXT;
    this.report(line ?? 0, undefined, withoutPassword(message, url));
  }

  readonly report = (line: number, column: string | undefined, fault: string): void => {
    this.#totalFaults += 1;
    if (this.#reported === MAX_REPORTED_FAULTS) return;
    this.#reported += 1;
    const detail = this.#advice?.of(fault) ?? fault;
    this.#batch.faults.push({ line: lineReference(this.#file, line), column, detail });
  };

  readonly #reportColumn = (column: string, fault: string): void =>
    this.report(this.#line, columnLabel(this.#job.mapping, column), fault);

  add({ line, values: raw }: FileRow): void {
    this.#line = line;
    this.#rowsRead += 1;
    this.#measure(raw);
    if (this.mapped?.apply(raw) === false) return;
    const values = this.#reader.read(raw, this.#reportColumn);
    const id = values[this.#target.key];
    // Without an id it cannot be a duplicate either.
    if (typeof id !== 'number' && (typeof id !== 'string' || id === '')) return;
    this.#batch.ids.push(id);
    this.#batch.lines.push(lineReference(this.#file, line));
    if (this.#job.rules.isUpdate) this.#batch.changes.push(values);
    else if (this.#takesRows) {
      this.#batch.rows.push(this.#target.rowOf(values));
      if (this.#job.rules.keepsAbsent === true) this.#batch.absent.push(this.#reader.absent);
    }
  }

  /** @throws {UnreadableLine} when a file is little else than blank lines: it could go on for ever. */
  mustHaveRows({ blankLines }: Pick<RowFormat, 'blankLines'>): void {
    const most = Math.max(
      MAX_BLANK_LINES,
      BLANK_LINES_A_ROW * (this.#rowsRead + this.#leftOut + this.#totalFaults),
    );
    if (blankLines <= most) return;
    throw new UnreadableLine(
      `There are ${blankLines.toLocaleString('en')} blank lines; the rest of the file was not read.`,
    );
  }

  get #leftOut(): number {
    return this.mapped?.leftOut ?? 0;
  }

  get #takesRows(): boolean {
    return this.#totalFaults === 0 || this.#target.loadsFaultyRuns;
  }

  get isFull(): boolean {
    return this.#totalFaults >= MAX_COUNTED_FAULTS;
  }

  /** What was collected since the last time. */
  take(bytes: number): RowBatch {
    const batch = this.#batch;
    this.#batch = emptyBatch();
    const rows = this.#takesRows ? batch.rows : [];
    const absent = rows.length > 0 && batch.absent.some((names) => names.length > 0) ? batch.absent : [];
    const counts = { totalFaults: this.#totalFaults, leftOut: this.#leftOut, bytes };
    const seen = { ...this.#reader.seen, warnings: this.mapped?.warnings ?? [] };
    return { ...batch, rows, absent, seen, ...counts };
  }
}

/** Reads the rows of a query; faults of rows do not end it. */
async function* readQuery(job: ReadJob, query: SourceQuery): AsyncGenerator<RowBatch> {
  const batches = new Batches(job);
  let source: SourceResult | undefined;
  try {
    const { mapped } = batches;
    const opening = openSource({ ...query, hasLocalTimes: mapped?.hasDates === true });
    source = await unlessSilent(opening, query.silenceMs);
    const positions = batches.queryColumns(source.columns);
    yield batches.take(0);
    // Rows whose columns are at fault say nothing more.
    if (positions === undefined) return;
    const { silenceMs } = query;
    for await (const rows of queryRows(source, batches.columns, positions, { mapped, silenceMs })) {
      for (const row of rows) batches.add(row);
      yield batches.take(0);
      if (batches.isFull) return;
    }
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    batches.reportSource(error, query.url);
  } finally {
    source?.close();
  }
  yield batches.take(0);
}

/** Reads the query, or the files one after the other; faults do not end it. */
export async function* readBatches(job: ReadJob, stdin: Readable): AsyncGenerator<RowBatch> {
  const { files, query } = job;
  if (query !== undefined) {
    yield* readQuery(job, query);
    return;
  }
  const batches = new Batches(job);
  const slice = new Slice();
  let bytesBefore = 0;
  for (const [i, file] of files.entries()) {
    const format = batches.format(i, file);
    let bytes = 0;
    let isTooLarge = false;
    try {
      // A stream, whose size is not known, may have been cut off anywhere.
      for await (const chunk of rowChunks(job, file, format, stdin)) {
        for (const row of chunk.rows) {
          batches.add(row);
          if (slice.isOver()) await slice.next();
        }
        batches.mustHaveRows(format);
        bytes = chunk.bytes;
        yield batches.take(bytesBefore + bytes);
        if (batches.isFull) return;
      }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      const line = error instanceof UnreadableLine ? format.nextLine : undefined;
      batches.report(line ?? 0, undefined, error.message);
      isTooLarge = error instanceof FileTooLarge;
    }
    bytesBefore += bytes;
    yield { ...batches.take(bytesBefore), isTooLarge };
  }
}
