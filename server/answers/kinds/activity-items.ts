// The items of entries of activity: what each is called, and what its fields were and are.

import type { ActivityEntry, ActivityItem } from '@linecard/client/contract/activity';
import type { EventName } from '@linecard/client/contract/list';
import { withFields } from '@linecard/client/contract/own-fields';
import { fromToOf, type LoggedValues } from '../../store/events.ts';
import { type Declaration, declarationsOf } from '../../store/lists/own-fields.ts';
import { removedLabelsStatement } from '../../store/log/activity.ts';
import type { ReadOnlyStore } from '../../store/store.ts';
import { type ListName, tables } from '../../store/tables.ts';

/** An item of an entry; its label is null if it was removed later. */
export type LoggedItem = readonly [id: number, label: string | null, fromTo: LoggedValues | null];

/** An entry of a list, and its items as the log has them. */
export interface LoggedEntry {
  readonly list: ListName;
  readonly line: Omit<ActivityEntry, 'items'>;
  readonly items: readonly LoggedItem[];
}

/** What is known of a list in addition to its entries. */
interface Known {
  /** What items were called when they were removed last. */
  readonly labels: ReadonlyMap<number, string>;
  readonly declared: readonly Declaration[];
}

const isOwn = (value: unknown) => typeof value === 'string' && value.startsWith('x_');

async function knownOf(
  store: ReadOnlyStore,
  account_id: string,
  list: ListName,
  entries: readonly LoggedEntry[],
): Promise<Known> {
  const items = entries.filter((entry) => entry.list === list).flatMap((entry) => entry.items);
  const gone = new Set(items.filter(([, label]) => label === null).map(([id]) => id));
  const [labels] =
    gone.size === 0
      ? [[]]
      : await store.read(removedLabelsStatement(store.dialect, account_id, list, [...gone]));
  const hasOwn = items.some(([, , values]) => values?.some(isOwn));
  return {
    labels: new Map(labels.map(([id, label]) => [Number(id), String(label)])),
    declared: hasOwn ? await declarationsOf(store, list) : [],
  };
}

function itemsOf({ list, line, items }: LoggedEntry, { labels, declared }: Known): ActivityItem[] {
  // A field that was removed is not answered, and another one may have its name now.
  const fields = declared.filter(({ created_at }) => created_at <= line.at);
  const described = withFields(tables[list].list, fields);
  return items.map(([id, known, logged]): ActivityItem => {
    const label = known ?? labels.get(id);
    return {
      id,
      ...(label !== undefined && { label }),
      ...fromToOf(described, line.event as EventName, logged),
    };
  });
}

/** The entries of a page as they are answered. */
export async function withItems(
  store: ReadOnlyStore,
  account_id: string,
  entries: readonly LoggedEntry[],
): Promise<ActivityEntry[]> {
  const known = new Map<ListName, Known>();
  for (const list of new Set(entries.map((entry) => entry.list)))
    known.set(list, await knownOf(store, account_id, list, entries));
  return entries.map((entry) => ({ ...entry.line, items: itemsOf(entry, known.get(entry.list) as Known) }));
}
