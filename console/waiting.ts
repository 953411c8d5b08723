// What a page shows while an answer is late, and after it failed.

import { useEffect, useState } from 'react';

/** After this time the page says that it is still waiting. */
const SLOW_MS = 5_000;

interface Query {
  readonly data: unknown;
  readonly error: unknown;
  readonly isPlaceholderData: boolean;
}

/** One of several that failed has no error while it is sent again. */
export const IN_FLIGHT = { refetch() {}, isFetching: true };

interface Failed {
  readonly key: string;
  readonly error: unknown;
}

/**
 * Why there is no answer to what `key` names, until there is one. A query without data drops its error at
 * each attempt; this keeps it, so that the message does not flicker.
 */
export function useFailure({ data, error, isPlaceholderData }: Query, key: string): Failed | undefined {
  const [failed, setFailed] = useState<Failed>();
  const isAnswered = data !== undefined && !isPlaceholderData;
  const before = failed?.key === key && !isAnswered ? failed : undefined;
  const now = isAnswered || error === null || error === before?.error ? before : { key, error };
  if (now !== failed) setFailed(now);
  return now;
}

/** What a page says of the answer to what `key` names. */
export function useWaiting(query: Query, key: string) {
  const failure = useFailure(query, key);
  const isWaiting = failure === undefined && (query.data === undefined || query.isPlaceholderData);
  return { failure, isWaiting, isSlow: useIsSlow(isWaiting) };
}

/** Whether something has been in flight for so long that the page should say so. */
function useIsSlow(isWaiting: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isWaiting]);
  return isSlow;
}
