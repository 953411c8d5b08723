// How many items fall due on each of the next days, exactly: counted from one page where all of them fit on
// it, else requested day by day.

import { dueField, filterParams, type ListFacts, type View } from '../contract.ts';
import { readRows } from '../linecard.ts';
import { boundOf, CLOSING, comingDays, type LocalDay, localDayOf, OPENING } from '../times.ts';

/** Two weeks, which a telephone can still show. */
const DAYS = 14;
/** As many as any deployment puts on one page. */
const MOST_COUNTED = 100;

type Bounds = Readonly<Record<string, string>>;

export interface DueDay {
  readonly day: LocalDay;
  readonly count: number;
  /** The filters that lead to what falls due on it. */
  readonly bounds: Bounds;
}

/** The filters between which the days lie, from the first to the last, both included. */
function boundsOf(list: ListFacts, field: string, first?: LocalDay, last?: LocalDay): Bounds {
  const bound = (tests: readonly string[], day: LocalDay | undefined): Bounds => {
    const own = list.filters.filter((filter) => filter.field.name === field);
    const test = tests.find((one) => own.some((filter) => filter.test === one));
    const name = own.find((filter) => filter.test === test)?.name;
    return test === undefined || name === undefined || day === undefined
      ? {}
      : { [name]: boundOf(test, day) };
  };
  return { ...bound(OPENING, first), ...bound(CLOSING, last) };
}

/** What falls due before a time. */
export function boundBefore(list: ListFacts, field: string, timestamp: string): Bounds {
  const filter = list.filters.find((one) => one.field.name === field && one.test === 'before');
  return filter === undefined ? {} : { [filter.name]: timestamp };
}

/** What a view has without its own filters of the due date: the picture shows which of them lie when. */
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
  // One after the other: requests of one account wait for each other, and what somebody does next waits for
  // no more than one of these.
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
