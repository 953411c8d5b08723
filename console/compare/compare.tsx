// Values of a filter side by side: how many items have each, what these cost, what is due, what is flagged.
// Each figure leads to its items.

import { Button } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type CSSProperties, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import type { FilterFacts, ListFacts, View } from '../contract.ts';
import { Filters, FiltersOver } from '../filters/filters.tsx';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { plural, shownCharge, shownCount, shownSum } from '../format.ts';
import { Icon } from '../icons.tsx';
import type { ListFacets } from '../linecard.ts';
import { News } from '../list/news.tsx';
import { useLive } from '../live.ts';
import { accountQuery, compareQuery, facetsQuery } from '../queries.ts';
import { useTitle } from '../shell/title.ts';
import { Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { canFilter, valuesOf, withFilter } from '../view.ts';
import { useFailure, useIsSlow } from '../waiting.ts';
import { comparable, compareId, type Figure, figuresOf, MOST_COMPARED, USUALLY_COMPARED } from './figures.ts';

const words = texts.compare;

/** Those that the address names, or the most frequent ones. */
function comparedValues(view: View, filter: FilterFacts, facets: ListFacets | undefined): string[] {
  const chosen = valuesOf(view, filter.name).map(String);
  if (chosen.length > 1) return chosen.slice(0, MOST_COMPARED);
  const counted = facets?.facets[filter.name]?.values.map(({ value }) => String(value)) ?? [];
  return [...new Set([...chosen, ...counted.filter(canFilter)])].slice(0, USUALLY_COMPARED);
}

export function Compare({ filter }: { readonly filter: FilterFacts }) {
  const { list, view } = useShown();
  const facets = useQuery(facetsQuery(list, view));
  const [isFiltering, setFiltering] = useState(false);
  const live = useLive();
  const failure = useFailure(facets, list.name);
  const isSlow = useIsSlow(facets.data === undefined && failure === undefined);
  const title = words.title(list.title, filterLabel(filter));
  useTitle(title);
  const filters = <Filters facets={facets.data} isFailed={failure !== undefined} />;
  return (
    <div className="layout" data-old={facets.isPlaceholderData || undefined}>
      <aside className="sidebar" aria-label={texts.filters.title}>
        {filters}
      </aside>
      <main id="list" className="content" tabIndex={-1}>
        <Head filter={filter} title={title} onFilters={() => setFiltering(true)} />
        <News state={live} isSlow={isSlow} />
        <div className="rows">
          {failure === undefined ? (
            <Comparison filter={filter} values={comparedValues(view, filter, facets.data)} />
          ) : (
            <Trouble
              error={failure.error}
              onAgain={() => void facets.refetch()}
              isAgain={facets.isFetching}
            />
          )}
        </div>
      </main>
      {isFiltering && (
        <FiltersOver total={facets.data?.total} onClose={() => setFiltering(false)}>
          {filters}
        </FiltersOver>
      )}
    </div>
  );
}

interface HeadProps {
  readonly filter: FilterFacts;
  readonly title: string;
  readonly onFilters: () => void;
}

/** The title, and what leads elsewhere: to the list, and to the other filters that can be compared. */
function Head({ filter, title, onFilters }: HeadProps) {
  const { list, view } = useShown();
  return (
    <>
      <div className="compare-head">
        <h1>{title}</h1>
        <Button
          className="filters-button"
          variant="default"
          leftSection={<Icon name="filter" size={16} />}
          onClick={onFilters}
        >
          {texts.filters.open}
        </Button>
        <ViewLink list={list} view={view}>
          {words.list}
        </ViewLink>
      </div>
      <nav className="presets compare-by" aria-label={words.by}>
        {comparable(list).map((one) => (
          <ViewLink
            key={one.name}
            list={list}
            view={view}
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

interface ComparisonProps {
  readonly filter: FilterFacts;
  readonly values: readonly string[];
}

function Comparison({ filter, values }: ComparisonProps) {
  const { list, view } = useShown();
  const { data: account } = useQuery(accountQuery());
  const views = values.map((value) => withFilter(list, view, filter.name, [value]));
  const answers = useQueries({ queries: views.map((one) => compareQuery(list, one)) });
  const currency = answers.find(({ data }) => data !== undefined)?.data?.currency ?? account?.currency;
  const at = Math.max(...answers.map(({ dataUpdatedAt }) => dataUpdatedAt), 0) || Date.now();
  const rows = views.map((one, i) => figuresOf(list, one, answers[i]?.data, at));
  const [columns = []] = rows;
  if (values.length === 0) return <p className="dim">{words.nothing}</p>;
  return (
    <table className="table compare">
      <caption className="hidden">{words.title(list.title, filterLabel(filter))}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="unsorted">{filterLabel(filter)}</span>
          </th>
          {columns.map(({ name }) => (
            <th key={name} scope="col" data-right>
              <span className="unsorted">{words[name]}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {values.map((value, i) => (
          <tr key={value}>
            <th scope="row" dir="auto">
              {filterValueLabel(filter, value)}
            </th>
            {rows[i]?.map((figure, column) => (
              <td key={figure.name} data-right>
                <Cell
                  {...{ list, figure }}
                  currency={currency ?? undefined}
                  most={Math.max(...rows.map((row) => row[column]?.size ?? 0))}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CellProps {
  readonly list: ListFacts;
  readonly figure: Figure;
  readonly currency: string | undefined;
  /** The largest of the column. */
  readonly most: number;
}

function Cell({ list, figure: { size, isMoney, count, view }, currency, most }: CellProps) {
  if (size === undefined) return <span className="bone" />;
  const style: CSSProperties & Record<`--${string}`, number> = { '--share': most === 0 ? 0 : size / most };
  return (
    <ViewLink
      list={list}
      view={view}
      className="compare-figure"
      title={isMoney ? shownCharge(size, currency) : undefined}
    >
      <span>{isMoney ? shownSum(size, currency) : shownCount(size)}</span>
      {count !== undefined && <small className="dim">{plural(texts.overview.payments, count)}</small>}
      {size > 0 && <span className="rank-bar" data-tone="rank-0" style={style} aria-hidden="true" />}
    </ViewLink>
  );
}
