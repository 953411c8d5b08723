// Takes names, addresses and texts of a deleted account out of the logs. What remains is when something
// happened, and what, under the id of the account (docs/data-protection.md).

import { timestampOf } from '@linecard/client/contract/timestamp';
import { type AccountEvent, type EventOrigin, newId } from './audit.ts';
import { type Statement, separate, sql } from './sql.ts';
import type { Store } from './store.ts';

const LETTER = /[\p{L}\p{N}]/u;
/** Texts of imports, which are of many accounts: those that name the account are of it. */
const TEXTS = [
  { table: 'imports', column: 'source', erased: "''", isSeparate: false },
  { table: 'import_runs', column: 'source', erased: "''", isSeparate: true },
  { table: 'import_runs', column: 'first_fault', erased: 'null', isSeparate: true },
] as const;

/** Whether a text names an account: its id, and not as a part of a longer word. */
function isNamedIn(text: string, id: string): boolean {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1))
    if (!LETTER.test(text.charAt(at - 1)) && !LETTER.test(text.charAt(at + id.length))) return true;
  return false;
}

/** The statements that empty the texts of imports that name the account. */
async function textStatements(store: Store, id: string): Promise<Statement[]> {
  const changes: Statement[] = [];
  for (const { table, column, erased, isSeparate } of TEXTS) {
    const of = (one: Statement) => (isSeparate ? separate(one) : one);
    const text = `select id, ${column} from ${table} where ${column} <> ''`;
    const [rows] = await store.read(of({ text, values: [] }));
    const ids = rows.filter(([, value]) => isNamedIn(String(value), id)).map(([row]) => String(row));
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
  await store.write(
    sql`update account_events set name = '' where account_id = ${id} and name <> ''`,
    // What is with the tokens must change nothing a second time: a store may run it twice.
    separate(sql`update token_events set name = '', actor = case when origin = 'request' then '' else actor end
      where account_id = ${id} and (name <> '' or (origin = 'request' and actor <> ''))`),
    separate(sql`update webhook_events set name = '' where account_id = ${id} and name <> ''`),
    ...(await textStatements(store, id)),
    sql`insert into account_events (id, at, event, account_id, name, currency, origin, actor)
      values (${newId()}, ${timestampOf()}, ${'erased' satisfies AccountEvent}, ${id}, '', null, ${origin}, ${actor})`,
  );
  return true;
}
