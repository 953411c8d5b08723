// Of what size an import must be: how many rows it must have (`--expect-rows`), and how much it may remove
// (`--max-removed`).

import type { RemovalLimit } from '../settings/kinds.ts';

/** The limit of a run that removes what it does not name, where none is given. */
const DEFAULT_PERCENT = 20;
const DEFAULT_ITEMS = 100;

const count = (n: number) => n.toLocaleString('en');

/** Why a run of this number of rows is refused, or `undefined` when it is not. */
export function rowsFault(rows: number, expected: number | undefined): string | undefined {
  if (expected === undefined || expected === rows) return undefined;
  return `There ${rows === 1 ? 'is 1 row' : `are ${count(rows)} rows`}, but --expect-rows says ${count(expected)}.`;
}

interface Removal {
  readonly removed: number;
  /** How many items there are. */
  readonly before: number;
  /** As it was given; `undefined` for the default. */
  readonly limit: RemovalLimit | undefined;
  /** Whether a dry run is still to be advised. */
  readonly canTry: boolean;
}

/** Why a removal is refused, or `undefined` when it is not. */
export function removalFault({ removed, before, limit, canTry }: Removal): string | undefined {
  const share = (percent: number) => Math.floor((before * percent) / 100);
  const most =
    limit === undefined
      ? Math.max(DEFAULT_ITEMS, share(DEFAULT_PERCENT))
      : 'items' in limit
        ? limit.items
        : share(limit.percent);
  if (removed <= most) return undefined;
  const look = canTry ? '; --dry-run shows whose they are' : '';
  return `This would remove ${count(removed)} of ${count(before)} items, and at most ${count(most)} may be removed. If it is right, add --max-removed ${removed}${look}.`;
}
