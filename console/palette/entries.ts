// The entries of the palette: lists, searches, filter values, sort keys.

import { EMPTY_VIEW, type ListFacts, type View } from '../contract.ts';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import type { ListFacets } from '../linecard.ts';
import { texts } from '../texts.ts';
import { canFilter, isOn, withSearch, withSort, withToggled } from '../view.ts';
import { fieldLabel } from '../words.ts';

const words = texts.palette;
const MOST_SHOWN = 9;

export interface Entry {
  readonly label: string;
  readonly list: ListFacts;
  readonly view: View;
  readonly count?: number;
}

/** The current list with its view and facets. */
export interface Around {
  readonly list: ListFacts;
  readonly view: View;
  readonly facets: ListFacets | undefined;
}

function within({ list, view, facets }: Around): Entry[] {
  const filters = list.filters.flatMap((filter) =>
    (facets?.facets[filter.name]?.values ?? [])
      .filter(({ value }) => canFilter(value) && !isOn(view, filter, value))
      .map(({ value, count }) => {
        const what = filterValueLabel(filter, value);
        const label = typeof value === 'boolean' ? what : texts.labelled(filterLabel(filter), what);
        return { label, list, count, view: withToggled(list, view, filter, value) };
      }),
  );
  const orders = list.fields.flatMap(({ name, sortKey }) => {
    if (sortKey === undefined || sortKey === view.sortBy) return [];
    return [{ label: words.sort(fieldLabel(name)), list, view: withSort(view, sortKey) }];
  });
  return [...filters, ...orders];
}

/** Whether each typed word is the start of a word of the label. */
function matches(label: string, typed: string): boolean {
  const begins = label.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const wanted = typed.toLowerCase().split(/\s+/);
  return wanted.every((word) => begins.some((one) => one.startsWith(word)));
}

/** Matching entries, the most likely first. */
export function entriesFor(typed: string, lists: readonly ListFacts[], around: Around | undefined): Entry[] {
  const text = typed.trim();
  const goTo = lists
    .filter((list) => list !== around?.list)
    .map((list) => ({ label: words.goTo(list.title), list, view: EMPTY_VIEW }));
  const all = [...goTo, ...(around === undefined ? [] : within(around))];
  if (text === '') return all.slice(0, MOST_SHOWN);
  const found = all.filter(({ label }) => matches(label, text)).slice(0, MOST_SHOWN);
  const searches = [...lists]
    .sort((a, b) => Number(b === around?.list) - Number(a === around?.list))
    .map((list) => ({
      label: words.searchFor(text, list.title),
      list,
      view: withSearch(list === around?.list ? around.view : EMPTY_VIEW, text),
    }));
  return /\d/.test(text) || found.length === 0 ? [...searches, ...found] : [...found, ...searches];
}
