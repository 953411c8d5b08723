// The form of a list's description: fields, filters, sort keys, events. Each description has a file of its
// own, such as virtual-numbers.ts.

/** Decides the grammar, the order and the JSON type of a value. */
export type Kind =
  /** An integer from 1 to 2^53 - 1. */
  | 'integer'
  | 'text'
  /** `YYYY-MM-DDThh:mm:ss.ffffffZ`, see timestamp.ts. */
  | 'timestamp'
  /** A decimal with at most six fractional digits, see charge.ts. */
  | 'charge'
  | 'flag';

/** The declaration of a field of the operator's own (own-fields.ts), as data that another thread can have. */
export interface OwnField {
  readonly name: string;
  readonly kind: Kind;
  /** What people read, by language. */
  readonly titles: Readonly<Record<string, string>>;
  /** Whether `q` looks in it as well. */
  readonly search: boolean;
  /** Whether the console shows its column before anybody asks for it. */
  readonly shown: boolean;
  /** How an empty text is filled; null for not at all. */
  readonly derive: string | null;
  /** Which of the generic columns of the list has its values. */
  readonly slot: number;
}

export interface Field {
  readonly kind: Kind;
  readonly about: string;
  readonly example: string | number | boolean | null;
  readonly nullable?: true;
  /** An import rejects a row without it. Other fields default to `null`, `0`, `''` or `false`, by kind. */
  readonly required?: true;
  /** Known values of an open set. Others may appear, so none is rejected. */
  readonly known?: readonly string[];
  /** An integer from 0. */
  readonly counts?: true;
  /** The known values are all: a filter takes no other. */
  readonly closed?: true;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country?: true;
  /** A time that is never in the future. */
  readonly past?: true;
  /** A rate, for units that are not counted here: its sum means nothing. */
  readonly rate?: true;
  /** An integer that may also be 0 or less. */
  readonly signed?: true;
  /** Characters of a text, if fewer than of any. */
  readonly maxCharacters?: number;
  /** The declaration, of a field of the operator's own. */
  readonly own?: OwnField;
}

interface TestFacts {
  /** The kinds of fields that it compares. */
  readonly kinds: readonly Kind[];
  readonly many: boolean;
  /** Facets count its values. */
  readonly counted: boolean;
}

/**
 * How a filter compares a field with its value: the one list of tests. Code that depends on the test is a
 * `Record<Test, …>` or an exhaustive switch, so that it does not compile where one is missing.
 */
export const TESTS = {
  is: { kinds: ['flag'], many: false, counted: true },
  /** Whether there is one: `true` for a time, `false` for `null`. */
  set: { kinds: ['timestamp'], many: false, counted: false },
  /** Telephone numbers are compared by their digits. */
  any: { kinds: ['integer', 'text'], many: true, counted: true },
  /** `null` matches neither. */
  none: { kinds: ['integer', 'text'], many: true, counted: false },
  /** `after` and `before` exclude the time itself, `from` and `to` include it. */
  after: { kinds: ['timestamp'], many: false, counted: false },
  before: { kinds: ['timestamp'], many: false, counted: false },
  from: { kinds: ['timestamp'], many: false, counted: false },
  to: { kinds: ['timestamp'], many: false, counted: false },
  /** Of telephone numbers of the same length; both include the number itself. */
  first: { kinds: ['text'], many: false, counted: false },
  last: { kinds: ['text'], many: false, counted: false },
  /** Both include the charge, or the integer, itself. */
  min: { kinds: ['charge', 'integer'], many: false, counted: false },
  max: { kinds: ['charge', 'integer'], many: false, counted: false },
} as const satisfies Record<string, TestFacts>;

export type Test = keyof typeof TESTS;

type TestOf<K extends Kind> = {
  [T in Test]: K extends (typeof TESTS)[T]['kinds'][number] ? T : never;
}[Test];

export type ListTest = { [T in Test]: (typeof TESTS)[T]['many'] extends true ? T : never }[Test];

/** A bound of a time. */
export type TimeTest = Exclude<TestOf<'timestamp'>, 'set'>;

/** A bound of a charge. */
export type ChargeTest = TestOf<'charge'>;

/**
 * What happens to an item, in the order of an answer. Entries of the change log contain the bits, so a bit
 * never changes and is never used for another event. Sums below 128 take one byte, so `removed`, which is
 * alone, has the highest bit.
 */
export const EVENTS = {
  added: { bit: 1, about: 'It came onto the account.' },
  removed: { bit: 128, about: 'It left the account.' },
  spam_flagged: { bit: 8, about: '`is_spammed` became `true`, or it was added with `true`.' },
  spam_cleared: { bit: 16, about: '`is_spammed` became `false`.' },
  status_changed: { bit: 32, about: '`status` changed.' },
  subscription_changed: { bit: 64, about: '`subscription_status` changed.' },
  charges_changed: { bit: 2, about: 'A charge changed.' },
  changed: { bit: 4, about: 'Anything about it changed; every update has this event.' },
} as const satisfies Record<string, { readonly bit: number; readonly about: string }>;

export type EventName = keyof typeof EVENTS;

export const EVENT_MEANINGS = Object.fromEntries(
  Object.entries(EVENTS).map(([name, { about }]) => [name, about]),
) as Readonly<Record<EventName, string>>;

/** For callers who may see charges alone. */
export const CHARGES_EVENT = 'charges_changed' satisfies EventName;

/** When an event happens: when one of the fields changes or, for a flag, changes to this value. */
export interface EventRule {
  readonly fields: readonly string[];
  readonly to?: boolean;
}

export interface Filter {
  readonly field: string;
  readonly test: Test;
  /** Most values; absent for the limit of all lists of values. */
  readonly max?: number;
}

export interface List {
  /** In code, tables and commands. */
  readonly name: string;
  readonly title: string;
  /** One item, in a sentence. */
  readonly one: string;
  readonly about: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** Fields that are imported and may be sorted by, but are in no answer. */
  readonly hidden: Readonly<Record<string, Field>>;
  /** Only items with these values are listed. */
  readonly only: Readonly<Record<string, string>>;
  readonly filters: Readonly<Record<string, Filter>>;
  /** The fields that `q` searches. */
  readonly search: readonly string[];
  /** The field that a `q` of digits is compared with. */
  readonly searchDigits?: string;
  /** The fields that may split ranges of telephone numbers; absent where a list has none of these. */
  readonly splits?: readonly string[];
  /** Sort key to field. */
  readonly sorts: Readonly<Record<string, string>>;
  /** The fields that matter most, in the order in which narrow tables and agents show them. */
  readonly first?: readonly string[];
  /** Fields that are no column of a table until somebody asks for them. */
  readonly hiddenColumns?: readonly string[];
  /** The field by which people know an item. */
  readonly label: string;
  /** The events that depend on fields; every list also has `added`, `removed` and `changed`. */
  readonly events: Readonly<Partial<Record<EventName, EventRule>>>;
}

type FiltersOn<Fields extends List['fields']> = Readonly<
  Record<
    string,
    {
      [Name in keyof Fields]: Omit<Filter, 'field' | 'test'> & {
        readonly field: Name;
        readonly test: TestOf<Fields[Name]['kind']>;
      };
    }[keyof Fields]
  >
>;

/**
 * Does not compile where a filter, a sort key or an event names no field, or a filter has a test of another
 * kind.
 */
export function defineList<const L extends List>(
  list: L & {
    readonly filters: FiltersOn<L['fields']>;
    readonly sorts: Readonly<Record<string, keyof L['fields'] | keyof L['hidden']>>;
    readonly first?: readonly (keyof L['fields'])[];
    readonly hiddenColumns?: readonly (keyof L['fields'])[];
    readonly label: keyof L['fields'];
    readonly splits?: readonly (keyof L['fields'])[];
    readonly events: Readonly<
      Partial<Record<EventName, EventRule & { readonly fields: readonly (keyof L['fields'])[] }>>
    >;
  },
): L {
  return list;
}

export const EXCLUSION = '_exclude';

type ExclusionsOf<Filters> = {
  readonly [Name in keyof Filters as Filters[Name] extends { readonly test: 'any' }
    ? `${string & Name}${typeof EXCLUSION}`
    : never]: Filters[Name] extends { readonly field: infer Field }
    ? { readonly field: Field; readonly test: 'none' }
    : never;
};

/** Filters, each list of values followed by its exclusion: `statuses`, `statuses_exclude`. */
export function withExclusions<const Filters extends List['filters']>(
  filters: Filters,
): Filters & ExclusionsOf<Filters> {
  const both = Object.entries(filters).flatMap(([name, filter]) => {
    const own = [name, filter] as const;
    return filter.test === 'any'
      ? [own, [`${name}${EXCLUSION}`, { field: filter.field, test: 'none' }]]
      : [own];
  });
  return Object.fromEntries(both) as Filters & ExclusionsOf<Filters>;
}

/** The filter that excludes what another lists, if there is one. */
export function exclusionOf(list: List, name: string): string | undefined {
  return name + EXCLUSION in list.filters ? name + EXCLUSION : undefined;
}

export function fieldOf(list: List, name: string): Field {
  const field = list.fields[name];
  if (field === undefined) throw new Error(`${list.name} has no field ${name}.`);
  return field;
}

/** The events that a list can have, in the order of an answer. */
export function eventsOf(list: List): EventName[] {
  const everywhere: readonly EventName[] = ['added', 'removed', 'changed'];
  return (Object.keys(EVENTS) as EventName[]).filter(
    (name) => everywhere.includes(name) || name in list.events,
  );
}
