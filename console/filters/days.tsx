// The days of a range of time: typed, from one to another, inclusive (either may be open), or chosen
// in a calendar.

import { TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useShown } from '../address.tsx';
import type { FieldFacts, FilterFacts, ListFacts, View } from '../contract.ts';
import { boundsOf, daysOf } from '../glance/due.ts';
import { texts } from '../texts.ts';
import { type CalendarDay, CLOSING, dayTyped, OPENING } from '../times.ts';
import { withFilter } from '../view.ts';
import { fieldLabel } from '../words.ts';
import { Calendar, type DayRange } from './calendar.tsx';
import { withRange } from './presets.ts';

const COMPLETE = /^\d{4}-\d\d-\d\d$/;

/** The active filter of one side, else the first that the contract has. */
function sideOf(list: ListFacts, view: View, field: FieldFacts, tests: readonly string[]) {
  const own = list.filters.filter((filter) => filter.field === field && tests.includes(filter.test));
  const preferred = tests.flatMap((test) => own.filter((filter) => filter.test === test));
  return preferred.find(({ name }) => view.filters[name] !== undefined) ?? preferred[0];
}

/** The day that a view has on one side: empty where it has none. */
function dayIn(view: View, filter: FilterFacts | undefined): CalendarDay {
  const value = filter && view.filters[filter.name];
  if (filter === undefined || typeof value !== 'string') return '';
  return daysOf(filter.field.name).dayOfBound(filter.test, value) ?? value.slice(0, 10);
}

export function Days({ field, onClose }: { readonly field: FieldFacts; readonly onClose: () => void }) {
  const { list, view, go } = useShown();
  const [from, to] = [OPENING, CLOSING].map((tests) => dayIn(view, sideOf(list, view, field, tests)));
  const onRange = ([first, last]: DayRange) => {
    onClose();
    go(withRange(list, view, field, boundsOf(list, field.name, first ?? undefined, last ?? undefined)));
  };
  const today = daysOf(field.name).fromToday(0);
  return (
    <>
      <div className="span">
        <Side field={field} tests={OPENING} label={texts.filters.from} />
        <Side field={field} tests={CLOSING} label={texts.filters.to} />
      </div>
      <Calendar {...{ today, onRange, onClose }} range={[from || null, to || null]} />
    </>
  );
}

function Side({ field, tests, label }: { field: FieldFacts; tests: readonly string[]; label: string }) {
  const { list, view, go } = useShown();
  const filter = sideOf(list, view, field, tests);
  const day = dayIn(view, filter);
  const input = useRef<HTMLInputElement>(null);
  // Changes from a link or a chip are applied; while a day is typed, the input belongs to the browser.
  useEffect(() => {
    if (input.current !== null) input.current.value = day;
  }, [day]);
  if (filter === undefined) return null;
  const onDay = (next: CalendarDay) => {
    if (next === day || (next !== '' && !COMPLETE.test(next))) return;
    const bound = next === '' ? undefined : daysOf(field.name).boundOf(filter.test, dayTyped(next));
    go(withFilter(list, view, filter.name, bound));
  };
  return (
    <TextInput
      ref={input}
      type="date"
      className="day"
      size="xs"
      label={label}
      defaultValue={day}
      aria-label={texts.labelled(fieldLabel(field), label)}
      onBlur={(event) => onDay(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && onDay(event.currentTarget.value)}
    />
  );
}
