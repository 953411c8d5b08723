// What the description of a list may say: its fields, filters and sort keys, and what each of them can be.
// contract.ts holds the descriptions themselves.

/** What a value is; the kind decides its grammar, its order and its JSON type. */
export type Kind =
  /** An integer from 1 to 2^53 - 1. */
  | 'integer'
  | 'text'
  /** `YYYY-MM-DDThh:mm:ss.ffffffZ`, see timestamp.ts. */
  | 'timestamp'
  /** A decimal with at most six fractional digits, see charge.ts. */
  | 'charge'
  | 'flag';

export interface Field {
  readonly kind: Kind;
  readonly about: string;
  readonly example: string | number | boolean | null;
  readonly nullable?: true;
  /** An import refuses a row without it. Other fields fall back to `null`, `0`, `''` or `false`, by kind. */
  readonly required?: true;
  /** Known values of an open set: more may appear, so nothing may be refused for not being here. */
  readonly known?: readonly string[];
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country?: true;
  /** A charge for each unit of something that is not counted here: to add it up would mean nothing. */
  readonly rate?: true;
}

/** What is to be known of a test. */
interface TestFacts {
  /** The fields that it compares, by their kind. */
  readonly kinds: readonly Kind[];
  /** It takes a list of values. */
  readonly many: boolean;
  /** Facets count the values that it could be given. */
  readonly counted: boolean;
}

/**
 * How a filter compares a field with what it is given: the one place that names the tests. Whatever depends
 * on the test is a `Record<Test, …>` or a switch over all of them, and does not compile where one is missing.
 */
export const TESTS = {
  is: { kinds: ['flag'], many: false, counted: true },
  /** One of a list; telephone numbers by their digits. */
  any: { kinds: ['integer', 'text'], many: true, counted: true },
  /** None of a list, which `null` is not, either. */
  none: { kinds: ['integer', 'text'], many: true, counted: false },
  /** Strictly later, strictly earlier; and both with the time itself. */
  after: { kinds: ['timestamp'], many: false, counted: false },
  before: { kinds: ['timestamp'], many: false, counted: false },
  from: { kinds: ['timestamp'], many: false, counted: false },
  to: { kinds: ['timestamp'], many: false, counted: false },
} as const satisfies Record<string, TestFacts>;

export type Test = keyof typeof TESTS;

/** The tests that compare fields of a kind. */
type TestOf<K extends Kind> = {
  [T in Test]: K extends (typeof TESTS)[T]['kinds'][number] ? T : never;
}[Test];

/** The tests that take a list of values. */
export type ListTest = { [T in Test]: (typeof TESTS)[T]['many'] extends true ? T : never }[Test];

/** Which side of a time. */
export type TimeTest = TestOf<'timestamp'>;

export interface Filter {
  readonly field: string;
  readonly test: Test;
}

export interface List {
  /** The name in code, tables and commands. */
  readonly name: string;
  readonly title: string;
  /** What one item is called in a sentence. */
  readonly one: string;
  readonly about: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** Fields that an import feeds and a sort key may use, but that no answer carries. */
  readonly hidden: Readonly<Record<string, Field>>;
  /** Only items with these values of hidden fields are listed. */
  readonly only: Readonly<Record<string, string>>;
  readonly filters: Readonly<Record<string, Filter>>;
  /** The fields that `q` looks into. */
  readonly search: readonly string[];
  /** The field whose digits a `q` of digits is compared with. */
  readonly searchDigits?: string;
  /** Sort key to the field it sorts by. */
  readonly sorts: Readonly<Record<string, string>>;
}

/** The filters that fields can have: each names one of them, with a test that compares its kind. */
type FiltersOn<Fields extends List['fields']> = Readonly<
  Record<
    string,
    {
      [Name in keyof Fields]: { readonly field: Name; readonly test: TestOf<Fields[Name]['kind']> };
    }[keyof Fields]
  >
>;

/**
 * Returns the list. It does not compile where a filter or a sort key names no field, or where a filter has a
 * test for another kind of field.
 */
export function defineList<const L extends List>(
  list: L & {
    readonly filters: FiltersOn<L['fields']>;
    readonly sorts: Readonly<Record<string, keyof L['fields'] | keyof L['hidden']>>;
  },
): L {
  return list;
}

/** The field of a name, such as a filter compares. */
export function fieldOf(list: List, name: string): Field {
  const field = list.fields[name];
  if (field === undefined) throw new Error(`${list.name} has no field ${name}.`);
  return field;
}
