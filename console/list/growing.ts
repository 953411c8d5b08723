// Renders the first screen of a long page immediately, and the other rows as soon as those are visible.

import { useMemo } from 'react';
import { EMPTY_VIEW, type Row, type View } from '../contract.ts';
import { useDeferred } from '../deferred.ts';
import type { WholeRows } from './shown-rows.ts';

/** What a large screen shows. */
const FIRST_ROWS = 25;
const NONE = { key: '', rows: [] as readonly Row[], view: EMPTY_VIEW };

export interface Growing {
  readonly first: readonly Row[];
  /** The other rows as far as they are rendered. Until `isWhole`, they are those of the query before. */
  readonly rest: { readonly rows: readonly Row[]; readonly view: View };
  readonly isWhole: boolean;
}

export function useGrowing({ key, rows, view }: Pick<WholeRows, 'key' | 'rows' | 'view'>): Growing {
  const others = useMemo(() => ({ key, rows: rows.slice(FIRST_ROWS), view }), [key, rows, view]);
  const rest = useDeferred(others, NONE);
  const isWhole = rest.key === key || others.rows.length + rest.rows.length === 0;
  return { first: rows.slice(0, FIRST_ROWS), rest, isWhole };
}
