// What ranges must be, computed naively from all rows in plain TypeScript. Written from the text of
// docs/generated/api.md alone.

import { comparedDigits, type ModelRow, millionths } from './model.ts';

export interface NaiveRange {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly country_code: string | null;
  readonly [member: string]: string | number | null;
}

const LONGEST = 18;

function isNext(before: string, digits: string): boolean {
  if (digits.length === 0 || digits.length > LONGEST || before.length !== digits.length) return false;
  const step = BigInt(digits) - BigInt(before);
  return step === 0n || step === 1n;
}

const digitsOf = ({ did }: ModelRow) => comparedDigits(String(did));

function compare(a: ModelRow, b: ModelRow): number {
  const [digits, others] = [digitsOf(a), digitsOf(b)];
  if (digits.length !== others.length) return digits.length - others.length;
  return digits === others ? a.id - b.id : digits < others ? -1 : 1;
}

/** Members of a range, those of `splits` after the country. */
function naiveRange(rows: readonly ModelRow[], splits: readonly string[]): NaiveRange {
  const [first] = rows as [ModelRow];
  const last = rows.find((row) => digitsOf(row) === digitsOf(rows.at(-1) as ModelRow)) as ModelRow;
  const countries = new Set(rows.map((row) => row['country_code']));
  const sum = rows.reduce((total, row) => total + millionths(String(row['monthly'])), 0n);
  const own = ['provider', 'status', 'subscription_status', 'frequency'].filter((name) =>
    splits.includes(name),
  );
  return {
    from: String(first['did']),
    to: String(last['did']),
    count: rows.length,
    country_code: countries.size === 1 ? String(first['country_code']) : null,
    ...Object.fromEntries(own.map((name) => [name, first[name] as string])),
    monthly: Number(sum) / 1e6,
  };
}

/** @param rows of one account that match, in any order */
export function naiveRanges(
  rows: readonly ModelRow[],
  splits: readonly string[] = [],
  least = 1,
): NaiveRange[] {
  const groups: ModelRow[][] = [];
  for (const row of rows.toSorted(compare)) {
    const before = groups.at(-1)?.at(-1);
    const joins =
      before !== undefined &&
      isNext(digitsOf(before), digitsOf(row)) &&
      splits.every((name) => before[name] === row[name]);
    if (joins) groups.at(-1)?.push(row);
    else groups.push([row]);
  }
  return groups.filter(({ length }) => length >= least).map((group) => naiveRange(group, splits));
}
