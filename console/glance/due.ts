// Filters for what falls due: on a range of days, or before a time.

import { dueField, type ListFacts, type View } from '../contract.ts';
import { CLOSING, OPENING, type UtcDay, utcBoundOf } from '../times.ts';

type Bounds = Readonly<Record<string, string>>;

/** The filters for what is due on these days of UTC, inclusive. */
export function dueBetween(list: ListFacts, first: UtcDay, last: UtcDay): Bounds {
  const own = list.filters.filter(({ field }) => field.name === dueField);
  const bound = (tests: readonly string[], day: UtcDay): Bounds => {
    const test = tests.find((one) => own.some((filter) => filter.test === one));
    const name = own.find((filter) => filter.test === test)?.name;
    return test === undefined || name === undefined ? {} : { [name]: utcBoundOf(test, day) };
  };
  return { ...bound(OPENING, first), ...bound(CLOSING, last) };
}

export function boundBefore(list: ListFacts, field: string, timestamp: string): Bounds {
  const filter = list.filters.find((one) => one.field.name === field && one.test === 'before');
  return filter === undefined ? {} : { [filter.name]: timestamp };
}

/** Without the view's own filters on the due date: the chart shows all days. */
export function withoutDueFilters(list: ListFacts, view: View): View {
  const own = list.filters.flatMap(({ name, field }) => (field.name === dueField ? [name] : []));
  const filters = Object.entries(view.filters).filter(([name]) => !own.includes(name));
  return { ...view, filters: Object.fromEntries(filters) };
}
