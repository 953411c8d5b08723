// Output of the commands: messages, progress and questions on standard error, results on standard output.

import { createInterface } from 'node:readline/promises';
import { visible, visibleLines } from '@linecard/client/contract/printable';
import { withoutSecrets } from '@linecard/client/contract/secrets';
import { Failed, WrongUsage } from '../errors.ts';
import { inParts } from '../store/sql.ts';
import { StoreRefused, StoreUnavailable } from '../store/store-errors.ts';

export const WAITING = 'Another command is writing to the database; waiting for it to end. Ctrl-C gives up.';

const REDRAW_MILLISECONDS = 100;
const CLEAR_LINE = '\r\x1b[K';

/** Prints a message, which may repeat what was given, without the secrets in it. */
export function say(message: string): void {
  process.stderr.write(`${visibleLines(withoutSecrets(message))}\n`);
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

/** `1 token`, `1,200 tokens` */
export const counted = (n: number, what: string) => `${count(n)} ${what}${n === 1 ? '' : 's'}`;

/** A line of progress that overwrites itself; only on a terminal, and not too often. */
export class ProgressLine {
  #shownAt = Number.NEGATIVE_INFINITY;

  /** Shows the text, unless the last one was shown just before. */
  show(text: string): void {
    if (performance.now() - this.#shownAt >= REDRAW_MILLISECONDS) this.showNow(text);
  }

  showNow(text: string): void {
    if (!process.stderr.isTTY) return;
    this.#shownAt = performance.now();
    process.stderr.write(CLEAR_LINE + text);
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  }
}

/** Rows of any number, some at a time; a table reads them twice, to know how wide its columns are. */
export type RowBatches<T> = () => AsyncIterable<readonly T[]>;

const ROWS_A_WRITE = 10_000;

async function* batchesOf<T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  yield* inParts(rows, ROWS_A_WRITE);
}

/**
 * Columns are as wide as their widest cell; empty and null cells are printed as `-`. Texts are those of
 * customers and senders: what would control a terminal is made visible.
 */
async function* tableTexts<T, S>(
  columns: readonly (keyof S & string)[],
  batches: RowBatches<T>,
  shown: (row: T) => S,
): AsyncGenerator<string> {
  const cellsOf = (row: S) => columns.map((column) => visible(String(row[column] ?? '')) || '-');
  const widths = columns.map((column) => column.length);
  for await (const batch of batches())
    for (const row of batch)
      for (const [i, cell] of cellsOf(shown(row)).entries())
        widths[i] = Math.max(widths[i] ?? 0, cell.length);
  const line = (cells: readonly string[]) =>
    `${cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()}\n`;
  yield line(columns.map((column) => column.toUpperCase()));
  for await (const batch of batches()) yield batch.map((row) => line(cellsOf(shown(row)))).join('');
}

async function* arrayTexts<T>(batches: RowBatches<T>): AsyncGenerator<string> {
  yield '[';
  let isFirst = true;
  for await (const batch of batches()) {
    if (batch.length === 0) continue;
    yield `${isFirst ? '' : ','}${batch.map((row) => JSON.stringify(row)).join(',')}`;
    isFirst = false;
  }
  yield ']\n';
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Writes a text and waits until it is read, because one that waits takes memory; false if it cannot be. */
const isWritten = (text: string) =>
  new Promise<boolean>((resolve) => process.stdout.write(text, (error) => resolve(!error)));

/** Prints rows as a JSON array, or as a table; `shown` returns what the cells of a row are. */
export async function printRows<T, S = T>(
  json: boolean,
  columns: readonly (keyof S & string)[],
  rows: readonly T[] | RowBatches<T>,
  shown: (row: T) => S = (row) => row as unknown as S,
): Promise<void> {
  const batches = typeof rows === 'function' ? rows : () => batchesOf(rows);
  const texts = json ? arrayTexts(batches) : tableTexts(columns, batches, shown);
  for await (const text of texts) if (!(await isWritten(text))) return;
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

/**
 * Asks for confirmation before an action that cannot be undone, unless that was given.
 * @throws {Failed} if it is refused.
 * @throws {WrongUsage} if standard input is not a terminal.
 */
export async function mustConfirm(question: string, isSure: boolean, otherwise: string): Promise<void> {
  if (isSure) return;
  if (process.stdin.isTTY !== true)
    throw new WrongUsage(
      `${question} This needs confirmation, and standard input is not a terminal: add --yes.`,
    );
  using terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Failed(otherwise);
}
