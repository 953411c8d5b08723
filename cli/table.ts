// Lays items out as a table that fits its line: which columns, how wide, how aligned. Widths are what a
// terminal shows, not what JavaScript counts.

import { isDay, localTime, timeZone } from '@linecard/client/agent/times';
import { fieldsByWeight } from '@linecard/client/client/any-list';
import type { Item } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import measured from 'fast-string-truncated-width';
import { ALARMS, type Alignment, alignmentOf, mayShrink } from './columns.ts';
import { type Paint, say } from './print.ts';
import { visible } from './printable.ts';

const GAP = '  ';
const ELLIPSIS = '…';
const NOTHING = '-';
/** What a cell that may shrink keeps at least. */
const LEAST_WIDTH = 12;

interface Column {
  readonly name: string;
  readonly heading: string;
  readonly alignment: Alignment;
  readonly shrinks: boolean;
  /** Characters before and behind the decimal point, for charges. */
  whole: number;
  fraction: number;
  width: number;
}

const widthOf = (text: string) => measured(text).width;

/** A text cut to a width, with … for what is gone, and filled up to it. */
function fitted(text: string, width: number, alignment: Alignment): string {
  const { width: shown, index, truncated } = measured(text, { limit: width, ellipsis: ELLIPSIS });
  const cut = truncated ? text.slice(0, index) + ELLIPSIS : text;
  const fill = ' '.repeat(Math.max(0, width - shown - (truncated ? 1 : 0)));
  return alignment === 'left' ? cut + fill : fill + cut;
}

const wholeOf = (text: string) => text.split('.')[0] ?? '';
/** With the point. */
const fractionOf = (text: string) => text.slice(wholeOf(text).length);

/** A table of items, or a block to an item where the chosen columns do not fit the line. */
export class Table {
  /** Columns that are not shown for want of room. */
  readonly leftOut: readonly string[];
  readonly #list: List;
  readonly #columns: readonly Column[];
  readonly #paint: Paint;
  readonly #isBlocks: boolean;
  /** Columns that have times of the clock. */
  readonly #timed: ReadonlySet<string>;
  /** Whether there is a line to fit. */
  readonly #isCut: boolean;

  /**
   * @param sample rows to measure by: the first ones, where all are too many
   * @param width of a line; without one there is room for everything
   * @param columns those to show, whatever the width
   * @param isBlocks a block to each item, also where there is room
   */
  constructor(
    list: List,
    sample: readonly Item[],
    {
      width = Number.POSITIVE_INFINITY,
      columns,
      isBlocks = false,
      paint,
    }: {
      width?: number | undefined;
      columns?: readonly string[] | undefined;
      isBlocks?: boolean;
      paint: Paint;
    },
  ) {
    this.#list = list;
    this.#paint = paint;
    this.#isCut = width !== Number.POSITIVE_INFINITY;
    const names =
      columns ?? (width === Number.POSITIVE_INFINITY ? Object.keys(list.fields) : fieldsByWeight(list));
    const isTime = (value: unknown) => typeof value === 'string' && !isDay(value);
    this.#timed = new Set(
      names.filter(
        (name) => list.fields[name]?.kind === 'timestamp' && sample.some((row) => isTime(row[name])),
      ),
    );
    const all = names.map((name) => this.#measure(name, sample));
    const shown = columns === undefined ? affordable(all, width) : all;
    this.leftOut = all.filter((column) => !shown.includes(column)).map(({ name }) => name);
    this.#isBlocks = isBlocks || leastWidth(shown) > width;
    if (!this.#isBlocks) shrink(shown, width);
    this.#columns = shown;
  }

  /** Whether a column shows times of the clock, and not only days. */
  get hasTimes(): boolean {
    return this.#columns.some(({ name }) => this.#timed.has(name));
  }

  /** Whether a column shows charges. */
  get hasCharges(): boolean {
    return this.#columns.some(({ name }) => this.#list.fields[name]?.kind === 'charge');
  }

  /** The line above the rows, if there is one. */
  head(): string {
    if (this.#isBlocks) return '';
    const cells = this.#columns.map(({ heading, width, alignment }) => fitted(heading, width, alignment));
    return `${this.#paint('heading', cells.join(GAP).trimEnd())}\n`;
  }

  /** One item. */
  line(row: Item): string {
    if (this.#isBlocks) return this.#block(row);
    const cells = this.#columns.map((column) => this.#painted(column.name, row, this.#cell(column, row)));
    return `${cells.join(GAP).trimEnd()}\n`;
  }

  #cell({ name, alignment, width, whole, fraction, shrinks }: Column, row: Item): string {
    const text = this.#text(name, row);
    if (alignment !== 'point')
      return fitted(text, shrinks && this.#isCut ? width : Math.max(width, widthOf(text)), alignment);
    const aligned = wholeOf(text).padStart(whole) + fractionOf(text).padEnd(fraction);
    return aligned.padStart(width);
  }

  #block(row: Item): string {
    const headingWidth = Math.max(...this.#columns.map(({ heading }) => heading.length));
    const lines = this.#columns.map(({ name, heading }) => {
      const text = this.#text(name, row);
      return `${this.#paint('heading', heading.padEnd(headingWidth))}${GAP}${this.#painted(name, row, text)}`;
    });
    return `${lines.map((line) => line.trimEnd()).join('\n')}\n\n`;
  }

  #painted(name: string, row: Item, cell: string): string {
    return name in ALARMS && row[name] === true ? this.#paint('alarm', cell) : cell;
  }

  /** What a person reads in a cell. */
  #text(name: string, row: Item): string {
    const value = row[name] ?? null;
    if (value === null) return NOTHING;
    if (typeof value === 'boolean') return value ? (ALARMS[name] ?? 'yes') : 'no';
    const text = String(value);
    return visible(this.#list.fields[name]?.kind === 'timestamp' ? localTime(text) : text);
  }

  #measure(name: string, sample: readonly Item[]): Column {
    const heading = name.toUpperCase();
    const alignment = alignmentOf(this.#list.fields[name]);
    const texts = sample.map((row) => this.#text(name, row));
    const whole = Math.max(0, ...texts.map((text) => wholeOf(text).length));
    const fraction = Math.max(0, ...texts.map((text) => fractionOf(text).length));
    const widest = alignment === 'point' ? whole + fraction : Math.max(0, ...texts.map(widthOf));
    const width = Math.max(heading.length, widest);
    return { name, heading, alignment, shrinks: mayShrink(this.#list, name), whole, fraction, width };
  }
}

const leastOf = ({ shrinks, width }: Column) => (shrinks ? Math.min(width, LEAST_WIDTH) : width);

function lineWidth(columns: readonly Column[], widthOfColumn: (column: Column) => number): number {
  return columns.reduce((sum, column) => sum + widthOfColumn(column), GAP.length * (columns.length - 1));
}

const leastWidth = (columns: readonly Column[]) => lineWidth(columns, leastOf);

/** As many as the line holds, the most important first; one at least. */
function affordable(columns: readonly Column[], width: number): Column[] {
  const chosen: Column[] = [];
  for (const column of columns) {
    if (chosen.length === 0 || leastWidth([...chosen, column]) <= width) chosen.push(column);
  }
  return chosen;
}

/** Takes from the columns that may shrink what the line has not, the widest first. */
function shrink(columns: readonly Column[], width: number): void {
  for (let over = lineWidth(columns, (column) => column.width) - width; over > 0; ) {
    const widest = columns.filter(({ shrinks }) => shrinks).reduce((a, b) => (b.width > a.width ? b : a));
    const next = Math.max(
      leastOf(widest),
      ...columns
        .filter((column) => column.shrinks && column.width < widest.width)
        .map((column) => column.width),
    );
    const by = Math.max(1, Math.min(over, widest.width - next));
    widest.width -= by;
    over -= by;
  }
}

/** Says below a table how much it shows, in which zone its times are, and in which currency its charges. */
export function sayNotes({
  coverage,
  table,
  currency,
}: {
  coverage?: string;
  table: Table;
  currency: string | undefined;
}): void {
  const more = table.leftOut.length;
  const notes = [
    ...(coverage === undefined ? [] : [coverage]),
    ...(table.hasTimes ? [`Times are ${timeZone()}.`] : []),
    ...(table.hasCharges && currency !== undefined ? [`Charges are ${visible(currency)}.`] : []),
    ...(more === 0 ? [] : [`${more} more column${more === 1 ? '' : 's'} with --columns all.`]),
  ];
  if (notes.length > 0) say(notes.join(' '));
}
