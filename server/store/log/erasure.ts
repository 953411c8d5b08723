// Takes names, addresses and texts of a deleted account out of the logs: what remains is when something
// happened, and what, under the ids that the account had. Deletes what is old (docs/data-protection.md).

import { timestampOf } from '@linecard/client/contract/timestamp';
import { Values } from '../conditions.ts';
import { type Statement, separate, sql, statement } from '../sql.ts';
import type { Store } from '../store.ts';
import { type AccountEvent, type EventOrigin, newId } from './audit.ts';
import { type IdSpan, spansOf, spansText } from './former-ids.ts';

const LETTER = /[\p{L}\p{N}]/u;
/** Texts of imports, which are of many accounts: those that name the account are of it. */
const TEXTS = [
  { table: 'imports', column: 'source', at: 'finished_at', erased: "''", isSeparate: false },
  { table: 'import_runs', column: 'source', at: 'started_at', erased: "''", isSeparate: true },
  { table: 'import_runs', column: 'first_fault', at: 'started_at', erased: 'null', isSeparate: true },
] as const;

/** Whether a text names an account: its id, and not as a part of a longer word. */
function isNamedIn(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1))
    if (!LETTER.test(text.charAt(at - 1)) && !LETTER.test(text.charAt(at + id.length))) return true;
  return false;
}

/** The statements that empty the texts of imports that name the account, by an id that was no other's. */
async function textStatements(store: Store, spans: readonly IdSpan[]): Promise<Statement[]> {
  const changes: Statement[] = [];
  for (const { table, column, at, erased, isSeparate } of TEXTS) {
    const of = (one: Statement) => (isSeparate ? separate(one) : one);
    const text = `select id, ${column}, ${at} from ${table} where ${column} <> ''`;
    const [rows] = await store.read(of({ text, values: [] }));
    const isOfIt = (value: string, time: string) =>
      spans.some(({ id, from, namedUntil }) => time >= from && time < namedUntil && isNamedIn(value, id));
    const ids = rows.filter((row) => isOfIt(String(row[1]), String(row[2]))).map(([row]) => String(row));
    const among = store.dialect.among('id', '$1', 'text');
    if (ids.length > 0)
      changes.push(
        of({
          text: `update ${table} set ${column} = ${erased} where ${column} <> '' and ${among}`,
          values: [ids],
        }),
      );
  }
  return changes;
}

/** The ids that the account had which had this id last, and when. */
export const idsOf = (store: Pick<Store, 'read'>, id: string): Promise<readonly IdSpan[]> =>
  spansOf(async (one) => (await store.read(one))[0], id, 'last');

/**
 * Erases what is recorded of an account that is deleted; false when nothing is.
 * @param by who does it, which is recorded.
 */
export async function eraseAccount(
  store: Store,
  id: string,
  { origin, actor }: EventOrigin,
): Promise<boolean> {
  const [entries] = await store.read(sql`select 1 from account_events where account_id = ${id} limit 1`);
  if (entries.length === 0) return false;
  const spans = await idsOf(store, id);
  const texts = await textStatements(store, spans);
  const ofIt = (text: string): Statement => {
    const values = new Values();
    return { text: `${text} and (${spansText(spans, values, 'account_id', 'at')})`, values: values.list };
  };
  await store.write(
    ofIt(`update account_events set name = '' where name <> ''`),
    // What is with the tokens must change nothing a second time: a store may run it twice.
    separate(
      ofIt(`update token_events set name = '', actor = case when origin = 'request' then '' else actor end
        where (name <> '' or (origin = 'request' and actor <> ''))`),
    ),
    separate(ofIt(`update webhook_events set name = '' where name <> ''`)),
    ...texts,
    sql`insert into account_events (id, at, event, account_id, name, currency, origin, actor)
      values (${newId()}, ${timestampOf()}, ${'erased' satisfies AccountEvent}, ${id}, '', null, ${origin}, ${actor})`,
  );
  return true;
}

/** What happened to accounts, tokens, webhooks, fields and feeds; on SQLite some are with the tokens. */
export const EVENT_TABLES = [
  { name: 'account_events' },
  { name: 'token_events', isSeparate: true },
  { name: 'webhook_events', isSeparate: true },
  { name: 'field_events' },
  { name: 'feed_events' },
] as const;

/**
 * Deletes what was recorded before a time, which takes the rights of the owner.
 * @param before a timestamp
 * @returns how many entries.
 */
export async function pruneAudit(store: Store, before: string): Promise<number> {
  const events = EVENT_TABLES.map(({ name, ...where }) => ({
    ...statement(`delete from ${name} where at < $1`, before),
    ...('isSeparate' in where && { separate: true as const }),
  }));
  const changed = await store.write(
    ...events,
    sql`delete from import_moves where import_id in (select id from imports where finished_at < ${before})`,
    sql`delete from imports where finished_at < ${before}`,
  );
  return changed.reduce((sum, count) => sum + count, 0);
}
