// The statements that work out and write what an import changes, in their order, and what their results say.

import { randomUUID } from 'node:crypto';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { DEFAULT_RETENTION_MS } from '../change-log.ts';
import { type Statement, statement } from '../sql.ts';
import type { CommitOptions, LoadSummary } from '../store.ts';
import type { StatementResult } from './batch.ts';
import type { IncomingRows } from './incoming-rows.ts';
import type { statementsFor } from './load-statements.ts';

type Statements = ReturnType<typeof statementsFor>;
type Incoming = Pick<IncomingRows, 'way' | 'items' | 'removals'>;
type Results = readonly StatementResult[];

const plain = (...texts: (string | undefined)[]): Statement[] =>
  texts.flatMap((text) => (text === undefined ? [] : [statement(text)]));

/** What notes the rows to remove: in a list that was empty there are none. */
function removalsOf(
  { noteNamed, noteOthers }: Statements,
  { way, removals }: Incoming,
  others: NonNullable<CommitOptions['removeOthers']>,
): { readonly named?: Statement; readonly others?: Statement } {
  if (way === 'straight') return {};
  return {
    ...(removals === 0 ? {} : { named: statement(noteNamed) }),
    ...(others === 'none' ? {} : { others: statement(noteOthers[others]) }),
  };
}

/** What holds the accounts and notes the changes. Rows that went straight to the list are there already. */
function changesOf({ staged, straight, newChanges, changes, remove, store }: Statements, { way }: Incoming) {
  return way === 'straight'
    ? plain(newChanges, straight.holdAccounts)
    : plain(staged.holdAccounts, ...changes, remove('moved'), store);
}

/** The statements of an import whose rows have come, and what they have done. */
export function preparation(sql: Statements, incoming: Incoming, options: CommitOptions) {
  const { accounts = [], removeOthers = 'none', retentionMs = DEFAULT_RETENTION_MS } = options;
  const { way, items } = incoming;
  const { change } = sql;
  const [now, random] = [timestampOf(), randomUUID()];
  const removals = removalsOf(sql, incoming, removeOthers);
  const create = statement(sql[way].createAccounts, now, random);
  const count = statement(sql.count);
  const oldest = timestampOf(Date.now() - retentionMs);
  const countPruned = statement(change.countPruned, oldest);
  const statements: Statement[] = [
    ...(accounts.length === 0 ? [] : [statement(sql.nameMore, accounts)]),
    ...changesOf(sql, incoming),
    ...Object.values(removals).flatMap((one) => [one, ...plain(sql.remove('removed'))]),
    create,
    ...plain(change.renewed, change.lockRenewed, change.gone, change.before),
    statement(change.history, now),
    statement(sql.renewAccounts, now, random),
    ...plain(...change.log),
    countPruned,
    count,
  ];
  const countOf = (results: Results, one: Statement | undefined) =>
    (one && results[statements.indexOf(one)]?.count) ?? 0;
  const rowOf = (results: Results, one: Statement) => results[statements.indexOf(one)]?.rows[0] ?? [];
  return {
    statements,
    /** To be run where anything is pruned. */
    forget: [
      ...plain(...change.makePruned),
      statement(change.notePruned, oldest),
      ...plain(...change.forget),
    ],
    prunes: (results: Results) => rowOf(results, countPruned)[0] !== 0,
    summaryOf: (results: Results): LoadSummary => {
      const [inserted = 0, updated = 0] = rowOf(results, count) as number[];
      const removedByName = countOf(results, removals.named);
      return {
        inserted,
        updated,
        unchanged: items - inserted - updated,
        removed: removedByName + countOf(results, removals.others),
        absent: incoming.removals - removedByName,
        accounts_created: countOf(results, create),
      };
    },
  };
}
