// What happened to an item, the newest first.

import type { UseQueryResult } from '@tanstack/react-query';
import { type ActivityPart, keyOf } from '../activity/entries.ts';
import { EventMark } from '../activity/entry.tsx';
import { useShown, ViewLink } from '../address.tsx';
import { activityList, EMPTY_VIEW } from '../contract.ts';
import { Time } from '../list/value.tsx';
import { texts } from '../texts.ts';
import { shownTime } from '../times.ts';
import { useFailure } from '../waiting.ts';

const words = texts.details;

export function History({ id, history }: { id: number; history: UseQueryResult<ActivityPart> }) {
  const { list } = useShown();
  const failure = useFailure(history, String(id));
  const { data } = history;
  const view = { ...EMPTY_VIEW, filters: { lists: [list.name], ids: [id] } };
  return (
    <section aria-labelledby="details-history">
      <h3 id="details-history">{words.history}</h3>
      {data === undefined ? (
        <div role="status">
          {failure === undefined ? (
            <span className="bone" data-wide />
          ) : (
            <p className="dim">{words.noHistoryYet}</p>
          )}
        </div>
      ) : (
        <>
          <ol className="history">
            {data.entries.map((entry) => (
              <li key={keyOf(entry)} className="flow apart">
                <EventMark event={entry.event} />
                <Time value={entry.at} />
              </li>
            ))}
          </ol>
          <p className="dim">
            {data.entries.length === 0 && `${words.noHistory} `}
            {data.next === undefined ? (
              texts.activity.since(shownTime(data.since).day)
            ) : (
              <ViewLink list={activityList} view={view}>
                {words.allHistory}
              </ViewLink>
            )}
          </p>
        </>
      )}
    </section>
  );
}
