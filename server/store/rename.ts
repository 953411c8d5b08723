// Gives an account another id, with everything that is its, in one transaction that no import runs next to.
// What was done stays recorded under the id of its time (former-ids.ts), and nothing else has the former id.

import { timestampOf } from '@linecard/client/contract/timestamp';
import { newRevision } from './access/accounts.ts';
import { isRestingStatement, recordRenamed } from './access/deleted-accounts.ts';
import { Values } from './conditions.ts';
import { ACCOUNTS, listParts, type Part, ROWS } from './copy-parts.ts';
import type { Dialect } from './dialects.ts';
import type { ImportTransaction } from './import-transaction.ts';
import { feedId } from './imports/feeds.ts';
import { declarationsStatement, declaredOf } from './lists/own-fields.ts';
import { type AccountEvent, type EventOrigin, newId } from './log/audit.ts';
import { type Statement, separate, sql, statement } from './sql.ts';
import type { LoadOptions, ResultRow, Store } from './store.ts';
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
  { name, columns }: Part,
  { from, to }: Names,
): Statement[] {
  if (!isDistributed)
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

/** An operator's token that is bound to accounts. */
interface Bound {
  readonly id: string;
  readonly stored: string;
  readonly accounts: readonly string[];
}

const BOUND = separate(statement('select id, accounts from operator_tokens where accounts is not null'));
const boundOf = (rows: readonly ResultRow[] = []): readonly Bound[] =>
  rows.map(([id, stored]) => ({
    ...{ id: String(id), stored: String(stored) },
    accounts: JSON.parse(String(stored)) as string[],
  }));
const isBoundTo = (id: string, { accounts }: Bound) => accounts.includes(id);

/** What it is bound to once one of its accounts has another id. */
const reboundTo = ({ accounts }: Bound, { from, to }: Names) =>
  [...new Set(accounts.map((one) => (one === from ? to : one)))].toSorted();

/** The sequences of feeds that the operators' tokens deliver which are bound to the account. */
async function feedStatements(transaction: ImportTransaction, names: Names): Promise<Statement[]> {
  const [tokens, feeds] = await transaction.run(BOUND, sql`select id, name from feeds`);
  const bound = boundOf(tokens?.rows).filter((one) => isBoundTo(names.from, one));
  return bound.flatMap((one) =>
    (feeds?.rows ?? []).flatMap(([id, name]) => {
      if (feedId({ name: String(name), accounts: one.accounts }) !== id) return [];
      const nextId = feedId({ name: String(name), accounts: reboundTo(one, names) });
      return [
        sql`update feeds set id = ${nextId} where id = ${id}
          and not exists (select 1 from feeds as other where other.id = ${nextId})`,
      ];
    }),
  );
}

/** @returns whether the new id was free. */
async function moveLists(transaction: ImportTransaction, names: Names, by: EventOrigin): Promise<boolean> {
  const { from, to } = names;
  const now = timestampOf();
  const [inserted] = await transaction.run(insertRenamed(names, now));
  if (inserted?.count !== 1) return false;
  const [declarations] = await transaction.run(declarationsStatement);
  const lists = listParts(declaredOf(declarations?.rows ?? []));
  const feeds = await feedStatements(transaction, names);
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
    ...feeds,
    // Of accounts on any node of Citus: after all that is about one.
    sql`update accounts set parent_id = ${to} where parent_id = ${from}`,
  );
  return true;
}

/**
 * What changes tokens, webhooks and what operators' tokens are bound to.
 * @param only a condition
 */
function tokenStatements(
  names: Names,
  bound: readonly Bound[],
  only: (values: Values) => string = () => '',
): Statement[] {
  const { from, to } = names;
  const of = (build: (values: Values) => string): Statement => {
    const values = new Values();
    return separate({ text: build(values) + only(values), values: values.list });
  };
  const moves = owned(ROWS.filter(({ isSeparate }) => isSeparate)).map(({ name }) =>
    of(
      (values) =>
        `update ${name} set account_id = ${values.bind(to)} where account_id = ${values.bind(from)}`,
    ),
  );
  const rebound = bound
    .filter((one) => isBoundTo(from, one))
    .map((one) =>
      of(
        (
          values,
        ) => `update operator_tokens set accounts = ${values.bind(JSON.stringify(reboundTo(one, names)))}
          where id = ${values.bind(one.id)} and accounts = ${values.bind(one.stored)}`,
      ),
    );
  return [...moves, ...rebound];
}

const ORPHANED = owned(ROWS.filter(({ isSeparate }) => isSeparate))
  .map(({ name }) => `exists (select 1 from ${name} where account_id = renamed.id)`)
  .join(' or ');
const RENAMED = statement(
  `select id, renamed_to, ${ORPHANED} from deleted_accounts as renamed where renamed_to is not null`,
);

/**
 * Completes renames of the embedded store: its tokens are in a file of their own, which is changed after the
 * lists, and the process may have ended in between. Then tokens with the former id are refused, until the
 * database is opened to be written, the command is repeated, or the former id is given away. Only what is
 * still recorded as renamed is changed: another account may have got the id meanwhile.
 */
export async function finishRenames(store: Store): Promise<void> {
  if (store.isRemote) return;
  const [renamed, tokens] = await store.read(RENAMED, BOUND);
  const bound = boundOf(tokens);
  const statements = renamed.flatMap(([id, renamed_to, isOrphaned]) => {
    const names = { from: String(id), to: String(renamed_to) };
    if (isOrphaned !== 1 && !bound.some((one) => isBoundTo(names.from, one))) return [];
    return tokenStatements(names, bound, (values) => {
      const { from, to } = names;
      return ` and exists (select 1 from deleted_accounts as renamed
        where renamed.id = ${values.bind(from)} and renamed.renamed_to = ${values.bind(to)})`;
    });
  });
  if (statements.length > 0) await store.write(...statements);
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
  const names = { from, to };
  await finishRenames(store);
  const transaction = await store.beginImport(waits);
  try {
    const read = await transaction.run(
      ...lockAccount(transaction, from, 'update'),
      sql`select id from accounts where id = ${from}`,
      sql`select id from deleted_accounts where id = ${from} and renamed_to = ${to}`,
      isRestingStatement(to, from),
    );
    const [isThere, wasRenamed, isResting] = read.slice(-3).map(({ rows }) => rows.length === 1);
    if (!isThere) return wasRenamed ? 'renamed' : 'unknown';
    if (isResting) return 'resting';
    if (!(await moveLists(transaction, names, by))) return 'taken';
    const [tokens] = await transaction.run(BOUND);
    if (store.isRemote) await transaction.run(...tokenStatements(names, boundOf(tokens?.rows)));
    await transaction.commit(1);
  } finally {
    await transaction.rollback();
  }
  await finishRenames(store);
  return 'renamed';
}
