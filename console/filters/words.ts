// Filters and their values in words.

import { type FieldFacts, type FilterFacts, lists } from '../contract.ts';
import { shownCharge, shownCount, shownCountry, shownNumber, shownText } from '../format.ts';
import { daysOf } from '../glance/due.ts';
import { texts } from '../texts.ts';
import { shownDay, shownTime, utcDays } from '../times.ts';
import { eventLabel, fieldLabel, flagLabel, flagWord, isTelling, valueLabel } from '../words.ts';

const { bound, isSet, limit } = texts.filters;

interface FilterWords {
  label(field: string): string;
  value(field: FieldFacts, value: string, currency?: string): string;
}

const onValues = (label: FilterWords['label'] = (field) => field): FilterWords => ({
  label,
  value(field, value) {
    if (value === '') return texts.nothing;
    if (field.name === 'event') return eventLabel(value);
    if (field.name === 'list') return lists.find(({ name }) => name === value)?.title ?? value;
    if (field.isCountry) return shownCountry(value);
    if (field.isNumber) return shownNumber(value);
    return field.known ? valueLabel(value) : shownText(value);
  },
});

/** What is from the end of a day on is from the next one on. */
const onTimes = (test: TimeTest, words: (day: string) => string): FilterWords => ({
  label: (field) => field,
  value({ name }, value) {
    const day = daysOf(name).dayOfBound(test, value);
    if (day !== undefined) return words(shownDay(day).medium);
    const utc = utcDays.dayOfBound(test, value);
    if (utc !== undefined) return words(`${shownDay(utc).medium} (UTC)`);
    const shown = shownTime(value);
    return bound[test](`${shown.day}, ${shown.time}`);
  },
});

const onAmounts = (words: (amount: string) => string): FilterWords => ({
  label: (field) => field,
  value: ({ kind }, value, currency) =>
    words(kind === 'charge' ? shownCharge(Number(value), currency) : shownCount(Number(value))),
});

const onNumbers = (test: 'from' | 'to'): FilterWords => ({
  label: (field) => field,
  value: (_, value) => bound[test](shownNumber(value)),
});

type Test = FilterFacts['test'];
type TimeTest = keyof typeof bound;

const WORDS: Readonly<Record<Test, FilterWords>> = {
  is: onValues(),
  set: { label: (field) => field, value: (_, value) => (value === 'true' ? isSet.yes : isSet.no) },
  any: onValues(),
  none: onValues(texts.filters.isNot),
  after: onTimes('after', bound.from),
  before: onTimes('before', bound.to),
  from: onTimes('from', bound.from),
  to: onTimes('to', bound.to),
  first: onNumbers('from'),
  last: onNumbers('to'),
  min: onAmounts(limit.min),
  max: onAmounts(limit.max),
};

export function filterLabel({ field, test }: FilterFacts): string {
  return WORDS[test].label(fieldLabel(field));
}

type Value = string | number | boolean;

/**
 * A filter where nothing else says which field it is on. A value of a list of them says that itself.
 * @param currency of the account
 */
export function filterText(filter: FilterFacts, value: Value, currency: string | undefined): string {
  const text = filterValueLabel(filter, value, currency);
  return filter.test === 'is' || filter.test === 'any' ? text : texts.labelled(filterLabel(filter), text);
}

/** Whether a value needs no label of its filter. */
export const saysItself = ({ field, test }: FilterFacts, value: Value): boolean =>
  test === 'is' && isTelling(field, value === true);

/** Where the filter is named next to it, unless it says itself what it is. */
export const shortValueLabel = (filter: FilterFacts, value: Value, currency?: string): string =>
  filter.test === 'is' ? flagWord(filter.field, value === true) : filterValueLabel(filter, value, currency);

export function filterValueLabel({ field, test }: FilterFacts, value: Value, currency?: string): string {
  if (test === 'is') return flagLabel(field, value === true);
  return WORDS[test].value(field, String(value), currency);
}
