// The one binary search: over positions.

/** The first position from `low` on whose element is not before what is looked for; `high` where all are. */
export function lowerBound(low: number, high: number, isBefore: (position: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
