// How many items fall due on each of the next days: counted from one page where all fit on it, else requested
// day by day.

import { dueField, filterParams, type ListFacts, type View } from '../contract.ts';
import { readRows } from '../linecard.ts';
import { boundOf, CLOSING, comingDays, type LocalDay, localDayOf, OPENING } from '../times.ts';

/** Two weeks, which fit on a phone. */
const DAYS = 14;
/** Every deployment allows pages of this size. */
const MOST_COUNTED = 100;

type Bounds = Readonly<Record<string, string>>;

export interface DueDay {
  readonly day: LocalDay;
  readonly count: number;
  /** The filters for its items. */
  readonly bounds: Bounds;
}

/** The filters for a range of days, inclusive. */
export function boundsOf(
  list: ListFacts,
  field: string,
  first?: LocalDay,
  last?: LocalDay,
  boundAt: (test: string, day: LocalDay) => string = boundOf,
): Bounds {
  const bound = (tests: readonly string[], day: LocalDay | undefined): Bounds => {
    const own = list.filters.filter((filter) => filter.field.name === field);
    const test = tests.find((one) => own.some((filter) => filter.test === one));
    const name = own.find((filter) => filter.test === test)?.name;
    return test === undefined || name === undefined || day === undefined
      ? {}
      : { [name]: boundAt(test, day) };
  };
  return { ...bound(OPENING, first), ...bound(CLOSING, last) };
}

export function boundBefore(list: ListFacts, field: string, timestamp: string): Bounds {
  const filter = list.filters.find((one) => one.field.name === field && one.test === 'before');
  return filter === undefined ? {} : { [filter.name]: timestamp };
}

/** Without the view's own filters on the due date: the chart shows all days. */
function otherFilters(list: ListFacts, view: View): View {
  const own = list.filters.flatMap(({ name, field }) => (field.name === dueField ? [name] : []));
  const filters = Object.entries(view.filters).filter(([name]) => !own.includes(name));
  return { ...view, filters: Object.fromEntries(filters) };
}

export async function countDue(
  token: string,
  list: ListFacts,
  view: View,
  signal: AbortSignal,
): Promise<DueDay[]> {
  const days = comingDays(DAYS);
  const params = filterParams(otherFilters(list, view));
  const all = { ...params, ...boundsOf(list, dueField, days[0], days.at(-1)), page_size: MOST_COUNTED };
  const { data, total } = await readRows(token, list, all, signal);
  const counts = new Map<LocalDay, number>();
  for (const row of data) {
    const day = localDayOf(String(row[dueField]));
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  const due: DueDay[] = [];
  // One by one: requests of one account queue, and the reader's next request waits for at most one of these.
  for (const day of days) {
    const bounds = boundsOf(list, dueField, day, day);
    const isCounted = total <= data.length;
    const answer = isCounted
      ? { total: counts.get(day) ?? 0 }
      : await readRows(token, list, { ...params, ...bounds, page_size: 1 }, signal);
    due.push({ day, count: answer.total, bounds });
  }
  return due;
}
