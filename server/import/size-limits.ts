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

/** What an import would do to items: how many of how many, and how many it may. */
interface Change {
  readonly items: number;
  readonly of: number;
  /** As it was given; `undefined` for the default. */
  readonly limit: ItemLimit | undefined;
  /** Whether a dry run is advised, which shows them. */
  readonly canTry: boolean;
}

function excess(
  kind: keyof typeof DEFAULTS,
  { items, of, limit, canTry }: Change,
  what: string,
): string | undefined {
  const most = allowed(limit, of, DEFAULTS[kind]);
  if (items <= most) return undefined;
  const advice = `If it is right, add --max-${kind} ${items}${canTry ? '; --dry-run shows whose they are' : ''}.`;
  return `This would ${what}, and at most ${count(most)} may be ${kind}. ${advice}`;
}

/** Why moves between accounts are refused, or `undefined` when they are not. */
export const movesFault = (moves: Change) =>
  excess('moved', moves, `move ${count(moves.items)} items from one account to another`);

/**
 * Why a removal is refused, or `undefined` when it is not.
 * @param movedOut items that leave an account of the import for another: they count as removed from it.
 */
export function removalFault({ items, movedOut, ...rest }: Change & { readonly movedOut: number }) {
  const gone = items + movedOut;
  const moving = movedOut === 0 ? '' : `, ${count(movedOut)} of them to other accounts`;
  const what = `remove ${count(gone)} of ${count(rest.of)} items${moving}`;
  return excess('removed', { ...rest, items: gone }, what);
}
