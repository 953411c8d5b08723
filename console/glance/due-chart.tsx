// What falls due on each of the next days: a bar for each day, linked to the items that it counts.

import { useQuery } from '@tanstack/react-query';
import { useShown, ViewLink } from '../address.tsx';
import { filterParams, writeQuery } from '../contract.ts';
import { plural } from '../format.ts';
import { dueQuery } from '../queries.ts';
import { texts } from '../texts.ts';
import { shownDay } from '../times.ts';
import { useFailure } from '../waiting.ts';

const HEIGHT = 44;
const LEAST_HEIGHT = 3;

export function DueChart() {
  const { list, view } = useShown();
  const due = useQuery(dueQuery(list, view));
  const { data: days } = due;
  if (useFailure(due, writeQuery(filterParams(view))) !== undefined) return null;
  if (days === undefined) return <div className="due-chart" aria-hidden="true" />;
  const most = Math.max(1, ...days.map(({ count }) => count));
  return (
    <ol className="due-chart">
      {days.map(({ day, count, bounds }) => {
        const { weekday, long } = shownDay(day);
        const height = count === 0 ? LEAST_HEIGHT : Math.max(LEAST_HEIGHT * 2, (count / most) * HEIGHT);
        const words = texts.labelled(long, plural(texts.glance.dueCount, count));
        const inside = (
          <>
            <Bar height={height} isEmpty={count === 0} />
            <span aria-hidden="true">{weekday}</span>
          </>
        );
        return (
          <li key={day}>
            {count === 0 ? (
              <span className="due-day" title={words}>
                {inside}
                <span className="hidden">{words}</span>
              </span>
            ) : (
              <ViewLink
                list={list}
                view={{ ...view, page: 1, filters: { ...view.filters, ...bounds } }}
                className="due-day"
                aria-label={words}
                title={words}
              >
                {inside}
              </ViewLink>
            )}
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
