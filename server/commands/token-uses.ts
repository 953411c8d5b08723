// Notes from time to time when tokens were last used, beside what a server does otherwise.

import type { Logger } from 'pino';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-errors.ts';

const NOTE_USE_MILLISECONDS = 30_000;
const LOST = 'it is lost';

/** What has seen tokens used. */
export interface UseNotes {
  readonly hasUse: boolean;
  writeUses(store: Store): Promise<void>;
}

/**
 * Notes the last use of tokens every now and then, through a store that is open only as long as that takes.
 * @returns how to end that, with a last note.
 */
export function writeUsesRegularly(
  notes: UseNotes,
  openForNotes: () => Promise<Store>,
  logger: Logger,
): () => Promise<void> {
  let failures = 0;
  const note = async (next: string) => {
    if (!notes.hasUse) return;
    try {
      const store = await openForNotes();
      try {
        await notes.writeUses(store);
      } finally {
        await store.close();
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      // A writer that is in the way has ended by the next time; a disk that is full has not.
      const isBrief = error instanceof StoreUnavailable && failures === 1 && next !== LOST;
      logger[isBrief ? 'debug' : 'warn']({ err: error }, `could not note the last use of tokens; ${next}`);
    }
  };
  const timer = setInterval(() => void note('will try again'), NOTE_USE_MILLISECONDS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await note(LOST);
  };
}
