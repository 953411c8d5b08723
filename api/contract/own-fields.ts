// The operator's own fields: what is declared of one, and the list that has them. `withFields` is the one
// place where a declaration becomes fields, filters, sort keys and events.

import { LANGUAGES, type Language } from './labels.ts';
import {
  type EventRule,
  type Field,
  type Filter,
  type Kind,
  type List,
  type OwnField,
  withExclusions,
} from './list.ts';

export const OWN_KINDS = [
  'text',
  'timestamp',
  'charge',
  'flag',
  'integer',
] as const satisfies readonly Kind[];
/** How a text is filled where an import leaves it empty. */
export const DERIVATIONS = ['number-type'] as const;
/** Of one list. */
export const MAX_OWN_FIELDS = 16;
export const MAX_OWN_TEXT_CHARACTERS = 200;
const NAME = /^x_[a-z][a-z0-9_]{0,29}$/;
export const OWN_NAME_PATTERN = NAME.source;
/** What the names of filters end with. */
const SUFFIXES = ['exclude', 'min', 'max', 'after', 'before', 'from', 'to', 'count'] as const;
const TIME_SIDES = ['after', 'before', 'from', 'to'] as const;

/** What is wrong with the name of an own field, as it reads after it; `undefined` if nothing is. */
export function ownNameFault(name: string): string | undefined {
  if (!NAME.test(name))
    return 'must be x_ and then 1 to 30 of a-z, 0-9 and _, beginning with a letter, such as x_site';
  const suffix = SUFFIXES.find((one) => name.endsWith(`_${one}`));
  return suffix === undefined ? undefined : `must not end in _${suffix}: filters end so. Choose another name`;
}

/** The title in a language; that in English, or one made of the name, where there is none. */
export function ownTitle({ name, titles }: Pick<OwnField, 'name' | 'titles'>, language?: Language): string {
  const said = (language && titles[language]) ?? titles[LANGUAGES[0]];
  if (said !== undefined) return said;
  const words = name.slice('x_'.length).replaceAll(/_+/g, ' ').trim();
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** What people may call it: its name in words, and each title. */
export const ownNames = ({ name, titles }: Pick<OwnField, 'name' | 'titles'>): string[] => [
  ...new Set([ownTitle({ name, titles: {} }), ...Object.values(titles)]),
];

const EXAMPLES = {
  text: 'London',
  timestamp: '2026-11-19T03:12:45.120000Z',
  charge: 1.5,
  flag: true,
  integer: 4,
} as const;

function fieldOfOwn(own: OwnField): Field {
  const { kind } = own;
  const mayBeNull = kind === 'timestamp' || kind === 'integer';
  return {
    kind,
    about: `${ownTitle(own).replace(/\.$/, '')}. A field of this deployment.`,
    example: EXAMPLES[kind],
    ...(mayBeNull && { nullable: true }),
    ...(kind === 'text' && { maxCharacters: MAX_OWN_TEXT_CHARACTERS }),
    ...(kind === 'integer' && { signed: true }),
    own,
  };
}

function filtersOf({ name, kind }: Pick<OwnField, 'name' | 'kind'>): List['filters'] {
  const bounds = {
    [`${name}_min`]: { field: name, test: 'min' },
    [`${name}_max`]: { field: name, test: 'max' },
  } as const;
  switch (kind) {
    case 'text':
      return withExclusions<Record<string, Filter>>({ [name]: { field: name, test: 'any' } });
    case 'integer':
      return {
        ...withExclusions<Record<string, Filter>>({ [name]: { field: name, test: 'any' } }),
        ...bounds,
      };
    case 'charge':
      return bounds;
    case 'flag':
      return { [name]: { field: name, test: 'is' } };
    case 'timestamp':
      return {
        [`has_${name}`]: { field: name, test: 'set' },
        ...Object.fromEntries(TIME_SIDES.map((test) => [`${name}_${test}`, { field: name, test }])),
      };
  }
}

/** The names of the filters of an own field, in order. */
export const ownFilters = (own: Pick<OwnField, 'name' | 'kind'>): string[] => Object.keys(filtersOf(own));

/** The events of a list whose own charges are charges. */
function eventsWith({ events }: List, charges: readonly string[]): List['events'] {
  const rule: EventRule | undefined = events.charges_changed;
  if (rule === undefined || charges.length === 0) return events;
  return { ...events, charges_changed: { ...rule, fields: [...rule.fields, ...charges] } };
}

/** A list with the fields that are declared of it, in their order; the list itself where there are none. */
export function withFields(list: List, declared: readonly OwnField[]): List {
  if (declared.length === 0) return list;
  const byName = <T>(value: (own: OwnField) => T) =>
    Object.fromEntries(declared.map((own) => [own.name, value(own)]));
  const names = (isOne: (own: OwnField) => boolean) => declared.filter(isOne).map(({ name }) => name);
  return {
    ...list,
    fields: { ...list.fields, ...byName(fieldOfOwn) },
    filters: Object.fromEntries([list.filters, ...declared.map(filtersOf)].flatMap(Object.entries<Filter>)),
    sorts: { ...list.sorts, ...byName(({ name }) => name) },
    search: [...list.search, ...names(({ search }) => search)],
    hiddenColumns: [...(list.hiddenColumns ?? []), ...names(({ shown }) => !shown)],
    events: eventsWith(
      list,
      names(({ kind }) => kind === 'charge'),
    ),
  };
}

/** The own fields of a list, in their order. */
export const ownFieldsOf = ({ fields }: List): OwnField[] =>
  Object.values(fields).flatMap(({ own }) => (own === undefined ? [] : [own]));

export type OwnName = `x_${string}`;
export type OwnValue = string | number | boolean | null;
/** A filter of an own field, and what it takes. */
export type OwnFilter = OwnName | `has_${OwnName}`;
export type OwnGiven = string | number | boolean | readonly (string | number)[] | undefined;

/** The extension by which a program learns the fields of a deployment: of the property of an item. */
export const OWN_FIELD = 'x-linecard-field';

/** `title` is in English, or made of the name; `titles` are those that the operator said, by language. */
export interface OwnFieldFacts extends Pick<OwnField, 'name' | 'kind' | 'titles' | 'search' | 'shown'> {
  readonly title: string;
}

export function ownFacts(own: OwnField): OwnFieldFacts {
  const { name, kind, titles, search, shown } = own;
  return { name, kind, title: ownTitle(own), titles, search, shown };
}

/** What a program makes of these facts. How values are filled, and where they are, the server alone knows. */
export function ownFieldOf({ name, kind, titles, search, shown }: OwnFieldFacts): OwnField {
  return { name, kind, titles, search, shown, derive: null, slot: 0 };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFacts = (value: unknown): value is OwnFieldFacts =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  ownNameFault(value['name']) === undefined &&
  OWN_KINDS.some((kind) => kind === value['kind']) &&
  typeof value['title'] === 'string' &&
  isObject(value['titles']) &&
  Object.values(value['titles']).every((title) => typeof title === 'string') &&
  typeof value['search'] === 'boolean' &&
  typeof value['shown'] === 'boolean';

/** The own fields that an OpenAPI document describes of the items with this schema, in their order. */
export function ownFactsOf(document: unknown, item: string): OwnFieldFacts[] {
  let schema = document;
  for (const name of ['components', 'schemas', item, 'properties'])
    schema = isObject(schema) ? schema[name] : undefined;
  const properties = isObject(schema) ? Object.values(schema) : [];
  return properties.map((one) => (isObject(one) ? one[OWN_FIELD] : undefined)).filter(isFacts);
}
