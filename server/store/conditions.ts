// Conditions on the columns of a table -> their text in a statement, and the values that are bound to it.

import type { Dialect } from './dialects.ts';
import type { Stored } from './tables.ts';

/**
 * A value that can be bound: a list is bound whole, so that the text of a statement does not depend on its
 * length.
 */
export type Bound = Stored | readonly string[] | readonly number[];

/** How a column is compared with one value. */
const COMPARISONS = { is: '=', after: '>', before: '<', from: '>=', to: '<=' } as const;

export type Condition =
  | {
      readonly column: string;
      readonly test: keyof typeof COMPARISONS | 'contains' | 'begins';
      readonly value: Stored;
    }
  | { readonly column: string; readonly test: 'any'; readonly value: readonly string[] | readonly number[] }
  /** At least one holds. */
  | { readonly either: readonly Condition[] };

/** More values of a condition are many. */
const MANY_VALUES = 20;

/** Collects the values of a statement and returns their placeholders. */
export class Values {
  readonly list: Bound[] = [];
  hasMany = false;
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  bind(value: Bound): string {
    return this.#dialect.placeholder(this.list.push(value));
  }
}

/** A condition as it stands behind `where`. */
export function conditionText(dialect: Dialect, values: Values, condition: Condition): string {
  if ('either' in condition) {
    return `(${condition.either.map((one) => conditionText(dialect, values, one)).join(' or ')})`;
  }
  const { column, test, value } = condition;
  switch (test) {
    case 'any':
      if (value.length > MANY_VALUES) values.hasMany = true;
      return dialect.among(column, values.bind(value), typeof value[0] === 'string' ? 'text' : 'bigint');
    case 'contains':
    case 'begins':
      return dialect[test](column, values.bind(value));
    case 'is':
    case 'after':
    case 'before':
    case 'from':
    case 'to':
      return `${column} ${COMPARISONS[test]} ${values.bind(value)}`;
  }
}
