// Gives an account another id, with everything that is its, in one transaction that no import runs next to.
// What was done stays recorded under the id of its time (former-ids.ts), and nothing else has the former id.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { newRevision } from './access/accounts.ts';
import { isRestingStatement, recordRenamed } from './access/deleted-accounts.ts';
import { ACCOUNTS, listParts, type Part, ROWS } from './copy-parts.ts';
import type { Dialect } from './dialects.ts';
import type { ImportTransaction } from './import-transaction.ts';
import { feedId } from './imports/feeds.ts';
import { declarationsStatement, declaredOf } from './lists/own-fields.ts';
import { type AccountEvent, type EventOrigin, newId } from './log/audit.ts';
import { type Statement, sql, statement } from './sql.ts';
import type { LoadOptions, Store } from './store.ts';
import { lockAccount } from './write-lock.ts';

/**
 * `taken` when there is an account with the new id, `resting` when there was until a moment ago; `unknown`
 * when there is none with the old one.
 */
export type Renamed = 'renamed' | 'taken' | 'resting' | 'unknown';

interface Names {
  readonly from: string;
  readonly to: string;
}

/** Tables with rows of accounts; those of events are what was done. */
const owned = (parts: readonly Part[]): readonly Part[] =>
  parts.filter(({ columns }) => columns.includes('account_id') && !columns.includes('event'));

/** Citus changes no value that rows are distributed by: they are inserted again there. */
function moveStatements(
  { isDistributed }: Dialect,
  { name, columns, isSeparate }: Part,
  { from, to }: Names,
): Statement[] {
  if (!isDistributed || isSeparate)
    return [statement(`update ${name} set account_id = $2 where account_id = $1`, from, to)];
  const others = columns.filter((column) => column !== 'account_id').join(', ');
  const copy = `insert into ${name} (account_id, ${others})
    select cast($2 as text), ${others} from ${name} where account_id = $1`;
  return [statement(copy, from, to), statement(`delete from ${name} where account_id = $1`, from)];
}

/** The account under its new id, with another revision; it changes no row if the id is taken. */
function insertRenamed({ from, to }: Names, now: string): Statement {
  const changed: Readonly<Record<string, string>> = {
    id: 'cast($2 as text)',
    revision: 'cast($3 as text)',
    updated_at: 'cast($4 as text)',
    sequence: 'sequence + 1',
  };
  const values = ACCOUNTS.columns.map((column) => changed[column] ?? column);
  const text = `insert into accounts (${ACCOUNTS.columns.join(', ')})
    select ${values.join(', ')} from accounts where id = $1 on conflict do nothing`;
  return statement(text, from, to, newRevision(), now);
}

/** Operators' tokens that are bound to the account, and the sequences of feeds that they deliver. */
async function boundStatements(transaction: ImportTransaction, { from, to }: Names): Promise<Statement[]> {
  const [tokens, feeds] = await transaction.run(
    sql`select id, accounts from operator_tokens where accounts is not null`,
    sql`select id, name from feeds`,
  );
  const bindings = (tokens?.rows ?? []).flatMap(([id = null, stored = null]) => {
    const accounts = JSON.parse(String(stored)) as string[];
    if (!accounts.includes(from)) return [];
    const next = accounts.map((one) => (one === from ? to : one));
    return [{ id, stored, accounts, next: [...new Set(next)].toSorted() }];
  });
  const ofTokens = bindings.map(
    ({ id, stored, next }) =>
      sql`update operator_tokens set accounts = ${JSON.stringify(next)} where id = ${id} and accounts = ${stored}`,
  );
  const ofFeeds = bindings.flatMap(({ accounts, next }) =>
    (feeds?.rows ?? []).flatMap(([id, name]) => {
      if (feedId({ name: String(name), accounts }) !== id) return [];
      const nextId = feedId({ name: String(name), accounts: next });
      return [
        sql`update feeds set id = ${nextId} where id = ${id}
          and not exists (select 1 from feeds as other where other.id = ${nextId})`,
      ];
    }),
  );
  return [...ofTokens, ...ofFeeds];
}

/** @returns whether the new id was free. */
async function moveLists(transaction: ImportTransaction, names: Names, by: EventOrigin): Promise<boolean> {
  const { from, to } = names;
  const now = timestampOf();
  const [inserted] = await transaction.run(insertRenamed(names, now));
  if (inserted?.count !== 1) return false;
  const [declarations] = await transaction.run(declarationsStatement);
  const lists = listParts(declaredOf(declarations?.rows ?? []));
  await transaction.run(
    sql`insert into account_events (id, at, event, account_id, name, currency, origin, actor, renamed_to)
      select ${newId()}, ${now}, ${'renamed' satisfies AccountEvent}, id, name, currency, ${by.origin}, ${by.actor}, ${to}
      from accounts where id = ${from}`,
    sql`insert into revisions (account_id, sequence, revision, ended_at)
      select id, sequence, revision, ${now} from accounts where id = ${from}`,
    sql`delete from accounts where id = ${from}`,
    ...owned([...lists, ...ROWS.filter(({ isSeparate }) => isSeparate !== true)]).flatMap((part) =>
      moveStatements(transaction.dialect, part, names),
    ),
    ...recordRenamed(from, to),
    // Of accounts on any node of Citus: after all that is about one.
    sql`update accounts set parent_id = ${to} where parent_id = ${from}`,
  );
  return true;
}

async function moveTokens(transaction: ImportTransaction, names: Names): Promise<void> {
  const moves = owned(ROWS.filter(({ isSeparate }) => isSeparate)).flatMap((part) =>
    moveStatements(transaction.dialect, part, names),
  );
  // As with a deletion, tokens in a file of their own are committed first, and then those that were created
  // meanwhile. If the process ends in between, they are refused until the same command is run again.
  await transaction.runOnTokens(...moves);
  await transaction.run(...moves);
  await transaction.run(...(await boundStatements(transaction, names)));
}

/**
 * Renames an account. Waits for an import to end. May be repeated: where the account was renamed already,
 * what a process that was killed has left is moved.
 */
export async function renameAccount(
  store: Store,
  from: string,
  to: string,
  by: EventOrigin,
  waits?: LoadOptions,
): Promise<Renamed> {
  const transaction = await store.beginImport(waits);
  try {
    const read = await transaction.run(
      ...lockAccount(transaction, from, 'update'),
      sql`select id from accounts where id = ${from}`,
      sql`select id from deleted_accounts where id = ${from} and renamed_to = ${to}`,
      isRestingStatement(to, from),
    );
    const [isThere, wasRenamed, isResting] = read.slice(-3).map(({ rows }) => rows.length === 1);
    if (!isThere && !wasRenamed) return 'unknown';
    if (isResting) return 'resting';
    if (isThere && !(await moveLists(transaction, { from, to }, by))) return 'taken';
    await moveTokens(transaction, { from, to });
    await transaction.commit(1);
    return 'renamed';
  } finally {
    await transaction.rollback();
  }
}
