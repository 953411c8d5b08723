// Statements that read the change log as events: what happened to the items of an account, import by import.

import { EVENTS, type EventName } from '@linecard/client/contract/list';
import { type ColumnCondition, conditionText, Values } from '../conditions.ts';
import type { Dialect } from '../dialects.ts';
import { REMOVED } from '../events.ts';
import { fromWhere, ofAccount, type Statement, statementOf } from '../sql.ts';
import { listedCondition, type Table } from '../tables.ts';
import { changesTable } from './change-log.ts';

export interface ActivityRange {
  /** Only imports of this sequence or earlier ones, this number of them. */
  readonly upTo: number;
  readonly imports: number;
  /** On `ended_at`. */
  readonly times: readonly ColumnCondition[];
  /** Of these items alone, all of which are named; undefined for all items, the first of which are named. */
  readonly ids: readonly number[] | undefined;
  readonly shown: number;
}

/**
 * The imports that had any of these events in a list, newest first, each `[sequence, time, …]` followed for
 * each event by how many items had it and by these, each `[id, label, from_to]`, separated by commas. The
 * label is null of an item that was removed later.
 *
 * A sequence begins when the one before ends, so the revisions are read first, newest first, and the entries
 * of each by key: the statement ends with the last import that is wanted.
 */
export function activityStatement(
  dialect: Dialect,
  account_id: string,
  table: Table,
  events: readonly EventName[],
  { upTo, imports, times, ids, shown }: ActivityRange,
): Statement {
  const values = new Values();
  const { name: list } = table;
  const log = changesTable(list);
  const owner = values.bind(account_id);
  const before = values.bind(upTo);
  const bits = events.map((name) => EVENTS[name].bit);
  const had = (bit: number) => `(what & ${bit}) > 0`;
  const wanted = bits.reduce((sum, bit) => sum + bit, 0);
  const ofIds =
    ids && conditionText(dialect, values, { column: 'id', test: 'any', type: 'bigint', value: ids });
  const some = ofIds === undefined ? '' : ` and ${ofIds}`;
  const during = times.map((one) => ` and ${conditionText(dialect, values, one)}`).join('');
  const limit = dialect.limit(values.bind(imports));
  const counts = bits.map((bit) => `count(*) filter (where ${had(bit)}) as n${bit}`);
  // As it is now; of what the entry removed, as it was.
  const label = `coalesce((select ${dialect.member('stored.item', table.list.label)} from ${list} as stored
    where stored.account_id = ${owner} and stored.id = named.id and ${listedCondition(table, 'stored')}), label)`;
  const item = `'[' || id || ',' || coalesce(${dialect.jsonText(label)}, 'null') || ',' || coalesce('[' || from_to || ']', 'null') || ']'`;
  const columns = bits.map((bit) => {
    const first = `select id, label, from_to from ${log} as logged where logged.account_id = ${owner} and logged.sequence = happened.sequence
      and ${had(bit)}${some} order by id limit ${shown}`;
    return `n${bit}, case when n${bit} > 0 then (select string_agg(${item}, ',') from (${first}) as named) end`;
  });
  const text = `select account_id, sequence, ended_at, ${columns.join(', ')} from (
      select logged.account_id, logged.sequence, ended_at, ${counts.join(', ')}
      from revisions cross join ${log} as logged
      where revisions.account_id = ${owner} and revisions.sequence < ${before}${during}
        and logged.account_id = ${owner} and logged.sequence = revisions.sequence + 1 and ${had(wanted)}${some}
      group by logged.account_id, revisions.sequence, logged.sequence, ended_at
      order by revisions.sequence desc limit ${limit}
    ) as happened order by sequence desc`;
  return statementOf(account_id, text, values);
}

/** What items were called when they were removed last, each `[id, label, sequence]`. */
export function removedLabelsStatement(
  dialect: Dialect,
  account_id: string,
  list: string,
  ids: readonly number[],
): Statement {
  const values = new Values();
  const where = [{ column: 'id', test: 'any', type: 'bigint', value: ids }] as const;
  const ofIds = fromWhere(dialect, values, { account_id, list: changesTable(list), where, whole: false });
  const text = `select account_id, id, label ${ofIds} and what = ${REMOVED} and label is not null order by sequence`;
  return statementOf(account_id, text, values);
}

/** The logs of an account, each `[list, pruned, filled, when, rebuilt, when]`; 0 for what did not happen. */
export function replacedStatement(account_id: string): Statement {
  const at = (sequence: string) =>
    `(select ended_at from revisions where account_id = $1 and sequence = ${sequence} - 1)`;
  const text = `select account_id, list, pruned, filled, ${at('filled')}, rebuilt, ${at('rebuilt')}
    from change_logs where account_id = $1`;
  return ofAccount(account_id, text);
}

/**
 * One row `[revision, when that began, when the account was created, …]`, then how many items each list has.
 */
export function activityHeadStatement(account_id: string, lists: readonly string[]): Statement {
  const columns = ['id', 'revision', 'coalesce(updated_at, created_at)', 'created_at', ...lists];
  const text = `select ${columns.join(', ')} from accounts where id = $1`;
  return { ...ofAccount(account_id, text), tellsRevision: true };
}

/**
 * `[sequence, when it ended]`: after which sequence everything that happened in these lists is known; null
 * where all is known, and no time where the sequence has not ended.
 * @param isReplacementKnown whether a list that was replaced counts as known
 */
export function knownStatement(
  dialect: Dialect,
  account_id: string,
  lists: readonly string[],
  isReplacementKnown: boolean,
): Statement {
  const among = dialect.among('list', '$2', 'text');
  // The sequence that rebuilds a list prunes what was before.
  const unknown = isReplacementKnown
    ? ['case when pruned > rebuilt then pruned else nullif(rebuilt, 0) - 1 end', 'events_after']
    : ['nullif(pruned, 0)', 'nullif(rebuilt, 0)', 'nullif(filled, 0)', 'events_after'];
  const each = unknown.map(
    (one) => `select account_id, ${one} as known from change_logs where account_id = $1 and ${among}`,
  );
  const text = `select account_id, known, (
      select ended_at from revisions where revisions.account_id = $1 and revisions.sequence >= known
      order by revisions.sequence limit 1
    ) from (
      select account_id, max(known) as known from (${each.join(' union all ')}) as each_list group by account_id
    ) as all_lists`;
  return ofAccount(account_id, text, lists);
}
