// Keeps what is shown up to date: waits for changes of the account, and says when everything should be
// requested again. A hidden page requests nothing; a service that restarts is found again.

import { useEffect, useState } from 'react';
import type { ListFacts } from './contract.ts';
import { isSignedOut, troubleOf, waitForNews } from './linecard.ts';
import { refresh } from './refresh.ts';
import { currentSession, expire } from './session.ts';
import { loadMissing } from './shell/missing-parts.tsx';

/** How often a service that does not wait is polled. */
const POLL_MS = 5_000;
/** How often an account is looked at that changes all the time: the requests of its token are limited. */
const CHANGING_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;

/**
 * `live` while news would be heard, `away` while the service cannot be reached, `paused` on a hidden page.
 */
export type LiveState = 'live' | 'away' | 'paused';

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}

async function follow(list: ListFacts, say: (state: LiveState) => void, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const token = currentSession().token;
    if (token === undefined) return;
    try {
      refresh(false);
      const { hasChanged, waited } = await waitForNews(token, list, signal);
      if (hasChanged || failures > 0) refresh(true);
      if (failures > 0) loadMissing();
      failures = 0;
      say('live');
      if (hasChanged) await pause(CHANGING_MS, signal);
      else if (!waited) await pause(POLL_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (isSignedOut(error)) return expire(token);
      failures += 1;
      const { code, retryAfter } = troubleOf(error);
      if (code !== 'rate-limited') say('away');
      const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
      await pause(Math.max(backoff, 1_000 * (retryAfter ?? 0)), signal);
    }
  }
}

/** Follows the account while the page is seen. */
export function useLive(list: ListFacts): LiveState {
  const [state, setState] = useState<LiveState>('live');
  useEffect(() => {
    let following: AbortController | undefined;
    const look = () => {
      following?.abort();
      following = undefined;
      if (document.hidden) return setState('paused');
      following = new AbortController();
      void follow(list, setState, following.signal);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      following?.abort();
    };
  }, [list]);
  return state;
}
