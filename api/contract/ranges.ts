// Ranges: the telephone numbers of a list as runs of numbers that follow each other (docs/generated/api.md,
// "Ranges").

import { cellText } from './csv.ts';
import { PRICE_FIELD } from './facets.ts';
import type { List } from './list.ts';

/** A number of more digits, or of none, is a range of its own. */
export const MAX_RANGE_DIGITS = 18;
/** What every range has, or `null` where its numbers differ in it. */
export const RANGE_COUNTRY = 'country_code';

/** The fields by which ranges can be split, which are also members of ranges then. */
export type RangeSplit = 'country_code' | 'provider' | 'status' | 'subscription_status' | 'frequency';

/** The parameters that ranges have in addition to filters. */
export interface RangesOptions {
  /** A new range also begins where one of these changes; ranges have them as members then. */
  readonly split_by?: readonly RangeSplit[] | undefined;
  /** Only ranges of at least this many items. By default 1. */
  readonly min_count?: number | undefined;
  /** Which page, from 1. One past the last is empty, not an error. By default 1. */
  readonly page?: number | undefined;
  /** How many ranges to a page, at most 1,000 unless the operator of the deployment chose another limit. */
  readonly page_size?: number | undefined;
}

/** Numbers of the same length that follow each other without a gap. */
export interface NumberRange {
  /** The first number, as the platform knows it. */
  readonly from: string;
  /** The last number; the first one where there is no other. */
  readonly to: string;
  /** How many items it has: a number that is on the account twice counts twice. */
  readonly count: number;
  /** That of all its numbers, or `null` where they have several. */
  readonly country_code: string | null;
  /** That of all its numbers; with `split_by` alone, as those below. */
  readonly provider?: string;
  readonly status?: string;
  readonly subscription_status?: string;
  readonly frequency?: string;
  /** The exact sum of their monthly charges; absent where the token may not see charges. */
  readonly monthly: number;
}

export const rangesPath = ({ path }: Pick<List, 'path'>): string => `${path}/ranges`;
export const rangesFilePath = (list: Pick<List, 'path'>): string => `${rangesPath(list)}.csv`;

export const hasRanges = ({ splits }: List): boolean => splits !== undefined;

/** The members of a range, in the order of an answer. */
export function rangeMembers(splits: readonly string[], hasCharges: boolean): string[] {
  const more = splits.filter((name) => name !== RANGE_COUNTRY);
  return ['from', 'to', 'count', RANGE_COUNTRY, ...more, ...(hasCharges ? [PRICE_FIELD] : [])];
}

/** Whether a number is in one range with the number before it, both as digits. */
export function followsNumber(before: string, digits: string): boolean {
  const { length } = digits;
  if (before.length !== length || length === 0 || length > MAX_RANGE_DIGITS) return false;
  return before === digits || BigInt(before) + 1n === BigInt(digits);
}

/** One range as a line of CSV: its members by name, or what `range` names them. */
export function rangeLine(
  names: readonly string[],
  range: Readonly<Record<string, string | number | boolean | null | undefined>>,
): string {
  const cells = names.map((name) => {
    const text = String(range[name] ?? '');
    return name === PRICE_FIELD ? text : cellText(text, name === 'from' || name === 'to');
  });
  return `${cells.join(',')}\r\n`;
}

/** Ranges as the service writes its file of them; without charges where they have none. */
export function* rangesCsv(
  ranges: readonly NumberRange[],
  splits: readonly string[],
): Generator<string, void> {
  const names = rangeMembers(
    splits,
    ranges.every((range) => PRICE_FIELD in range),
  );
  yield `${names.join(',')}\r\n`;
  for (const range of ranges) yield rangeLine(names, { ...range });
}
