// Facets: counts, sums and what falls due, for any filters of a list (docs/generated/api.md, "Facets"). Each
// facet is counted without its own filter and with all others; everything comes from one snapshot, or from
// one index in memory.

import { chargeText } from '@linecard/client/contract/charge';
import { DUE_DAYS, facetFilters, summedFields } from '@linecard/client/contract/facets';
import type { Filter, List } from '@linecard/client/contract/list';
import type { Query } from '@linecard/client/contract/query';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { ResultRow } from '../store/store.ts';
import type { Stored, Table } from '../store/tables.ts';
import { DUE_CHARGE, type FacetsPlan, MILLIONTHS } from './facets-statements.ts';
import { selectionOf } from './plan.ts';

const MILLISECONDS_A_DAY = 86_400_000;
const WHOLE_MILLISECOND = '000Z';

/** The counts, as the database returns them. */
export interface FacetsRows {
  readonly revision: string;
  /** The account's own currency, if it was read. */
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
export interface FacetsText {
  readonly body: string;
  /** When they change though the account does not, in milliseconds since 1970; absent for never. */
  readonly changesAt: number | undefined;
}

/**
 * @param currency of the charges, unless the account has one of its own.
 * @param now when `due` begins, in milliseconds since 1970.
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

function sumsText(list: List, row: ResultRow, hasCharges: boolean) {
  const sums = summedFields(list).map((field, i) => `"${field}":${sumText(row.slice(1 + 2 * i, 3 + 2 * i))}`);
  const firstDue = 1 + 2 * sums.length;
  const due = DUE_DAYS.map((days, i) => {
    const [count, whole, millionths, next] = row.slice(firstDue + 4 * i, firstDue + 4 * i + 4);
    const charge = hasCharges ? `,"${DUE_CHARGE}":${sumText([whole ?? null, millionths ?? null])}` : '';
    const text = `"${days}":{"count":${Number(count)}${charge}}`;
    return { text, next: (next ?? null) as string | null };
  });
  return {
    total: Number(row[0]),
    sums: hasCharges ? sums.join(',') : '',
    due: due.map(({ text }) => text).join(','),
    nextDue: due.map(({ next }) => next),
  };
}

/** When more falls due: as soon as a due date is within one of the numbers of days. */
function changesAtOf(nextDue: readonly (string | null)[]): number | undefined {
  const times = DUE_DAYS.flatMap((days, i) => {
    const next = nextDue[i] ?? null;
    if (next === null) return [];
    // The microseconds of a due date are passed with the next millisecond.
    const isBetween = !next.endsWith(WHOLE_MILLISECOND);
    return [Date.parse(next) + Number(isBetween) - days * MILLISECONDS_A_DAY];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

/** @param hasCharges whether the caller sees charges, their sums and their currency. */
export function facetsText(
  { list, currency }: FacetsPlan,
  rows: FacetsRows,
  hasCharges: boolean,
): FacetsText {
  const { sums, each } = rows;
  const { total, nextDue, ...texts } = sumsText(list, sums, hasCharges);
  const facetTexts = facetFilters(list).map((name, i) => {
    const isFlag = list.filters[name]?.test === 'is';
    return `"${name}":${facetText(each[i] ?? [], isFlag)}`;
  });
  const money = JSON.stringify(hasCharges ? (rows.currency ?? currency) : null);
  return {
    body: `{"total":${total},"currency":${money},"sums":{${texts.sums}},"due":{${texts.due}},"facets":{${facetTexts.join(',')}}}`,
    changesAt: changesAtOf(nextDue),
  };
}
