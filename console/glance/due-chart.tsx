// What falls due on each of the next days: a bar for each day, linked to the items of its list.

import { useShown, ViewLink } from '../address.tsx';
import type { ListFacets } from '../contract.ts';
import {
  amountOf,
  countOf,
  isIn,
  isPriced,
  paymentsIn,
  type Scale,
  scaleOf,
  type Time,
  viewIn,
} from '../figures.ts';
import { plural, shownCount, shownSum } from '../format.ts';
import { texts } from '../texts.ts';
import { comingUtcDays, shownDay } from '../times.ts';

/** Two weeks, which fit on a phone. */
const DAYS = 14;
const HEIGHT = 44;
const LEAST_HEIGHT = 3;

interface DueChartProps {
  /** Of all days. */
  readonly due: ListFacets;
  /** Other days are dim. */
  readonly chosen: Time | undefined;
  readonly currency: string | undefined;
  readonly at: number;
}

export function DueChart({ due, chosen, currency, at }: DueChartProps) {
  const { list, view } = useShown();
  const isMoney = list.sums.length > 0;
  const days = comingUtcDays(DAYS, at).map((day) => {
    const time = { kind: 'days', first: day, last: day } as const;
    return { day, time, paid: paymentsIn(due, time) };
  });
  const sizes = days.map(({ paid }) => [isMoney ? amountOf(paid) : countOf(paid)]);
  const scale = scaleOf(sizes, (LEAST_HEIGHT * 2) / HEIGHT);
  return (
    <div className="due-days">
      <span className="axis-top" aria-hidden="true">
        {[scale.most, scale.least]
          .filter((size) => size !== 0)
          .map((size) => (isMoney ? shownSum(size, currency) : shownCount(size)))
          .join(' · ')}
      </span>
      <ol className="due-chart">
        {days.map(({ day, time, paid }, i) => {
          const { weekday, long } = shownDay(day);
          const payments = plural(texts.overview.payments, paid.count);
          const said =
            isMoney && paid.count > 0 && isPriced(paid)
              ? `${shownSum(paid.amount, currency)} · ${payments}`
              : payments;
          const words = texts.labelled(long, said);
          return (
            <li key={day} data-off={(chosen !== undefined && !isIn(chosen, day)) || undefined}>
              <ViewLink
                list={list}
                view={paid.count === 0 ? undefined : viewIn(list, view, time)}
                className="due-day"
                title={words}
              >
                <DayBar bar={scale.bars(sizes[i] ?? [])[0]} scale={scale} isEmpty={paid.count === 0} />
                <span aria-hidden="true">{weekday}</span>
                <span className="hidden">{words}</span>
              </ViewLink>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

interface DayBarProps {
  readonly bar: { readonly top: number; readonly height: number } | undefined;
  readonly scale: Scale;
  readonly isEmpty: boolean;
}

function DayBar({ bar, scale: { zero, least }, isEmpty }: DayBarProps) {
  const height = isEmpty ? LEAST_HEIGHT : (bar?.height ?? 0) * HEIGHT;
  const y = isEmpty ? Math.max(0, zero * HEIGHT - height) : (bar?.top ?? 0) * HEIGHT;
  return (
    <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <rect x={1} y={y} width={8} height={height} rx={1.5} data-empty={isEmpty || undefined} />
      {least < 0 && <line x1={0} x2={10} y1={zero * HEIGHT} y2={zero * HEIGHT} />}
    </svg>
  );
}
