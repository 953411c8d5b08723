// What facets count, and the statements that count it in the database.

import { DUE_FIELD, MAX_FACET_VALUES, PRICE_FIELD } from '@linecard/client/contract/facets';
import type { List } from '@linecard/client/contract/list';
import { Values } from '../store/conditions.ts';
import type { Dialect } from '../store/dialects.ts';
import { fromWhere, ofAccount, type Selection, type Statement, statementOf } from '../store/sql.ts';
import { type DayRange, groupColumns } from './payments.ts';
import { sumColumns } from './sums.ts';

/**
 * The row guard of rows that are counted: they belong to the account that they are counted for.
 */
function countedFor(values: Values, account_id: string): string {
  return `cast(${values.bind(account_id)} as text), `;
}

export interface FacetsPlan {
  readonly list: List;
  /** The columns of its charges, in the order of `summedFields`. */
  readonly summed: readonly string[];
  /** Everything that matches. */
  readonly all: Selection;
  /** What each facet counts the values of, and in which column. */
  readonly each: readonly { readonly column: string; readonly selection: Selection }[];
  /** When `due` begins, in milliseconds since 1970. */
  readonly now: number;
  /** The timestamps up to which something falls due. */
  readonly until: readonly string[];
  /** The days of payments, if they are requested. */
  readonly days: DayRange | undefined;
  /** Whether each value has the sum of its charges. */
  readonly hasCharges: boolean;
  /** The currency of the charges, unless the account has one of its own. */
  readonly currency: string | null;
}

/** One row `[revision, currency]` of the account, its own currency or `null`. */
export function currencyStatement(account_id: string): Statement {
  const text = 'select id, revision, currency from accounts where id = $1';
  return { ...ofAccount(account_id, text), tellsRevision: true };
}

/**
 * One row: the total, then the sums, then for each due date what falls due: count, sum, and the next due
 * date.
 */
export function sumsStatement(
  dialect: Dialect,
  { summed, all, until }: Pick<FacetsPlan, 'summed' | 'all' | 'until'>,
): Statement {
  const values = new Values();
  const owner = countedFor(values, all.account_id);
  const due = until.map((date) => {
    const bound = values.bind(date);
    const filter = ` filter (where ${DUE_FIELD} <= ${bound})`;
    const next = `min(${DUE_FIELD}) filter (where ${DUE_FIELD} > ${bound})`;
    return `count(*)${filter}, ${sumColumns(PRICE_FIELD, filter)}, ${next}`;
  });
  const sums = summed.map((column) => sumColumns(column));
  const columns = ['count(*)', ...sums, ...due].join(', ');
  const text = `select ${owner}${columns} ${fromWhere(dialect, values, all)}`;
  return statementOf(all.account_id, text, values);
}

/** What is due before the end of a range, in groups that are paid on the same days (payments.ts). */
export function paymentsStatement(dialect: Dialect, all: Selection, range: DayRange): Statement {
  const values = new Values();
  const owner = countedFor(values, all.account_id);
  const rows = `select ${groupColumns(range, values)}
    ${fromWhere(dialect, values, all)} and ${DUE_FIELD} < ${values.bind(range.end)}`;
  const text = `select ${owner}month, day, months, count(*), ${sumColumns('charge')} from (${rows}) as due
    group by month, day, months`;
  return statementOf(all.account_id, text, values);
}

/**
 * The most frequent values of a column, each `[value, count, count of all values]`, and with `hasCharges`
 * their charges in two parts.
 */
export function facetStatement(
  dialect: Dialect,
  { column, selection }: FacetsPlan['each'][number],
  hasCharges: boolean,
): Statement {
  const values = new Values();
  const owner = countedFor(values, selection.account_id);
  const sums = hasCharges ? `, ${sumColumns(PRICE_FIELD)}` : '';
  const names = hasCharges ? ['value', 'count', 'whole', 'millionths'] : ['value', 'count'];
  const rows = `select ${column}, count(*)${sums} ${fromWhere(dialect, values, selection)} group by ${column}`;
  const text = `with groups (${names.join(', ')}) as (${rows})
    select ${owner}value, count, sum(count) over ()${hasCharges ? ', whole, millionths' : ''} from groups
    order by count desc, value limit ${MAX_FACET_VALUES}`;
  return statementOf(selection.account_id, text, values);
}
