// Rows of text in columns as wide as their longest cell, whatever the width of the line: for output that is
// no list.

import type { Paint } from './print.ts';
import { widthOf } from './wrap.ts';

const GAP = '  ';

/**
 * @param rows are read twice
 * @param right the columns that are aligned on the right
 */
export function* plainTable(
  names: readonly string[],
  rows: Iterable<readonly string[]>,
  paint: Paint,
  right: readonly string[] = [],
): Generator<string> {
  const heads = names.map((name) => name.toUpperCase());
  const widths = heads.map(({ length }) => length);
  for (const row of rows)
    for (const [i, text] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(text));
  const line = (cells: readonly string[]) =>
    cells
      .map((text, i) => {
        const fill = ' '.repeat((widths[i] ?? 0) - widthOf(text));
        return right.includes(names[i] ?? '') ? fill + text : text + fill;
      })
      .join(GAP)
      .trimEnd();
  yield `${paint('heading', line(heads))}\n`;
  for (const row of rows) yield `${line(row)}\n`;
}
