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

/** Which side of a time: strictly `after` or `before` it, or `from` it on and up `to` it, inclusive. */
export type TimeTest = 'after' | 'before' | 'from' | 'to';

/**
 * How a filter compares: `any` of a list, or of a list of telephone `numbers` by their digits; `is` a flag; a
 * time.
 */
export type Test = 'any' | 'numbers' | 'is' | TimeTest;

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
