// The first row of every answer about a list: the account's revision, its sequence, and how many rows match.
// Everything else is read from the same snapshot.

import { Values } from './conditions.ts';
import type { Dialect } from './dialects.ts';
import { fromWhere, type Selection, type Statement, statementOf } from './sql.ts';

/** The revision of an earlier sequence, to compare it with the revision that something was read at. */
function revisionAt(values: Values, account_id: string, sequence: number): string {
  const [owner, at] = [values.bind(account_id), values.bind(sequence)];
  return `(select revision from revisions where account_id = ${owner} and sequence = ${at})`;
}

function alsoAt(values: Values, account_id: string, earlier: number | undefined): string {
  return earlier === undefined ? '' : `, ${revisionAt(values, account_id, earlier)}`;
}

function totalOf(dialect: Dialect, values: Values, selection: Selection): string {
  return selection.whole ? selection.list : `(select count(*) ${fromWhere(dialect, values, selection)})`;
}

/**
 * One row `[revision, sequence]` of the account; none if it does not exist. With `earlier`, followed by the
 * revision that this earlier sequence had.
 */
export function revisionStatement(dialect: Dialect, account_id: string, earlier?: number): Statement {
  const values = new Values(dialect);
  const columns = `revision, sequence${alsoAt(values, account_id, earlier)}`;
  const text = `select id, ${columns} from accounts where id = ${values.bind(account_id)}`;
  return { ...statementOf(account_id, text, values), tellsRevision: true };
}

/**
 * One row `[revision, total, sequence]`: the account's revision, how many rows match, whatever page is read,
 * and its sequence. The total of the unfiltered list is stored next to the revision; any other is counted.
 * With `earlier`, followed by the revision that this earlier sequence had.
 */
export function headStatement(dialect: Dialect, selection: Selection, earlier?: number): Statement {
  const values = new Values(dialect);
  const { account_id } = selection;
  const total = totalOf(dialect, values, selection);
  const columns = `revision, ${total}, sequence${alsoAt(values, account_id, earlier)}`;
  const owner = values.bind(account_id);
  const text = `select id, ${columns} from accounts where id = ${owner}`;
  return { ...statementOf(account_id, text, values), tellsRevision: true };
}

/**
 * One row for changes: `[revision, total, sequence, revision of the earlier sequence, oldest sequence whose
 * revision is known, newest, pruned, rebuilt, filled]`, the last four as `change_logs` has them.
 * @param list whose changes; `selection` is what of it matches.
 */
export function changesHeadStatement(dialect: Dialect, selection: Selection, earlier: number): Statement {
  const values = new Values(dialect);
  const { account_id, list } = selection;
  const total = totalOf(dialect, values, selection);
  const owner = values.bind(account_id);
  const oldest = `(select min(sequence) from revisions where account_id = ${owner})`;
  const known = ['newest', 'pruned', 'rebuilt', 'filled'].map((column) => `coalesce(${column}, 0)`);
  const columns = ['revision', total, 'sequence', revisionAt(values, account_id, earlier), oldest, ...known];
  const text = `select id, ${columns.join(', ')}
    from accounts left join change_logs on account_id = id and list = '${list}' where id = ${owner}`;
  return { ...statementOf(account_id, text, values), tellsRevision: true };
}
