// Waiting in tests for what comes to pass in its own time.

import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 20;
/** What does not come to pass within it has hung. */
const PATIENCE_MS = 60_000;

/** Looks again and again until there is something; returns it. `seen` is shown where that takes too long. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  seen: () => string = () => '',
): Promise<Exclude<T, false | null | undefined>> {
  const late = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined)
      return found as Exclude<T, false | null | undefined>;
    if (performance.now() > late) throw new Error(`It took too long until ${what}. ${seen()}`);
    await sleep(PAUSE_MS);
  }
}
