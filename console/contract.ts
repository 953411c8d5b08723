// What the console takes from the contract: each list as facts for a page (fields, filters, sort keys), and
// the address of a view. What reads an address is in reading.ts.

import type { AnyFacets } from '@linecard/client/client/any-list';
import { lists as contractLists, MAX_LIST_VALUES, MAX_Q_CHARACTERS } from '@linecard/client/contract';
import { ACTIVITY_EVENTS, activity, REPLACED } from '@linecard/client/contract/activity';
import { FILE_TYPES } from '@linecard/client/contract/addresses';
import { cellText as cellIn, safeText } from '@linecard/client/contract/csv';
import { DUE_FIELD, facetFilters, PRICE_FIELD, summedFields } from '@linecard/client/contract/facets';
import { fold } from '@linecard/client/contract/fold';
import { fieldLabels as labelsIn } from '@linecard/client/contract/labels';
import type { EventRule, Field, Filter, Kind, List, Test } from '@linecard/client/contract/list';
import { CHARGES_EVENT } from '@linecard/client/contract/list';
import { type OwnFieldFacts, ownFieldOf, ownTitle, withFields } from '@linecard/client/contract/own-fields';
import { DEFAULT_SORT, type Params, writeSearch } from '@linecard/client/contract/query';
import { ownFields } from './page.ts';
import { language, texts } from './texts.ts';

/** What people call the fields, by their name. */
export const fieldLabels = labelsIn(language);

export interface FieldFacts {
  readonly name: string;
  readonly kind: Kind;
  readonly about: string;
  /** The values of an open set that the contract names. */
  readonly known?: readonly string[];
  readonly isCountry: boolean;
  readonly isNumber: boolean;
  /** What the operator calls a field of their own; absent for one of the contract. */
  readonly ownTitle?: string;
  /** The `sort_by` value that sorts by it; absent where there is none. */
  readonly sortKey?: string;
}

export interface FilterFacts {
  readonly name: string;
  readonly field: FieldFacts;
  readonly test: Test;
  /** Facets count its values. */
  readonly isFacet: boolean;
}

export interface ListFacts {
  readonly name: string;
  /** In addresses of the console and in commands: `virtual-numbers`. */
  readonly word: string;
  /** In the client: `virtualNumbers`. */
  readonly member: string;
  readonly title: string;
  /** Within a sentence. */
  readonly one: string;
  readonly many: string;
  readonly path: string;
  readonly fields: readonly FieldFacts[];
  readonly hiddenColumns: readonly string[];
  readonly filters: readonly FilterFacts[];
  /** The fields that a search covers; the first names an item. */
  readonly search: readonly string[];
  readonly sums: readonly string[];
  /** What sorts a view that names nothing. */
  readonly usualSort: string | undefined;
  /** The fields that may split ranges of its numbers; none where it has no ranges. */
  readonly splits: readonly FieldFacts[];
  /** What can happen to its items, in the order of an answer. */
  readonly events: readonly string[];
  /** The events that depend on fields. */
  readonly eventRules: Readonly<Record<string, EventRule>>;
}

export interface View {
  /** By name, in the order of the contract. */
  readonly filters: Params;
  readonly q: string | undefined;
  readonly sortBy: string | undefined;
  readonly isDescending: boolean;
  readonly page: number;
  readonly pageSize: number;
  /** Absent for the default columns. */
  readonly columns: readonly string[] | undefined;
}

export type ListFacets = AnyFacets;
export type Row = Readonly<Record<string, string | number | boolean | null>> & { readonly id: number };

/** A text as searches compare it. */
export const folded: (text: string) => string = fold;
export const writeQuery: (params: Params) => string = writeSearch;
export const fileTypes = FILE_TYPES;
export const longestSearch: number = MAX_Q_CHARACTERS;
/** Of one filter. */
export const mostValues: number = MAX_LIST_VALUES;
/** A value as it is copied: a text is one that no spreadsheet runs, as in a CSV file. */
export const copiedValue = ({ kind, isNumber }: FieldFacts, value: string): string =>
  kind === 'text' ? safeText(value, isNumber) : value;
/** A text as a cell of a table that is copied or saved. */
export const cellText = (text: string): string => cellIn(text, false);
export const replacedEvent: string = REPLACED;
export const removedEvent = 'removed';
export const addedEvent = 'added';
export const spamEvent = 'spam_flagged';
export const dueField: string = DUE_FIELD;
export const priceField = PRICE_FIELD;
export const PAGE_SIZE = 25;
export const EMPTY_VIEW: View = {
  filters: {},
  q: undefined,
  sortBy: undefined,
  isDescending: false,
  page: 1,
  pageSize: PAGE_SIZE,
  columns: undefined,
};

/** In an API request the fields of an answer; in an address of the console, the columns. */
export const COLUMNS = 'fields';

function fieldFacts(list: List, name: string, field: Field): FieldFacts {
  const keys = Object.keys(list.sorts).filter((key) => list.sorts[key] === name && key !== DEFAULT_SORT);
  const sortKey = keys.includes(name) ? name : keys[0];
  const title = field.own && ownTitle(field.own, language);
  return {
    name,
    kind: field.kind,
    about: title ?? texts.about[name] ?? field.about,
    isCountry: field.country === true,
    isNumber: list.searchDigits === name,
    ...(field.known !== undefined && { known: field.known }),
    ...(title !== undefined && { ownTitle: title }),
    ...(sortKey !== undefined && { sortKey }),
  };
}

function factsOf(list: List): ListFacts {
  const fields = Object.entries(list.fields).map(([name, field]) => fieldFacts(list, name, field));
  const facets = facetFilters(list);
  return {
    name: list.name,
    word: list.name.replaceAll('_', '-'),
    member: list.name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    ...(texts.lists[list.name] ?? { title: list.title, one: list.one, many: list.title.toLowerCase() }),
    path: list.path,
    fields,
    hiddenColumns: list.hiddenColumns ?? [],
    filters: Object.entries<Filter>(list.filters).flatMap(([name, { field, test }]) => {
      const facts = fields.find((one) => one.name === field);
      return facts === undefined ? [] : [{ name, field: facts, test, isFacet: facets.includes(name) }];
    }),
    search: list.search,
    sums: summedFields(list),
    usualSort: list.sorts[DEFAULT_SORT],
    splits: fields.filter(({ name }) => list.splits?.includes(name)),
    events: Object.keys(ACTIVITY_EVENTS).filter(
      (name) => name in list.events || [addedEvent, removedEvent, 'changed', replacedEvent].includes(name),
    ),
    eventRules: list.events,
  };
}

/** What happened, as a list: its address has filters, as that of a list. */
export const activityList: ListFacts = { ...factsOf(activity), events: Object.keys(ACTIVITY_EVENTS) };
const own = JSON.parse(ownFields) as Readonly<Record<string, readonly OwnFieldFacts[]>>;
/** Those of the contract, with the operator's own fields. */
export const effectiveLists: readonly List[] = Object.values<List>(contractLists).map((list) =>
  withFields(list, (own[list.name] ?? []).map(ownFieldOf)),
);
export const lists: readonly ListFacts[] = effectiveLists.map(factsOf);

/** The same list as a token without charges sees it. */
const withoutCharges = new Map(
  lists.map((list) => [
    list,
    {
      ...list,
      fields: list.fields.filter(({ kind }) => kind !== 'charge'),
      filters: list.filters.filter(({ field }) => field.kind !== 'charge'),
      sums: [],
      events: list.events.filter((event) => event !== CHARGES_EVENT),
    },
  ]),
);

/** The lists that a token sees, as it sees them. */
export function listsSeen(names: readonly string[], seesCharges: boolean): readonly ListFacts[] {
  const seen = lists.filter(({ name }) => names.includes(name));
  return seesCharges ? seen : seen.map((list) => withoutCharges.get(list) ?? list);
}

export const filterParams = ({ filters, q }: View): Params => ({ ...filters, ...(q !== undefined && { q }) });

/** What an export takes. */
export function selectionParams(view: View): Params {
  const { sortBy, isDescending } = view;
  return {
    ...filterParams(view),
    ...(sortBy !== undefined && { sort_by: sortBy }),
    ...(isDescending && { sort_order: 'desc' }),
  };
}

export function pageParams(view: View): Params {
  return { ...selectionParams(view), page: view.page, page_size: view.pageSize };
}

/** The address of a view, without what is default. */
export function writeView(view: View): string {
  const { page, pageSize, columns } = view;
  return writeQuery({
    ...selectionParams(view),
    ...(page !== 1 && { page }),
    ...(pageSize !== PAGE_SIZE && { page_size: pageSize }),
    ...(columns !== undefined && { [COLUMNS]: columns }),
  });
}
