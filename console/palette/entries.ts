// The entries of the palette: items by what is typed, recent views, pages, filter values, sort keys, actions.

import { comparable, comparedView, compareId } from '../compare/address.ts';
import { EMPTY_VIEW, type ListFacets, type ListFacts, type Row, type View, writeView } from '../contract.ts';
import { FORMATS, REQUESTS, requestAs, startDownload } from '../export/download.ts';
import { hasWords } from '../filters/found.ts';
import type { Pin } from '../filters/pins.ts';
import { filterTexts, presetsOf, withRange } from '../filters/presets.ts';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { shownNumber, shownText } from '../format.ts';
import type { IconName } from '../icons.tsx';
import { columnsOf, headline, withColumn } from '../list/columns.ts';
import { accountQuery, queries } from '../queries.ts';
import { rangesLink } from '../ranges/address.ts';
import { copyText } from '../shell/copy-text.tsx';
import { fileCheck } from '../shell/opened.ts';
import { texts } from '../texts.ts';
import {
  canFilter,
  isFiltered,
  isOn,
  sortOf,
  withoutFilters,
  withSearch,
  withSort,
  withToggled,
} from '../view.ts';
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
  /** What it does, there or here. */
  readonly run?: () => void;
}

export const action = (label: string, icon: IconName, run: () => void): Entry => ({ label, icon, run });

/** A list with its view and facets: those that are shown, or all of it. */
export interface Around {
  readonly list: ListFacts;
  readonly view: View;
  readonly facets: ListFacets | undefined;
  readonly isShown: boolean;
}

export interface Found {
  readonly list: ListFacts;
  readonly rows: readonly Row[];
}

type Make = (label: string) => string;

function filtersOf({ list, view, facets }: Around, named: Make): Entry[] {
  const values = list.filters.flatMap((filter) =>
    (facets?.facets[filter.name]?.values ?? [])
      .filter(({ value }) => canFilter(value) && !isOn(view, filter, value))
      .map(({ value, count }): Entry => {
        const what = filterValueLabel(filter, value);
        const label = typeof value === 'boolean' ? what : texts.labelled(filterLabel(filter), what);
        const to = { list, view: withToggled(list, view, filter, value) };
        return { label: named(label), icon: 'filter', count, to };
      }),
  );
  const times = list.fields
    .filter(({ kind }) => kind === 'timestamp')
    .flatMap((field) =>
      presetsOf(list, field).map(({ label, bounds }): Entry => {
        const to = { list, view: withRange(list, view, field, bounds) };
        return { label: named(texts.labelled(fieldLabel(field), label)), icon: 'calendar', to };
      }),
    );
  const clear: Entry = {
    label: named(texts.labelled(texts.filters.active, texts.filters.clear)),
    icon: 'filter',
    to: { list, view: withoutFilters(view) },
  };
  return [...values, ...times, ...(isFiltered(view) ? [clear] : [])];
}

/** What a table shows, and in which order. */
function tableOf({ list, view }: Around, named: Make): Entry[] {
  const orders = list.fields.flatMap((field): Entry[] => {
    const { sortKey } = field;
    if (sortKey === undefined || sortKey === sortOf(list, view)) return [];
    const label = named(words.sort(fieldLabel(field)));
    return [{ label, icon: 'up', to: { list, view: withSort(list, view, sortKey) } }];
  });
  const shown = columnsOf(list, view);
  const columns = list.fields
    .filter((field) => !shown.includes(field))
    .map((field): Entry => {
      const label = named(texts.labelled(texts.table.columns, fieldLabel(field)));
      return { label, icon: 'columns', to: { list, view: withColumn(list, view, field.name, true) } };
    });
  const usual: Entry = {
    label: named(texts.table.columnsUsual),
    icon: 'columns',
    to: { list, view: { ...view, columns: undefined } },
  };
  return [...orders, ...columns, ...(view.columns === undefined ? [] : [usual])];
}

const HAS_LETTER = /\p{L}/u;

/** What is made of all items of a view. */
function outcomesOf({ list, view, facets }: Around, named: Make): Entry[] {
  const comparisons = comparable(list).map((filter): Entry => {
    const label = named(texts.compare.openBy(filterLabel(filter)));
    return {
      label,
      icon: 'compare',
      to: { list, view: comparedView(list, view, filter), id: compareId(filter) },
    };
  });
  const ranges: Entry = { label: named(texts.ranges.label), icon: 'list', to: rangesLink(list, view) };
  const columns = columnsOf(list, view).map(({ name }) => name);
  const exports = FORMATS.map(
    (format): Entry => ({
      label: named(texts.labelled(texts.export.label, texts.export[format])),
      icon: 'download',
      run: () => void startDownload({ list, view, format, columns }, facets?.total),
    }),
  );
  const requests = REQUESTS.map(
    (form): Entry => ({
      label: named(texts.labelled(texts.copyAs.label, texts.copyAs[form])),
      icon: 'copy',
      run: () => void copyText(requestAs(form, list, view)),
    }),
  );
  const check = { label: named(texts.check.label), to: { list, view }, run: () => fileCheck.set(true) };
  const checks: Entry[] = list.fields.some(({ isNumber }) => isNumber) ? [{ ...check, icon: 'compare' }] : [];
  return [...comparisons, ...(list.splits.length > 0 ? [ranges] : []), ...exports, ...requests, ...checks];
}

/** Of a list that is not shown, each says which it is. */
function within(around: Around): Entry[] {
  const named: Make = (label) => (around.isShown ? label : texts.labelled(around.list.title, label));
  return [filtersOf, tableOf, outcomesOf].flatMap((of) => of(around, named));
}

/** `Virtual numbers: Germany, “desk”` */
function recentEntry({ list, view }: RecentView): Entry {
  const currency = queries.getQueryData(accountQuery().queryKey)?.currency ?? undefined;
  const filters = filterTexts(list, view, currency);
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
  /** Of each list; the one that is shown first. */
  readonly views: readonly Around[];
  readonly recent: readonly RecentView[];
  readonly pins: readonly Pin[];
  readonly found: readonly Found[];
  readonly accounts: readonly Entry[] | undefined;
  /** Those that are no list. */
  readonly pages: readonly Entry[];
  readonly actions: readonly Entry[];
}

/** Matching entries, the most likely first. */
export function entriesFor(typed: string, choice: Choice): Entry[] {
  const { lists, views, recent, pins, found, accounts = [], pages, actions } = choice;
  const around = views.find(({ isShown }) => isShown);
  const text = typed.trim();
  const shown = around === undefined ? '' : `${around.list.name}?${writeView(around.view)}`;
  const recents = recent.flatMap((one) =>
    `${one.list.name}?${writeView(one.view)}` === shown ? [] : [recentEntry(one)],
  );
  const pinned = pins.map(
    ({ name, list, view }): Entry => ({ label: name, icon: 'pin', to: { list, view } }),
  );
  const others = lists.filter((list) => list !== around?.list);
  const goTo = others.map((list): Entry => {
    return { label: words.goTo(list.title), icon: 'right', to: { list, view: EMPTY_VIEW } };
  });
  if (text === '') {
    const here = around === undefined ? [] : within(around);
    const ways = [...pinned, ...recents.slice(0, MOST_RECENT), ...goTo, ...pages, ...here];
    return (ways.length === 0 ? actions : ways).slice(0, MOST_SHOWN);
  }
  const inside = views.flatMap(within);
  const matching = [...pinned, ...recents, ...goTo, ...pages, ...actions, ...inside].filter(({ label }) =>
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
  // Digits alone are more likely a number than `Next 30 days`.
  const isSearch = !HAS_LETTER.test(text) || known.length === 0;
  return isSearch
    ? [...items, ...searches, ...known, ...accounts]
    : [...known, ...accounts, ...items, ...searches];
}
