// The first row of every answer about a list: the account's revision, its sequence, and how many rows match.
// Everything else is read from the same snapshot.

import { Values } from '../conditions.ts';
import type { Dialect } from '../dialects.ts';
import { fromWhere, ofAccount, type Selection, type Statement, statementOf } from '../sql.ts';

/** The revision of an earlier sequence, to compare it with the revision that something was read at. */
function revisionAt(owner: string, at: string): string {
  return `(select revision from revisions where account_id = ${owner} and sequence = ${at})`;
}

function totalOf(dialect: Dialect, values: Values, selection: Selection): string {
  return selection.whole ? selection.list : `(select count(*) ${fromWhere(dialect, values, selection)})`;
}

/**
 * One row `[revision, sequence]` of the account; none if it does not exist. With `earlier`, followed by the
 * revision that this earlier sequence had.
 */
export function revisionStatement(account_id: string, earlier?: number): Statement {
  const also = earlier === undefined ? '' : `, ${revisionAt('$1', '$2')}`;
  const text = `select id, revision, sequence${also} from accounts where id = $1`;
  return { ...ofAccount(account_id, text, ...(earlier === undefined ? [] : [earlier])), tellsRevision: true };
}

/**
 * One row `[revision, total, sequence]`: the account's revision, how many rows match, whatever page is read,
 * and its sequence. The total of the unfiltered list is stored next to the revision; any other is counted.
 * With `earlier`, followed by the revision that this earlier sequence had.
 */
export function headStatement(dialect: Dialect, selection: Selection, earlier?: number): Statement {
  const values = new Values();
  const { account_id } = selection;
  const total = totalOf(dialect, values, selection);
  const owner = values.bind(account_id);
  const also = earlier === undefined ? '' : `, ${revisionAt(owner, values.bind(earlier))}`;
  const text = `select id, revision, ${total}, sequence${also} from accounts where id = ${owner}`;
  return { ...statementOf(account_id, text, values), tellsRevision: true };
}

/**
 * One row for changes: `[revision, total, sequence, revision of the earlier sequence, oldest sequence whose
 * revision is known, newest, pruned, rebuilt, filled]`, the last four as `change_logs` has them.
 * @param list whose changes; `selection` is what of it matches.
 */
export function changesHeadStatement(dialect: Dialect, selection: Selection, earlier: number): Statement {
  const values = new Values();
  const { account_id, list } = selection;
  const total = totalOf(dialect, values, selection);
  const owner = values.bind(account_id);
  const oldest = `(select min(sequence) from revisions where account_id = ${owner})`;
  const known = ['newest', 'pruned', 'rebuilt', 'filled'].map((column) => `coalesce(${column}, 0)`);
  const columns = ['revision', total, 'sequence', revisionAt(owner, values.bind(earlier)), oldest, ...known];
  const text = `select id, ${columns.join(', ')}
    from accounts left join change_logs on account_id = id and list = '${list}' where id = ${owner}`;
  return { ...statementOf(account_id, text, values), tellsRevision: true };
}
