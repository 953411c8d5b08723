// What is requested again when the account has changed, or the day: at once what takes one request each, and
// now and then what takes many, since all of them count against the token's limit.

import type { Query } from '@tanstack/react-query';
import { queries } from './queries.ts';
import { comingDays, forgetShownTimes } from './times.ts';

/** How often, at most, it is counted on which days something falls due. */
const DUE_MS = 60_000;
const DUE = 'due';

const isDue = ({ queryKey }: Query) => queryKey[2] === DUE;

let dueAt = Number.NEGATIVE_INFINITY;
let isDueStale = false;
let [today] = comingDays(1);

/** Requests again what is not as it was any more; to be called now and then where nothing has changed. */
export function refresh(hasChanged: boolean): void {
  const [day] = comingDays(1);
  const isNewDay = day !== today;
  today = day;
  if (isNewDay) forgetShownTimes();
  if (hasChanged || isNewDay) {
    isDueStale = true;
    void queries.invalidateQueries({ predicate: (query) => !isDue(query) });
    // What is not shown just now is counted when it is shown again.
    void queries.invalidateQueries({ predicate: isDue, refetchType: 'none' });
  }
  if (!isDueStale || (!isNewDay && performance.now() < dueAt + DUE_MS)) return;
  isDueStale = false;
  dueAt = performance.now();
  void queries.invalidateQueries({ predicate: isDue });
}
