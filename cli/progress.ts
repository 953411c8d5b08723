// The line that moves while much is fetched: on a terminal only, only when results go elsewhere, and only
// when it takes long.

import { count } from '@linecard/client/contract/wording';

const CLEAR_LINE = '\r\x1b[K';
const DELAY_MS = 500;
const REDRAW_MS = 100;

/**
 * Passes on what comes and shows how far it is.
 * @param isRedirected whether the results go elsewhere than to the terminal
 * @param itemsIn how many items one chunk is
 */
export async function* tracked<T>(
  chunks: AsyncIterable<T>,
  total: number,
  isRedirected: boolean,
  itemsIn: (chunk: T) => number = () => 1,
): AsyncGenerator<T, void, void> {
  const isShown = isRedirected && process.stderr.isTTY;
  let items = 0;
  let drawn = performance.now() + DELAY_MS - REDRAW_MS;
  let isThere = false;
  try {
    for await (const chunk of chunks) {
      items += itemsIn(chunk);
      if (isShown && performance.now() - drawn >= REDRAW_MS) {
        drawn = performance.now();
        isThere = true;
        const part = total === 0 ? 100 : Math.floor((100 * items) / total);
        process.stderr.write(`${CLEAR_LINE}${count(items)} of ${count(total)}, ${part} %`);
      }
      yield chunk;
    }
  } finally {
    if (isThere) process.stderr.write(CLEAR_LINE);
  }
}
