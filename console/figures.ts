// The money of every page, from the answers of facets: what is overdue, what falls due in a time, and list
// prices. A figure and the link next to it are made from one `Time`, so they cannot differ.

import { dueField, type ListFacets, type ListFacts, priceField, type View } from './contract.ts';
import { plural } from './format.ts';
import { boundBefore, boundsOf, withoutBounds } from './glance/due.ts';
import { texts } from './texts.ts';
import { type CalendarDay, comingUtcDays, shownDays, utcDays } from './times.ts';
import { flagTones } from './words.ts';

const MILLION = 1_000_000;
/** The windows of payments that are requested: the shortest that has the whole time. */
const WINDOWS = [31, 124, 366] as const;
/** Rest of a month, and three more. */
const MONTHS = 4;
/** Of the presets. */
export const PRESET_DAYS = [7, 30] as const;
/** Has all months of the overview. */
export const OVERVIEW_WINDOW: number = WINDOWS[1];
/** Has the days of all presets. */
export const LIST_WINDOW: number = WINDOWS[0];

export type FacetValue = ListFacets['facets'][string]['values'][number];

export interface Payments {
  readonly count: number;
  /** 0 where the token sees no charges. */
  readonly amount: number;
  /** Of these, how many are in no amount, because nobody knows how many months they cover. */
  readonly unknown: number;
}

/** A time in which payments fall due: from one day of UTC to another, inclusive; or all before `first`. */
export type Time =
  | { readonly kind: 'overdue'; readonly today: CalendarDay }
  | { readonly kind: 'days'; readonly first: CalendarDay; readonly last: CalendarDay };

/** Sums of charges have no noise: they are added as millionths. */
export function addUp<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + Math.round(of(item) * MILLION), 0) / MILLION;
}

export const countOf = (one: { readonly count: number }) => one.count;
export const amountOf = (one: { readonly amount: number }) => one.amount;

/** What all items cost a month; 0 where the token sees no charges. */
export const listPriceOf = ({ sums }: ListFacets): number => sums[priceField] ?? 0;

/** Of the items whose value a facet does not list; `null` where it counts more than is in the list. */
export function othersPrice(facets: ListFacets, name: string): number | null | undefined {
  const { values = [], others = 0 } = facets.facets[name] ?? {};
  if (!(priceField in facets.sums)) return undefined;
  if (addUp(values, countOf) + others !== facets.total) return null;
  return addUp([listPriceOf(facets), ...values.map((one) => -(one[priceField] ?? 0))], (one) => one);
}

/** Whether its amount says something: of what is paid, not all is unknown. */
export const isPriced = ({ count, unknown }: Pick<Payments, 'count' | 'unknown'>) =>
  count === 0 || count > unknown;

type Answered = Partial<Payments> & { readonly count: number };

export function sumOf(all: readonly Answered[]): Payments {
  return {
    count: addUp(all, countOf),
    amount: addUp(all, ({ amount = 0 }) => amount),
    unknown: addUp(all, ({ unknown = 0 }) => unknown),
  };
}

/** What is paid in a time, of the facets of a list without a filter on when its items are due. */
export function paymentsIn({ overdue, due_by_day = [] }: ListFacets, time: Time): Payments {
  if (time.kind === 'overdue') return sumOf(overdue === undefined ? [] : [overdue]);
  return sumOf(due_by_day.filter(({ day }) => time.first <= day && day <= time.last));
}

export const overdueAt = (at: number): Time => ({ kind: 'overdue', today: utcDays.dayOf(at) });

export function nextDays(count: number, at: number): Time {
  const days = comingUtcDays(count, at);
  return { kind: 'days', first: days[0] ?? '', last: days.at(-1) ?? '' };
}

/** The rest of this month and the next ones. */
export function monthsFrom(at: number): readonly (Time & { readonly kind: 'days' })[] {
  const today = utcDays.dayOf(at);
  const [year = 0, month = 1] = today.split('-').map(Number);
  const start = (later: number) => Date.UTC(year, month - 1 + later, 1);
  return Array.from({ length: MONTHS }, (_, i) => ({
    kind: 'days' as const,
    first: i === 0 ? today : utcDays.dayOf(start(i)),
    last: utcDays.dayOf(start(i + 1) - 1),
  }));
}

/** The filters that list the items whose next payment is in a time. */
export function boundsIn(list: ListFacts, time: Time): Readonly<Record<string, string>> {
  return time.kind === 'overdue'
    ? boundBefore(list, dueField, utcDays.boundOf('from', time.today))
    : boundsOf(list, dueField, time.first, time.last);
}

/** A view of what has its next payment in a time. */
export function viewIn(list: ListFacts, view: View, time: Time): View {
  const { filters } = withoutBounds(list, view, dueField);
  return { ...view, page: 1, filters: { ...filters, ...boundsIn(list, time) } };
}

/** The day of one side of a view, where its filter is the end of a day. */
function sideOf(list: ListFacts, view: View, tests: readonly string[]): CalendarDay | undefined {
  const filter = list.filters.find(
    ({ name, field, test }) =>
      field.name === dueField && tests.includes(test) && view.filters[name] !== undefined,
  );
  const value = filter && view.filters[filter.name];
  return filter && typeof value === 'string' ? utcDays.dayOfBound(filter.test, value) : undefined;
}

/** The time that a view has chosen; none where its filters are about another, or begin in the past. */
export function timeOf(list: ListFacts, view: View, at: number): Time | undefined {
  const own = list.filters.filter(({ name, field }) => field.name === dueField && name in view.filters);
  const overdue = overdueAt(at);
  const isTime = (time: Time) => {
    const bounds = Object.entries(boundsIn(list, time));
    return own.length === bounds.length && bounds.every(([name, value]) => view.filters[name] === value);
  };
  if (isTime(overdue)) return overdue;
  const first = sideOf(list, view, ['from', 'after']);
  const last = sideOf(list, view, ['to', 'before']);
  if (own.length !== 2 || first === undefined || last === undefined || isIn(overdue, first)) return undefined;
  return { kind: 'days', first, last };
}

/** Whether a day is in a time. */
export function isIn(time: Time, day: CalendarDay): boolean {
  return time.kind === 'overdue' ? day < time.today : time.first <= day && day <= time.last;
}

export const isSameTime = (one: Time, other: Time | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);

/** How many days of payments the figures of a view take. */
export function windowOf(list: ListFacts, view: View, at: number): number {
  const time = timeOf(list, view, at);
  if (time === undefined || time.kind === 'overdue') return WINDOWS[0];
  const has = (days: number) => time.last <= (comingUtcDays(days, at).at(-1) ?? '');
  return WINDOWS.find(has) ?? WINDOWS[2];
}

/** Whether a time ends within the longest window. */
export const isKnown = (time: Time, at: number) =>
  time.kind === 'overdue' || time.last <= (comingUtcDays(WINDOWS[2], at).at(-1) ?? '');

export interface Bar {
  /** From the top of the chart, as its height is 1. */
  readonly top: number;
  readonly height: number;
}

export interface Scale {
  readonly most: number;
  /** 0, or the largest credit. */
  readonly least: number;
  /** Where nothing is, from the top. */
  readonly zero: number;
  /** The bars of one day on each other: charges above the line, credits below. */
  readonly bars: (values: readonly number[]) => readonly Bar[];
}

/**
 * One scale for all days, each with its values.
 * @param smallest the height of the smallest bar, as the chart's is 1: it grows away from the line, too
 */
export function scaleOf(days: readonly (readonly number[])[], smallest = 0): Scale {
  const charges = days.map((values) => values.filter((one) => one > 0).reduce((sum, one) => sum + one, 0));
  const credits = days.map((values) => values.filter((one) => one < 0).reduce((sum, one) => sum + one, 0));
  const most = Math.max(0, ...charges);
  const least = Math.min(0, ...credits);
  const exact = most === least ? 1 : most / (most - least);
  const zero = most > 0 && least < 0 ? Math.min(Math.max(exact, smallest), 1 - smallest) : exact;
  const bars = (values: readonly number[]) => {
    let [above, below] = [zero, zero];
    return values.map((value) => {
      const isCredit = value < 0;
      const size = value === 0 ? 0 : (value / (isCredit ? least : most)) * (isCredit ? 1 - zero : zero);
      const height = Math.max(size, smallest);
      const top = isCredit ? Math.min(below, 1 - height) : Math.max(0, above - height);
      if (isCredit) below += size;
      else above -= size;
      return { top, height };
    });
  };
  return { most, least, zero, bars };
}

/** The times that one click chooses, as every page names them. */
export function dueTimes(at: number): readonly { readonly label: string; readonly time: Time }[] {
  return [
    { label: texts.filters.presets.overdue, time: overdueAt(at) },
    ...PRESET_DAYS.map((days) => ({
      label: plural(texts.filters.presets.next, days),
      time: nextDays(days, at),
    })),
  ];
}

export function timeLabel(time: Time, at: number): string {
  const known = dueTimes(at).find((one) => isSameTime(one.time, time));
  if (known !== undefined || time.kind === 'overdue') return known?.label ?? texts.filters.presets.overdue;
  return shownDays(time.first, time.last);
}

/** How many items have each flag that stands out; no number until it is known. */
export function flaggedIn(list: ListFacts, facets: ListFacets | undefined) {
  const flags = list.filters.filter(({ field, test }) => test === 'is' && flagTones[field.name] === 'bad');
  return flags.map((filter) => {
    const values = facets?.facets[filter.name]?.values ?? [];
    return { filter, count: facets && (values.find(({ value }) => value === true)?.count ?? 0) };
  });
}
