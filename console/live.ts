// Keeps the page up to date: waits for changes of the account, and refetches when it or the day changes. A
// hidden page sends no requests.

import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { isSignedOut, troubleOf, waitForNews } from './linecard.ts';
import { NOT_LIVE, pauseAfter, queries } from './queries.ts';
import { currentSession, expire } from './session.ts';
import { loadMissing } from './shell/later.tsx';
import { noticeNewDay } from './times.ts';

/** How often a service that does not wait is polled. */
const POLL_MS = 5_000;
/** How often an account that changes constantly is polled: requests of a token are limited. */
const CHANGING_MS = 5_000;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      // The signal lasts as long as the page, which may be open for weeks.
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

/** Ends early when the page gets another answer: the service is back. */
async function pauseWhileAway(ms: number, signal: AbortSignal): Promise<void> {
  const answered = new AbortController();
  const stop = queries.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'success') answered.abort();
  });
  await pause(ms, AbortSignal.any([signal, answered.signal]));
  stop();
}

/** Refetches what may have changed. Also called when nothing has, to notice a new day. */
function refresh(hasChanged: boolean): void {
  const isNewDay = noticeNewDay();
  if (hasChanged || isNewDay) {
    void queries.invalidateQueries({ predicate: ({ meta }) => meta !== NOT_LIVE });
  }
}

async function follow(say: (fault: string | undefined) => void, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const token = currentSession().token;
    if (token === undefined) return;
    try {
      refresh(false);
      const { hasChanged, waited } = await waitForNews(token, failures === 0, signal);
      if (hasChanged || failures > 0) refresh(true);
      if (failures > 0) loadMissing();
      failures = 0;
      say(undefined);
      if (hasChanged) await pause(CHANGING_MS, signal);
      else if (!waited) await pause(POLL_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (isSignedOut(error)) return expire(token);
      failures += 1;
      // Before the first page, the token may be one that does not see the list which is looked at.
      const { code } = troubleOf(error);
      const isAway = !['rate-limited', 'forbidden'].includes(code);
      if (isAway) say(code);
      await (isAway ? pauseWhileAway : pause)(pauseAfter(failures, error), signal);
    }
  }
}

/** @returns why the account cannot be followed, as the code of a problem */
export function useFault(): string | undefined {
  const [fault, setFault] = useState<string>();
  const isHidden = useDocumentVisibility() === 'hidden';
  useEffect(() => {
    if (isHidden) return setFault(undefined);
    const following = new AbortController();
    void follow(setFault, following.signal);
    return () => following.abort();
  }, [isHidden]);
  return fault;
}
