// What each value of a filter costs, or how many items have it, as ranked bars.

import { UnstyledButton } from '@mantine/core';
import { type CSSProperties, useState } from 'react';
import { ViewLink } from '../address.tsx';
import { EMPTY_VIEW, type FilterFacts } from '../contract.ts';
import { filterLabel, filterValueLabel } from '../filters/words.ts';
import { plural, shownCharge, shownCount, shownSum } from '../format.ts';
import { CompareLink, Panel } from '../glance/shares.tsx';
import { texts } from '../texts.ts';
import { canFilter, withFilter } from '../view.ts';
import { type Counted, type Rank, rankingOf } from './money.ts';

const MOST_SHOWN = 6;

interface SpendProps {
  readonly all: readonly Counted[];
  /** The name of the filter. */
  readonly filter: string;
  readonly currency: string | undefined;
  readonly seesCharges: boolean;
}

export function Spend({ all, filter: name, currency, seesCharges }: SpendProps) {
  const [isOpen, setOpen] = useState(false);
  const filter = all.flatMap(({ list }) => list.filters).find((one) => one.name === name);
  if (filter === undefined) return null;
  const { ranks, rest, others } = rankingOf(all, name, seesCharges);
  const size = (one: Pick<Rank, 'count' | 'price'>) => (seesCharges ? one.price : one.count);
  const most = Math.max(...[...ranks, rest].map((one) => Math.abs(size(one))));
  const bar = (one: Pick<Rank, 'count' | 'price'>) => ({
    share: most === 0 ? 0 : size(one) / most,
    value: seesCharges ? shownSum(one.price, currency) : shownCount(one.count),
    exact: seesCharges ? shownCharge(one.price, currency) : undefined,
  });
  const label = filterLabel(filter);
  const comparedIn = all.find(({ list }) => list.filters.includes(filter))?.list;
  const values = ranks.map(({ value }) => value);
  const more = comparedIn !== undefined && (
    <CompareLink list={comparedIn} view={EMPTY_VIEW} {...{ filter, values }} />
  );
  return (
    <Panel
      title={seesCharges ? texts.compare.title(texts.compare.monthly, label) : texts.glance.by(label)}
      more={more}
    >
      <ul>
        {ranks.slice(0, isOpen ? ranks.length : MOST_SHOWN).map((rank) => (
          <li key={rank.key}>
            <RankLine rank={rank} filter={filter} {...bar(rank)} />
          </li>
        ))}
        {rest.count > 0 && (isOpen || ranks.length <= MOST_SHOWN) && (
          <li className="rank">
            <Bar label={texts.glance.rest} tone="rest" {...bar(rest)} />
          </li>
        )}
      </ul>
      {ranks.length > MOST_SHOWN && (
        <UnstyledButton className="part-fewer" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? texts.filters.fewer : plural(texts.filters.more, ranks.length - MOST_SHOWN)}
        </UnstyledButton>
      )}
      {others.map((one) => (
        <ViewLink key={one.list.name} list={one.list} view={EMPTY_VIEW} className="rank rank-list">
          <span>{one.list.title}</span>
          <span className="part-count">{bar(one).value}</span>
        </ViewLink>
      ))}
    </Panel>
  );
}

interface BarProps {
  /** Of the longest bar; a credit is below 0. */
  readonly share: number;
  readonly value: string;
  readonly exact: string | undefined;
}

function RankLine({
  rank,
  filter,
  ...bar
}: BarProps & { readonly rank: Rank; readonly filter: FilterFacts }) {
  const { list, value } = rank;
  const view = withFilter(list, EMPTY_VIEW, filter.name, [value]);
  return (
    // A query drops empty values: it would lead to the whole list.
    <ViewLink list={list} view={canFilter(value) ? view : undefined} className="rank" title={bar.exact}>
      <Bar label={filterValueLabel(filter, value)} tone="rank-0" {...bar} />
    </ViewLink>
  );
}

function Bar({ label, share, value, tone }: BarProps & { readonly label: string; readonly tone: string }) {
  const style: CSSProperties & Record<`--${string}`, number> = { '--share': Math.abs(share) };
  return (
    <>
      <span className="part-label" dir="auto">
        {label}
      </span>
      <span className="part-count">{value}</span>
      <span
        className="rank-bar"
        data-tone={share < 0 ? 'rest' : tone}
        data-none={share === 0 || undefined}
        style={style}
        aria-hidden="true"
      />
    </>
  );
}
