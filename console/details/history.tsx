// What happened to an item, the newest first.

import { UnstyledButton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Change } from '../activity/change.tsx';
import { type ActivityPart, keyOf } from '../activity/entries.ts';
import { EventMark } from '../activity/entry.tsx';
import { useShown, ViewLink } from '../address.tsx';
import { activityList, EMPTY_VIEW } from '../contract.ts';
import { plural } from '../format.ts';
import type { Happened } from '../linecard.ts';
import { Time } from '../list/value.tsx';
import { texts } from '../texts.ts';
import { shownTime } from '../times.ts';
import { useFailure } from '../waiting.ts';

const words = texts.details;

/** At first: the fields of the item are on the same screen. */
const FEW = 2;

export function History({ id, history }: { id: number; history: UseQueryResult<ActivityPart> }) {
  const { list } = useShown();
  const failure = useFailure(history, String(id));
  const { data } = history;
  const [isOpen, setOpen] = useState(false);
  const shown = data?.entries.slice(0, isOpen ? undefined : FEW) ?? [];
  const rest = (data?.entries.length ?? 0) - shown.length;
  const view = { ...EMPTY_VIEW, filters: { lists: [list.name], ids: [id] } };
  return (
    <section className="history-place" aria-labelledby="details-history">
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
            {shown.map((entry) => (
              <Entry key={keyOf(entry)} entry={entry} />
            ))}
          </ol>
          {rest > 0 && (
            <UnstyledButton className="facet-more" onClick={() => setOpen(true)}>
              {plural(texts.filters.more, rest)}
            </UnstyledButton>
          )}
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

function Entry({ entry: { event, at, items } }: { readonly entry: Happened }) {
  const { list } = useShown();
  return (
    <li className="flow apart">
      <EventMark event={event} />
      <Time value={at} />
      {items.map((item) => (
        <Change key={item.id} list={list} event={event} item={item} />
      ))}
    </li>
  );
}
