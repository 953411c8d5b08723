// Filters for ranges of days, and for what falls due before a time.

import type { ListFacts, View } from '../contract.ts';
import { boundOf, CLOSING, type LocalDay, OPENING } from '../times.ts';

type Bounds = Readonly<Record<string, string>>;

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

/** Without the filters on a field. */
export function withoutBounds(list: ListFacts, view: View, named: string): View {
  const own = list.filters.flatMap(({ name, field }) => (field.name === named ? [name] : []));
  const filters = Object.entries(view.filters).filter(([name]) => !own.includes(name));
  return { ...view, filters: Object.fromEntries(filters) };
}
