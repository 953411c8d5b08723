// Filters and their values in words.

import type { FilterFacts } from '../contract.ts';
import { shownCountry } from '../format.ts';
import { texts } from '../texts.ts';
import { dayOfBound, OPENING, shownDay, shownTime } from '../times.ts';
import { fieldLabel, flagLabel, valueLabel } from '../words.ts';

/** What a filter is about. */
export function filterLabel({ field }: FilterFacts): string {
  return fieldLabel(field.name);
}

function timeLabel(test: string, value: string): string {
  const day = dayOfBound(test, value);
  if (day !== undefined) {
    const { medium } = shownDay(day);
    return OPENING.includes(test) ? texts.filters.fromThen(medium) : texts.filters.toThen(medium);
  }
  const shown = shownTime(value);
  return `${test} ${shown.day}, ${shown.time}`;
}

/** One value of a filter. */
export function filterValueLabel({ field, test }: FilterFacts, value: string | number | boolean): string {
  if (typeof value === 'boolean') return flagLabel(field.name, value);
  const text = String(value);
  if (text === '') return texts.nothing;
  if (field.kind === 'timestamp') return timeLabel(test, text);
  if (field.isCountry) return shownCountry(text);
  return field.isOpenSet ? valueLabel(text) : text;
}
