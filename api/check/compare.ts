// The numbers of a file against those of an account, by their digits. Each number of the file meets one item:
// where several have the same digits, the first number of the file meets the first item, and so on.

import { chargeOf } from '../contract/charge.ts';
import type { AccountNumber, AccountNumbers } from './account-numbers.ts';
import { Column } from './column.ts';
import type { NumbersRead } from './file-numbers.ts';
import type { LineFault } from './file-table.ts';
import { Meetings } from './meetings.ts';
import type { AmountPer, WrittenNumbers } from './written-numbers.ts';

interface OfFile {
  readonly line: number;
  readonly number: string;
}
type OfAccount = Pick<AccountNumber, 'did' | 'id' | 'monthly'>;
type Amount = { readonly amount?: number };
/** Of a range, all of whose numbers have one amount, there is no single item. */
type Differing = OfFile &
  Required<Amount> & { readonly did: string | null; readonly id: number | null } & {
    /** Of the item, and what the amount should be: for several months, or several numbers. */
    readonly monthly: number;
    readonly expected: number;
  };

/** Rows that are made as they are read: those of hundreds of thousands of numbers are not held. */
export interface Rows<T> extends Iterable<T> {
  readonly length: number;
}

/** Each list is in the order of the file, or of the account. */
export interface Groups {
  readonly both: Rows<OfFile & OfAccount & Amount>;
  readonly only_in_file: Rows<OfFile & Amount>;
  readonly only_on_account: Rows<OfAccount>;
  /** They are among `both`, too. */
  readonly amounts: Rows<Differing>;
  /** What is there more often than on the account; `first_line` has the same number. */
  readonly twice: Rows<OfFile & Amount & { readonly first_line: number }>;
  /** Written as within a country, and several items end with these digits; at most ten of them are named. */
  readonly ambiguous: Rows<OfFile & { readonly candidates: readonly OfAccount[] }>;
}

export type GroupName = keyof Groups;
export const GROUP_NAMES = [
  'both',
  'only_in_file',
  'only_on_account',
  'amounts',
  'twice',
  'ambiguous',
] as const satisfies GroupName[];

export interface Check extends Groups {
  readonly counts: Readonly<Record<GroupName | 'in_file' | 'on_account' | 'without_number', number>>;
  /** Lines without a number or an amount, and amounts that nothing can be compared with. */
  readonly faults: readonly LineFault[];
}

/** Whether the file and the account have the same numbers, for the same amounts. */
export const isSame = ({ counts, faults }: Check): boolean =>
  faults.length === 0 && GROUP_NAMES.every((name) => name === 'both' || counts[name] === 0);

type RowOf<Name extends GroupName> = Groups[Name] extends Rows<infer Row> ? Row : never;

const onAccount = ({ did, id, monthly }: AccountNumber): OfAccount => ({
  did,
  id,
  ...(monthly !== undefined && { monthly }),
});
/** Rows that are made each time they are read. */
const rowsOf = <T>(length: number, make: () => Iterator<T, void, void>): Rows<T> => ({
  length,
  [Symbol.iterator]: make,
});

/** The rows of each group, made from what met what: the groups themselves are positions. */
class Comparison {
  readonly faults: LineFault[] = [];
  readonly #written: WrittenNumbers;
  readonly #items: AccountNumbers;
  readonly #meetings: Meetings;
  readonly #onlyInFile = new Column();
  readonly #twice = new Column();
  /** Where a number costs another amount; below zero, the place of a range. */
  readonly #amounts = new Column();
  /** What the numbers of each range cost together. */
  readonly #ranges = new Map<number, number>();

  constructor(written: WrittenNumbers, items: AccountNumbers, per: AmountPer) {
    this.#written = written;
    this.#items = items;
    this.#meetings = new Meetings(written, items, per);
    let range: number | undefined;
    for (let entry = 0; entry < this.#meetings.length; entry++) {
      const place = this.#meetings.place(entry);
      if (range !== undefined && range !== place) this.#endRange(range);
      range = this.#written.range(place) === undefined ? undefined : place;
      const item = this.#meetings.item(entry);
      if (item !== undefined) this.#compareAmount(entry, item, place);
      else if (this.#meetings.first(entry) === undefined) this.#onlyInFile.push(entry);
      else this.#twice.push(entry);
    }
    if (range !== undefined) this.#endRange(range);
  }

  #compareAmount(entry: number, item: number, place: number): void {
    const amount = this.#written.amount(place);
    if (amount === undefined) return;
    const expected = this.#meetings.expected(item);
    if (expected === undefined) {
      const { frequency = '' } = this.#items.at(item);
      const fault = { kind: 'unknown_months', values: [frequency] } as const;
      this.faults.push({ line: this.#written.line(place), text: this.#meetings.number(entry), fault });
    } else if (this.#written.range(place) !== undefined)
      this.#ranges.set(place, (this.#ranges.get(place) ?? 0) + expected);
    else if (expected !== amount) this.#amounts.push(entry);
  }

  #endRange(place: number): void {
    const sum = this.#ranges.get(place);
    if (sum !== undefined && sum !== this.#written.amount(place)) this.#amounts.push(-1 - place);
  }

  #inFile(entry: number): OfFile & Amount {
    const place = this.#meetings.place(entry);
    const amount = this.#written.range(place) === undefined ? this.#written.amount(place) : undefined;
    return {
      line: this.#written.line(place),
      number: this.#meetings.number(entry),
      ...(amount !== undefined && { amount: chargeOf(amount) }),
    };
  }

  *#both(): Generator<RowOf<'both'>> {
    for (let entry = 0; entry < this.#meetings.length; entry++) {
      const item = this.#meetings.item(entry);
      if (item === undefined) continue;
      const { line, number, ...amount } = this.#inFile(entry);
      yield { line, number, ...onAccount(this.#items.at(item)), ...amount };
    }
  }

  *#onlyOnAccount(): Generator<RowOf<'only_on_account'>> {
    for (let i = 0; i < this.#items.length; i++)
      if (!this.#meetings.isMet(i)) yield onAccount(this.#items.at(i));
  }

  *#ambiguous(): Generator<RowOf<'ambiguous'>> {
    for (const [place, items] of this.#meetings.ambiguous) {
      const candidates = items.map((i) => onAccount(this.#items.at(i)));
      yield { line: this.#written.line(place), number: this.#written.number(place), candidates };
    }
  }

  #differing(entry: number): RowOf<'amounts'> {
    const place = entry < 0 ? -1 - entry : this.#meetings.place(entry);
    const item = entry < 0 ? undefined : this.#meetings.item(entry);
    const line = this.#written.line(place);
    const amount = chargeOf(this.#written.amount(place) ?? 0);
    if (item === undefined) {
      const expected = chargeOf(this.#ranges.get(place) ?? 0);
      return {
        line,
        number: this.#written.number(place),
        did: null,
        id: null,
        amount,
        monthly: expected,
        expected,
      };
    }
    const { did, id, monthly = 0 } = this.#items.at(item);
    const expected = chargeOf(this.#meetings.expected(item) ?? 0);
    return { line, number: this.#meetings.number(entry), did, id, amount, monthly, expected };
  }

  #repeated(entry: number): RowOf<'twice'> {
    const first = this.#meetings.place(this.#meetings.first(entry) ?? entry);
    return { ...this.#inFile(entry), first_line: this.#written.line(first) };
  }

  get groups(): Groups {
    const { met, ambiguous } = this.#meetings;
    return {
      both: rowsOf(met, () => this.#both()),
      only_in_file: rowsOf(this.#onlyInFile.length, () => this.#onlyInFile.map((i) => this.#inFile(i))),
      only_on_account: rowsOf(this.#items.length - met, () => this.#onlyOnAccount()),
      amounts: rowsOf(this.#amounts.length, () => this.#amounts.map((i) => this.#differing(i))),
      twice: rowsOf(this.#twice.length, () => this.#twice.map((i) => this.#repeated(i))),
      ambiguous: rowsOf(ambiguous.size, () => this.#ambiguous()),
    };
  }
}

export function compare(
  { numbers, faults }: NumbersRead,
  items: AccountNumbers,
  per: AmountPer = 'payment',
): Check {
  const comparison = new Comparison(numbers, items, per);
  const { groups } = comparison;
  const sizes = Object.fromEntries(GROUP_NAMES.map((name) => [name, groups[name].length])) as Record<
    GroupName,
    number
  >;
  const in_file = sizes.both + sizes.only_in_file + sizes.twice + sizes.ambiguous;
  const counts = { in_file, on_account: items.length, ...sizes, without_number: faults.length };
  const all = [...faults, ...comparison.faults].toSorted((a, b) => a.line - b.line);
  return { counts, ...groups, faults: all };
}
