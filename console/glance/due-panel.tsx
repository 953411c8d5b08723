// What is overdue and what falls due in the list that is shown, and when. A filter on that chooses one of
// these times: the figures stay, as the overview has them.

import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, useDeferredValue } from 'react';
import { useShown, ViewLink } from '../address.tsx';
import { type ListFacets, type ListFacts, writeView } from '../contract.ts';
import {
  dueTimes,
  isIn,
  isKnown,
  isPriced,
  isSameTime,
  type Payments,
  paymentsIn,
  sumOf,
  type Time,
  timeLabel,
  timeOf,
  viewIn,
} from '../figures.ts';
import { NO_BREAK, plural, shownCharge, shownCount, shownSum } from '../format.ts';
import { dueQuery } from '../queries.ts';
import { texts } from '../texts.ts';
import { useFailure } from '../waiting.ts';
import { withoutDue } from './due.ts';
import { DueChart } from './due-chart.tsx';
import { Panel } from './shares.tsx';
import { UtcDay } from './utc-day.tsx';

const words = texts.glance;

interface DuePanelProps {
  /** Of the list as it is filtered. */
  readonly facets: ListFacets | undefined;
  readonly currency: string | undefined;
}

export function DuePanel({ facets, currency }: DuePanelProps) {
  const { list, view } = useShown();
  const answer = useQuery(dueQuery(list, view));
  const isUnknown = useFailure(answer, writeView(view)) !== undefined;
  // Together with the other figures, which are rendered after the rows.
  const due = useDeferredValue(isUnknown ? undefined : answer.data);
  const at = answer.dataUpdatedAt || Date.now();
  const chosen = timeOf(list, view, at);
  const times = dueTimes(at).map(({ time }) => time);
  const isOther =
    chosen !== undefined && isKnown(chosen, at) && !times.some((one) => isSameTime(one, chosen));
  const paid = due && chosen && paymentsIn(due, chosen);
  // Payments of which an earlier one of the same item is the next.
  const isMore = paid !== undefined && facets !== undefined && paid.count > facets.total;
  const shownTimes = isOther ? [...times, chosen] : times;
  const { unknown } = paidInAny(due, shownTimes);
  // Amounts of many digits are smaller, and stay in one line.
  const digits = shownTimes.map((time) => amountText(due && paymentsIn(due, time), list, currency).length);
  const size: CSSProperties & Record<`--${string}`, number> = { '--characters': Math.max(...digits) };
  return (
    <Panel title={words.due} className="panel-due">
      <ul className="due-sums" style={size}>
        {shownTimes.map((time) => (
          <DueSum key={timeLabel(time, at)} {...{ time, due, chosen, currency, at }} />
        ))}
      </ul>
      <UtcDay className="due-more" />
      <div className="due-notes">
        {unknown > 0 && list.sums.length > 0 && (
          <p className="dim due-more">{texts.overview.unknown(plural(texts.overview.payments, unknown))}</p>
        )}
        {isMore && <p className="dim due-more">{words.repeats}</p>}
      </div>
      {due === undefined ? (
        <div className="due-chart" aria-hidden="true" />
      ) : (
        <DueChart {...{ due, chosen, currency, at }} />
      )}
    </Panel>
  );
}

/** What is paid in any of some times, each payment once. */
function paidInAny(due: ListFacets | undefined, times: readonly Time[]): Payments {
  const { overdue, due_by_day = [] } = due ?? {};
  const days = due_by_day.filter(({ day }) => times.some((time) => isIn(time, day)));
  return sumOf(overdue === undefined ? days : [overdue, ...days]);
}

function amountText(paid: Payments | undefined, { sums }: ListFacts, currency: string | undefined): string {
  if (paid === undefined || (sums.length > 0 && !isPriced(paid))) return texts.empty;
  return sums.length > 0 ? shownSum(paid.amount, currency) : shownCount(paid.count);
}

interface DueSumProps {
  readonly time: Time;
  readonly due: ListFacets | undefined;
  readonly chosen: Time | undefined;
  readonly currency: string | undefined;
  readonly at: number;
}

/** A figure, and the link that lists its items, or all again where it is chosen. */
function DueSum({ time, due, chosen, currency, at }: DueSumProps) {
  const { list, view } = useShown();
  const isMoney = list.sums.length > 0;
  const isOn = isSameTime(time, chosen);
  const paid = due && paymentsIn(due, time);
  const payments = paid === undefined ? NO_BREAK : plural(texts.overview.payments, paid.count);
  return (
    <li>
      <ViewLink
        list={list}
        view={isOn ? withoutDue(list, view) : viewIn(list, view, time)}
        className="due-sum"
        data-on={isOn || undefined}
        data-late={(time.kind === 'overdue' && (paid?.count ?? 0) > 0) || undefined}
        aria-current={isOn || undefined}
        title={
          isMoney && paid !== undefined && isPriced(paid) ? shownCharge(paid.amount, currency) : undefined
        }
      >
        <span>{timeLabel(time, at)}</span>
        <strong>{amountText(paid, list, currency)}</strong>
        {isMoney && <small className="dim">{payments}</small>}
      </ViewLink>
    </li>
  );
}
