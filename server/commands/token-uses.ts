// Records regularly when tokens were last used.

import type { Logger } from 'pino';
import type { TokenUses } from '../store/access/token-uses.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-errors.ts';

const INTERVAL_MILLISECONDS = 30_000;
const LOST = 'it is lost';

/**
 * Writes the uses regularly, through a store that is open only while they are written.
 * @returns a function that writes the rest and stops.
 */
export function writeUsesRegularly(
  uses: Pick<TokenUses, 'hasUse' | 'writeUses'>,
  openForTokenUses: () => Promise<Store>,
  logger: Logger,
): () => Promise<void> {
  let failures = 0;
  const write = async (next: string) => {
    if (!uses.hasUse) return;
    try {
      const store = await openForTokenUses();
      try {
        await uses.writeUses(store);
      } finally {
        await store.close();
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      // A concurrent writer will have finished by the next attempt; a full disk is worth a warning.
      const isBrief = error instanceof StoreUnavailable && failures === 1 && next !== LOST;
      logger[isBrief ? 'debug' : 'warn']({ err: error }, `could not record the last use of tokens; ${next}`);
    }
  };
  const timer = setInterval(() => void write('will try again'), INTERVAL_MILLISECONDS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await write(LOST);
  };
}
