// The line that moves while much is fetched: on a terminal only, only when results go elsewhere, and only when it takes long.

import { count } from './print.ts';

const CLEAR_LINE = '\r\x1b[K';
const PATIENCE_MS = 500;
const REDRAW_MS = 100;

/**
 * Hands on what comes and shows how far it is.
 * @param is_aside whether the results go elsewhere than to the terminal
 * @param itemsIn how many items one piece is
 */
export async function* tracked<T>(
  pieces: AsyncIterable<T>,
  total: number,
  is_aside: boolean,
  itemsIn: (piece: T) => number = () => 1,
): AsyncGenerator<T, void, void> {
  const is_shown = is_aside && process.stderr.isTTY;
  let items = 0;
  let drawn = performance.now() + PATIENCE_MS - REDRAW_MS;
  let is_there = false;
  try {
    for await (const piece of pieces) {
      items += itemsIn(piece);
      if (is_shown && performance.now() - drawn >= REDRAW_MS) {
        drawn = performance.now();
        is_there = true;
        const part = total === 0 ? 100 : Math.floor((100 * items) / total);
        process.stderr.write(`${CLEAR_LINE}${count(items)} of ${count(total)}, ${part} %`);
      }
      yield piece;
    }
  } finally {
    if (is_there) process.stderr.write(CLEAR_LINE);
  }
}
