// What a page says of an answer that does not come: that it takes long, and what went wrong until there is
// one.

import { useEffect, useState } from 'react';

/** After this, somebody who waits wants to know that it still goes on. */
const SLOW_MS = 5_000;

interface Query {
  readonly data: unknown;
  readonly error: unknown;
  readonly isPlaceholderData: boolean;
}

interface Failed {
  readonly key: string;
  readonly error: unknown;
}

/**
 * Why there is no answer to what `key` names, until there is one: a query that never had one forgets its
 * error with each attempt, and what is shown of it would come and go.
 */
export function useFailure({ data, error, isPlaceholderData }: Query, key: string): Failed | undefined {
  const [failed, setFailed] = useState<Failed>();
  const isAnswered = data !== undefined && !isPlaceholderData;
  const before = failed?.key === key && !isAnswered ? failed : undefined;
  const now = isAnswered || error === null || error === before?.error ? before : { key, error };
  if (now !== failed) setFailed(now);
  return now;
}

/** Whether something has been waited for so long that it should be said. */
export function useIsSlow(isWaiting: boolean): boolean {
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
