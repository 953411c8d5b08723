// The parts of a list by the values of a filter: how many items have each, and what these cost a month.

import { type FilterFacts, type ListFacets, type ListFacts, priceField, type View } from '../contract.ts';
import { addUp, countOf, type FacetValue, othersPrice } from '../figures.ts';
import { filterValueLabel } from '../filters/words.ts';
import { texts } from '../texts.ts';
import { isLeftOut, isOn, valuesOf } from '../view.ts';

/** Values of a chart that are shown one by one. */
export const MOST_PARTS = 4;

const REST = { value: undefined, label: texts.glance.rest };

export interface Part {
  /** Absent for the rest. */
  readonly value: FacetValue['value'] | undefined;
  readonly label: string;
  readonly count: number;
  /** The list price of its items; `null` where it is not known, absent where the token sees no charges. */
  readonly price: number | null | undefined;
  /** It is counted here, but not in the list. */
  readonly isOut: boolean;
}

/** What the bar of a part stands for: money where there is any. A credit has no bar. */
export const sizeOf = ({ count, price }: Part) => (price === undefined ? count : Math.max(0, price ?? 0));

/** The values that items have, the largest first. */
const valueParts = (list: ListFacts, view: View, filter: FilterFacts, values: readonly FacetValue[]) =>
  values
    .filter(({ count }) => count > 0)
    .map(
      ({ value, count, [priceField]: price }): Part => ({
        value,
        label: filterValueLabel(filter, value),
        count,
        price,
        isOut: isLeftOut(list, view, filter, value),
      }),
    )
    .sort((a, b) => sizeOf(b) - sizeOf(a));

/** Several as one. */
function asOne(parts: readonly Part[]): readonly Part[] {
  if (parts.length < 2) return parts;
  const unknown = parts.find((one) => typeof one.price !== 'number');
  const price = unknown === undefined ? addUp(parts, (one) => one.price ?? 0) : unknown.price;
  return [{ ...REST, count: addUp(parts, countOf), price, isOut: parts.every((one) => one.isOut) }];
}

/**
 * The largest values, those that the view has before others, and the rest: what is in the list, and what a
 * filter leaves out.
 */
export function partsOf(
  list: ListFacts,
  view: View,
  filter: FilterFacts,
  facets: ListFacets,
  isOpen: boolean,
): readonly Part[] {
  const { values = [], others = 0 } = facets.facets[filter.name] ?? {};
  const counted = valueParts(list, view, filter, values);
  const chosen = valuesOf(view, filter.name);
  const isChosen = ({ value }: Part) => Number(value !== undefined && isOn(view, filter, value));
  const inOrder = counted.toSorted((a, b) => isChosen(b) - isChosen(a));
  // Where all that is chosen is counted, what is not counted is left out.
  const isOut = chosen.length > 0 && chosen.every((one) => values.some(({ value }) => value === one));
  const rest: Part = { ...REST, count: others, price: othersPrice(facets, filter.name), isOut };
  const all = others === 0 ? counted : [...counted, rest];
  for (let most = isOpen ? all.length : MOST_PARTS; ; most -= 1) {
    const shown = inOrder.slice(0, most);
    const hidden = all.filter((one) => !shown.includes(one));
    const parts = [
      ...all.filter((one) => shown.includes(one)),
      ...asOne(hidden.filter((one) => !one.isOut)),
      ...asOne(hidden.filter((one) => one.isOut)),
    ];
    if (isOpen || parts.length <= MOST_PARTS) return parts;
  }
}
