// One item: what it is and costs, every field in groups, and what happened to it. Next to the list where
// there is room, else over it.

import { ActionIcon } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useShown } from '../address.tsx';
import { type ListFacts, type Row, removedEvent } from '../contract.ts';
import { Icon } from '../icons.tsx';
import { troubleOf } from '../linecard.ts';
import { historyQuery, itemQuery } from '../queries.ts';
import { mainPlace } from '../shell/focus.ts';
import { Docked, Side } from '../shell/side.tsx';
import { Trouble } from '../shell/trouble.tsx';
import { texts } from '../texts.ts';
import { useWaiting } from '../waiting.ts';
import { Fields, Head } from './fields.tsx';
import { History } from './history.tsx';

const words = texts.details;
const HAS_ROOM = '(min-width: 80em)';

interface DetailsProps {
  readonly id: number;
  /** The rows of the list. */
  readonly rows: readonly Row[] | undefined;
  readonly currency: string | undefined;
}

export function Details({ id, rows = [], currency }: DetailsProps) {
  const { list, close } = useShown();
  const hasRoom = useMediaQuery(HAS_ROOM, window.matchMedia(HAS_ROOM).matches);
  const shown = rows.find((row) => row.id === id);
  const item = useQuery({ ...itemQuery(list, id, shown), enabled: shown === undefined });
  const { failure, isSlow } = useWaiting(item, String(id));
  const row = shown ?? item.data;
  const history = useQuery(historyQuery(list, id));
  const neighbours = useNeighbours(id, rows);
  const isMissing = failure !== undefined && troubleOf(failure.error).code === 'not-found';
  const frame = {
    title: words.title(list.one),
    className: 'details',
    keys: neighbours.keys,
    actions: neighbours.buttons,
    onClose: close,
    fallback: () => linkOf(list, id) ?? mainPlace(),
  };
  const inside = (
    <>
      <div role="status">{isSlow && <p className="dim">{texts.live.slow}</p>}</div>
      {row !== undefined ? (
        <>
          <Head row={row} currency={currency} />
          <History key={id} id={id} history={history} />
          <Fields row={row} currency={currency} history={history.data} />
        </>
      ) : failure !== undefined ? (
        <Trouble error={failure.error} query={item} />
      ) : (
        list.fields.map(({ name }) => <span key={name} className="bone" data-wide />)
      )}
      {/* An id of nobody has none; of what was removed, it is all that is left. */}
      {isMissing && history.data?.entries.some(isRemoval) && <History id={id} history={history} />}
    </>
  );
  if (hasRoom) return <Docked {...frame}>{inside}</Docked>;
  return (
    <Side {...frame} position="right" size="29rem">
      {inside}
    </Side>
  );
}

const isRemoval = ({ event }: { readonly event: string }) => event === removedEvent;

/** The link to an item in the list. */
function linkOf({ word }: ListFacts, id: number): HTMLElement | null {
  return document.querySelector<HTMLElement>(
    `#list .rows a:is([href$="/${word}/${id}"], [href*="/${word}/${id}?"])`,
  );
}

/** The previous and the next row: buttons and keys. */
function useNeighbours(id: number, rows: readonly Row[]) {
  const { list, view, go } = useShown();
  const at = rows.findIndex((row) => row.id === id);
  const goBy = (by: number) => {
    const to = rows[at + by];
    if (to === undefined) return;
    const link = linkOf(list, to.id);
    // The focus is in the details, or goes from row to row.
    if (document.activeElement?.matches('#list .rows a') === true) link?.focus();
    link?.scrollIntoView({ block: 'nearest' });
    go(view, { id: to.id, replace: true });
  };
  const step = (by: number, label: string, icon: 'left' | 'right') => {
    const isOff = rows[at + by] === undefined;
    return (
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={label}
        data-disabled={isOff}
        aria-disabled={isOff}
        onClick={() => goBy(by)}
      >
        <Icon name={icon} />
      </ActionIcon>
    );
  };
  const [previous, next] = [() => goBy(-1), () => goBy(1)];
  const buttons =
    at < 0 || rows.length < 2 ? null : (
      <div className="row neighbours">
        {step(-1, words.previous, 'left')}
        {step(1, words.next, 'right')}
      </div>
    );
  return { buttons, keys: { ArrowUp: previous, k: previous, ArrowDown: next, j: next } };
}
