// A view of a list, put together: filters beside it, what matters at a glance above it, the rows, and the
// details of one.

import { UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Component, type ReactNode, Suspense, useDeferredValue, useEffect, useRef, useState } from 'react';
import { Addressed, useAddressText, useList, useShown, ViewLink } from '../address.tsx';
import { EMPTY_VIEW } from '../contract.ts';
import { Chips } from '../filters/chips.tsx';
import { Filters } from '../filters/filters.tsx';
import { loadNumberFormats } from '../format.ts';
import { Glance } from '../glance/glance.tsx';
import type { PageOfRows } from '../linecard.ts';
import { type LiveState, useLive } from '../live.ts';
import { accountQuery, facetsQuery, pageQuery } from '../queries.ts';
import { later } from '../shell/later.tsx';
import { NoSuchPage } from '../shell/shell.tsx';
import { Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { Cards, CardsSkeleton } from './cards.tsx';
import { useFirstRow } from './first-row.ts';
import { NothingFound } from './nothing-found.tsx';
import { Pager } from './pager.tsx';
import { useShownRows } from './shown-rows.ts';
import { Table, TableSkeleton } from './table.tsx';
import { Toolbar } from './toolbar.tsx';

/** On paper a table is a table. */
const NARROW = 'screen and (max-width: 47.99em)';

const Details = later('Details', () => import('../details/details.tsx'));
const FiltersDrawer = later('FiltersDrawer', () => import('../filters/filters-drawer.tsx'));

/** Shows what an address is wrong about, or a fault of ours, in the place of the view. */
class Fence extends Component<
  { readonly around: string; readonly children: ReactNode },
  { error?: unknown }
> {
  override state: { error?: unknown } = {};
  static getDerivedStateFromError(error: unknown) {
    return { error };
  }
  override componentDidUpdate({ around }: { readonly around: string }) {
    if (around !== this.props.around && this.state.error !== undefined) this.setState({ error: undefined });
  }
  override render() {
    if (this.state.error === undefined) return this.props.children;
    return <BadAddress error={this.state.error} />;
  }
}

function BadAddress({ error }: { readonly error: unknown }) {
  const list = useList();
  return (
    <main id="list" className="plain-page">
      <h1 className="hidden">{list?.title}</h1>
      <Trouble error={error}>
        {list !== undefined && (
          <ViewLink list={list} view={EMPTY_VIEW}>
            {texts.trouble.start}
          </ViewLink>
        )}
      </Trouble>
    </main>
  );
}

export function ListPage() {
  const list = useList();
  const text = useAddressText();
  if (list === undefined) return <NoSuchPage />;
  return (
    <Fence around={`${list.name}?${text}`}>
      <Addressed list={list}>
        <ListView key={list.name} />
      </Addressed>
    </Fence>
  );
}

/** What was known last: filters stay where they are while new counts fail to come. */
function useLast<T>(known: T | undefined): T | undefined {
  const last = useRef(known);
  useEffect(() => {
    if (known !== undefined) last.current = known;
  }, [known]);
  return known ?? last.current;
}

function ListView() {
  const { list, view, id } = useShown();
  const isNarrow = useMediaQuery(NARROW, window.matchMedia(NARROW).matches);
  const [isFiltering, setFiltering] = useState(false);
  const live = useLive(list);
  // Where they do not come, numbers are shown as they are stored; the next list asks again.
  useEffect(() => void loadNumberFormats().catch(() => {}), []);
  const page = useQuery(pageQuery(list, view));
  const facets = useQuery(facetsQuery(list, view));
  const { data: account } = useQuery(accountQuery());
  // The rows come first: what is counted of them is drawn when they are to be seen.
  const counted = useDeferredValue(facets.data);
  const currency = facets.data?.currency ?? account?.currency ?? undefined;
  const shown = useShownRows(view, page.data, !page.isPlaceholderData);
  useEffect(() => {
    document.title = `${list.title} · ${texts.product}`;
  }, [list]);
  const filters = <Filters facets={useLast(counted)} />;
  return (
    <div className="layout">
      <aside className="sidebar" aria-label={texts.filters.title}>
        {filters}
      </aside>
      <main id="list" className="content" tabIndex={-1}>
        <h1 className="hidden">{list.title}</h1>
        <Glance facets={counted} currency={currency} at={facets.dataUpdatedAt} />
        <Toolbar total={page.data?.total} isNarrow={isNarrow} onFilters={() => setFiltering(true)} />
        <Chips total={page.data?.total} />
        <News state={live} isBehind={shown.isBehind} onShow={shown.catchUp} />
        <RowsPlace page={page} shown={shown} currency={currency} isNarrow={isNarrow} />
        {page.data !== undefined && page.data.total > 0 && <Pager page={page.data} />}
      </main>
      {isFiltering && (
        <Suspense>
          <FiltersDrawer total={page.data?.total} onClose={() => setFiltering(false)}>
            {filters}
          </FiltersDrawer>
        </Suspense>
      )}
      {id !== undefined && (
        <Suspense>
          <Details id={id} rows={shown.rows} currency={currency} />
        </Suspense>
      )}
    </div>
  );
}

interface RowsPlaceProps {
  readonly page: UseQueryResult<PageOfRows>;
  readonly shown: ReturnType<typeof useShownRows>;
  readonly currency: string | undefined;
  readonly isNarrow: boolean;
}

function RowsPlace(props: RowsPlaceProps) {
  const { page, shown } = props;
  const place = useFirstRow(shown.key);
  return (
    <div
      ref={place}
      className="rows"
      data-loading={page.isFetching && page.isPlaceholderData ? true : undefined}
    >
      <Rows {...props} />
    </div>
  );
}

function Rows({ page, shown, currency, isNarrow }: RowsPlaceProps) {
  const { error, data } = page;
  const rows = shown.rows;
  if (error !== null && (data === undefined || page.isPlaceholderData)) {
    return <Trouble error={error} onAgain={() => void page.refetch()} isAgain={page.isFetching} />;
  }
  if (rows === undefined || data === undefined) return isNarrow ? <CardsSkeleton /> : <TableSkeleton />;
  if (rows.length === 0 && !page.isPlaceholderData) return <NothingFound total={data.total} />;
  const props = { shown: { ...shown, rows }, currency, isLoading: page.isPlaceholderData };
  return isNarrow ? <Cards {...props} /> : <Table {...props} />;
}

interface NewsProps {
  readonly state: LiveState;
  readonly isBehind: boolean;
  readonly onShow: () => void;
}

/** Says quietly what there is to know: that the list moved on, or that the service cannot be reached. */
function News({ state, isBehind, onShow }: NewsProps) {
  return (
    <div className="news" role="status" data-on={isBehind || state === 'away' || undefined}>
      {state === 'away' && <span>{texts.live.away}</span>}
      {isBehind && (
        <>
          <span>{texts.live.changed}</span>
          <UnstyledButton className="news-show" onClick={onShow}>
            {texts.live.show}
          </UnstyledButton>
        </>
      )}
    </div>
  );
}
