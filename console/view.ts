// Changes to a view. Each returns a new view, for a link or a click.

import { type FilterFacts, type ListFacts, longestSearch, type Row, type View } from './contract.ts';

export type FilterValue = readonly (string | number)[] | boolean | string;

export interface ActiveFilter {
  readonly filter: FilterFacts;
  readonly value: string | number | boolean;
}

export function valuesOf(view: View, name: string): readonly (string | number)[] {
  const value = view.filters[name];
  return Array.isArray(value) ? (value as (string | number)[]) : [];
}

/** Every active value, in the order of the contract. */
export function activeFilters(list: ListFacts, view: View): ActiveFilter[] {
  return list.filters.flatMap((filter) => {
    const value = view.filters[filter.name] as FilterValue | undefined;
    if (value === undefined) return [];
    return [value].flat().map((one) => ({ filter, value: one }));
  });
}

/** Sets or removes a filter, and goes to the first page. */
export function withFilter(list: ListFacts, view: View, name: string, value: FilterValue | undefined): View {
  const isOff = value === undefined || (Array.isArray(value) && value.length === 0);
  const given: Record<string, unknown> = { ...view.filters, [name]: isOff ? undefined : value };
  const names = list.filters.map((filter) => filter.name).filter((one) => given[one] !== undefined);
  return { ...view, page: 1, filters: Object.fromEntries(names.map((one) => [one, given[one]])) };
}

const OPPOSITES: Readonly<Record<string, FilterFacts['test']>> = { any: 'none', none: 'any' };

/** The filter that excludes the values of this one, or has those that this one excludes. */
export function oppositeOf(list: ListFacts, { field, test }: FilterFacts): FilterFacts | undefined {
  return list.filters.find((one) => one.field === field && one.test === OPPOSITES[test]);
}

/** Toggles one value of a filter. A value is never both chosen and excluded by it. */
export function withToggled(
  list: ListFacts,
  view: View,
  filter: FilterFacts,
  value: string | number | boolean,
): View {
  if (typeof value === 'boolean') {
    return withFilter(list, view, filter.name, view.filters[filter.name] === value ? undefined : value);
  }
  const given = view.filters[filter.name];
  if (given !== undefined && !Array.isArray(given)) return withFilter(list, view, filter.name, undefined);
  const without = (name: string) => valuesOf(view, name).filter((one) => one !== value);
  if (isOn(view, filter, value)) return withFilter(list, view, filter.name, without(filter.name));
  const opposite = oppositeOf(list, filter)?.name;
  const free = opposite === undefined ? view : withFilter(list, view, opposite, without(opposite));
  return withFilter(list, free, filter.name, [...valuesOf(view, filter.name), value]);
}

/** Whether a counted value can be a filter: queries drop empty values (docs/generated/api.md). */
export function canFilter(value: string | boolean | undefined): boolean {
  return value !== '';
}

export function isOn(view: View, { name }: FilterFacts, value: string | number | boolean): boolean {
  return typeof value === 'boolean' ? view.filters[name] === value : valuesOf(view, name).includes(value);
}

/** Whether items with a value are not in the list, because the filter excludes it or has other values. */
export function isLeftOut(
  list: ListFacts,
  view: View,
  filter: FilterFacts,
  value: string | number | boolean,
): boolean {
  const opposite = oppositeOf(list, filter);
  if (opposite !== undefined && isOn(view, opposite, value)) return true;
  return view.filters[filter.name] !== undefined && !isOn(view, filter, value);
}

/** Searches for what is given, as far as a search may be long: a title may be longer. */
export function withSearch(view: View, q: string): View {
  const trimmed = Array.from(q.trim()).slice(0, longestSearch).join('').trim();
  return { ...view, page: 1, q: trimmed === '' ? undefined : trimmed };
}

/** Removes filters and search; order and columns stay. */
export function withoutFilters(view: View): View {
  return { ...view, page: 1, filters: {}, q: undefined };
}

export function isFiltered({ filters, q }: View): boolean {
  return q !== undefined || Object.keys(filters).length > 0;
}

/** What sorts a view, also where its address names nothing. */
export const sortOf = ({ usualSort }: ListFacts, { sortBy = usualSort }: View): string | undefined => sortBy;

/** Cycles through ascending, descending and the default order. */
export function withSort(list: ListFacts, view: View, key: string): View {
  const isOn = sortOf(list, view) === key;
  const sortBy = isOn && view.isDescending ? undefined : key;
  return { ...view, page: 1, sortBy, isDescending: isOn && !view.isDescending };
}

/** Keeps the first row that is shown now on the page. */
export function withPageSize(view: View, pageSize: number): View {
  const first = (view.page - 1) * view.pageSize;
  return { ...view, pageSize, page: Math.floor(first / pageSize) + 1 };
}

/** The ids of rows that differ between two answers to the same query. */
export function changedRows(before: readonly Row[], after: readonly Row[]): ReadonlySet<number> {
  const known = new Map(before.map((row) => [row.id, JSON.stringify(row)]));
  return new Set(after.filter((row) => known.get(row.id) !== JSON.stringify(row)).map(({ id }) => id));
}

/** The same rows with their latest values, where they still exist. */
export function withNewValues(shown: readonly Row[], latest: readonly Row[]): readonly Row[] {
  const known = new Map(latest.map((row) => [row.id, row]));
  const rows = shown.map((row) => known.get(row.id) ?? row);
  return changedRows(shown, rows).size === 0 ? shown : rows;
}

/** Whether both have the same items in the same order. */
export function isSameOrder(before: readonly Row[], after: readonly Row[]): boolean {
  return before.length === after.length && before.every(({ id }, i) => id === after[i]?.id);
}
