// The numbers of a list as ranges, with its filters: each leads to its numbers in the list, and all of them
// are saved as CSV, as forms of porting and telephone systems take them.

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useState } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { type FieldFacts, filterParams, type ListFacts, type View, writeQuery } from '../contract.ts';
import { save } from '../export/download.ts';
import { Chips } from '../filters/chips.tsx';
import { FilteredPage, Filters } from '../filters/filters.tsx';
import { fractionDigits, plural, shownCount } from '../format.ts';
import { Icon } from '../icons.tsx';
import { type NumberRange, rangesFile } from '../linecard.ts';
import { News } from '../list/news.tsx';
import { NothingFound } from '../list/nothing-found.tsx';
import { Pager } from '../list/pager.tsx';
import { useNumberFormats, Value } from '../list/value.tsx';
import { accountQuery, facetsQuery, rangesQuery } from '../queries.ts';
import { faultOf } from '../reading.ts';
import { currentSession } from '../session.ts';
import { useTitle } from '../shell/title.ts';
import { onceSentenceOf, Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { canFilter, withFilter } from '../view.ts';
import { useFailure, useWaiting } from '../waiting.ts';
import { fieldLabel } from '../words.ts';
import { rangesId, rangesParams, type Ranges as Shown } from './address.ts';

const words = texts.ranges;

export function Ranges({ shown }: { readonly shown: Shown }) {
  const { list, view } = useShown();
  useNumberFormats();
  const query = useQuery(rangesQuery(list, view, shown));
  const { failure, isWaiting, isSlow } = useWaiting(query, writeQuery(rangesParams(view, shown)));
  const facets = useQuery(facetsQuery(list, view));
  const isUncounted = useFailure(facets, writeQuery(filterParams(view))) !== undefined;
  const { data } = query;
  useTitle(words.title(list.title));
  return (
    <FilteredPage
      filters={<Filters facets={facets.data} isFailed={isUncounted} />}
      total={facets.isPlaceholderData ? undefined : facets.data?.total}
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
          <Chips total={facets.isPlaceholderData ? undefined : facets.data?.total} />
          <News isSlow={isSlow} />
          <div className="rows" data-loading={(isWaiting && query.isPlaceholderData) || undefined}>
            <div role="status">
              {failure === undefined && data?.data.length === 0 && <NothingFound total={data.total} />}
            </div>
            {failure !== undefined && <Trouble error={failure.error} query={query} />}
            {failure === undefined && data === undefined && (
              <p className="bone" data-wide role="status" aria-label={texts.loading} />
            )}
            {failure === undefined && data !== undefined && data.data.length > 0 && (
              <RangesTable ranges={data.data} shown={shown} />
            )}
          </div>
          {failure === undefined && data !== undefined && data.total > 0 && <Pager page={data} />}
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
          list={list}
          view={{ ...view, page: 1 }}
          id={rangesId({ split })}
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
      <span role="alert">{fault}</span>
    </>
  );
}

interface TableProps {
  readonly ranges: readonly NumberRange[];
  readonly shown: Shown;
}

function RangesTable({ ranges, shown }: TableProps) {
  const { list } = useShown();
  const { data: account } = useQuery(accountQuery());
  const number = list.fields.find(({ isNumber }) => isNumber) as FieldFacts;
  const country = list.fields.find(({ isCountry }) => isCountry);
  const own = [country, shown.split === country ? undefined : shown.split].filter((one) => one !== undefined);
  // A charge of the list: absent for a token that may not see any.
  const charge = list.fields.find(({ name }) => name === 'monthly');
  const currency = account?.currency ?? undefined;
  const digits = Math.max(0, ...ranges.map(({ monthly }) => fractionDigits(monthly, currency)));
  const style: CSSProperties & Record<`--${string}`, number> = { '--most-digits': digits };
  const hasCharges = charge !== undefined && ranges.every(({ monthly }) => monthly !== undefined);
  return (
    <table className="table compare" style={style}>
      <caption className="hidden">{words.title(list.title)}</caption>
      <thead>
        <tr>
          <Heading text={texts.filters.from} />
          <Heading text={texts.filters.to} />
          <Heading text={texts.compare.count} isRight />
          {own.map(({ name }) => (
            <Heading key={name} text={fieldLabel(name)} />
          ))}
          {hasCharges && <Heading text={texts.compare.monthly} isRight />}
        </tr>
      </thead>
      <tbody>
        {ranges.map((range, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a number that is there twice may be two ranges
          <tr key={i}>
            <th scope="row">
              <RangeLink {...{ list, range, shown, number }} />
            </th>
            <td>
              <Value field={number} row={{ id: 0, [number.name]: range.to }} currency={undefined} />
            </td>
            <td data-right>{shownCount(range.count)}</td>
            {own.map((field) => (
              <td key={field.name}>
                <Value {...{ field, currency }} row={{ id: 0, ...range }} />
              </td>
            ))}
            {hasCharges && (
              <td data-right>
                <Value field={charge} currency={currency} row={{ id: 0, monthly: range.monthly }} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Heading({ text, isRight = false }: { readonly text: string; readonly isRight?: boolean }) {
  return (
    <th scope="col" data-right={isRight || undefined}>
      <span className="unsorted">{text}</span>
    </th>
  );
}

interface LinkProps {
  readonly list: ListFacts;
  readonly range: NumberRange;
  readonly shown: Shown;
  readonly number: FieldFacts;
}

/** The first number of a range, which leads to all of them. */
function RangeLink({ list, range, shown, number }: LinkProps) {
  const { view } = useShown();
  return (
    <ViewLink
      list={list}
      view={viewOfRange(list, view, range, shown)}
      className="row-link"
      title={plural(words.open, range.count)}
    >
      <Value field={number} row={{ id: 0, [number.name]: range.from }} currency={undefined} />
    </ViewLink>
  );
}

/** The numbers of a range in the list; `undefined` for one that no filter names, such as a text. */
function viewOfRange(
  list: ListFacts,
  view: View,
  { from, to, ...members }: NumberRange,
  { split }: Shown,
): View | undefined {
  const named = (test: string) => list.filters.find((filter) => filter.test === test)?.name ?? '';
  const ends = { [named('first')]: from, [named('last')]: to };
  if (faultOf(list, ends) !== undefined) return undefined;
  const within = Object.entries(ends).reduce((all, [name, end]) => withFilter(list, all, name, end), view);
  const value = split && members[split.name as keyof typeof members];
  const filter = list.filters.find(({ field, test }) => field.name === split?.name && test === 'any');
  if (filter === undefined || typeof value !== 'string' || !canFilter(value)) return within;
  return withFilter(list, within, filter.name, [value]);
}
