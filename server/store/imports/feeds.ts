// What is stored about deliveries over HTTP, in the transaction of what they deliver: the sequence of each
// feed, and which signed deliveries were committed.

import { hash } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { Values } from '../conditions.ts';
import { type EventOrigin, FEED_EVENT_COLUMNS, newId } from '../log/audit.ts';
import { type Statement, separate, sql } from '../sql.ts';
import type { Store } from '../store.ts';

/** A sender retries for hours, at most for a day or two. */
const REMEMBERED_MILLISECONDS = 3 * 86_400_000;

/** A feed belongs to its name and to the accounts that its sender may write. */
export interface Feed {
  readonly name: string;
  readonly accounts: readonly string[] | undefined;
}

const digestOf = (...parts: unknown[]) => hash('sha256', JSON.stringify(parts));

export const feedId = ({ name, accounts = [] }: Feed) => digestOf(name, accounts);

/** The sequence number of the last commit of a feed; `undefined` if nothing of it was committed. */
export async function sequenceOf(store: Store, feed: Feed): Promise<number | undefined> {
  const [[row]] = await store.read(sql`select sequence from feeds where id = ${feedId(feed)}`);
  return row === undefined ? undefined : Number(row[0]);
}

/** Advances a feed; it changes no row if the feed has the same or a later sequence. */
export function advance(feed: Feed, sequence: number): Statement {
  return sql`insert into feeds (id, name, sequence, committed_at)
    values (${feedId(feed)}, ${feed.name}, ${sequence}, ${timestampOf()})
    on conflict (id) do update set sequence = excluded.sequence, committed_at = excluded.committed_at
      where feeds.sequence < excluded.sequence`;
}

/**
 * Retires a feed: its runs and its sequence; a run in progress remains. A sender that is bound to accounts
 * retires its own. The entry of the audit log comes first: the runs may be in another file.
 * @returns whether there was any.
 */
export async function forgetFeed(store: Store, feed: Feed, { origin, actor }: EventOrigin): Promise<boolean> {
  const { name, accounts } = feed;
  const runs = (values: Values) =>
    `import_runs where feed = ${values.bind(name)} and ended_at is not null${accounts === undefined ? '' : ` and actor = ${values.bind(actor)}`}`;
  const sequences = (values: Values) =>
    accounts === undefined
      ? `feeds where name = ${values.bind(name)}`
      : `feeds where id = ${values.bind(feedId(feed))}`;
  const deletion = (of: (values: Values) => string): Statement => {
    const values = new Values();
    return { text: `delete from ${of(values)}`, values: values.list };
  };
  const values = new Values();
  const entry = [newId(), timestampOf(), 'forgotten', name, origin, actor].map(
    (value) => `cast(${values.bind(value)} as text)`,
  );
  const text = `insert into feed_events (${FEED_EVENT_COLUMNS.join(', ')}) select ${entry.join(', ')}
    where exists (select 1 from ${runs(values)}) or exists (select 1 from ${sequences(values)})`;
  const [recorded] = await store.write({ text, values: values.list }, deletion(sequences));
  await store.write(separate(deletion(runs)));
  return recorded === 1;
}

/** Identifies a delivery: the same id from another sender, or to another list, is another delivery. */
export function deliveryId(secret: string, list: string, id: string): string {
  return digestOf(secret, list, id);
}

/** The answer to a delivery that was committed. */
export async function summaryOfDelivery(store: Store, id: string): Promise<string | undefined> {
  const [[row]] = await store.read(sql`select summary from deliveries where id = ${id}`);
  return row === undefined ? undefined : String(row[0]);
}

/** Records a delivery; it changes no row if the delivery was committed before. */
export function rememberDelivery(id: string, summary: string): Statement {
  return sql`insert into deliveries (id, committed_at, summary)
    values (${id}, ${timestampOf()}, ${summary}) on conflict do nothing`;
}

export function forgetDeliveries(): Statement {
  return sql`delete from deliveries
    where committed_at < ${timestampOf(Date.now() - REMEMBERED_MILLISECONDS)}`;
}
