// The size that an import must have: how many rows (`--expect-rows`), and how many items it may remove
// (`--max-removed`) and move from one account to another (`--max-moved`).

import type { ItemLimit } from '../settings/kinds.ts';

/** The limits where none is given: a share, and a number of items that is allowed in any case. */
const DEFAULTS = { removed: { percent: 20, items: 100 }, moved: { percent: 1, items: 100 } } as const;

const count = (n: number) => n.toLocaleString('en');

/** The number of items that a limit allows, of a total. */
function allowed(
  limit: ItemLimit | undefined,
  total: number,
  { percent, items }: { readonly percent: number; readonly items: number },
): number {
  const share = (of: number) => Math.floor((total * of) / 100);
  if (limit === undefined) return Math.max(items, share(percent));
  return 'items' in limit ? limit.items : share(limit.percent);
}

/** Why a run of this number of rows is refused, or `undefined` when it is not. */
export function rowsFault(rows: number, expected: number | undefined): string | undefined {
  if (expected === undefined || expected === rows) return undefined;
  return `There ${rows === 1 ? 'is 1 row' : `are ${count(rows)} rows`}, but --expect-rows says ${count(expected)}.`;
}

/** The advice at the end: a dry run is not advised where it is one. */
function advice(option: string, items: number, canTry: boolean): string {
  return `If it is right, add ${option} ${items}${canTry ? '; --dry-run shows whose they are' : ''}.`;
}

interface Moves {
  readonly moved: number;
  readonly rows: number;
  /** As it was given; `undefined` for the default. */
  readonly limit: ItemLimit | undefined;
  readonly canTry: boolean;
}

/** Why moves between accounts are refused, or `undefined` when they are not. */
export function movesFault({ moved, rows, limit, canTry }: Moves): string | undefined {
  const most = allowed(limit, rows, DEFAULTS.moved);
  if (moved <= most) return undefined;
  return `This would move ${count(moved)} items from one account to another, and at most ${count(most)} may be moved. ${advice('--max-moved', moved, canTry)}`;
}

interface Removal {
  readonly removed: number;
  /** Items that leave an account of the import for another: they count as removed from it. */
  readonly movedOut: number;
  readonly before: number;
  readonly limit: ItemLimit | undefined;
  readonly canTry: boolean;
}

/** Why a removal is refused, or `undefined` when it is not. */
export function removalFault({ removed, movedOut, before, limit, canTry }: Removal): string | undefined {
  const gone = removed + movedOut;
  const most = allowed(limit, before, DEFAULTS.removed);
  if (gone <= most) return undefined;
  const moving = movedOut === 0 ? '' : `, ${count(movedOut)} of them to other accounts`;
  return `This would remove ${count(gone)} of ${count(before)} items${moving}, and at most ${count(most)} may be removed. ${advice('--max-removed', gone, canTry)}`;
}
