// A range of time: from one local day to another, inclusive; either may be open.

import { useEffect, useRef } from 'react';
import { useShown } from '../address.tsx';
import type { FieldFacts, ListFacts, View } from '../contract.ts';
import { texts } from '../texts.ts';
import { boundOf, CLOSING, dayOfBound, dayTyped, type LocalDay, OPENING } from '../times.ts';
import { withFilter } from '../view.ts';
import { fieldLabel } from '../words.ts';

const COMPLETE = /^\d{4}-\d\d-\d\d$/;

/** The active filter of one side, else the first that the contract has. */
function sideOf(list: ListFacts, view: View, field: FieldFacts, tests: readonly string[]) {
  const own = list.filters.filter((filter) => filter.field === field && tests.includes(filter.test));
  const preferred = tests.flatMap((test) => own.filter((filter) => filter.test === test));
  return preferred.find(({ name }) => view.filters[name] !== undefined) ?? preferred[0];
}

export function SpanFilter({ field }: { readonly field: FieldFacts }) {
  return (
    <fieldset className="facet">
      <legend>{fieldLabel(field.name)}</legend>
      <div className="span">
        <Side field={field} tests={OPENING} label={texts.filters.from} />
        <Side field={field} tests={CLOSING} label={texts.filters.to} />
      </div>
    </fieldset>
  );
}

interface SideProps {
  readonly field: FieldFacts;
  readonly tests: readonly string[];
  readonly label: string;
}

function Side({ field, tests, label }: SideProps) {
  const { list, view, go } = useShown();
  const filter = sideOf(list, view, field, tests);
  const value = filter && view.filters[filter.name];
  const day =
    filter !== undefined && typeof value === 'string'
      ? (dayOfBound(filter.test, value) ?? value.slice(0, 10))
      : '';
  const input = useRef<HTMLInputElement>(null);
  // Changes from a link or a chip are applied; while a day is typed, the input belongs to the browser.
  useEffect(() => {
    if (input.current !== null) input.current.value = day;
  }, [day]);
  if (filter === undefined) return null;
  const onDay = (next: LocalDay) => {
    if (next === day || (next !== '' && !COMPLETE.test(next))) return;
    const bound = next === '' ? undefined : boundOf(filter.test, dayTyped(next));
    go(withFilter(list, view, filter.name, bound));
  };
  return (
    <label className="day">
      <span>{label}</span>
      <input
        ref={input}
        type="date"
        defaultValue={day}
        aria-label={texts.labelled(fieldLabel(field.name), label)}
        onBlur={(event) => onDay(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && onDay(event.currentTarget.value)}
      />
    </label>
  );
}
