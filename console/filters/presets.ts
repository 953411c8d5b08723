// Ranges that filters offer, by field: times that are often wanted, also in the palette, and typed bounds.
// And the words for such a range where it is a filter.

import { dueField, type FieldFacts, type ListFacts, type View } from '../contract.ts';
import { boundsIn, dueTimes, PRESET_DAYS } from '../figures.ts';
import { plural } from '../format.ts';
import { boundsOf, daysOf, withoutBounds } from '../glance/due.ts';
import { texts } from '../texts.ts';
import { CLOSING, OPENING, shownSpan } from '../times.ts';
import { activeFilters } from '../view.ts';
import { filterLabel, filterText } from './words.ts';

const { isSet, presets } = texts.filters;

/** A range of time that one click chooses. */
export interface Preset {
  readonly label: string;
  readonly bounds: Readonly<Record<string, string | boolean>>;
}

/** Whether there is a time. */
function setPresets(list: ListFacts, field: FieldFacts): Preset[] {
  const filter = list.filters.find((one) => one.field === field && one.test === 'set');
  if (filter === undefined) return [];
  return [true, false].map((value) => ({
    label: value ? isSet.yes : isSet.no,
    bounds: { [filter.name]: value },
  }));
}

function dayPresets(list: ListFacts, { name }: FieldFacts): Preset[] {
  if (name === dueField) {
    return dueTimes(Date.now()).map(({ label, time }) => ({ label, bounds: boundsIn(list, time) }));
  }
  const { fromToday } = daysOf(name);
  return PRESET_DAYS.map((days) => ({
    label: plural(presets.last, days),
    bounds: boundsOf(list, name, fromToday(1 - days), fromToday(0)),
  }));
}

export const presetsOf = (list: ListFacts, field: FieldFacts): Preset[] => [
  ...dayPresets(list, field),
  ...setPresets(list, field),
];

/** Replaces the range of a field. */
export function withRange(list: ListFacts, view: View, field: FieldFacts, bounds: Preset['bounds']): View {
  return { ...view, page: 1, filters: { ...withoutBounds(list, view, field.name).filters, ...bounds } };
}

const activeOn = (list: ListFacts, view: View, field: FieldFacts) =>
  activeFilters(list, view).filter(({ filter }) => filter.field === field);

/** The one whose range is that of a view. */
export function presetIn(list: ListFacts, view: View, field: FieldFacts): Preset | undefined {
  const own = activeOn(list, view, field);
  const isSame = ({ bounds }: Preset) =>
    own.length === Object.keys(bounds).length &&
    own.every(({ filter, value }) => bounds[filter.name] === value);
  return own.length === 0 ? undefined : presetsOf(list, field).find(isSame);
}

function daysIn(list: ListFacts, view: View, field: FieldFacts): string | undefined {
  const own = activeOn(list, view, field);
  const [first, last] = [OPENING, CLOSING].map((tests) => {
    const end = own.find(({ filter }) => tests.includes(filter.test));
    return end && daysOf(field.name).dayOfBound(end.filter.test, String(end.value));
  });
  if (first === undefined || last === undefined || own.length > 2) return undefined;
  return shownSpan(first, last);
}

/** The filters on a time in words where they are one to people: a preset, or from one day to another. */
export function spanOf(list: ListFacts, view: View, field: FieldFacts): string | undefined {
  if (field.kind !== 'timestamp') return undefined;
  return presetIn(list, view, field)?.label ?? daysIn(list, view, field);
}

/** Active filters where nothing else says which field each is on: a range of time is one. */
export function filterTexts(list: ListFacts, view: View, currency: string | undefined): string[] {
  const all = activeFilters(list, view).map(({ filter, value }) => {
    const span = spanOf(list, view, filter.field);
    return span === undefined
      ? filterText(filter, value, currency)
      : texts.labelled(filterLabel(filter), span);
  });
  return [...new Set(all)];
}

/** The tests of both sides, of charges, integers and telephone numbers. */
export const SIDES = [
  { tests: ['min', 'first'], side: 'from' },
  { tests: ['max', 'last'], side: 'to' },
] as const;
const TESTS: readonly string[] = SIDES.flatMap(({ tests }) => tests);

export const boundsOn = (list: ListFacts, field: FieldFacts) =>
  list.filters.filter((filter) => filter.field === field && TESTS.includes(filter.test));

/** The fields that have such a range. */
export const boundedFields = (list: ListFacts): FieldFacts[] =>
  list.fields.filter((field) => boundsOn(list, field).length > 0);
