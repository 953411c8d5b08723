// Facets: counts, sums and what falls due, for any filters of a list (docs/api.md, "Facets"). Each facet is
// counted without its own filter and with all others; everything comes from one snapshot, or from one index
// in memory.

import { chargeText } from '@linecard/client/contract/charge';
import { DUE_DAYS, facetFilters, summedFields } from '@linecard/client/contract/facets';
import type { Filter, List } from '@linecard/client/contract/list';
import type { Query } from '@linecard/client/contract/query';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { ResultRow, Store } from '../store/store.ts';
import type { Stored, Table } from '../store/tables.ts';
import { invalidToken } from '../store/tokens.ts';
import {
  currencyStatement,
  DUE_CHARGE,
  type FacetsPlan,
  facetStatement,
  MILLIONTHS,
  sumsStatement,
} from './facets-statements.ts';
import { selectionOf } from './plan.ts';

const MILLISECONDS_A_DAY = 86_400_000;

/** What was counted, as the database returns it. */
export interface FacetsRows {
  readonly revision: string;
  /** The account's own, where it was read. */
  readonly currency: string | null;
  /**
   * The total, then the sums in two parts each, then for each due date: count, sum in two parts, and the next
   * due date.
   */
  readonly sums: ResultRow;
  /** For each facet its most frequent values, each `[value, count, count of all values]`. */
  readonly each: readonly (readonly ResultRow[])[];
}

/** The facets of one query as JSON text. */
export interface FacetsAnswer {
  readonly body: string;
  readonly revision: string;
  /**
   * For each of the numbers of days, the first due date beyond it: until that comes near, `due` stays what it
   * is.
   */
  readonly nextDue: readonly (string | null)[];
}

/**
 * @param currency that of the charges, unless the account is found to have one of its own.
 * @param now what `due` looks ahead from, in milliseconds since 1970.
 */
export function facetsPlan(
  table: Table,
  account_id: string,
  query: Query,
  currency: string | null = null,
  now: number = Date.now(),
): FacetsPlan {
  const { list } = table;
  const without = (name: string) => query.filters.filter((one) => one.name !== name);
  return {
    list,
    all: selectionOf(table, account_id, query),
    each: facetFilters(list).map((name) => ({
      column: table.filtered((list.filters[name] as Filter).field).name,
      selection: selectionOf(table, account_id, { ...query, filters: without(name) }),
    })),
    until: DUE_DAYS.map((days) => timestampOf(now + days * MILLISECONDS_A_DAY)),
    currency,
  };
}

/**
 * Counts by asking the database.
 * @throws {StoreUnavailable}
 */
export async function readFacets(store: Store, plan: FacetsPlan): Promise<FacetsRows> {
  const { dialect } = store;
  const { account_id } = plan.all;
  const [accounts, sums, ...each] = (await store.read(
    currencyStatement(dialect, account_id),
    sumsStatement(dialect, plan),
    ...plan.each.map(({ column, selection }) => facetStatement(dialect, column, selection)),
  )) as readonly ResultRow[][];
  const account = accounts?.[0];
  if (account === undefined || sums?.[0] === undefined) throw invalidToken();
  const [revision, currency] = account as [string, string | null];
  return { revision, currency, sums: sums[0], each };
}

/** The decimal text of a sum in its two parts; nothing sums to 0. */
function sumText([whole, millionths]: readonly Stored[]): string {
  return chargeText(BigInt(whole ?? 0) * BigInt(MILLIONTHS) + BigInt(millionths ?? 0));
}

function facetText(rows: readonly ResultRow[], isFlag: boolean): string {
  const values = rows.map(([value, count]) => ({
    value: isFlag ? Number(value) === 1 : value,
    count: Number(count),
  }));
  const shown = values.reduce((sum, { count }) => sum + count, 0);
  return JSON.stringify({ values, others: Number(rows[0]?.[2] ?? 0) - shown });
}

function sumsText(list: List, row: ResultRow) {
  const sums = summedFields(list).map((field, i) => `"${field}":${sumText(row.slice(1 + 2 * i, 3 + 2 * i))}`);
  const firstDue = 1 + 2 * sums.length;
  const due = DUE_DAYS.map((days, i) => {
    const [count, whole, millionths, next] = row.slice(firstDue + 4 * i, firstDue + 4 * i + 4);
    const text = `"${days}":{"count":${Number(count)},"${DUE_CHARGE}":${sumText([whole ?? null, millionths ?? null])}}`;
    return { text, next: (next ?? null) as string | null };
  });
  return {
    total: Number(row[0]),
    sums: sums.join(','),
    due: due.map(({ text }) => text).join(','),
    nextDue: due.map(({ next }) => next),
  };
}

export function facetsAnswer(plan: FacetsPlan, rows: FacetsRows): FacetsAnswer {
  const { list } = plan;
  const { revision, sums, each } = rows;
  const currency = JSON.stringify(rows.currency ?? plan.currency);
  const { total, nextDue, ...texts } = sumsText(list, sums);
  const facetTexts = facetFilters(list).map((name, i) => {
    const isFlag = list.filters[name]?.test === 'is';
    return `"${name}":${facetText(each[i] ?? [], isFlag)}`;
  });
  return {
    body: `{"total":${total},"currency":${currency},"sums":{${texts.sums}},"due":{${texts.due}},"facets":{${facetTexts.join(',')}}}`,
    revision,
    nextDue,
  };
}

/**
 * Whether facets that were counted earlier still hold at a time: until then nothing more has come to fall
 * due.
 */
export function facetsHold({ nextDue }: FacetsAnswer, now: number = Date.now()): boolean {
  return DUE_DAYS.every((days, i) => {
    const next = nextDue[i] ?? null;
    return next === null || next > timestampOf(now + days * MILLISECONDS_A_DAY);
  });
}

/** When facets change though the account does not, in milliseconds since 1970; `undefined` for never. */
export function facetsChangeAt({ nextDue }: FacetsAnswer): number | undefined {
  const times = DUE_DAYS.flatMap((days, i) => {
    const next = nextDue[i] ?? null;
    // A due date has microseconds, of which the last are passed with the next millisecond.
    return next === null ? [] : [Date.parse(next) + 1 - days * MILLISECONDS_A_DAY];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}
