// The statements that compare, write and renew, in their order, and what their results say.

import { randomUUID } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { type ColumnExample, itemValue, type LoadSummary } from '../load-summary.ts';
import { DEFAULT_RETENTION_MS } from '../log/change-log.ts';
import { type Statement, statement } from '../sql.ts';
import type { CommitOptions } from '../store.ts';
import type { PostgresImport } from './import-transaction.ts';
import type { IncomingRows } from './incoming-rows.ts';
import type { statementsFor } from './load-statements.ts';

type Statements = ReturnType<typeof statementsFor>;
type Incoming = Pick<IncomingRows, 'route' | 'items' | 'removals'>;

const plain = (...texts: (string | undefined)[]): Statement[] =>
  texts.flatMap((text) => (text === undefined ? [] : [statement(text)]));

/** The statements that record the rows to remove: in a list that was empty there are none. */
function removalsOf(
  { compare }: Statements,
  { route, removals }: Incoming,
  others: NonNullable<CommitOptions['removeOthers']>,
): { readonly named?: Statement; readonly others?: Statement } {
  if (route === 'direct') return {};
  return {
    ...(removals === 0 ? {} : { named: statement(compare.removed) }),
    ...(others === 'none' ? {} : { others: statement(compare.others[others]) }),
  };
}

function changing(
  { write, renew }: Statements,
  route: Incoming['route'],
  {
    create,
    isPruned,
    now,
    random,
  }: Readonly<Record<'create' | 'isPruned', Statement>> & Readonly<Record<'now' | 'random', string>>,
): Statement[] {
  return [
    ...(route === 'direct' ? [] : plain(write.remove, write.store)),
    create,
    ...plain(renew.renewed, renew.lock, renew.deleted, renew.before),
    statement(renew.history, now),
    statement(renew.accounts, now, random),
    ...plain(...renew.log),
    isPruned,
  ];
}

/** Records what an import does whose rows have come, and counts it; nothing is written yet. */
async function compareImport(
  transaction: PostgresImport,
  sql: Statements,
  incoming: Incoming,
  { accounts = [], removeOthers = 'none', exampled = () => [] }: CommitOptions,
): Promise<Omit<LoadSummary, 'accounts_created'>> {
  const { route, items } = incoming;
  const { stage, compare } = sql;
  const { lockAccounts } = sql[route];
  const removals = removalsOf(sql, incoming, removeOthers);
  const [count, columns] = [statement(compare.count), statement(compare.changed)];
  const statements: Statement[] = [
    ...(accounts.length === 0 ? [] : [statement(stage.accounts, accounts)]),
    // Rows that went directly to the list are there already.
    ...(route === 'direct'
      ? plain(compare.newChanges, lockAccounts)
      : [...plain(transaction.isTrial ? undefined : lockAccounts, ...compare.changes), columns]),
    ...Object.values(removals),
    count,
  ];
  const results = await transaction.run(...statements);
  const resultOf = (one: Statement | undefined) => one && results[statements.indexOf(one)];
  const [inserted = 0, updated = 0, moved = 0] = (resultOf(count)?.rows[0] ?? []) as number[];
  const changed = Object.fromEntries((resultOf(columns)?.rows ?? []) as [string, number][]);
  const names = exampled(changed, items - inserted);
  const [shown] = names.length === 0 ? [] : await transaction.run(statement(compare.examples, names));
  const removedByName = resultOf(removals.named)?.count ?? 0;
  return {
    inserted,
    updated,
    moved,
    unchanged: items - inserted - updated,
    removed: removedByName + (resultOf(removals.others)?.count ?? 0),
    absent: incoming.removals - removedByName,
    changed,
    examples: (shown?.rows ?? []).map(([column, id, from, to]): ColumnExample => {
      return { column: String(column), id: Number(id), from: itemValue(from), to: itemValue(to) };
    }),
  };
}

/** Computes what an import does whose rows have come, and writes it; a trial only compares. */
export async function prepareImport(
  transaction: PostgresImport,
  sql: Statements,
  incoming: Incoming,
  options: CommitOptions,
): Promise<LoadSummary> {
  const { retentionMs = DEFAULT_RETENTION_MS } = options;
  const { route } = incoming;
  const { renew } = sql;
  const counts = await compareImport(transaction, sql, incoming, options);
  const { createAccounts, countNewAccounts } = sql[route];
  const [now, random] = [timestampOf(), randomUUID()];
  const create = transaction.isTrial ? statement(countNewAccounts) : statement(createAccounts, now, random);
  const oldest = timestampOf(Date.now() - retentionMs);
  const isPruned = statement(renew.isPruned, oldest);
  const statements = transaction.isTrial ? [create] : changing(sql, route, { create, isPruned, now, random });
  const results = await transaction.run(...statements);
  if (!transaction.isTrial && results[statements.indexOf(isPruned)]?.rows[0]?.[0] === 1)
    await transaction.run(
      ...plain(...renew.makePruned),
      statement(renew.pruned, oldest),
      ...plain(...renew.forget),
    );
  return { ...counts, accounts_created: results[statements.indexOf(create)]?.count ?? 0 };
}
