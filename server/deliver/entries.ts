// What the change log has of a range: its entries by event, and the items that they are of.

import { EVENTS, type EventName, eventsOf } from '@linecard/client/contract/list';
import { selectionOf } from '../lists/plan.ts';
import { Values } from '../store/conditions.ts';
import { type FromTo, fromToOf, loggedValues } from '../store/events.ts';
import { declaredTable } from '../store/lists/own-fields.ts';
import { changesTable } from '../store/log/change-log.ts';
import { fromWhere, rowsByIdStatement, type Statement, statementOf } from '../store/sql.ts';
import type { ResultRow, Store } from '../store/store.ts';
import { type ListName, type StoredItem, type Table, tables } from '../store/tables.ts';
import type { Webhook } from '../store/webhooks/webhooks.ts';

export const LISTS = Object.keys(tables) as ListName[];

/** Whose range, from one sequence up to another. */
export type Range = Pick<
  Webhook,
  'account_id' | 'from_sequence' | 'from_revision' | 'to_sequence' | 'to_revision'
>;

/** Binds the entries of a range: `from … where …`. */
function entriesOf(
  values: Values,
  list: ListName,
  { account_id, from_sequence, to_sequence }: Range,
): string {
  const [owner, from, to] = [account_id, from_sequence, to_sequence ?? 0].map((one) => values.bind(one));
  return `from ${changesTable(list)} as logged
    where logged.account_id = ${owner} and logged.sequence > ${from} and logged.sequence <= ${to}`;
}

const had = (event: EventName) => `(what & ${EVENTS[event].bit}) > 0`;

/** At most one row: the last id of each event of the list in the range, null for none. */
export function lastIdsStatement(list: ListName, range: Range): Statement {
  const values = new Values();
  const lasts = eventsOf(tables[list].list).map((event) => `max(case when ${had(event)} then id end)`);
  const text = `select account_id, ${lasts.join(', ')} ${entriesOf(values, list, range)} group by account_id`;
  return statementOf(range.account_id, text, values);
}

/** At most one row for each list: see `lastIdsStatement`. */
export function lastIdsOf(rows: readonly (readonly ResultRow[])[]): Map<string, number> {
  return new Map(
    LISTS.flatMap((list, i) =>
      eventsOf(tables[list].list).map(
        (event, e) => [`${list}.${event}`, Number(rows[i]?.[0]?.[e] ?? 0)] as const,
      ),
    ),
  );
}

export interface PageItem {
  readonly id: number;
  /** What an item that was removed was known by. */
  readonly label: string | null;
  /** As it is stored; null if the list does not have it. */
  readonly item: StoredItem | null;
  /** The fields of the event as they were before the first import of the range that changed them. */
  readonly from?: FromTo['from'] | undefined;
}

/** An event of a list, and which of its items. */
export interface EventPart {
  readonly list: ListName;
  readonly kind: EventName;
  readonly after: number;
  readonly limit: number;
}

/** An item that had the event, with the sequence of the last time. */
export interface Entry {
  readonly id: number;
  readonly sequence: number;
}

export interface Entries {
  readonly count: number;
  readonly entries: readonly Entry[];
  /** Whether there are none after these. */
  readonly isLast: boolean;
}

export async function readEntries(
  store: Pick<Store, 'dialect' | 'read'>,
  range: Range,
  { list, kind, after, limit }: EventPart,
): Promise<Entries> {
  const values = new Values();
  const ids = `select logged.account_id, id, max(sequence) as last, count(*) over () as total
    ${entriesOf(values, list, range)} and ${had(kind)} group by logged.account_id, id`;
  const text = `select account_id, total, id, last from (${ids}) as ids
    where id > ${values.bind(after)} order by id limit ${store.dialect.limit(values.bind(limit))}`;
  const [rows] = await store.read(statementOf(range.account_id, text, values));
  return {
    count: Number(rows[0]?.[0] ?? 0),
    entries: rows.map(([, id, last]) => ({ id: Number(id), sequence: Number(last) })),
    isLast: rows.length < limit,
  };
}

/** Rows `[id, sequence, label]` of entries, and of others of the same ids or sequences. */
function labelsStatement(
  { dialect }: Pick<Store, 'dialect'>,
  account_id: string,
  list: ListName,
  entries: readonly Entry[],
): Statement {
  const values = new Values();
  const oneOf = (column: keyof Entry) =>
    ({ column, test: 'any', type: 'bigint', value: entries.map((entry) => entry[column]) }) as const;
  const where = [oneOf('sequence'), oneOf('id')];
  const log = { account_id, list: changesTable(list), where, whole: false };
  const text = `select account_id, id, sequence, label ${fromWhere(dialect, values, log)}`;
  return statementOf(account_id, text, values);
}

/** What the fields of an event were before a range, of items that had it there. */
async function readFormer(
  store: Pick<Store, 'dialect' | 'read'>,
  range: Range,
  { list, kind }: Pick<EventPart, 'list' | 'kind'>,
  { table, items }: Items,
): Promise<ReadonlyMap<number, FromTo['from']>> {
  const values = new Values();
  const entries = entriesOf(values, list, range);
  const ids = store.dialect.among('id', values.bind(items.map(({ id }) => id)), 'bigint');
  const text = `select account_id, id, from_to ${entries} and ${had(kind)} and from_to is not null and ${ids}
    order by sequence desc`;
  const [rows] = await store.read(statementOf(range.account_id, text, values));
  const former = new Map<number, FromTo['from']>();
  for (const [id, logged] of rows) {
    const found = fromToOf(table.list, kind, loggedValues(String(logged)));
    // The earlier one is later here.
    if (found !== undefined) former.set(Number(id), { ...former.get(Number(id)), ...found.from });
  }
  return former;
}

/** Items, and their table with the fields that were declared when they were read. */
export interface Items {
  readonly table: Table;
  readonly items: readonly PageItem[];
}

/** The items of entries, each as it is now. */
async function readItems(
  store: Pick<Store, 'dialect' | 'read'>,
  account_id: string,
  list: ListName,
  entries: readonly Entry[],
): Promise<Items> {
  const table = await declaredTable(store, list);
  const selection = selectionOf(table, account_id, { filters: [] });
  const ids = entries.map(({ id }) => id);
  const [rows] = await store.read(rowsByIdStatement(store.dialect, selection, ids, 'id', selection.where));
  const items = new Map(rows.map(([item, id]) => [id, item]));
  const missing = entries.filter(({ id }) => !items.has(id));
  const [found] =
    missing.length === 0 ? [[]] : await store.read(labelsStatement(store, account_id, list, missing));
  const labels = new Map(found.map(([id, sequence, label]) => [`${id} ${sequence}`, label as string | null]));
  return {
    table,
    items: entries.map(({ id, sequence }) => ({
      id,
      label: labels.get(`${id} ${sequence}`) ?? null,
      item: items.get(id) ?? null,
    })),
  };
}

/** The items of entries of an event, each as it is now and, if the event has fields, with what these were. */
export async function readEvent(
  store: Pick<Store, 'dialect' | 'read'>,
  range: Range,
  part: Pick<EventPart, 'list' | 'kind'>,
  entries: readonly Entry[],
): Promise<Items> {
  const found = await readItems(store, range.account_id, part.list, entries);
  if (found.table.list.events[part.kind] === undefined) return found;
  const former = await readFormer(store, range, part, found);
  return { ...found, items: found.items.map((one) => ({ ...one, from: former.get(one.id) })) };
}
