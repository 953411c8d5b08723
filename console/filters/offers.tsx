// What a search may have meant: a value that a filter has (`Country: Germany 63`), or the number in a text.

import { useQuery } from '@tanstack/react-query';
import { useShown, ViewLink } from '../address.tsx';
import { shownCount } from '../format.ts';
import { facetsQuery } from '../queries.ts';
import { texts } from '../texts.ts';
import { canFilter, isOn, withSearch, withToggled } from '../view.ts';
import { hasWords } from './found.ts';
import { filterLabel, filterValueLabel } from './words.ts';

const MOST_OFFERS = 3;
const SHORTEST = 2;
const NUMBER = /(?:\+|\b00)?\d[\d ()./-]{5,}\d/;

/** The telephone number within a text that has more than it. */
function numberWithin(text: string): string | undefined {
  const [number] = NUMBER.exec(text) ?? [];
  return number === undefined || !/\p{L}/u.test(text) ? undefined : number.trim();
}

function useOffers(q: string) {
  const { list, view } = useShown();
  const without = withSearch(view, '');
  const { data, isPlaceholderData } = useQuery(facetsQuery(list, without));
  if (data === undefined || isPlaceholderData || q.length < SHORTEST) return [];
  const values = list.filters.flatMap((filter) =>
    (data.facets[filter.name]?.values ?? []).flatMap(({ value, count }) => {
      if (typeof value === 'boolean' || !canFilter(value) || isOn(view, filter, value)) return [];
      const label = filterValueLabel(filter, value);
      return hasWords(label, q)
        ? [
            {
              label: texts.labelled(filterLabel(filter), label),
              count,
              view: withToggled(list, without, filter, value),
            },
          ]
        : [];
    }),
  );
  return values.slice(0, MOST_OFFERS);
}

export function Offers({ q }: { readonly q: string }) {
  const { list, view } = useShown();
  const offers = useOffers(q);
  const number = numberWithin(q);
  return (
    <>
      {offers.map(({ label, count, view: to }) => (
        <li key={label}>
          <ViewLink list={list} view={to} className="chip offer">
            <span dir="auto">{label}</span>
            <span className="count">{shownCount(count)}</span>
          </ViewLink>
        </li>
      ))}
      {number !== undefined && (
        <li>
          <ViewLink list={list} view={withSearch(view, number)} className="chip offer">
            <span dir="auto">{texts.palette.searchFor(number, list.title)}</span>
          </ViewLink>
        </li>
      )}
    </>
  );
}
