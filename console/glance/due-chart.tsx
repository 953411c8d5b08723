// What falls due on each of the next days: a bar for each day, linked to the items that it counts.

import { useQuery } from '@tanstack/react-query';
import { useShown, ViewLink } from '../address.tsx';
import { dueField, filterParams, writeQuery } from '../contract.ts';
import { plural } from '../format.ts';
import { DUE_CHART_DAYS, facetsQuery } from '../queries.ts';
import { texts } from '../texts.ts';
import { comingUtcDays, shownDay } from '../times.ts';
import { useFailure } from '../waiting.ts';
import { boundsOf, withoutBounds } from './due.ts';

const HEIGHT = 44;
const LEAST_HEIGHT = 3;

export function DueChart() {
  const { list, view } = useShown();
  const all = withoutBounds(list, view, dueField);
  const facets = useQuery(facetsQuery(list, all));
  const { data, dataUpdatedAt } = facets;
  if (useFailure(facets, writeQuery(filterParams(all))) !== undefined) return null;
  if (data === undefined) return <div className="due-chart" aria-hidden="true" />;
  const days = comingUtcDays(DUE_CHART_DAYS, dataUpdatedAt).map((day) => ({
    day,
    count: data.due_by_day?.find((one) => one.day === day)?.count ?? 0,
  }));
  const most = Math.max(1, ...days.map(({ count }) => count));
  return (
    <ol className="due-chart">
      {days.map(({ day, count }) => {
        const { weekday, long } = shownDay(day);
        const height = count === 0 ? LEAST_HEIGHT : Math.max(LEAST_HEIGHT * 2, (count / most) * HEIGHT);
        const words = texts.labelled(long, plural(texts.glance.dueCount, count));
        const bounds = boundsOf(list, dueField, day, day);
        const due = { ...view, page: 1, filters: { ...view.filters, ...bounds } };
        return (
          <li key={day}>
            <ViewLink list={list} view={count === 0 ? undefined : due} className="due-day" title={words}>
              <Bar height={height} isEmpty={count === 0} />
              <span aria-hidden="true">{weekday}</span>
              <span className="hidden">{words}</span>
            </ViewLink>
          </li>
        );
      })}
    </ol>
  );
}

function Bar({ height, isEmpty }: { readonly height: number; readonly isEmpty: boolean }) {
  return (
    <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <rect x={1} y={HEIGHT - height} width={8} height={height} rx={1.5} data-empty={isEmpty || undefined} />
    </svg>
  );
}
