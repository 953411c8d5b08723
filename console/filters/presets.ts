// Ranges of time that one click chooses.

import { dueField, type FieldFacts, type ListFacts, type View } from '../contract.ts';
import { plural } from '../format.ts';
import { boundBefore, boundsOf, withoutBounds } from '../glance/due.ts';
import { texts } from '../texts.ts';
import { comingUtcDays, dayFromToday, utcBoundOf } from '../times.ts';

const words = texts.filters.presets;
const DAYS = [7, 30] as const;

export interface Preset {
  readonly label: string;
  readonly bounds: Readonly<Record<string, string>>;
}

/** Payments are due on days of UTC, as the overview has them; everything else happened in local days. */
export function presetsOf(list: ListFacts, { name }: FieldFacts): Preset[] {
  if (name !== dueField) {
    return DAYS.map((days) => ({
      label: plural(words.last, days),
      bounds: boundsOf(list, name, dayFromToday(1 - days), dayFromToday(0)),
    }));
  }
  const [today = '', ...coming] = comingUtcDays(Math.max(...DAYS), Date.now());
  return [
    { label: words.overdue, bounds: boundBefore(list, name, utcBoundOf('from', today)) },
    ...DAYS.map((days) => ({
      label: plural(words.next, days),
      bounds: boundsOf(list, name, today, coming[days - 2], utcBoundOf),
    })),
  ];
}

const boundsIn = (list: ListFacts, view: View, field: FieldFacts) =>
  list.filters.flatMap((filter) =>
    filter.field === field && view.filters[filter.name] !== undefined ? [filter.name] : [],
  );

/** Replaces the range of a field. */
export function withRange(list: ListFacts, view: View, field: FieldFacts, bounds: Preset['bounds']): View {
  return { ...view, page: 1, filters: { ...withoutBounds(list, view, field.name).filters, ...bounds } };
}

export function isRange(list: ListFacts, view: View, field: FieldFacts, bounds: Preset['bounds']): boolean {
  const names = Object.keys(bounds);
  return (
    boundsIn(list, view, field).length === names.length &&
    names.every((name) => view.filters[name] === bounds[name])
  );
}
