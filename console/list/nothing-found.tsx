// Shown where nothing matches: which filter to remove, and how many items match without it.

import { useQueries } from '@tanstack/react-query';
import { useCurrency, useShown, ViewLink } from '../address.tsx';
import { type ListFacts, type View, writeView } from '../contract.ts';
import { spanOf, withRange } from '../filters/presets.ts';
import { filterLabel, filterText } from '../filters/words.ts';
import { shownCount, shownText } from '../format.ts';
import { facetsQuery } from '../queries.ts';
import { texts } from '../texts.ts';
import { type FilterValue, isFiltered, withFilter, withoutFilters } from '../view.ts';

const words = texts.nothingFound;
/** Each takes a request. */
const MOST_WAYS = 6;

interface WayOut {
  readonly what: string;
  readonly view: View;
}

function waysOut(list: ListFacts, view: View, currency: string | undefined): WayOut[] {
  const search =
    view.q === undefined ? [] : [{ what: shownText(view.q), view: { ...view, page: 1, q: undefined } }];
  const filters = list.filters
    .filter(({ name }) => view.filters[name] !== undefined)
    .map((filter) => {
      const span = spanOf(list, view, filter.field);
      if (span !== undefined)
        return {
          what: texts.labelled(filterLabel(filter), span),
          view: withRange(list, view, filter.field, {}),
        };
      const value = view.filters[filter.name] as FilterValue;
      const what = typeof value === 'object' ? filterLabel(filter) : filterText(filter, value, currency);
      return { what, view: withFilter(list, view, filter.name, undefined) };
    })
    // A range of time is one filter.
    .filter(({ what }, at, all) => all.findIndex((one) => one.what === what) === at);
  return [...search, ...filters].slice(0, MOST_WAYS);
}

export function NothingFound({ total }: { readonly total: number }) {
  const { list, view, instead } = useShown();
  if (total > 0) {
    return (
      <div className="empty">
        <h2>{words.noPage}</h2>
        <ViewLink list={list} view={{ ...view, page: 1 }} id={instead}>
          {words.firstPage}
        </ViewLink>
      </div>
    );
  }
  if (isFiltered(view)) return <WaysOut />;
  return (
    <div className="empty">
      <h2>{words.account(list.title)}</h2>
      <p>{words.accountHint}</p>
    </div>
  );
}

function WaysOut() {
  const { list, view, instead } = useShown();
  const currency = useCurrency();
  const ways = waysOut(list, view, currency);
  const answers = useQueries({ queries: ways.map((way) => facetsQuery(list, way.view)) });
  const found = answers.map(({ data, isPlaceholderData }) => (isPlaceholderData ? undefined : data?.total));
  const isHelp = found.some((total) => total !== undefined && total > 0);
  const isKnown = found.every((total) => total !== undefined);
  return (
    <div className="empty">
      <h2>{words.title}</h2>
      {(isHelp || isKnown) && <p>{isHelp ? words.hint : ways.length > 1 && words.noWay}</p>}
      <ul className="flow ways-out">
        {ways.map(({ what, view: without }, i) => {
          const total = found[i] ?? 0;
          // Removing this filter alone changes nothing.
          if (total === 0) return null;
          return (
            <li key={writeView(without)}>
              <ViewLink list={list} view={without} id={instead} className="way-out">
                <span dir="auto">{words.drop(texts.quoted(what))}</span>
                <span className="count">{shownCount(total)}</span>
              </ViewLink>
            </li>
          );
        })}
        <li>
          <ViewLink list={list} view={withoutFilters(view)} id={instead} className="way-out">
            {texts.filters.clear}
          </ViewLink>
        </li>
      </ul>
    </div>
  );
}
