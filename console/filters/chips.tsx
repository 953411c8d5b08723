// Active filters as chips that remove them (a filter with many values has one), and the number of matches.

import { useSyncExternalStore } from 'react';
import { useCurrency, useShown, ViewLink } from '../address.tsx';
import type { FilterFacts, ListFacts, View } from '../contract.ts';
import { numberFormats, onNumberFormats, plural, shownText } from '../format.ts';
import { Icon } from '../icons.tsx';
import { later } from '../shell/later.tsx';
import { texts } from '../texts.ts';
import { activeFilters, isFiltered, withFilter, withoutFilters, withToggled } from '../view.ts';
import { spanOf, withRange } from './presets.ts';
import { PinButtonSoon } from './stored-pins.tsx';
import { filterLabel, saysItself, shortValueLabel } from './words.ts';

const Offers = later('Offers', () => import('./offers.tsx'), undefined, { isQuiet: true });
const PinButton = later(
  'PinButton',
  () => import('./pin-button.tsx'),
  () => <PinButtonSoon />,
  { isLikely: true, isQuiet: true },
);

/** Values of one filter that have a chip each; more would push the list down. */
const MOST_CHIPS = 10;

interface Chip {
  readonly key: string;
  /** The filter; absent where the value says it. */
  readonly label?: string;
  readonly value: string;
  readonly without: View;
}

function searchChips(view: View): Chip[] {
  if (view.q === undefined) return [];
  return [{ key: 'q', value: texts.quoted(shownText(view.q)), without: { ...view, page: 1, q: undefined } }];
}

/**
 * One a value, a time from one day to another, or a filter with many values.
 * @param but has none
 */
export function filterChips(
  list: ListFacts,
  view: View,
  currency?: string,
  but?: FilterFacts,
): readonly Chip[] {
  const active = activeFilters(list, view).filter(({ filter }) => filter !== but);
  return list.filters.flatMap((filter): Chip[] => {
    const { name, field } = filter;
    const span = spanOf(list, view, field);
    const values = active.filter((one) => one.filter === filter).map(({ value }) => value);
    if (span !== undefined) {
      const isFirst = active.find((one) => one.filter.field === field)?.filter === filter;
      const without = withRange(list, view, field, {});
      return isFirst ? [{ key: field.name, label: filterLabel(filter), value: span, without }] : [];
    }
    const label = filterLabel(filter);
    if (values.length > MOST_CHIPS) {
      const value = plural(texts.filters.many, values.length);
      return [{ key: name, label, value, without: withFilter(list, view, name, undefined) }];
    }
    return values.map((value) => ({
      key: `${name} ${String(value)}`,
      ...(!saysItself(filter, value) && { label }),
      value: shortValueLabel(filter, value, currency),
      without: withToggled(list, view, filter, value),
    }));
  });
}

interface ChipsProps {
  readonly total: number | undefined;
  /** The filter whose values are shown anyway. */
  readonly but?: FilterFacts;
}

export function Chips({ total, but }: ChipsProps) {
  const { list, view, instead } = useShown();
  const currency = useCurrency();
  useSyncExternalStore(onNumberFormats, numberFormats);
  if (!isFiltered(view)) return null;
  return (
    <div className="row chips">
      <ul className="flow" aria-label={texts.filters.active}>
        {[...searchChips(view), ...filterChips(list, view, currency, but)].map(
          ({ key, label, value, without }) => (
            <li key={key}>
              <ViewLink
                list={list}
                view={without}
                id={instead}
                className="chip"
                aria-label={texts.filters.remove(label === undefined ? value : texts.labelled(label, value))}
              >
                {label !== undefined && <span className="dim">{texts.labelled(label, '').trimEnd()}</span>}
                <span dir="auto">{value}</span>
                <Icon name="close" size={13} />
              </ViewLink>
            </li>
          ),
        )}
        <li className="row chips-end">
          <ViewLink list={list} view={withoutFilters(view)} id={instead} className="chip-clear">
            {texts.filters.clear}
          </ViewLink>
          <PinButton />
        </li>
        {view.q !== undefined && <Offers q={view.q} />}
      </ul>
      {total !== undefined && <span className="dim chips-total">{plural(texts.filters.count, total)}</span>}
    </div>
  );
}
