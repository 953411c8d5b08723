// Which parameters of a query need charges, by the kind of the field alone: a token without them is refused.

import { CHARGES_EVENT, fieldOf, type List } from './list.ts';

const NAMING = ['fields', 'sort_by', 'charges', 'events'] as const;

/**
 * The parameters that name a charge, or compare with one: by halving an interval every charge could be found.
 * @param valuesOf the values of a parameter that is given
 */
export function chargedBy(
  list: List,
  valuesOf: (name: string) => readonly unknown[] | undefined,
): readonly string[] | undefined {
  const isCharge = (field: string | undefined) =>
    field !== undefined && field in list.fields && fieldOf(list, field).kind === 'charge';
  // Every field is also a sort key of that name.
  const namesCharge = (value: unknown) =>
    value === true || value === CHARGES_EVENT || isCharge(list.sorts[String(value)]);
  const bounds = Object.entries(list.filters).filter(
    ([name, { field }]) => isCharge(field) && valuesOf(name) !== undefined,
  );
  const naming = NAMING.filter((name) => valuesOf(name)?.some(namesCharge));
  const names = [...bounds.map(([name]) => name), ...naming];
  return names.length === 0 ? undefined : names;
}
