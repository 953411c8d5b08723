// The page of a list: filters, overview, rows and the details of one item.

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { useList, useShown } from '../address.tsx';
import { Addressed } from '../addressed.tsx';
import { filterParams, type ListFacts, pageParams, type Row, type View, writeQuery } from '../contract.ts';
import { useDeferred } from '../deferred.ts';
import { Chips } from '../filters/chips.tsx';
import { FilteredPage, Filters } from '../filters/filters.tsx';
import { numbersFilter } from '../filters/pasted.ts';
import { FoldedGlance } from '../glance/glance.tsx';
import { type PageOfRows, troubleOf } from '../linecard.ts';
import { accountQuery, facetsQuery, pageQuery } from '../queries.ts';
import { useAddress } from '../router.tsx';
import { Fence, later, PagePlace } from '../shell/later.tsx';
import { useTitle } from '../shell/title.ts';
import { Elsewhere, Trouble, TroublePage } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { valuesOf } from '../view.ts';
import { useFailure, useWaiting } from '../waiting.ts';
import { Cards, CardsSkeleton, useIsNarrow } from './cards.tsx';
import { News } from './news.tsx';
import { Pager, RowsStatus } from './pager.tsx';
import { clearSelection, renewSelection } from './selection.ts';
import { useShownRows } from './shown-rows.ts';
import { Table } from './table.tsx';
import { TableSkeleton } from './table-head.tsx';
import { Toolbar } from './toolbar.tsx';
import { useNumberFormats } from './value.tsx';

const Details = later('Details', () => import('../details/details.tsx'), undefined, { isLikely: true });
const Compare = later('Compare', () => import('../compare/compare.tsx'), PagePlace, { isLikely: true });
const NothingFound = later('NothingFound', () => import('./nothing-found.tsx'), undefined, {
  isLikely: true,
});
const Ranges = later('Ranges', () => import('../ranges/ranges.tsx'), PagePlace, { isLikely: true });

export function ListPage() {
  const list = useList();
  const { text } = useAddress();
  if (list === undefined) return <Elsewhere />;
  return (
    <Fence around={`${list.name}?${text}`} instead={(error) => <TroublePage error={error} />}>
      <Addressed list={list}>
        <ListOrComparison key={list.name} />
      </Addressed>
    </Fence>
  );
}

function ListOrComparison() {
  const { compared, ranges } = useShown();
  if (ranges !== undefined) return <Ranges shown={ranges} />;
  if (compared === undefined) return <ListView />;
  return <Compare key={compared.name} filter={compared} />;
}

/**
 * Whether it must be known first what the token sees: the page was refused, or its rows lack columns of the
 * list.
 */
function useIsUnclear(list: ListFacts, rows: readonly Row[] | undefined, error: unknown): boolean {
  const { isPending } = useQuery(accountQuery());
  if (!isPending) return false;
  const [row] = rows ?? [];
  const lacks = row !== undefined && list.fields.some(({ name }) => !(name in row));
  return lacks || (error !== undefined && troubleOf(error).code === 'forbidden');
}

/** The rows of a view and the state of their request. */
function usePage(list: ListFacts, view: View) {
  const page = useQuery(pageQuery(list, view));
  const { failure, isWaiting, isSlow } = useWaiting(page, writeQuery(pageParams(view)));
  const shown = useShownRows(view, page.data, !page.isPlaceholderData);
  /** Of these rows, never of those that are still shown from before. */
  const total = page.isPlaceholderData ? undefined : page.data?.total;
  return { page, failure, isWaiting, isSlow, shown, total };
}

const focusRows = () => document.querySelector<HTMLElement>('.rows')?.focus();

/** The title, for screen readers, and before it the way past all that is above the rows. */
function ListTitle({ title }: { readonly title: string }) {
  return (
    <>
      <button type="button" className="skip" onClick={focusRows}>
        {texts.skipToRows}
      </button>
      <h1 className="hidden">{title}</h1>
    </>
  );
}

function ListView() {
  const { list, view, id } = useShown();
  const isNarrow = useIsNarrow();
  useNumberFormats();
  const { page, failure, isWaiting, isSlow, shown, total } = usePage(list, view);
  useEffect(() => renewSelection(shown.rows ?? []), [shown.rows]);
  useEffect(() => clearSelection, []);
  useEffect(() => {
    import('../palette/recent.ts').then(
      ({ remember }) => remember({ list, view }),
      () => {}, // the palette does without
    );
  }, [list, view]);
  const facets = useQuery(facetsQuery(list, view));
  const { data: account } = useQuery(accountQuery());
  // Rows are rendered before counts.
  const isUncounted = useFailure(facets, writeQuery(filterParams(view))) !== undefined;
  // Those of the view before are not shown again at each attempt.
  const counted = useDeferred(isUncounted ? undefined : facets.data);
  const currency = facets.data?.currency ?? account?.currency ?? undefined;
  useTitle(list.title);
  const isUnclear = useIsUnclear(list, page.data?.data, failure?.error);
  const isFailed = isUncounted && !isUnclear;
  const filters = <Filters facets={counted} isFailed={isFailed} />;
  return (
    <FilteredPage
      {...{ filters, total }}
      isOld={facets.isPlaceholderData}
      details={id !== undefined && <Details id={id} rows={shown.rows} currency={currency} />}
    >
      {(filtersButton) => (
        <>
          <ListTitle title={list.title} />
          <FoldedGlance facets={counted} {...{ isFailed, currency }} />
          <Toolbar {...{ total, isNarrow }}>{filtersButton}</Toolbar>
          <Chips total={total} />
          <PastedPlace />
          <News {...{ isSlow, failure }} isOutdated={shown.isOutdated} onShow={shown.catchUp} />
          <RowsPlace {...{ page, shown, isWaiting, isUnclear, currency, isNarrow }} error={failure?.error} />
          {failure === undefined && page.data !== undefined && page.data.total > 0 && (
            <Pager page={page.data} />
          )}
        </>
      )}
    </FilteredPage>
  );
}

/** As high as what is said of the numbers. */
const FoundNumbers = later(
  'FoundNumbers',
  () => import('../filters/found-numbers.tsx'),
  () => <p className="found-numbers" />,
);

function PastedPlace() {
  const { list, view } = useShown();
  const filter = numbersFilter(list);
  const numbers = filter === undefined ? [] : valuesOf(view, filter.name);
  if (filter === undefined || numbers.length < 2) return null;
  return <FoundNumbers key={numbers.join()} filter={filter} numbers={numbers.map(String)} />;
}

interface RowsPlaceProps {
  readonly page: UseQueryResult<PageOfRows>;
  readonly error: unknown;
  readonly shown: ReturnType<typeof useShownRows>;
  readonly isUnclear: boolean;
  readonly currency: string | undefined;
  readonly isNarrow: boolean;
}

const AIR = 10;

/**
 * Scrolls to the first row when `key` changes, which distinguishes the rows of different queries. What is
 * above the rows stays out of sight if it was.
 */
function useFirstRow(key: string): RefObject<HTMLDivElement | null> {
  const rows = useRef<HTMLDivElement>(null);
  const shown = useRef(key);
  useLayoutEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    if (rows.current !== null) scrollBack(rows.current);
  }, [key]);
  return rows;
}

/** Scrolls to the top of an element if that is above the visible part. */
function scrollBack(element: HTMLElement): void {
  const list = element.closest('.content');
  if (list === null) return;
  // On a narrow screen the list scrolls with the page.
  const isOwn = getComputedStyle(list).overflowY !== 'visible';
  const toolbar = list.querySelector('.toolbar')?.getBoundingClientRect();
  const edge = Math.max(isOwn ? list.getBoundingClientRect().top : AIR, toolbar?.bottom ?? 0);
  const hidden = edge - element.getBoundingClientRect().top;
  if (hidden > 0) (isOwn ? list : window).scrollBy(0, -hidden);
}

function RowsPlace({ isWaiting, ...props }: RowsPlaceProps & { readonly isWaiting: boolean }) {
  const place = useFirstRow(props.shown.key);
  const { page, shown, error, isUnclear } = props;
  const isKnown = !isUnclear && error === undefined && page.data !== undefined && !page.isPlaceholderData;
  const isNothing = isKnown && shown.rows?.length === 0;
  return (
    <div
      ref={place}
      className="rows"
      tabIndex={-1}
      data-loading={(isWaiting && props.page.isPlaceholderData) || undefined}
    >
      <RowsStatus page={isKnown ? page.data : undefined}>
        {isNothing && <NothingFound total={page.data.total} />}
      </RowsStatus>
      {!isNothing && <Rows {...props} />}
    </div>
  );
}

function Rows({ page, error, shown, isUnclear, currency, isNarrow }: RowsPlaceProps) {
  const { data } = page;
  const rows = shown.rows;
  if (isUnclear) return isNarrow ? <CardsSkeleton /> : <TableSkeleton />;
  if (error !== undefined) return <Trouble error={error} query={page} />;
  if (rows === undefined || data === undefined) return isNarrow ? <CardsSkeleton /> : <TableSkeleton />;
  const props = { shown: { ...shown, rows }, currency, isLoading: page.isPlaceholderData };
  return isNarrow ? <Cards {...props} /> : <Table {...props} />;
}
