// What is stored about deliveries over HTTP, in the transaction of what they deliver: the sequence of each
// feed, and which signed deliveries were committed.

import { hash } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { type Statement, separate, sql, statement } from '../sql.ts';
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
 * Retires a feed: its runs and its sequence. One that is running remains.
 * @param actor whose runs it is, of a sender that is bound to accounts
 * @returns whether there was any.
 */
export async function forgetFeed(store: Store, feed: Feed, actor: string): Promise<boolean> {
  const { name, accounts } = feed;
  const ended = 'delete from import_runs where feed = $1 and ended_at is not null';
  const changed =
    accounts === undefined
      ? await store.write(separate(statement(ended, name)), sql`delete from feeds where name = ${name}`)
      : await store.write(
          separate(statement(`${ended} and actor = $2`, name, actor)),
          sql`delete from feeds where id = ${feedId(feed)}`,
        );
  return changed.some((count) => count > 0);
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
