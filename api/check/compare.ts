// The numbers of a file against those of an account, by their digits. Each number of the file meets one item:
// where several have the same digits, the first number of the file meets the first item, and so on.

import { chargeOf, parseCharge } from '../contract/charge.ts';
import { nationalDigits, numberDigits, typed } from '../contract/digits.ts';
import { BILLING_MONTHS } from '../contract/facets.ts';
import type { NumbersRead, WrittenNumber } from './file-numbers.ts';
import type { LineFault } from './file-table.ts';
import { NumberIndex } from './number-index.ts';

/** What the amounts of a file are for. */
export const AMOUNTS_PER = ['payment', 'month'] as const;
export type AmountPer = (typeof AMOUNTS_PER)[number];

/** An item of the account; without charges where the token sees none. */
export interface AccountNumber {
  readonly id: number;
  readonly did: string;
  readonly frequency?: string;
  readonly monthly?: number;
}

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

/** Each list is in the order of the file, or of the account. */
export interface Groups {
  readonly both: (OfFile & OfAccount & Amount)[];
  readonly only_in_file: (OfFile & Amount)[];
  readonly only_on_account: OfAccount[];
  /** They are among `both`, too. */
  readonly amounts: Differing[];
  /** What is there more often than on the account; `first_line` has the same number. */
  readonly twice: (OfFile & Amount & { readonly first_line: number })[];
  /** Written as within a country, and several items end with these digits; at most ten of them are named. */
  readonly ambiguous: (OfFile & { readonly candidates: OfAccount[] })[];
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

interface Entry {
  readonly written: WrittenNumber;
  readonly number: string;
}

const amountIn = ({ amount }: WrittenNumber): Amount =>
  amount === undefined ? {} : { amount: chargeOf(amount) };
const onAccount = ({ did, id, monthly }: AccountNumber): OfAccount => ({
  did,
  id,
  ...(monthly !== undefined && { monthly }),
});

class Comparison {
  readonly groups: Groups = {
    both: [],
    only_in_file: [],
    only_on_account: [],
    amounts: [],
    twice: [],
    ambiguous: [],
  };
  readonly faults: LineFault[];
  readonly #items: readonly AccountNumber[];
  readonly #per: AmountPer;
  readonly #index: NumberIndex;
  /** By the first item with the same digits, or by digits that no item has. */
  readonly #entries = new Map<number | string, Entry[]>();
  readonly #met: Uint8Array;
  /** What the numbers of each range cost together. */
  readonly #ranges = new Map<WrittenNumber, number>();

  constructor(items: readonly AccountNumber[], faults: readonly LineFault[], per: AmountPer) {
    this.#items = items;
    this.faults = [...faults];
    this.#per = per;
    this.#index = new NumberIndex(items.map(({ did }) => numberDigits(did)));
    this.#met = new Uint8Array(items.length);
  }

  /** @returns how many numbers it is */
  take(written: WrittenNumber): number {
    const { range, number, line } = written;
    if (range !== undefined) {
      const [first, last] = range;
      for (let at = Number(first); at <= Number(last); at++) {
        const digits = String(at).padStart(first.length, '0');
        this.#add(this.#index.first(digits) ?? digits, { written, number: `+${digits}` });
      }
      return Number(last) - Number(first) + 1;
    }
    const digits = numberDigits(typed(number));
    const first = this.#index.first(digits);
    const national = first === undefined ? nationalDigits(number) : undefined;
    const ending = national === undefined ? [] : this.#index.endingWith(national);
    if (ending.length > 1) {
      const candidates = ending.map((i) => onAccount(this.#items[i] as AccountNumber));
      this.groups.ambiguous.push({ line, number, candidates });
    } else {
      this.#add(first ?? ending[0] ?? digits, { written, number });
    }
    return 1;
  }

  finish(): void {
    for (const [key, entries] of this.#entries)
      this.#pair(entries, typeof key === 'number' ? this.#index.alike(key) : []);
    for (const [written, expected] of this.#ranges) {
      const { amount, number, line } = written;
      if (amount !== undefined && amount !== expected)
        this.#differs({ line, number }, { did: null, id: null }, amount, chargeOf(expected), expected);
    }
    for (const [i, item] of this.#items.entries())
      if (this.#met[i] === 0) this.groups.only_on_account.push(onAccount(item));
    const { only_on_account: _, ...ofFile } = this.groups;
    for (const group of Object.values(ofFile)) group.sort((a, b) => a.line - b.line);
    this.faults.sort((a, b) => a.line - b.line);
  }

  #add(key: number | string, entry: Entry): void {
    const same = this.#entries.get(key);
    if (same === undefined) this.#entries.set(key, [entry]);
    else same.push(entry);
  }

  /** Numbers of the file with the same digits, and the items that have them. */
  #pair(entries: readonly Entry[], items: readonly number[]): void {
    const [entry, item] = [entries[0], items[0]];
    if (entries.length === 1 && entry !== undefined && item !== undefined) return this.#meet(entry, item);
    const free = [...items];
    const waiting = entries.length === 1 || items.length < 2 ? [...entries] : [];
    // Where an item costs what a line says, it is that one.
    if (waiting.length === 0)
      for (const entry of entries) {
        const at = free.findIndex((i) => this.#expected(this.#items[i]) === entry.written.amount);
        if (entry.written.amount === undefined || at < 0) waiting.push(entry);
        else this.#meet(entry, free.splice(at, 1)[0] as number);
      }
    for (const entry of waiting) {
      const { number, written } = entry;
      const found = { line: written.line, number, ...(written.range === undefined && amountIn(written)) };
      const item = free.shift();
      if (item !== undefined) this.#meet(entry, item);
      else if (items.length > 0 || entry !== entries[0])
        this.groups.twice.push({ ...found, first_line: entries[0]?.written.line ?? written.line });
      else this.groups.only_in_file.push(found);
    }
  }

  #meet({ written, number }: Entry, i: number): void {
    const item = this.#items[i] as AccountNumber;
    const { line, amount, range } = written;
    this.#met[i] = 1;
    const own = range === undefined ? amountIn(written) : {};
    this.groups.both.push({ line, number, ...onAccount(item), ...own });
    if (amount === undefined) return;
    const expected = this.#expected(item);
    if (expected === undefined) {
      const fault = `the months of the frequency ${item.frequency ?? ''} are not known, so its amount was not compared: give amounts per month`;
      this.faults.push({ line, text: number, fault });
    } else if (range !== undefined) {
      this.#ranges.set(written, (this.#ranges.get(written) ?? 0) + expected);
    } else if (expected !== amount) {
      this.#differs({ line, number }, item, amount, item.monthly ?? 0, expected);
    }
  }

  #differs(
    of: OfFile,
    { did, id }: Pick<Differing, 'did' | 'id'>,
    amount: number,
    monthly: number,
    expected: number,
  ): void {
    this.groups.amounts.push({
      ...of,
      did,
      id,
      amount: chargeOf(amount),
      monthly,
      expected: chargeOf(expected),
    });
  }

  /**
   * In millionths. Amounts are below 2^53 of them, so one that is not, which is rounded, equals none.
   * @returns `undefined` where the months of its frequency are not known
   */
  #expected(item: AccountNumber | undefined): number | undefined {
    const monthly = parseCharge(String(item?.monthly));
    const months = this.#per === 'month' ? 1 : BILLING_MONTHS.get((item?.frequency ?? '').toLowerCase());
    return monthly === undefined || months === undefined ? undefined : monthly * months;
  }
}

export function compare(
  { numbers, faults }: NumbersRead,
  items: readonly AccountNumber[],
  per: AmountPer = 'payment',
): Check {
  const comparison = new Comparison(items, faults, per);
  const in_file = numbers.reduce((sum, written) => sum + comparison.take(written), 0);
  comparison.finish();
  const { groups } = comparison;
  const sizes = Object.fromEntries(GROUP_NAMES.map((name) => [name, groups[name].length]));
  const counts = { in_file, on_account: items.length, ...sizes, without_number: faults.length };
  return { counts: counts as Check['counts'], ...groups, faults: comparison.faults };
}
