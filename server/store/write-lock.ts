// Writers take turns: how the next one waits for another to end. It must not know what is locked, or how.

import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadOptions, StoreUnavailable } from './store.ts';

/** How long another writer is waited for, how often it is looked for, and when the waiting is told. */
const PATIENCE_MILLISECONDS = 600_000;
const RETRY_MILLISECONDS = 100;
const TELL_AFTER_MILLISECONDS = 1_000;

/**
 * Tries until it is this one's turn; `other` names who is waited for, as a sentence begins.
 * @throws {StoreUnavailable} when that takes too long.
 */
export async function takeTurn(
  other: string,
  isMine: () => boolean | Promise<boolean>,
  { patience_ms = PATIENCE_MILLISECONDS, signal, onWait }: LoadOptions,
): Promise<void> {
  const begin = performance.now();
  let told = false;
  while (!(await isMine())) {
    const waited = performance.now() - begin;
    if (waited >= patience_ms) {
      const seconds = Math.round(waited / 1_000);
      throw new StoreUnavailable(
        `${other} has been writing to the database for ${seconds} seconds. Try again when it has ended.`,
      );
    }
    if (!told && waited >= TELL_AFTER_MILLISECONDS) {
      told = true;
      onWait?.();
    }
    await sleep(RETRY_MILLISECONDS, undefined, { signal });
  }
}
