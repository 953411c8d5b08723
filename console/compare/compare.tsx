// Values of a filter side by side: how many items have each, what these cost, what is due, what is flagged.
// Each figure leads to its items.

import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { type FilterFacts, type ListFacets, writeView } from '../contract.ts';
import { Chips } from '../filters/chips.tsx';
import { FilteredPage, Filters } from '../filters/filters.tsx';
import { filterLabel } from '../filters/words.ts';
import { plural, shownCount } from '../format.ts';
import { News } from '../list/news.tsx';
import { accountQuery, figuresQuery } from '../queries.ts';
import { useTitle } from '../shell/title.ts';
import { Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { valuesOf, withFilter } from '../view.ts';
import { IN_FLIGHT, useFailure, useWaiting } from '../waiting.ts';
import { comparable, comparedView, compareId } from './address.ts';
import {
  allOf,
  comparedValues,
  figuresOf,
  flaggedViews,
  hasPayments,
  isKnown,
  knownOf,
  knownOfValue,
  MOST_WITH_PAYMENTS,
} from './figures.ts';
import { CompareTable, type Comparison, NotIncluded, sorted, TakeAway } from './table.tsx';

const words = texts.compare;

export function Compare({ filter }: { readonly filter: FilterFacts }) {
  const { list, view } = useShown();
  const facets = useQuery({ ...figuresQuery(list, view), placeholderData: keepPreviousData });
  const { failure, isSlow } = useWaiting(facets, list.name);
  const title = words.title(list.title, filterLabel(filter));
  useTitle(title);
  const { comparison, failed, why } = useComparison(filter, facets.data, facets.dataUpdatedAt);
  const filters = <Filters facets={facets.data} isFailed={failure !== undefined} />;
  const error = failure ?? why;
  return (
    <FilteredPage
      filters={filters}
      total={facets.isPlaceholderData ? undefined : facets.data?.total}
      isOld={facets.isPlaceholderData}
    >
      {(filtersButton) => (
        <>
          <Head {...{ filter, title }}>
            {filtersButton}
            <TakeAway {...{ comparison, title }} />
          </Head>
          <Chips but={filter} total={facets.isPlaceholderData ? undefined : facets.data?.total} />
          <News isSlow={isSlow} failure={error} />
          <div className="rows">
            {error !== undefined ? (
              <Trouble error={error.error} query={failure === undefined ? (failed ?? IN_FLIGHT) : facets} />
            ) : (
              <Place filter={filter} facets={facets.data} comparison={comparison} />
            )}
          </div>
        </>
      )}
    </FilteredPage>
  );
}

/** The title, and what leads elsewhere: to the list, and to the other filters that can be compared. */
function Head({ filter, title, children }: { filter: FilterFacts; title: string; children: ReactNode }) {
  const { list, view } = useShown();
  return (
    <>
      <div className="flow compare-head">
        <h1>{title}</h1>
        {children}
        <ViewLink list={list} view={view}>
          {words.list}
        </ViewLink>
      </div>
      <nav className="flow presets compare-by" aria-label={words.by}>
        {comparable(list).map((one) => (
          <ViewLink
            key={one.name}
            list={list}
            view={one === filter ? view : comparedView(list, view, one)}
            id={compareId(one)}
            className="preset"
            data-on={one === filter || undefined}
            aria-current={one === filter ? 'page' : undefined}
          >
            {filterLabel(one)}
          </ViewLink>
        ))}
      </nav>
    </>
  );
}

/**
 * What is compared, from an answer about all items and one about those that are flagged. Few values have a
 * request each, for what is due; so has one that those two do not list.
 */
function useComparison(filter: FilterFacts, facets: ListFacets | undefined, at: number) {
  const { list, view } = useShown();
  const { data: account } = useQuery(accountQuery());
  const values = comparedValues(list, view, filter, facets);
  const isFew = hasPayments(values);
  const flagged = useQueries({
    queries: flaggedViews(list, view).map((one) => ({
      ...figuresQuery(list, one),
      enabled: !isFew && facets !== undefined,
    })),
  });
  const views = values.map((value) => withFilter(list, view, filter.name, [value]));
  const known = values.map((value) =>
    knownOfValue(
      filter,
      value,
      facets,
      flagged.map(({ data }) => data),
    ),
  );
  const isPending = flagged.some((one) => one.isPending);
  const own = useQueries({
    queries: views.map((one, i) => ({
      ...figuresQuery(list, one),
      enabled: isFew || (!isPending && !isKnown(known[i] ?? {})),
    })),
  });
  const failed = [...own, ...flagged].find(({ data, error }) => data === undefined && error !== null);
  const isAnswered = [...own, ...flagged].every(
    ({ data, fetchStatus }) => data !== undefined || fetchStatus === 'idle',
  );
  const isWhole = isAnswered && failed === undefined;
  const whole = { data: isWhole || undefined, error: failed?.error ?? null, isPlaceholderData: false };
  const why = useFailure(whole, views.map(writeView).join(' '));
  if (values.length === 0 || facets === undefined) return { comparison: undefined, failed, why };
  const compared = { at: at || Date.now(), all: allOf(filter, facets).items, hasPayments: isFew };
  const lines = values.map((value, i) => {
    const answer = own[i]?.data;
    const seen = { ...known[i], ...(answer && knownOf(list, answer, compared.at)) };
    return { value, figures: figuresOf(list, views[i] ?? view, seen, compared) };
  });
  const comparison: Comparison = {
    filter,
    lines: sorted(view, filter, lines),
    total: figuresOf(list, view, knownOf(list, facets, compared.at), compared),
    currency: facets.currency ?? account?.currency ?? undefined,
  };
  return { comparison, failed, why };
}

interface PlaceProps {
  readonly filter: FilterFacts;
  /** Of all values; absent until they are known. */
  readonly facets: ListFacets | undefined;
  readonly comparison: Comparison | undefined;
}

function Place({ filter, facets, comparison }: PlaceProps) {
  const { view } = useShown();
  if (facets === undefined) return <p className="bone" data-wide role="status" aria-label={texts.loading} />;
  if (comparison === undefined) return <p className="dim">{words.nothing}</p>;
  const all = allOf(filter, facets);
  const { length } = comparison.lines;
  const empty = valuesOf(view, filter.name).length === 0 ? all.empty : 0;
  return (
    <>
      {(all.values > length || all.hasMore) && (
        <p className="dim compare-of">
          {words.of(shownCount(length), `${shownCount(all.values)}${all.hasMore ? '+' : ''}`)}
        </p>
      )}
      <div className="compare-rows">
        <CompareTable {...comparison} />
      </div>
      <NotIncluded {...comparison} />
      {empty > 0 && <p className="dim">{plural(words.empty, empty)}</p>}
      {length > MOST_WITH_PAYMENTS && <p className="dim">{words.dueOfFew(shownCount(MOST_WITH_PAYMENTS))}</p>}
    </>
  );
}
