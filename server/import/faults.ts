// The faults of an import: where each is, the first of them in the order of the files and lines, and how many there are.

/** So many faults are told; all are counted. */
export const MAX_TOLD_FAULTS = 100;

/** More lines than any file has: file and line make one number, which grows from row to row. */
const LINES = 2 ** 40;

/** The place of a line (from 1) of a file (from 0); line 0 is the file as a whole. */
export function placeOf(file: number, line: number): number {
  return file * LINES + line;
}

/** `FILE:LINE`, or `FILE` for the file as a whole. */
export function placeText(names: readonly string[], place: number): string {
  const name = names[Math.floor(place / LINES)] ?? '';
  return place % LINES === 0 ? name : `${name}:${place % LINES}`;
}

export interface Fault {
  readonly place: number;
  /** The column, where there is one, and what is wrong. */
  readonly text: string;
}

/** Nothing was imported. The message has a line for each of the first faults and a last one with their number. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
  /** `FILE:LINE: column: what is wrong` */
  readonly faults: readonly string[];
  /** How many faults there are, told or not. */
  readonly total: number;
  /** The number of faults, and that nothing was imported. */
  readonly summary: string;

  constructor(names: readonly string[], faults: readonly Fault[], total: number) {
    const told = faults
      .toSorted((a, b) => a.place - b.place)
      .slice(0, MAX_TOLD_FAULTS)
      .map(({ place, text }) => `${placeText(names, place)}: ${text}`);
    const more = total > told.length ? `, of which the first ${told.length} are shown` : '';
    const count = total === 1 ? '1 fault' : `${total.toLocaleString('en')} faults${more}`;
    const summary = `${count}. Nothing was imported: the lists are as they were.`;
    super([...told, summary].join('\n'));
    this.faults = told;
    this.summary = summary;
    this.total = total;
  }
}
