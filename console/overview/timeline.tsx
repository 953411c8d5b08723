// What is due on each day of twelve weeks. One day is read out: the one under the pointer, the finger or the
// arrow keys.

import { type CSSProperties, type KeyboardEvent, type MouseEvent, useState } from 'react';
import { goToView, ViewLink } from '../address.tsx';
import { EMPTY_VIEW, type ListFacts } from '../contract.ts';
import { amountOf, countOf, isPriced, type Payments, scaleOf, sumOf, viewIn } from '../figures.ts';
import { plural, shownCount, shownSum } from '../format.ts';
import { Panel } from '../glance/shares.tsx';
import { texts } from '../texts.ts';
import { shownDay } from '../times.ts';
import type { Day, Part } from './money.ts';

const words = texts.overview;
const WIDTH = 10;
const BAR_WIDTH = 7;
const HEIGHT = 120;
const LEAST_HEIGHT = 2;
const WEEK = 7;
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -WEEK,
  PageUp: WEEK,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

interface TimelineProps {
  readonly days: readonly Day[];
  readonly currency: string | undefined;
  readonly lists: readonly ListFacts[];
  /** Counts where the token sees no charges. */
  readonly isMoney: boolean;
}

const dueView = (list: ListFacts, day: string) =>
  viewIn(list, EMPTY_VIEW, { kind: 'days', first: day, last: day });

export function Timeline({ days, currency, lists, isMoney }: TimelineProps) {
  const [chosen, choose] = useState<number>();
  const first = days.findIndex(({ count }) => count > 0);
  const at = chosen ?? Math.max(0, first);
  const day = days[at] as Day;
  const said: Said = (one) => {
    const payments = plural(words.payments, one.count);
    return isMoney && isPriced(one)
      ? `${shownSum(one.amount, currency)}${words.inPayments(payments)}`
      : payments;
  };
  const title = texts.labelled(shownDay(day.day).long, day.count === 0 ? words.nothingDue : said(day));
  return (
    <Panel title={words.timeline} className="panel-timeline">
      <Legend {...{ days, lists, said }} />
      <Chart
        {...{ days, lists, at, title, choose }}
        size={isMoney ? amountOf : countOf}
        sizeText={(size) => (isMoney ? shownSum(size, currency) : shownCount(size))}
      />
      <Weeks days={days} />
      <Readout {...{ day, said, title }} />
    </Panel>
  );
}

interface ChartProps extends BarsProps {
  /** The chosen day, read out. */
  readonly title: string;
  readonly choose: (at: number) => void;
}

function Chart({ days, lists, at, size, sizeText, title, choose }: ChartProps) {
  const within = (i: number) => Math.min(days.length - 1, Math.max(0, i));
  /** The list of the bar that was hit, or of the larger part. */
  const open = (name?: string) => {
    const { day, parts } = days[at] as Day;
    const largest = parts.toSorted((a, b) => size(b) - size(a))[0];
    const { list } = parts.find((part) => part.list.name === name) ?? largest ?? {};
    if (list !== undefined) goToView(list, dueView(list, day));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.key === 'Enter') open();
    else if (step === undefined) return;
    else choose(within(at + step));
    event.preventDefault();
  };
  const onPoint = ({ currentTarget, clientX }: MouseEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    choose(within(Math.floor(((clientX - left) / width) * days.length)));
  };
  const onClick = ({ nativeEvent, target }: MouseEvent<HTMLElement>) => {
    // A finger covers the bar: it reads the day out, and the links below lead on.
    if (nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch') return;
    open((target as Element).closest<SVGElement>('[data-list]')?.dataset['list']);
  };
  return (
    <div
      className="timeline"
      role="slider"
      tabIndex={0}
      aria-label={words.timelineHelp}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={days.length - 1}
      aria-valuenow={at}
      aria-valuetext={title}
      onKeyDown={onKeyDown}
      onPointerMove={onPoint}
      onPointerDown={onPoint}
      onClick={onClick}
    >
      <Bars {...{ days, lists, at, size, sizeText }} />
    </div>
  );
}

type Said = (one: Payments) => string;

function Legend({ days, lists, said }: Pick<TimelineProps, 'days' | 'lists'> & { readonly said: Said }) {
  return (
    <ul className="flow timeline-legend">
      {lists.map((list, i) => {
        const parts = days.flatMap((day) => day.parts.filter((part) => part.list === list));
        const sum = sumOf(parts);
        return sum.count === 0 ? null : (
          <li key={list.name}>
            <span className="dot" data-tone={`rank-${i}`} /> {texts.labelled(list.title, said(sum))}
          </li>
        );
      })}
    </ul>
  );
}

interface BarsProps extends Pick<TimelineProps, 'days' | 'lists'> {
  readonly at: number;
  readonly size: (part: Pick<Part, 'count' | 'amount'>) => number;
  readonly sizeText: (size: number) => string;
}

function Bars({ days, lists, at, size, sizeText }: BarsProps) {
  const scale = scaleOf(
    days.map(({ parts }) => parts.map(size)),
    LEAST_HEIGHT / HEIGHT,
  );
  return (
    <>
      <svg viewBox={`0 0 ${days.length * WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <rect className="timeline-chosen" x={at * WIDTH} y={0} width={WIDTH} height={HEIGHT} />
        {days.map(({ day, parts }, i) => {
          const bars = scale.bars(parts.map(size));
          return (
            <g key={day}>
              {parts.map(({ list }, n) => (
                <rect
                  key={list.name}
                  data-list={list.name}
                  data-tone={`rank-${lists.indexOf(list)}`}
                  x={i * WIDTH + (WIDTH - BAR_WIDTH) / 2}
                  width={BAR_WIDTH}
                  y={(bars[n]?.top ?? 0) * HEIGHT}
                  height={(bars[n]?.height ?? 0) * HEIGHT}
                />
              ))}
            </g>
          );
        })}
        {scale.least < 0 && (
          <line
            className="timeline-zero"
            x1={0}
            x2="100%"
            y1={scale.zero * HEIGHT}
            y2={scale.zero * HEIGHT}
          />
        )}
      </svg>
      <span className="axis-top" aria-hidden="true">
        {scale.most > 0 && sizeText(scale.most)}
      </span>
      {scale.least < 0 && (
        <span className="axis-bottom" aria-hidden="true">
          {sizeText(scale.least)}
        </span>
      )}
    </>
  );
}

/** The first day of each week, below its bar. */
function Weeks({ days }: Pick<TimelineProps, 'days'>) {
  const weeks = days.filter((_, i) => i % WEEK === 0);
  const style: CSSProperties & Record<`--${string}`, number> = { '--weeks': days.length / WEEK };
  return (
    <ol className="timeline-weeks" aria-hidden="true" style={style}>
      {weeks.map(({ day }) => (
        <li key={day}>{shownDay(day).short}</li>
      ))}
    </ol>
  );
}

function Readout({ day, said, title }: { readonly day: Day; readonly said: Said; readonly title: string }) {
  return (
    <div className="flow timeline-readout">
      <strong>{title}</strong>
      {day.parts.map((part) => (
        <ViewLink key={part.list.name} list={part.list} view={dueView(part.list, day.day)}>
          {texts.labelled(part.list.title, said(part))}
        </ViewLink>
      ))}
    </div>
  );
}
