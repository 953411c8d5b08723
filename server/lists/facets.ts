// Facets: counts, sums and what falls due, for any filters of a list (docs/generated/api.md, "Facets"). Each
// facet is counted without its own filter and exclusion and with all others; everything comes from one
// snapshot, or from one index in memory.

import { chargeText } from '@linecard/client/contract/charge';
import { DUE_DAYS, facetFilters, PRICE_FIELD, summedFields } from '@linecard/client/contract/facets';
import { exclusionOf, type Filter, type List } from '@linecard/client/contract/list';
import type { Query } from '@linecard/client/contract/query';
import { timestampOf } from '@linecard/client/contract/timestamp';
import type { ResultRow } from '../store/store.ts';
import { summedColumns, type Table } from '../store/tables.ts';
import type { FacetsPlan } from './facets-statements.ts';
import {
  type DayRange,
  dayRange,
  MILLISECONDS_A_DAY,
  type PaymentGroup,
  type Payments,
  paymentsOf,
} from './payments.ts';
import { selectionOf } from './plan.ts';
import { sumText } from './sums.ts';

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
  readonly payments: readonly PaymentGroup[];
  /**
   * For each facet its most frequent values, each `[value, count, count of all values]`, and its charges in
   * two parts where they are requested.
   */
  readonly each: readonly (readonly ResultRow[])[];
}

export interface FacetsText {
  readonly body: string;
  /** When they change though the account does not, in milliseconds since 1970; absent for never. */
  readonly changesAt: number | undefined;
}

/** What the deployment decides. */
export interface FacetsSettings {
  /** Of the charges, unless the account has one of its own. */
  readonly currency: string | null;
  readonly billingMonths: ReadonlyMap<string, number>;
}

/** @param now when `due` begins, in milliseconds since 1970. */
export function facetsPlan(
  table: Table,
  account_id: string,
  query: Query,
  { currency, billingMonths: months }: FacetsSettings,
  now: number = Date.now(),
): FacetsPlan {
  const { list } = table;
  const { due_days: days, charges: hasCharges = false } = query;
  const without = (name: string) =>
    query.filters.filter((one) => one.name !== name && one.name !== exclusionOf(list, name));
  return {
    list,
    summed: summedColumns(table),
    all: selectionOf(table, account_id, query),
    each: facetFilters(list).map((name) => ({
      column: table.filtered((list.filters[name] as Filter).field).name,
      selection: selectionOf(table, account_id, { ...query, filters: without(name) }),
    })),
    now,
    until: DUE_DAYS.map((due) => timestampOf(now + due * MILLISECONDS_A_DAY)),
    days: days === undefined ? undefined : dayRange(now, days, months),
    hasCharges,
    currency,
  };
}

function facetText(rows: readonly ResultRow[], isFlag: boolean): string {
  const values = rows.map(([value, count, , ...sum]) => {
    const shown = JSON.stringify(isFlag ? Number(value) === 1 : value);
    const charges = sum.length === 0 ? '' : `,"${PRICE_FIELD}":${sumText(sum)}`;
    return `{"value":${shown},"count":${Number(count)}${charges}}`;
  });
  const counted = rows.reduce((sum, [, count]) => sum + Number(count), 0);
  return `{"values":[${values.join(',')}],"others":${Number(rows[0]?.[2] ?? 0) - counted}}`;
}

function paymentsText({ count, amount, unknown }: Payments, seesCharges: boolean): string {
  const money = seesCharges ? `,"amount":${chargeText(amount)},"unknown":${unknown}` : '';
  return `"count":${count}${money}`;
}

function daysText(groups: readonly PaymentGroup[], range: DayRange, seesCharges: boolean): string {
  const { overdue, byDay } = paymentsOf(groups, range);
  const texts = byDay.flatMap((payments, i) =>
    payments.count === 0 ? [] : [`{"day":"${range.days[i]}",${paymentsText(payments, seesCharges)}}`],
  );
  return `"overdue":{${paymentsText(overdue, seesCharges)}},"due_by_day":[${texts.join(',')}],`;
}

export function sumsText(list: List, row: ResultRow, seesCharges: boolean) {
  const sums = summedFields(list).map((field, i) => `"${field}":${sumText(row.slice(1 + 2 * i, 3 + 2 * i))}`);
  const firstDue = 1 + 2 * sums.length;
  const due = DUE_DAYS.map((days, i) => {
    const [count, whole, millionths, next] = row.slice(firstDue + 4 * i, firstDue + 4 * i + 4);
    const charge = seesCharges ? `,"${PRICE_FIELD}":${sumText([whole ?? null, millionths ?? null])}` : '';
    const text = `"${days}":{"count":${Number(count)}${charge}}`;
    return { text, next: (next ?? null) as string | null };
  });
  return {
    total: Number(row[0]),
    sums: seesCharges ? sums.join(',') : '',
    due: due.map(({ text }) => text).join(','),
    nextDue: due.map(({ next }) => next),
  };
}

/** When more falls due: as soon as a due date is within one of the numbers of days, or a day begins. */
function changesAtOf(nextDue: readonly (string | null)[], days: DayRange | undefined): number | undefined {
  const times = DUE_DAYS.flatMap((days, i) => {
    const next = nextDue[i] ?? null;
    if (next === null) return [];
    // The microseconds of a due date are passed with the next millisecond.
    const isBetween = !next.endsWith(WHOLE_MILLISECOND);
    return [Date.parse(next) + Number(isBetween) - days * MILLISECONDS_A_DAY];
  });
  if (days !== undefined) times.push(Date.parse(days.days[0] as string) + MILLISECONDS_A_DAY);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** @param seesCharges whether the caller sees charges, their sums and their currency. */
export function facetsText(
  { list, currency, days }: FacetsPlan,
  rows: FacetsRows,
  seesCharges: boolean,
): FacetsText {
  const { sums, each } = rows;
  const { total, nextDue, ...texts } = sumsText(list, sums, seesCharges);
  const facetTexts = facetFilters(list).map((name, i) => {
    const isFlag = list.filters[name]?.test === 'is';
    return `"${name}":${facetText(each[i] ?? [], isFlag)}`;
  });
  const money = JSON.stringify(seesCharges ? (rows.currency ?? currency) : null);
  const byDay = days === undefined ? '' : daysText(rows.payments, days, seesCharges);
  return {
    body: `{"total":${total},"currency":${money},"sums":{${texts.sums}},"due":{${texts.due}},${byDay}"facets":{${facetTexts.join(',')}}}`,
    changesAt: changesAtOf(nextDue, days),
  };
}
