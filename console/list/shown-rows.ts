// What a page shows while the account changes: values change in place and are highlighted; added, removed and
// moved rows are shown only when the reader wants them, so that nothing jumps.

import { useCallback, useEffect, useRef, useState } from 'react';
import { pageParams, type Row, type View, writeQuery } from '../contract.ts';
import type { PageOfRows } from '../linecard.ts';
import { useBriefly } from '../shell/copy-text.tsx';
import { changedRows, isSameOrder, withNewValues } from '../view.ts';

const MARKED_MS = 6_000;
const NONE: ReadonlySet<number> = new Set();

export interface ShownRows {
  /** Distinguishes the rows of one query from those of another. */
  readonly key: string;
  /** The view of these rows; another one may be in flight. */
  readonly view: View;
  readonly rows: readonly Row[] | undefined;
  readonly changed: ReadonlySet<number>;
  /** There are changed rows that are not shown yet. */
  readonly isOutdated: boolean;
  readonly catchUp: () => void;
}

export type WholeRows = ShownRows & { readonly rows: readonly Row[] };

interface Held {
  readonly key: string;
  readonly view: View;
  readonly rows: readonly Row[];
  /** The answer that they are from. */
  readonly latest: readonly Row[];
  readonly isOutdated: boolean;
}

/** The answer to another query is shown as it is. */
export function useShownRows(view: View, latest: PageOfRows | undefined, isCurrent: boolean): ShownRows {
  const key = writeQuery(pageParams(view));
  const held = useRef<Held>(undefined);
  const [changed = NONE, setChanged] = useBriefly<ReadonlySet<number>>(MARKED_MS);
  const [, rerender] = useState(0);

  const before = held.current;
  if (latest !== undefined && isCurrent) {
    const { data } = latest;
    if (before === undefined || before.key !== key || isSameOrder(before.rows, data)) {
      held.current = { key, view, rows: data, latest: data, isOutdated: false };
    } else if (before.latest !== data) {
      const values = withNewValues(before.rows, data);
      held.current = { key, view, rows: values, latest: data, isOutdated: true };
    } else if (before.view !== view) held.current = { ...before, view };
  }

  const rows = held.current?.rows;
  const previous = useRef<Held>(undefined);
  useEffect(() => {
    const last = previous.current;
    previous.current = held.current;
    if (last === undefined || rows === undefined || last.key !== key || last.rows === rows) return;
    const marks = changedRows(last.rows, rows);
    if (marks.size > 0) setChanged(marks);
  }, [key, rows, setChanged]);

  const catchUp = useCallback(() => {
    held.current = undefined;
    rerender((n) => n + 1);
  }, []);
  const { isOutdated = false } = held.current ?? {};
  return { key, view, ...held.current, rows, changed, isOutdated, catchUp };
}
