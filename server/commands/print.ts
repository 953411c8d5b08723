// Prints rows as results: a table for people, JSON lines for programs.

import { stripVTControlCharacters } from 'node:util';

/** Columns stand as wide as their widest cell; an empty or null cell shows as `-`. */
function tableText<T>(columns: readonly (keyof T & string)[], rows: readonly T[]): string {
  const cell = (row: T, column: keyof T & string) =>
    stripVTControlCharacters(String(row[column] ?? '')) || '-';
  const cells = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((c) => cell(row, c))),
  ];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
  return cells
    .map(
      (line) =>
        `${line
          .map((text, i) => text.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Prints on standard output. */
export function printRows<T>(
  output: 'table' | 'json',
  columns: readonly (keyof T & string)[],
  rows: readonly T[],
): void {
  process.stdout.write(
    output === 'json' ? rows.map((row) => `${JSON.stringify(row)}\n`).join('') : tableText(columns, rows),
  );
}
