// What a page shows while the account changes under it: values change in place and are marked for a while;
// rows that come, go or move wait for the reader, so that nothing jumps.

import { useCallback, useEffect, useRef, useState } from 'react';
import type { Row } from '../contract.ts';
import type { PageOfRows } from '../linecard.ts';
import { changedRows, isSameOrder } from '../view.ts';

const MARKED_MS = 6_000;
const NONE: ReadonlySet<number> = new Set();

export interface ShownRows {
  readonly rows: readonly Row[] | undefined;
  readonly changed: ReadonlySet<number>;
  /** There are rows that are not shown yet. */
  readonly isBehind: boolean;
  readonly catchUp: () => void;
}

interface Held {
  readonly key: string;
  readonly rows: readonly Row[];
  readonly isBehind: boolean;
}

/** `key` tells one question from another: the answer to a new one is always shown as it is. */
export function useShownRows(key: string, latest: PageOfRows | undefined, isCurrent: boolean): ShownRows {
  const held = useRef<Held>(undefined);
  const [changed, setChanged] = useState(NONE);
  const [, redraw] = useState(0);

  const before = held.current;
  if (latest !== undefined && isCurrent) {
    if (before === undefined || before.key !== key) {
      held.current = { key, rows: latest.data, isBehind: false };
    } else if (isSameOrder(before.rows, latest.data)) {
      held.current = { key, rows: latest.data, isBehind: false };
    } else if (before.rows !== latest.data) held.current = { ...before, isBehind: true };
  }

  const rows = held.current?.rows;
  const previous = useRef<Held>(undefined);
  useEffect(() => {
    const last = previous.current;
    previous.current = held.current;
    if (last === undefined || rows === undefined || last.key !== key || last.rows === rows) return undefined;
    const marks = changedRows(last.rows, rows);
    if (marks.size === 0) return undefined;
    setChanged(marks);
    const timer = setTimeout(() => setChanged(NONE), MARKED_MS);
    return () => clearTimeout(timer);
  }, [key, rows]);

  const catchUp = useCallback(() => {
    held.current = undefined;
    redraw((n) => n + 1);
  }, []);
  return { rows, changed, isBehind: held.current?.isBehind === true, catchUp };
}
