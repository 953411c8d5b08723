// A range of time: one that is often wanted, or from one day to another, inclusive; either may be open.

import { ActionIcon, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import type { FieldFacts, FilterFacts, ListFacts, View } from '../contract.ts';
import { boundsOf, daysOf } from '../glance/due.ts';
import { Icon } from '../icons.tsx';
import { later } from '../shell/later.tsx';
import { texts } from '../texts.ts';
import { type CalendarDay, CLOSING, dayTyped, OPENING } from '../times.ts';
import { withFilter } from '../view.ts';
import { fieldLabel } from '../words.ts';
import type { DayRange } from './calendar.tsx';
import { type Preset, presetsOf, withRange } from './presets.ts';

const Calendar = later('Calendar', () => import('./calendar.tsx'));

const COMPLETE = /^\d{4}-\d\d-\d\d$/;

function isRange(list: ListFacts, view: View, field: FieldFacts, bounds: Preset['bounds']): boolean {
  const isGiven = ({ name }: FilterFacts) => view.filters[name] !== undefined;
  const own = list.filters.filter((filter) => filter.field === field && isGiven(filter));
  const isSame = ({ name }: FilterFacts) => view.filters[name] === bounds[name];
  return own.length === Object.keys(bounds).length && own.every(isSame);
}

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

export function SpanFilter({ field }: { readonly field: FieldFacts }) {
  const { list, view } = useShown();
  const [isOpen, setOpen] = useState(false);
  return (
    <fieldset className="facet">
      <legend>{fieldLabel(field)}</legend>
      <div className="flow presets">
        {presetsOf(list, field).map(({ label, bounds }) => {
          const isOn = isRange(list, view, field, bounds);
          return (
            <ViewLink
              key={label}
              list={list}
              view={withRange(list, view, field, isOn ? {} : bounds)}
              className="preset"
              data-on={isOn || undefined}
              aria-label={`${fieldLabel(field)}: ${label}`}
              aria-current={isOn || undefined}
            >
              {label}
            </ViewLink>
          );
        })}
        <ActionIcon
          variant="subtle"
          aria-label={texts.filters.calendar(fieldLabel(field))}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="calendar" size={16} />
        </ActionIcon>
      </div>
      {isOpen && <Days field={field} onClose={() => setOpen(false)} />}
      <div className="span">
        <Side field={field} tests={OPENING} label={texts.filters.from} />
        <Side field={field} tests={CLOSING} label={texts.filters.to} />
      </div>
    </fieldset>
  );
}

/** Both sides in a calendar. */
function Days({ field, onClose }: { readonly field: FieldFacts; readonly onClose: () => void }) {
  const { list, view, go } = useShown();
  const [from, to] = [OPENING, CLOSING].map((tests) => dayIn(view, sideOf(list, view, field, tests)));
  const onRange = ([first, last]: DayRange) => {
    onClose();
    go(withRange(list, view, field, boundsOf(list, field.name, first ?? undefined, last ?? undefined)));
  };
  const today = daysOf(field.name).fromToday(0);
  return <Calendar {...{ today, onRange, onClose }} range={[from || null, to || null]} />;
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
