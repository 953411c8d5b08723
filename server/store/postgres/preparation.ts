// The statements that compare, write and renew, in their order, and what their results say.

import { randomUUID } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { DEFAULT_RETENTION_MS } from '../change-log.ts';
import { type Statement, statement } from '../sql.ts';
import type { CommitOptions, LoadSummary } from '../store.ts';
import type { StatementResult } from './batch.ts';
import type { IncomingRows } from './incoming-rows.ts';
import type { statementsFor } from './load-statements.ts';

type Statements = ReturnType<typeof statementsFor>;
type Incoming = Pick<IncomingRows, 'route' | 'items' | 'removals'>;
type Results = readonly StatementResult[];

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

/** The statements of an import whose rows have come, and what they have done; a trial only compares. */
export function preparation(
  sql: Statements,
  incoming: Incoming,
  options: CommitOptions & { readonly isTrial: boolean },
) {
  const { accounts = [], removeOthers = 'none', retentionMs = DEFAULT_RETENTION_MS, isTrial } = options;
  const { route, items } = incoming;
  const { stage, compare, renew } = sql;
  const { lockAccounts, createAccounts, countNewAccounts } = sql[route];
  const [now, random] = [timestampOf(), randomUUID()];
  const removals = removalsOf(sql, incoming, removeOthers);
  const create = isTrial ? statement(countNewAccounts) : statement(createAccounts, now, random);
  const count = statement(compare.count);
  const oldest = timestampOf(Date.now() - retentionMs);
  const isPruned = statement(renew.isPruned, oldest);
  const statements: Statement[] = [
    ...(accounts.length === 0 ? [] : [statement(stage.accounts, accounts)]),
    // Rows that went directly to the list are there already.
    ...(route === 'direct'
      ? plain(compare.newChanges, lockAccounts)
      : plain(isTrial ? undefined : lockAccounts, ...compare.changes)),
    ...Object.values(removals),
    ...(isTrial ? [create] : changing(sql, route, { create, isPruned, now, random })),
    count,
  ];
  const countOf = (results: Results, one: Statement | undefined) =>
    (one && results[statements.indexOf(one)]?.count) ?? 0;
  const rowOf = (results: Results, one: Statement) => results[statements.indexOf(one)]?.rows[0] ?? [];
  return {
    statements,
    /** To be run where anything is pruned. */
    forget: [...plain(...renew.makePruned), statement(renew.pruned, oldest), ...plain(...renew.forget)],
    prunes: (results: Results) => !isTrial && rowOf(results, isPruned)[0] === 1,
    summaryOf: (results: Results): LoadSummary => {
      const [inserted = 0, updated = 0, moved = 0] = rowOf(results, count) as number[];
      const removedByName = countOf(results, removals.named);
      return {
        inserted,
        updated,
        moved,
        unchanged: items - inserted - updated,
        removed: removedByName + countOf(results, removals.others),
        absent: incoming.removals - removedByName,
        accounts_created: countOf(results, create),
      };
    },
  };
}
