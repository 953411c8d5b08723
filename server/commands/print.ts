// Output of the commands: messages and progress on standard error, results on standard output.

import type { WriteStream } from 'node:tty';
import { visible, visibleLines } from '@linecard/client/contract/printable';
import { Failed, WrongUsage } from '../errors.ts';
import { StoreRefused, StoreUnavailable } from '../store/store-errors.ts';

const REDRAW_MILLISECONDS = 100;
const CLEAR_LINE = '\r\x1b[K';

export type MessageStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY'>>;

export function say(message: string): void {
  process.stderr.write(`${visibleLines(message)}\n`);
}

/** The message of an expected error; of any other also the stack. */
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

/** Quotes a word for a shell, in commands that are printed to be copied. */
export const typed = (word: string) => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

export const count = (n: number) => n.toLocaleString('en');

/** A line of progress that overwrites itself; only on a terminal, and not too often. */
export class ProgressLine {
  readonly #output: MessageStream;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(output: MessageStream = process.stderr) {
    this.#output = output;
  }

  /** Shows the text, unless the last one was shown just before. */
  show(text: string): void {
    if (performance.now() - this.#shownAt >= REDRAW_MILLISECONDS) this.showNow(text);
  }

  showNow(text: string): void {
    if (this.#output.isTTY !== true) return;
    this.#shownAt = performance.now();
    this.#output.write(CLEAR_LINE + text);
  }

  clear(): void {
    if (this.#output.isTTY === true) this.#output.write(CLEAR_LINE);
  }
}

/**
 * Columns are as wide as their widest cell; empty and null cells are printed as `-`. Texts are those of
 * customers and senders: what would control a terminal is made visible.
 */
function tableText<T>(columns: readonly (keyof T & string)[], rows: readonly T[]): string {
  const cellOf = (row: T, column: keyof T & string) => visible(String(row[column] ?? '')) || '-';
  const lines = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => cellOf(row, column))),
  ];
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => cells[i]?.length ?? 0)));
  const padded = (cells: readonly string[]) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return lines.map((cells) => `${padded(cells).trimEnd()}\n`).join('');
}

export function printRows<T>(
  json: boolean,
  columns: readonly (keyof T & string)[],
  rows: readonly T[],
): void {
  process.stdout.write(json ? `${JSON.stringify(rows)}\n` : tableText(columns, rows));
}

/**
 * Prints a result that is not stored anywhere.
 * @throws {Error} if it cannot be written.
 */
export async function deliver(text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  process.stdout.once('error', reject);
  process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  await promise;
  process.stdout.off('error', reject);
}
