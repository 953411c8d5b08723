// Notes from time to time when tokens were last used, beside what a server does otherwise. It must not know
// whose tokens they are.

import type { Logger } from 'pino';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-errors.ts';

const NOTE_USE_MILLISECONDS = 30_000;

/** What has seen tokens used. */
export interface UseNotes {
  readonly hasUse: boolean;
  noteUse(store: Store): Promise<void>;
}

/**
 * Notes the last use of tokens every now and then, through a store that is open only as long as that takes.
 * @returns how to end that, with a last note.
 */
export function noteUseRegularly(
  notes: UseNotes,
  openForNotes: () => Promise<Store>,
  logger: Logger,
): () => Promise<void> {
  const note = async () => {
    if (!notes.hasUse) return;
    try {
      const store = await openForNotes();
      try {
        await notes.noteUse(store);
      } finally {
        await store.close();
      }
    } catch (error) {
      const level = error instanceof StoreUnavailable ? 'debug' : 'warn';
      logger[level]({ err: error }, 'could not note the last use of tokens; will try again');
    }
  };
  const timer = setInterval(() => void note(), NOTE_USE_MILLISECONDS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await note();
  };
}
