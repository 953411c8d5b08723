// What is stored of deliveries over HTTP, in the transaction of what they deliver: how far each feed has
// come, and which signed deliveries were committed.

import { hash } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { Dialect } from './dialects.ts';
import { type Statement, template } from './sql.ts';
import type { Store } from './store.ts';

/** A sender tries again for hours, at the most for a day or two. */
const REMEMBERED_MILLISECONDS = 3 * 86_400_000;

/** A feed belongs to its name and to the accounts that its sender may write. */
export interface Feed {
  readonly name: string;
  readonly accounts: readonly string[] | undefined;
}

const digestOf = (...parts: unknown[]) => hash('sha256', JSON.stringify(parts));

const feedId = ({ name, accounts = [] }: Feed) => digestOf(name, accounts);

/** The sequence number that a feed has come to; `undefined` where nothing of it was committed. */
export async function sequenceOf(store: Store, feed: Feed): Promise<number | undefined> {
  const [[row]] = await store.read(
    template(store.dialect)`select sequence from feeds where id = ${feedId(feed)}`,
  );
  return row === undefined ? undefined : Number(row[0]);
}

/** Moves a feed on; it changes no row where the feed has come as far, or farther. */
export function advance(dialect: Dialect, feed: Feed, sequence: number): Statement {
  return template(dialect)`insert into feeds (id, name, sequence, committed_at)
    values (${feedId(feed)}, ${feed.name}, ${sequence}, ${timestampOf()})
    on conflict (id) do update set sequence = excluded.sequence, committed_at = excluded.committed_at
      where feeds.sequence < excluded.sequence`;
}

/** What a delivery is known by: the same id from another sender, or to another list, is another delivery. */
export function deliveryId(secret: string, list: string, id: string): string {
  return digestOf(secret, list, id);
}

/** What was answered to a delivery that was committed. */
export async function summaryOfDelivery(store: Store, id: string): Promise<string | undefined> {
  const [[row]] = await store.read(template(store.dialect)`select summary from deliveries where id = ${id}`);
  return row === undefined ? undefined : String(row[0]);
}

/** Remembers a delivery; it changes no row where the delivery was committed before. */
export function rememberDelivery(dialect: Dialect, id: string, summary: string): Statement {
  return template(dialect)`insert into deliveries (id, committed_at, summary)
    values (${id}, ${timestampOf()}, ${summary}) on conflict do nothing`;
}

/** Forgets deliveries that nobody sends again. */
export function forgetDeliveries(dialect: Dialect): Statement {
  return template(dialect)`delete from deliveries
    where committed_at < ${timestampOf(Date.now() - REMEMBERED_MILLISECONDS)}`;
}
