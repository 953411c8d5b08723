// The numbers of a list as ranges, with its filters: each leads to its numbers in the list, and all of them
// are saved as CSV, as forms of porting and telephone systems take them.

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { filterParams, writeQuery } from '../contract.ts';
import { save } from '../export/download.ts';
import { Chips } from '../filters/chips.tsx';
import { FilteredPage, Filters } from '../filters/filters.tsx';
import { Icon } from '../icons.tsx';
import { rangesFile } from '../linecard.ts';
import { News } from '../list/news.tsx';
import { NothingFound } from '../list/nothing-found.tsx';
import { Pager, RowsStatus } from '../list/pager.tsx';
import { useNumberFormats } from '../list/value.tsx';
import { facetsQuery, rangesQuery } from '../queries.ts';
import { currentSession } from '../session.ts';
import { useTitle } from '../shell/title.ts';
import { onceSentenceOf, Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { useFailure, useWaiting } from '../waiting.ts';
import { fieldLabel } from '../words.ts';
import { rangesLink, rangesParams, type Ranges as Shown } from './address.ts';
import { RangeRows } from './range-rows.tsx';

const words = texts.ranges;

export function Ranges({ shown }: { readonly shown: Shown }) {
  const { list, view } = useShown();
  useNumberFormats();
  const query = useQuery(rangesQuery(list, view, shown));
  const { failure, isWaiting, isSlow } = useWaiting(query, writeQuery(rangesParams(view, shown)));
  const facets = useQuery(facetsQuery(list, view));
  const isUncounted = useFailure(facets, writeQuery(filterParams(view))) !== undefined;
  const { data } = query;
  const isCurrent = failure === undefined && !query.isPlaceholderData;
  const matches = facets.isPlaceholderData ? undefined : facets.data?.total;
  useTitle(words.title(list.title));
  return (
    <FilteredPage
      filters={<Filters facets={facets.data} isFailed={isUncounted} />}
      total={matches}
      isOld={facets.isPlaceholderData}
    >
      {(filtersButton) => (
        <>
          <div className="flow compare-head">
            <h1>{words.title(list.title)}</h1>
            {filtersButton}
            <SaveButton shown={shown} isOff={data === undefined || data.total === 0} />
            <ViewLink list={list} view={{ ...view, page: 1 }}>
              {texts.compare.list}
            </ViewLink>
          </div>
          <Splits shown={shown} />
          <Chips total={matches} />
          <News {...{ isSlow, failure }} />
          <div className="rows" data-loading={(isWaiting && query.isPlaceholderData) || undefined}>
            <RowsStatus noun={words.count} page={isCurrent ? data : undefined}>
              {failure === undefined && data?.data.length === 0 && <NothingFound total={data.total} />}
            </RowsStatus>
            {failure !== undefined && <Trouble error={failure.error} query={query} />}
            {failure === undefined && data === undefined && (
              <p className="bone" data-wide role="status" aria-label={texts.loading} />
            )}
            {failure === undefined && data !== undefined && data.data.length > 0 && (
              <RangeRows ranges={data.data} shown={shown} />
            )}
          </div>
          {failure === undefined && data !== undefined && data.total > 0 && (
            <Pager page={data} noun={words.count} />
          )}
        </>
      )}
    </FilteredPage>
  );
}

/** Where else a new range begins. */
function Splits({ shown }: { readonly shown: Shown }) {
  const { list, view } = useShown();
  const splits = [undefined, ...list.splits];
  return (
    <nav className="flow presets compare-by" aria-label={words.split}>
      {splits.map((split) => (
        <ViewLink
          key={split?.name ?? ''}
          {...rangesLink(list, view, split)}
          className="preset"
          data-on={split === shown.split || undefined}
          aria-current={split === shown.split ? 'page' : undefined}
        >
          {split === undefined ? words.whole : words.splitBy(fieldLabel(split))}
        </ViewLink>
      ))}
    </nav>
  );
}

/** Saves all ranges, or says why not. */
function SaveButton({ shown, isOff }: { readonly shown: Shown; readonly isOff: boolean }) {
  const { list, view } = useShown();
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<string>();
  const onClick = async () => {
    const { token } = currentSession();
    if (isOff || isRunning || token === undefined) return;
    setRunning(true);
    setFault(undefined);
    try {
      const splits = shown.split === undefined ? [] : [shown.split.name];
      save(await rangesFile(token, rangesParams(view, shown), splits), `${words.title(list.title)}.csv`);
    } catch (error) {
      setFault(onceSentenceOf(error));
    } finally {
      setRunning(false);
    }
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="download" size={16} />}
        data-disabled={isOff || isRunning}
        aria-disabled={isOff || isRunning}
        onClick={() => void onClick()}
      >
        {texts.export.csv}
      </Button>
      <span role="alert" className="failure">
        {fault}
      </span>
    </>
  );
}
