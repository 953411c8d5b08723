// What happened to the numbers and services of the account: by day, the newest first.

import { Button, Loader } from '@mantine/core';
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { Addressed } from '../addressed.tsx';
import { activityList, filterParams, type View, writeQuery } from '../contract.ts';
import { Chips } from '../filters/chips.tsx';
import { FilteredPage } from '../filters/filters.tsx';
import { plural } from '../format.ts';
import { News } from '../list/news.tsx';
import { useNumberFormats, useToday } from '../list/value.tsx';
import { accountQuery, activityQuery, newestQuery } from '../queries.ts';
import { PageLink, useAddress } from '../router.tsx';
import { Fence } from '../shell/later.tsx';
import { useTitle } from '../shell/title.ts';
import { onceSentenceOf, Trouble, TroublePage } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { shownDay, shownTime } from '../times.ts';
import { isFiltered, withoutFilters } from '../view.ts';
import { useWaiting } from '../waiting.ts';
import { ActivityFilters } from './activity-filters.tsx';
import { type ActivityPart, byDay, type DayOfEvents, keyOf } from './entries.ts';
import { Entry } from './entry.tsx';
import { useSeen } from './flagged.tsx';

const words = texts.activity;
const SKELETON_ENTRIES = [1, 2, 3, 4, 5, 6];
const NO_PARTS: readonly ActivityPart[] = [];

const firstPageOf = <Page, Param>({ pages, pageParams }: InfiniteData<Page, Param>) => ({
  pages: pages.slice(0, 1),
  pageParams: pageParams.slice(0, 1),
});
/** Times of the API sort as text. */
const startOf = (part: ActivityPart | undefined) => part?.entries[0]?.at ?? '';

export function ActivityPage() {
  const { text } = useAddress();
  return (
    <Fence around={text} instead={(error) => <TroublePage error={error} list={activityList} />}>
      <Addressed list={activityList}>
        <ActivityView />
      </Addressed>
    </Fence>
  );
}

/**
 * The entries of a view. A change requests the newest one alone, and the reader decides when the page begins
 * with it: nothing jumps, and pages that are shown are not requested again.
 */
function useEntries(view: View) {
  const options = activityQuery(view);
  const query = useInfiniteQuery(options);
  const queries = useQueryClient();
  const parts = query.data?.pages ?? NO_PARTS;
  const entries = useMemo(() => parts.flatMap((part) => part.entries), [parts]);
  const [first] = query.isPlaceholderData ? [] : parts;
  const newest = useQuery({
    ...newestQuery(view),
    ...(first === undefined ? { enabled: false } : { initialData: first }),
  });
  const isOutdated = first !== undefined && startOf(newest.data) > startOf(first);
  const catchUp = () => {
    queries.setQueryData(options.queryKey, (data) => data && firstPageOf(data));
    void query.refetch();
  };
  return { query, key: writeQuery(filterParams(view)), parts, entries, isOutdated, catchUp };
}

function ActivityView() {
  const { view } = useShown();
  useNumberFormats();
  useToday();
  useTitle(words.title);
  useSeen(useQuery(accountQuery()).data);
  const { query, key, parts, entries, isOutdated, catchUp } = useEntries(view);
  const { failure, isWaiting, isSlow } = useWaiting(query, key);
  const [part] = parts;
  return (
    <FilteredPage filters={<ActivityFilters />} total={null}>
      {(filtersButton) => (
        <div className="happenings" data-loading={(isWaiting && query.isPlaceholderData) || undefined}>
          <Head since={part?.since}>{filtersButton}</Head>
          <Chips total={undefined} />
          <News {...{ isSlow, failure, isOutdated }} onShow={catchUp} />
          {failure !== undefined ? (
            <Trouble error={failure.error} query={query} />
          ) : part === undefined ? (
            <Skeleton />
          ) : (
            <>
              <Days entries={entries} />
              <More query={query} count={entries.length} />
            </>
          )}
        </div>
      )}
    </FilteredPage>
  );
}

function Head({ since, children }: { readonly since: string | undefined; readonly children: ReactNode }) {
  return (
    <div className="flow happenings-head">
      <h1>{words.title}</h1>
      <p className="dim">{since !== undefined && words.since(shownTime(since).day)}</p>
      <PageLink path="notifications">{texts.notifications.title}</PageLink>
      {children}
    </div>
  );
}

function Skeleton() {
  return (
    <div role="status" aria-label={texts.loading} aria-busy="true">
      {SKELETON_ENTRIES.map((n) => (
        <span key={n} className="bone" data-wide />
      ))}
    </div>
  );
}

function Days({ entries }: { readonly entries: DayOfEvents['entries'] }) {
  if (entries.length === 0) return <NothingHappened />;
  return byDay(entries).map(({ day, entries: ofDay }) => (
    <section key={day} aria-labelledby={`day-${day}`}>
      <h2 id={`day-${day}`}>
        {shownDay(day).long}{' '}
        <span className="dim">{ofDay[0] !== undefined && shownTime(ofDay[0].at).relative}</span>
      </h2>
      <ol>
        {ofDay.map((entry) => (
          <Entry key={keyOf(entry)} entry={entry} />
        ))}
      </ol>
    </section>
  ));
}

function NothingHappened() {
  const { list, view } = useShown();
  const isNarrowed = isFiltered(view);
  return (
    <div className="empty" role="status">
      <h2>{isNarrowed ? texts.nothingFound.title : words.nothing}</h2>
      {isNarrowed ? (
        <ViewLink list={list} view={withoutFilters(view)} className="way-out">
          {texts.filters.clear}
        </ViewLink>
      ) : (
        <p>{words.nothingHint}</p>
      )}
    </div>
  );
}

/** The button stays in place while it works, and keeps the focus. */
function More({ query, count }: Pick<ReturnType<typeof useEntries>, 'query'> & { readonly count: number }) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = query;
  return (
    <div className="happenings-more">
      <p className="hidden" role="status">
        {plural(words.count, count)}
      </p>
      {isFetchNextPageError && (
        <p role="alert" className="failure">
          {onceSentenceOf(error)}
        </p>
      )}
      {hasNextPage && (
        <Button
          variant="default"
          aria-disabled={isFetchingNextPage}
          leftSection={isFetchingNextPage ? <Loader size={14} /> : undefined}
          onClick={() => isFetchingNextPage || void fetchNextPage()}
        >
          {words.more}
        </Button>
      )}
    </div>
  );
}
