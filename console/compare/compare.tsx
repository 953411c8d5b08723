// Values of a filter side by side: how many items have each, what these cost, what is due, what is flagged.
// Each figure leads to its items.

import { useQueries, useQuery } from '@tanstack/react-query';
import type { CSSProperties, ReactNode } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { type FilterFacts, type ListFacets, type ListFacts, type View, writeView } from '../contract.ts';
import { FilteredPage, Filters } from '../filters/filters.tsx';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { plural, shownCharge, shownCount, shownFineShare, shownSum } from '../format.ts';
import { News } from '../list/news.tsx';
import { accountQuery, compareQuery, facetsQuery } from '../queries.ts';
import { useTitle } from '../shell/title.ts';
import { Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { canFilter, valuesOf, withFilter } from '../view.ts';
import { IN_FLIGHT, useFailure, useWaiting } from '../waiting.ts';
import { allOf, comparable, compareId, type Figure, figuresOf, MOST_COMPARED } from './figures.ts';

const words = texts.compare;

/** Those that the address names, or the most frequent ones. */
function comparedValues(view: View, filter: FilterFacts, facets: ListFacets | undefined): string[] {
  const chosen = valuesOf(view, filter.name).map(String);
  if (chosen.length > 1) return chosen.slice(0, MOST_COMPARED);
  const counted = facets?.facets[filter.name]?.values.map(({ value }) => String(value)) ?? [];
  return [...new Set([...chosen, ...counted.filter(canFilter)])].slice(0, MOST_COMPARED);
}

export function Compare({ filter }: { readonly filter: FilterFacts }) {
  const { list, view } = useShown();
  const facets = useQuery(facetsQuery(list, view));
  const { failure, isSlow } = useWaiting(facets, list.name);
  const title = words.title(list.title, filterLabel(filter));
  useTitle(title);
  const filters = <Filters facets={facets.data} isFailed={failure !== undefined} />;
  return (
    <FilteredPage filters={filters} total={facets.data?.total} isOld={facets.isPlaceholderData}>
      {(filtersButton) => (
        <>
          <Head {...{ filter, title }}>{filtersButton}</Head>
          <News isSlow={isSlow} />
          <div className="rows">
            {failure === undefined ? (
              <Comparison
                filter={filter}
                values={comparedValues(view, filter, facets.data)}
                facets={facets.data}
              />
            ) : (
              <Trouble error={failure.error} query={facets} />
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

/** The counts of each value, and why one of them is missing. */
function useFigures(list: ListFacts, views: readonly View[]) {
  const answers = useQueries({ queries: views.map((one) => compareQuery(list, one)) });
  const failed = answers.find(({ data, error }) => data === undefined && error !== null);
  const isWhole = answers.every(({ data }) => data !== undefined);
  const whole = { data: isWhole || undefined, error: failed?.error ?? null, isPlaceholderData: false };
  return { answers, failed, failure: useFailure(whole, views.map(writeView).join(' ')) };
}

interface ComparisonProps {
  readonly filter: FilterFacts;
  readonly values: readonly string[];
  /** Of all values; absent until they are known. */
  readonly facets: ListFacets | undefined;
}

function Comparison({ filter, values, facets }: ComparisonProps) {
  const { list, view } = useShown();
  const { data: account } = useQuery(accountQuery());
  const views = values.map((value) => withFilter(list, view, filter.name, [value]));
  const { answers, failed, failure } = useFigures(list, views);
  const currency = answers.find(({ data }) => data !== undefined)?.data?.currency ?? account?.currency;
  const at = Math.max(...answers.map(({ dataUpdatedAt }) => dataUpdatedAt), 0) || Date.now();
  const all = allOf(filter, facets);
  const rows = views.map((one, i) => figuresOf(list, one, answers[i]?.data, at, all.items));
  if (values.length === 0 && facets === undefined) {
    return <p className="bone" data-wide role="status" aria-label={texts.loading} />;
  }
  if (values.length === 0) return <p className="dim">{words.nothing}</p>;
  if (failure !== undefined) return <Trouble error={failure.error} query={failed ?? IN_FLIGHT} />;
  return (
    <>
      {all.values > values.length && (
        <p className="dim compare-of">
          {words.of(shownCount(values.length), `${shownCount(all.values)}${all.hasMore ? '+' : ''}`)}
        </p>
      )}
      <Table {...{ filter, values, rows, currency }} total={figuresOf(list, view, facets, at, all.items)} />
    </>
  );
}

interface TableProps extends Pick<ComparisonProps, 'filter' | 'values'> {
  /** The figures of each value. */
  readonly rows: readonly (readonly Figure[])[];
  /** Those of all items of the view, also of values that are not shown. */
  readonly total: readonly Figure[];
  readonly currency: string | null | undefined;
}

function Table({ filter, values, rows, total, currency }: TableProps) {
  const { list } = useShown();
  const [columns = []] = rows;
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
      <tbody className="compare-total">
        <tr>
          <th scope="row">{texts.overview.total}</th>
          {total.map((figure) => (
            <td key={figure.name} data-right>
              <Cell {...{ list, figure }} currency={currency ?? undefined} most={undefined} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

interface CellProps {
  readonly list: ListFacts;
  readonly figure: Figure;
  readonly currency: string | undefined;
  /** The largest of the column; absent for a sum, which has no bar. */
  readonly most: number | undefined;
}

function Cell({ list, figure: { size, isMoney, share, count, view }, currency, most }: CellProps) {
  if (size === undefined) return <span className="bone" />;
  const style: CSSProperties & Record<`--${string}`, number> = { '--share': most ? size / most : 0 };
  return (
    <ViewLink
      list={list}
      view={view}
      className="flow compare-figure"
      title={isMoney ? shownCharge(size, currency) : undefined}
    >
      <span>{isMoney ? shownSum(size, currency) : shownCount(size)}</span>
      {share !== undefined && <small className="dim">{shownFineShare(share)}</small>}
      {count !== undefined && <small className="dim">{plural(texts.overview.payments, count)}</small>}
      {size > 0 && most !== undefined && (
        <span className="rank-bar" data-tone="rank-0" style={style} aria-hidden="true" />
      )}
    </ViewLink>
  );
}
