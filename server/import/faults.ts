// How an import ends with nothing changed: refused for its faults (the line or row of each, the first of them
// in the order of the files and lines, and their number), rejected for its size, or stopped.

export const MAX_REPORTED_FAULTS = 100;
/** The maximum that is counted; then the files are read no further. */
export const MAX_COUNTED_FAULTS = 100_000;

export const UNCHANGED = 'Nothing was imported: the lists are as they were.';

/** More lines than any file has: file and line make one number, which grows from row to row. */
const LINES = 2 ** 40;

/** The reference of a line (from 1) of a file (from 0); line 0 is the file itself. */
export function lineReference(file: number, line: number): number {
  return file * LINES + line;
}

/**
 * What the lines of a reference are of: a file; the rows that a database answers a query with; or a file that
 * has something else than lines.
 */
export type LineSource =
  | string
  | { readonly rowsOf: string }
  | { readonly name: string; readonly unit: 'record' | 'row' };

/**
 * `FILE:LINE`, `FILE: record N`, or `row N`; `FILE` or the database alone where it is not about one of them.
 * Of a file without a name, its line alone.
 */
export function lineText(sources: readonly LineSource[], reference: number): string {
  const source = sources[Math.floor(reference / LINES)] ?? '';
  const line = reference % LINES;
  if (typeof source === 'object' && 'rowsOf' in source) return line === 0 ? source.rowsOf : `row ${line}`;
  if (typeof source === 'object') {
    if (line === 0) return source.name;
    return source.name === '' ? `${source.unit} ${line}` : `${source.name}: ${source.unit} ${line}`;
  }
  if (source === '') return `line ${line}`;
  return line === 0 ? source : `${source}:${line}`;
}

export interface ImportFault {
  readonly line: number;
  /** The column, where there is one. */
  readonly column?: string | undefined;
  /** What is wrong. */
  readonly detail: string;
}

/** A fault of the one file of a run, as it is reported to a program. */
export interface ReportedFault {
  /** From 1; `null` for the file itself. */
  readonly line: number | null;
  /** `null` for the row itself. */
  readonly column: string | null;
  readonly detail: string;
}

/** Nothing was imported. The message has a line for each of the first faults, and then their number. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
  /** `FILE:LINE: column: what is wrong`, or `row N: column: what is wrong` */
  readonly faults: readonly string[];
  /** The same, part by part. */
  readonly reported: readonly ReportedFault[];
  /** How many faults there are, reported or not. */
  readonly total: number;
  /** The number of faults, and that nothing was imported. */
  readonly summary: string;

  /** @param whose begins the summary where the faults are not of the rows. */
  constructor(sources: readonly LineSource[], faults: readonly ImportFault[], total: number, whose = '') {
    const first = faults.toSorted((a, b) => a.line - b.line).slice(0, MAX_REPORTED_FAULTS);
    const lines = first.map(({ line, column, detail }) =>
      [lineText(sources, line), ...(column === undefined ? [] : [column]), detail].join(': '),
    );
    const more = total > lines.length ? `, of which the first ${lines.length} are shown` : '';
    const least = total >= MAX_COUNTED_FAULTS ? 'At least ' : '';
    const count = total === 1 ? '1 fault' : `${least}${total.toLocaleString('en')} faults${more}`;
    const summary = `${whose}${count}. ${UNCHANGED}`;
    super([...lines, summary].join('\n'));
    this.faults = lines;
    this.reported = first.map(({ line, column = null, detail }) => ({
      line: line % LINES === 0 ? null : line % LINES,
      column,
      detail,
    }));
    this.summary = summary;
    this.total = total;
  }
}

/** There is no fault in any row, but the import is not of the size that was expected. */
export class ImportRejected extends Error {
  override readonly name = 'ImportRejected';

  constructor(why: string) {
    super(`${why} ${UNCHANGED}`);
  }
}

/** A file has more bytes, once unpacked, than it may. */
export class ImportTooLarge extends Error {
  override readonly name = 'ImportTooLarge';
}

/** The import was stopped before its end, and everything is as it was. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';

  constructor(message = `Stopped. ${UNCHANGED}`, options?: ErrorOptions) {
    super(message, options);
  }
}
