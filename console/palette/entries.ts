// The entries of the palette: items by what is typed, recent views, pages, filter values, sort keys, actions.

import { comparable, compareId } from '../compare/figures.ts';
import { EMPTY_VIEW, type ListFacets, type ListFacts, type Row, type View, writeView } from '../contract.ts';
import { hasWords } from '../filters/found.ts';
import { filterLabel, filterText, filterValueLabel } from '../filters/words.ts';
import { shownNumber, shownText } from '../format.ts';
import type { IconName } from '../icons.tsx';
import { headline } from '../list/columns.ts';
import { texts } from '../texts.ts';
import { activeFilters, canFilter, isOn, withSearch, withSort, withToggled } from '../view.ts';
import { fieldLabel } from '../words.ts';
import type { RecentView } from './recent.ts';

const words = texts.palette;
const MOST_SHOWN = 9;
const MOST_RECENT = 4;

export interface Entry {
  readonly label: string;
  readonly icon?: IconName;
  readonly count?: number;
  /** Where it leads. */
  readonly to?: { readonly list: ListFacts; readonly view: View; readonly id?: number | string };
  /** What it does instead. */
  readonly run?: () => void;
}

/** The current list with its view and facets. */
export interface Around {
  readonly list: ListFacts;
  readonly view: View;
  readonly facets: ListFacets | undefined;
}

export interface Found {
  readonly list: ListFacts;
  readonly rows: readonly Row[];
}

function within({ list, view, facets }: Around): Entry[] {
  const filters = list.filters.flatMap((filter) =>
    (facets?.facets[filter.name]?.values ?? [])
      .filter(({ value }) => canFilter(value) && !isOn(view, filter, value))
      .map(({ value, count }): Entry => {
        const what = filterValueLabel(filter, value);
        const label = typeof value === 'boolean' ? what : texts.labelled(filterLabel(filter), what);
        return { label, icon: 'filter', count, to: { list, view: withToggled(list, view, filter, value) } };
      }),
  );
  const orders = list.fields.flatMap((field): Entry[] => {
    const { sortKey } = field;
    if (sortKey === undefined || sortKey === view.sortBy) return [];
    return [
      { label: words.sort(fieldLabel(field)), icon: 'up', to: { list, view: withSort(view, sortKey) } },
    ];
  });
  const comparisons = comparable(list).map((filter): Entry => {
    const label = texts.compare.openBy(filterLabel(filter));
    return { label, icon: 'compare', to: { list, view, id: compareId(filter) } };
  });
  return [...filters, ...orders, ...comparisons];
}

/** `Virtual numbers: Germany, “desk”` */
function recentEntry({ list, view }: RecentView): Entry {
  const filters = activeFilters(list, view).map(({ filter, value }) => filterText(filter, value));
  const what = [...filters, ...(view.q === undefined ? [] : [texts.quoted(shownText(view.q))])].join(', ');
  return { label: texts.labelled(list.title, what), icon: 'clock', to: { list, view } };
}

/** An item with its comment. */
function itemEntry(list: ListFacts, row: Row): Entry {
  const name = headline(list);
  const isNumber = list.fields.some((field) => field.name === name && field.isNumber);
  const stored = String(row[name]);
  const rest = list.search.filter((field) => field !== name).map((field) => shownText(row[field] ?? ''));
  const label = [isNumber ? shownNumber(stored) : shownText(stored), ...rest].filter((text) => text !== '');
  const view = withSearch(EMPTY_VIEW, stored);
  return { label: label.join(' · '), icon: 'right', to: { list, view, id: row.id } };
}

interface Choice {
  readonly lists: readonly ListFacts[];
  readonly around: Around | undefined;
  readonly recent: readonly RecentView[];
  readonly found: readonly Found[];
  /** Those that are no list. */
  readonly pages: readonly Entry[];
  readonly actions: readonly Entry[];
}

/** Matching entries, the most likely first. */
export function entriesFor(typed: string, choice: Choice): Entry[] {
  const { lists, around, recent, found, pages, actions } = choice;
  const text = typed.trim();
  const here = around === undefined ? '' : `${around.list.name}?${writeView(around.view)}`;
  const recents = recent.flatMap((one) =>
    `${one.list.name}?${writeView(one.view)}` === here ? [] : [recentEntry(one)],
  );
  const others = lists.filter((list) => list !== around?.list);
  const goTo = others.map((list): Entry => {
    return { label: words.goTo(list.title), icon: 'right', to: { list, view: EMPTY_VIEW } };
  });
  const inside = around === undefined ? [] : within(around);
  if (text === '')
    return [...recents.slice(0, MOST_RECENT), ...goTo, ...pages, ...inside].slice(0, MOST_SHOWN);
  const matching = [...recents, ...goTo, ...pages, ...actions, ...inside].filter(({ label }) =>
    hasWords(label, text),
  );
  const items = found.flatMap(({ list, rows }) => rows.map((row) => itemEntry(list, row)));
  const searches = [...lists]
    .sort((a, b) => Number(b === around?.list) - Number(a === around?.list))
    .map(
      (list): Entry => ({
        label: words.searchFor(text, list.title),
        icon: 'search',
        to: { list, view: withSearch(list === around?.list ? around.view : EMPTY_VIEW, text) },
      }),
    );
  const known = matching.slice(0, MOST_SHOWN);
  const isNumber = /\d/.test(text) || known.length === 0;
  return isNumber ? [...items, ...searches, ...known] : [...known, ...items, ...searches];
}
