// Facets: counts, sums and what falls due, for any filters of a list (contract, section 6). Each facet is counted without
// its own filter and with all others; everything comes from one snapshot.

import {
  chargeText,
  DUE_DAYS,
  facetFilters,
  type List,
  MAX_FACET_VALUES,
  type Query,
  summedFields,
  timestampOf,
} from '@linecard/client';
import { selectionOf } from './plan.ts';
import {
  countedFor,
  type Dialect,
  fromWhere,
  revisionStatement,
  type Selection,
  type Statement,
  statementOf,
  Values,
} from './sql.ts';
import type { Row, Store } from './store.ts';
import type { Stored, Table } from './tables.ts';

const MILLISECONDS_A_DAY = 86_400_000;
const MILLIONTHS = 1_000_000;
const DUE_FIELD = 'next_payment_at';
const DUE_CHARGE = 'monthly';

/** The facets of one query as JSON text. */
export interface FacetsAnswer {
  readonly body: string;
  readonly revision: string;
  /** For each of the numbers of days, the first due date beyond it: until that comes near, `due` stays what it is. */
  readonly next_due: readonly (string | null)[];
}

/** `[whole, millionths]`: a sum in two parts, because a sum of many charges can be more than an integer holds. */
function sumColumns(column: string, filter = ''): string {
  return `sum(${column} / ${MILLIONTHS})${filter}, sum(${column} % ${MILLIONTHS})${filter}`;
}

/** The decimal text of a sum in its two parts; nothing sums to 0. */
function sumText([whole, millionths]: readonly Stored[]): string {
  return chargeText(BigInt(whole ?? 0) * BigInt(MILLIONTHS) + BigInt(millionths ?? 0));
}

/** One row: the total, then the sums, then for each number of days what falls due: count, sum, and the next due date. */
function sumsStatement(dialect: Dialect, list: List, selection: Selection, now: number): Statement {
  const values = new Values(dialect);
  const owner = countedFor(dialect, values, selection.account_id);
  const due = DUE_DAYS.map((days) => {
    const until = values.bind(timestampOf(now + days * MILLISECONDS_A_DAY));
    const filter = ` filter (where ${DUE_FIELD} <= ${until})`;
    const next = `min(${DUE_FIELD}) filter (where ${DUE_FIELD} > ${until})`;
    return `count(*)${filter}, ${sumColumns(DUE_CHARGE, filter)}, ${next}`;
  });
  const sums = summedFields(list).map((field) => sumColumns(field));
  const columns = ['count(*)', ...sums, ...due].join(', ');
  const text = `select ${owner}${columns} ${fromWhere(dialect, values, selection)}`;
  return statementOf(selection.account_id, text, values);
}

/** The most frequent values of a column, each `[value, count, count of all values]`. */
function facetStatement(dialect: Dialect, column: string, selection: Selection): Statement {
  const values = new Values(dialect);
  const owner = countedFor(dialect, values, selection.account_id);
  const groups = `select ${column} as value, count(*) as count ${fromWhere(dialect, values, selection)} group by ${column}`;
  const text = `select ${owner}value, count, sum(count) over () from (${groups}) as groups
    order by count desc, value limit ${MAX_FACET_VALUES}`;
  return statementOf(selection.account_id, text, values);
}

function facetText(rows: readonly Row[], is_flag: boolean): string {
  const values = rows.map(([value, count]) => ({
    value: is_flag ? Number(value) === 1 : value,
    count: Number(count),
  }));
  const shown = values.reduce((sum, { count }) => sum + count, 0);
  return JSON.stringify({ values, others: Number(rows[0]?.[2] ?? 0) - shown });
}

function sumsText(list: List, row: Row) {
  const sums = summedFields(list).map((field, i) => `"${field}":${sumText(row.slice(1 + 2 * i, 3 + 2 * i))}`);
  const first_due = 1 + 2 * sums.length;
  const due = DUE_DAYS.map((days, i) => {
    const [count, whole, millionths, next] = row.slice(first_due + 4 * i, first_due + 4 * i + 4);
    const text = `"${days}":{"count":${Number(count)},"${DUE_CHARGE}":${sumText([whole ?? null, millionths ?? null])}}`;
    return { text, next: (next ?? null) as string | null };
  });
  return {
    total: Number(row[0]),
    sums: sums.join(','),
    due: due.map(({ text }) => text).join(','),
    next_due: due.map(({ next }) => next),
  };
}

/**
 * Counts the facets of a query; `now` (milliseconds since 1970) is what `due` looks ahead from.
 * @throws {StoreUnavailable}
 */
export async function readFacets(
  store: Store,
  table: Table,
  account_id: string,
  query: Query,
  now: number = Date.now(),
): Promise<FacetsAnswer> {
  const { list } = table;
  const { dialect } = store;
  const names = facetFilters(list);
  const without = (name: string): Query => ({
    ...query,
    filters: query.filters.filter((one) => one.name !== name),
  });
  const fieldOf = (name: string) => list.filters[name]?.field as string;
  const [accounts, sums, ...facets] = (await store.read(
    revisionStatement(dialect, account_id),
    sumsStatement(dialect, list, selectionOf(table, account_id, query), now),
    ...names.map((name) =>
      facetStatement(dialect, table.exact(fieldOf(name)), selectionOf(table, account_id, without(name))),
    ),
  )) as readonly Row[][];
  const revision = accounts?.[0]?.[0];
  const sums_row = sums?.[0];
  if (revision === undefined || sums_row === undefined) throw new Error(`The account ${account_id} is gone.`);

  const { total, next_due, ...texts } = sumsText(list, sums_row);
  const facet_texts = names.map((name, i) => {
    const is_flag = list.filters[name]?.test === 'is';
    return `"${name}":${facetText(facets[i] ?? [], is_flag)}`;
  });
  return {
    body: `{"total":${total},"sums":{${texts.sums}},"due":{${texts.due}},"facets":{${facet_texts.join(',')}}}`,
    revision: revision as string,
    next_due,
  };
}

/** Whether facets that were counted earlier still hold at a time: until then nothing more has come to fall due. */
export function facetsHold({ next_due }: FacetsAnswer, now: number = Date.now()): boolean {
  return DUE_DAYS.every((days, i) => {
    const next = next_due[i] ?? null;
    return next === null || next > timestampOf(now + days * MILLISECONDS_A_DAY);
  });
}
