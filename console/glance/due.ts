// Filters for ranges of days, and for what falls due before a time.

import { dueField, type ListFacts, type View } from '../contract.ts';
import { type CalendarDay, CLOSING, type Days, localDays, OPENING, utcDays } from '../times.ts';

type Bounds = Readonly<Record<string, string>>;

/** Payments are due on days of UTC, as the list shows them; all else happened on days of the reader. */
export function daysOf(field: string): Days {
  return field === dueField ? utcDays : localDays;
}

/** The filters for a range of days, inclusive. */
export function boundsOf(list: ListFacts, field: string, first?: CalendarDay, last?: CalendarDay): Bounds {
  const bound = (tests: readonly string[], day: CalendarDay | undefined): Bounds => {
    const own = list.filters.filter((filter) => filter.field.name === field);
    const test = tests.find((one) => own.some((filter) => filter.test === one));
    const name = own.find((filter) => filter.test === test)?.name;
    return test === undefined || name === undefined || day === undefined
      ? {}
      : { [name]: daysOf(field).boundOf(test, day) };
  };
  return { ...bound(OPENING, first), ...bound(CLOSING, last) };
}

export function boundBefore(list: ListFacts, field: string, timestamp: string): Bounds {
  const filter = list.filters.find((one) => one.field.name === field && one.test === 'before');
  return filter === undefined ? {} : { [filter.name]: timestamp };
}

/** Without the filters on a field. */
export function withoutBounds(list: ListFacts, view: View, named: string): View {
  const own = list.filters.flatMap(({ name, field }) => (field.name === named ? [name] : []));
  const filters = Object.entries(view.filters).filter(([name]) => !own.includes(name));
  return { ...view, filters: Object.fromEntries(filters) };
}

/** Without the filters on when items are due. */
export const withoutDue = (list: ListFacts, view: View): View => ({
  ...withoutBounds(list, view, dueField),
  page: 1,
});
