// How much an import may remove before it is refused (`--max-removed`). It must not know how it is removed.

import type { RemovalLimit } from '../settings/kinds.ts';

/** The limit of a run that removes what it does not name, where none is given. */
const DEFAULT_PERCENT = 20;
const DEFAULT_ITEMS = 100;

const count = (n: number) => n.toLocaleString('en');

/**
 * Why a run that removes so many of so many items is refused, or `undefined` when it is not.
 * @param limit as it was given; `undefined` for the default.
 */
export function removalFault(
  removed: number,
  before: number,
  limit: RemovalLimit | undefined,
): string | undefined {
  const share = (percent: number) => Math.floor((before * percent) / 100);
  const most =
    limit === undefined
      ? Math.max(DEFAULT_ITEMS, share(DEFAULT_PERCENT))
      : 'items' in limit
        ? limit.items
        : share(limit.percent);
  if (removed <= most) return undefined;
  return `This would remove ${count(removed)} of ${count(before)} items, and at most ${count(most)} may be removed. If it is right, add --max-removed ${removed}; --dry-run shows whose they are.`;
}
