// Conditions on the columns of a table -> SQL text and bound values.

import type { ListTest, Test } from '@linecard/client/contract/list';
import type { Dialect } from './dialects.ts';
import type { ColumnType, Stored } from './tables.ts';

/**
 * A value that can be bound. A list is one value, so that the text of a statement does not depend on its
 * length.
 */
export type Bound = Stored | readonly string[] | readonly number[];

/** A test of a filter on one column. An empty list has no values that show its type. */
export type ColumnCondition =
  | { readonly column: string; readonly test: Exclude<Test, ListTest>; readonly value: Stored }
  | {
      readonly column: string;
      readonly test: ListTest;
      readonly type: ColumnType;
      readonly value: readonly string[] | readonly number[];
    };

/** What a search looks for in one column, which is not empty. */
export interface SearchCondition {
  readonly column: string;
  readonly test: 'contains' | 'begins';
  readonly value: string;
}

export type Condition =
  | ColumnCondition
  /** At least one holds. */
  | { readonly either: readonly SearchCondition[] };

/** A condition with more values has many. */
const MANY_VALUES = 20;

/** Collects the values of a statement and returns their placeholders. */
export class Values {
  readonly list: Bound[] = [];
  hasMany = false;

  bind(value: Bound): string {
    return `$${this.list.push(value)}`;
  }
}

type TestText = (dialect: Dialect, column: string, placeholder: string, type: ColumnType) => string;

const compared =
  (operator: string): TestText =>
  (_, column, placeholder) =>
    `${column} ${operator} ${placeholder}`;

/** Digits of the same length are in the order of their numbers. */
const comparedNumber =
  (operator: string): TestText =>
  (_, column, placeholder) => {
    const digits = `cast(${placeholder} as text)`;
    return `(length(${column}) = length(${digits}) and ${column} ${operator} ${digits})`;
  };

const TEXTS: Readonly<Record<Test | SearchCondition['test'], TestText>> = {
  is: compared('='),
  set: (_, column, placeholder) => `cast(${column} is not null as integer) = ${placeholder}`,
  any: (dialect, ...list) => dialect.among(...list),
  // `null` matches as well, which it would not with `not`.
  none: (dialect, ...list) => `(${dialect.among(...list)}) is not true`,
  after: compared('>'),
  before: compared('<'),
  from: compared('>='),
  to: compared('<='),
  first: comparedNumber('>='),
  last: comparedNumber('<='),
  min: compared('>='),
  max: compared('<='),
  contains: (dialect, column, placeholder) => dialect.contains(column, placeholder),
  begins: (dialect, column, placeholder) => dialect.begins(column, placeholder),
};

export function conditionText(dialect: Dialect, values: Values, condition: Condition): string {
  if ('either' in condition)
    return `(${condition.either.map((one) => textOf(dialect, values, one)).join(' or ')})`;
  if ('type' in condition && condition.value.length > MANY_VALUES) values.hasMany = true;
  return textOf(dialect, values, condition);
}

function textOf(dialect: Dialect, values: Values, condition: ColumnCondition | SearchCondition): string {
  const { column, test, value } = condition;
  return TEXTS[test](dialect, column, values.bind(value), 'type' in condition ? condition.type : 'text');
}
