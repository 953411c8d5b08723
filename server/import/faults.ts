// The faults of an import: the line or row of each, the first of them in the order of the files and lines,
// and how many there are.

/** So many faults are reported. */
export const MAX_REPORTED_FAULTS = 100;
/** So many are counted; then the files are read no further. */
export const MAX_COUNTED_FAULTS = 100_000;

/** More lines than any file has: file and line make one number, which grows from row to row. */
const LINES = 2 ** 40;

/** The reference of a line (from 1) of a file (from 0); line 0 is the file as a whole. */
export function lineReference(file: number, line: number): number {
  return file * LINES + line;
}

/** What the lines of a reference are of: a file, or the rows that a database answers a query with. */
export type LineSource = string | { readonly rowsOf: string };

/** `FILE:LINE`, or `row N`; `FILE` or the database alone where it is not about one of them. */
export function lineText(sources: readonly LineSource[], reference: number): string {
  const source = sources[Math.floor(reference / LINES)] ?? '';
  const line = reference % LINES;
  if (typeof source === 'object') return line === 0 ? source.rowsOf : `row ${line}`;
  return line === 0 ? source : `${source}:${line}`;
}

export interface ImportFault {
  /** A line reference. */
  readonly line: number;
  /** The column, where there is one, and what is wrong. */
  readonly text: string;
}

/** Nothing was imported. The message has a line for each of the first faults, and then their number. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
  /** `FILE:LINE: column: what is wrong`, or `row N: column: what is wrong` */
  readonly faults: readonly string[];
  /** How many faults there are, reported or not. */
  readonly total: number;
  /** The number of faults, and that nothing was imported. */
  readonly summary: string;

  constructor(sources: readonly LineSource[], faults: readonly ImportFault[], total: number) {
    const reported = faults
      .toSorted((a, b) => a.line - b.line)
      .slice(0, MAX_REPORTED_FAULTS)
      .map(({ line, text }) => `${lineText(sources, line)}: ${text}`);
    const more = total > reported.length ? `, of which the first ${reported.length} are shown` : '';
    const least = total >= MAX_COUNTED_FAULTS ? 'At least ' : '';
    const count = total === 1 ? '1 fault' : `${least}${total.toLocaleString('en')} faults${more}`;
    const summary = `${count}. Nothing was imported: the lists are as they were.`;
    super([...reported, summary].join('\n'));
    this.faults = reported;
    this.summary = summary;
    this.total = total;
  }
}
