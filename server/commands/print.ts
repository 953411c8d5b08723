// Everything that the commands print: messages and a line of progress on standard error, results on standard
// output.

import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { Failed, WrongUsage } from '../errors.ts';
import { StoreRefused, StoreUnavailable } from '../store/store-errors.ts';

const REDRAW_MILLISECONDS = 100;
const CLEAR_LINE = '\r\x1b[K';

/** Where messages go; a terminal or not. */
export type MessageStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>;

/** Prints a message on standard error. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** What is printed of an error: the sentence of one that is expected, the whole of any other. */
export function messageOf(error: unknown): string {
  const isExpected =
    error instanceof WrongUsage ||
    error instanceof Failed ||
    error instanceof StoreRefused ||
    error instanceof StoreUnavailable;
  if (isExpected) return error.message;
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return code === undefined ? (stack ?? String(error)) : `${message} (${code})`;
}

const PLAIN_WORD = /^[\w@%+=:,./][\w@%+=:,./-]*$/;

/** A word as it is typed at a shell: for commands that are printed to be copied. */
export const typed = (word: string) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** A whole number as people read it. */
export const count = (n: number) => n.toLocaleString('en');

/** A line of progress that is drawn over itself: on a terminal only, and not too often. */
export class ProgressLine {
  readonly #output: MessageStream;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(output: MessageStream = process.stderr) {
    this.#output = output;
  }

  /** Draws the text, unless the last one was drawn just now. */
  draw(text: string): void {
    if (performance.now() - this.#drawnAt >= REDRAW_MILLISECONDS) this.drawNow(text);
  }

  drawNow(text: string): void {
    if (this.#output.isTTY !== true) return;
    this.#drawnAt = performance.now();
    this.#output.write(CLEAR_LINE + text);
  }

  clear(): void {
    if (this.#output.isTTY === true) this.#output.write(CLEAR_LINE);
  }
}

/** Columns are as wide as their widest cell; an empty or null cell is printed as `-`. */
function tableText<T>(columns: readonly (keyof T & string)[], rows: readonly T[]): string {
  const cellOf = (row: T, column: keyof T & string) =>
    stripVTControlCharacters(String(row[column] ?? '')) || '-';
  const lines = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => cellOf(row, column))),
  ];
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => cells[i]?.length ?? 0)));
  const padded = (cells: readonly string[]) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return lines.map((cells) => `${padded(cells).trimEnd()}\n`).join('');
}

/** Prints results on standard output: a table for people, or a JSON array for programs. */
export function printRows<T>(
  json: boolean,
  columns: readonly (keyof T & string)[],
  rows: readonly T[],
): void {
  process.stdout.write(json ? `${JSON.stringify(rows)}\n` : tableText(columns, rows));
}

/**
 * Prints a result that exists nowhere else on standard output.
 * @throws {Error} when it could not be written.
 */
export async function deliver(text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  process.stdout.once('error', reject);
  process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  await promise;
  process.stdout.off('error', reject);
}
