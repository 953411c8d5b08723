// The progress line: only on a terminal, only when results go elsewhere, and only when it takes long.

import type { Export } from '@linecard/client';
import { count } from '@linecard/client/contract/wording';

const CLEAR_LINE = '\r\x1b[K';
const DELAY_MS = 500;
const INTERVAL_MS = 100;

/**
 * Passes chunks on and shows the progress.
 * @param isRedirected whether results do not go to the terminal
 */
export async function* tracked<T>(
  chunks: AsyncIterable<T>,
  exported: Pick<Export<object>, 'rows' | 'total'>,
  isRedirected: boolean,
): AsyncGenerator<T, void, void> {
  const isShown = isRedirected && process.stderr.isTTY;
  let shownAt = performance.now() + DELAY_MS - INTERVAL_MS;
  let isThere = false;
  try {
    for await (const chunk of chunks) {
      if (isShown && performance.now() - shownAt >= INTERVAL_MS) {
        shownAt = performance.now();
        isThere = true;
        const { rows, total } = exported;
        const part = total === 0 ? 100 : Math.floor((100 * rows) / total);
        process.stderr.write(`${CLEAR_LINE}${count(rows)} of ${count(total)}, ${part} %`);
      }
      yield chunk;
    }
  } finally {
    if (isThere) process.stderr.write(CLEAR_LINE);
  }
}
