// What an import did to the items of a list: when, what, to how many, and the first of them by name.

import { useLists, ViewLink } from '../address.tsx';
import { EMPTY_VIEW, type ListFacts, removedEvent, replacedEvent } from '../contract.ts';
import { plural, shownItems } from '../format.ts';
import { Icon } from '../icons.tsx';
import type { Happened } from '../linecard.ts';
import { headline } from '../list/columns.ts';
import { Value } from '../list/value.tsx';
import { texts } from '../texts.ts';
import { shownTime } from '../times.ts';
import { withFilter } from '../view.ts';
import { eventLabel, eventTones, fieldLabel } from '../words.ts';
import { Change } from './change.tsx';
import { NAMED_ITEMS } from './entries.ts';

const words = texts.activity;

export function EventMark({ event }: { readonly event: string }) {
  const tone = eventTones[event];
  return (
    <span className="pill" data-tone={tone ?? 'plain'}>
      {tone === 'bad' && <Icon name="flag" size={13} />}
      {eventLabel(event)}
    </span>
  );
}

export function Entry({ entry }: { readonly entry: Happened }) {
  const { at, event, list: name } = entry;
  const { time, full } = shownTime(at);
  const list = useLists().find((one) => one.name === name);
  return (
    <li className="happened">
      <time dateTime={at} title={full} className="time dim">
        {time}
      </time>
      <EventMark event={event} />
      {list !== undefined && (
        <div className="flow happened-items">
          <Count list={list} entry={entry} />
          {event === replacedEvent && <p className="dim">{words.unnamed}</p>}
          <Names list={list} entry={entry} />
        </div>
      )}
    </li>
  );
}

interface OfList {
  readonly list: ListFacts;
  readonly entry: Happened;
}

/** How many, as a link to them where the list still has them and the entry names all. */
function Count({ list, entry: { event, count, ids } }: OfList) {
  const items = shownItems(list, count);
  const view = event === replacedEvent ? EMPTY_VIEW : withFilter(list, EMPTY_VIEW, 'ids', ids);
  const isGone = event === removedEvent;
  const isAll = event === replacedEvent || ids.length === count;
  return (
    <>
      <span className="happened-count">
        <ViewLink list={list} view={isAll && !isGone ? view : undefined}>
          {items}
        </ViewLink>
      </span>
      {!isAll && !isGone && (
        <ViewLink list={list} view={view}>
          {plural(words.first, ids.length)}
        </ViewLink>
      )}
    </>
  );
}

/** Each leads to the details, which have the history also of what was removed. */
function Names({ list, entry: { event, count, items } }: OfList) {
  const field = list.fields.find((one) => one.name === headline(list));
  const named = items.slice(0, NAMED_ITEMS);
  if (field === undefined || named.length === 0) return null;
  return (
    <ul className="flow">
      {named.map((item) => (
        <li key={item.id} className="flow">
          <ViewLink list={list} view={EMPTY_VIEW} id={item.id} className="happened-name">
            {item.label === undefined ? (
              `${fieldLabel('id')} ${item.id}`
            ) : (
              <Value field={field} row={{ id: item.id, [field.name]: item.label }} currency={undefined} />
            )}
          </ViewLink>
          <Change list={list} event={event} item={item} />
        </li>
      ))}
      {count > named.length && <li className="dim">{plural(words.rest, count - named.length)}</li>}
    </ul>
  );
}
