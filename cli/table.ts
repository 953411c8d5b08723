// Lays items out as a table that fits the line. Widths are those of a terminal, not JavaScript's lengths.

import { isDay, localTime, timeZone } from '@linecard/client/agent/times';
import { fieldsByWeight } from '@linecard/client/client/any-list';
import type { Item } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import { visible } from '@linecard/client/contract/printable';
import measured from 'fast-string-truncated-width';
import { ALARMS, type Alignment, alignmentOf, mayShrink, visibleColumns } from './columns.ts';
import { type Paint, say } from './print.ts';
import { widthOf } from './wrap.ts';

const GAP = '  ';
const ELLIPSIS = '…';
const NOTHING = '-';
/** The least width of a truncated cell. */
const LEAST_WIDTH = 12;

interface Column {
  readonly name: string;
  readonly heading: string;
  readonly alignment: Alignment;
  readonly shrinks: boolean;
  /** Characters before and after the decimal point of charges. */
  whole: number;
  fraction: number;
  width: number;
}

/** A text truncated with … or padded to a width. */
function fitted(text: string, width: number, alignment: Alignment): string {
  const { width: shown, index, truncated } = measured(text, { limit: width, ellipsis: ELLIPSIS });
  const cut = truncated ? text.slice(0, index) + ELLIPSIS : text;
  const fill = ' '.repeat(Math.max(0, width - shown - (truncated ? 1 : 0)));
  return alignment === 'left' ? cut + fill : fill + cut;
}

const wholeOf = (text: string) => text.split('.')[0] ?? '';
/** Includes the point. */
const fractionOf = (text: string) => text.slice(wholeOf(text).length);

/** A table, or one block per item where the chosen columns do not fit the line. */
export class Table {
  /** Columns that did not fit. */
  readonly leftOut: readonly string[];
  readonly #list: List;
  readonly #columns: readonly Column[];
  readonly #paint: Paint;
  readonly #isBlocks: boolean;
  /** Columns with times of day. */
  readonly #timed: ReadonlySet<string>;
  /** Whether there is a line to fit. */
  readonly #isCut: boolean;

  /**
   * @param sample rows to measure by
   * @param width unlimited by default
   * @param columns to show whatever the width
   * @param isBlocks one block per item even if the table fits
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
    const usual = width === Number.POSITIVE_INFINITY ? Object.keys(list.fields) : fieldsByWeight(list);
    const names = visibleColumns(columns ?? usual, sample[0] ?? list.fields);
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

  /** Whether a column shows times of day, not only dates. */
  get hasTimes(): boolean {
    return this.#columns.some(({ name }) => this.#timed.has(name));
  }

  get hasCharges(): boolean {
    return this.#columns.some(({ name }) => this.#list.fields[name]?.kind === 'charge');
  }

  /** The header line, if there is one. */
  head(): string {
    if (this.#isBlocks) return '';
    const cells = this.#columns.map(({ heading, width, alignment }) => fitted(heading, width, alignment));
    return `${this.#paint('heading', cells.join(GAP).trimEnd())}\n`;
  }

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

/** The columns that fit, the most important first; at least one. */
function affordable(columns: readonly Column[], width: number): Column[] {
  const chosen: Column[] = [];
  for (const column of columns) {
    if (chosen.length === 0 || leastWidth([...chosen, column]) <= width) chosen.push(column);
  }
  return chosen;
}

/** Narrows columns that may shrink, the widest first. */
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

/**
 * Prints below a table what it leaves out, the zone of its times and the currency of its charges.
 * @param whole the option that leaves nothing out
 */
export function sayNotes(
  table: Table,
  currency: string | undefined,
  { coverage, whole = '--columns all' }: { readonly coverage?: string; readonly whole?: string } = {},
): void {
  const more = table.leftOut.length;
  const notes = [
    ...(coverage === undefined ? [] : [coverage]),
    ...(table.hasTimes ? [`Times are ${timeZone()}.`] : []),
    ...(table.hasCharges && currency !== undefined ? [`Charges are ${visible(currency)}.`] : []),
    ...(more === 0 ? [] : [`${more} more column${more === 1 ? '' : 's'} with ${whole}.`]),
  ];
  if (notes.length > 0) say(notes.join(' '));
}
