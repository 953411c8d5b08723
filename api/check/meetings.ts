// Which item of the account each number of a file meets: by its digits, and where several have the same ones,
// by what it costs and by the order.

import { nationalDigits, numberDigits, typed } from '../contract/digits.ts';
import type { AccountNumbers } from './account-numbers.ts';
import { Column } from './column.ts';
import { KeyIndex, NumberIndex } from './number-index.ts';
import type { AmountPer, WrittenNumbers } from './written-numbers.ts';

/**
 * What an entry, which is a number of the file by itself or of a range, met where it met no item; of one that
 * is repeated, less the entry that was first.
 */
const [ONLY_IN_FILE, TWICE] = [-1, -2];

export class Meetings {
  readonly #written: WrittenNumbers;
  readonly #items: AccountNumbers;
  readonly #per: AmountPer;
  readonly #index: NumberIndex;
  /** The numbers of the file, those of ranges among them: their places in the file, and their keys. */
  readonly #places = new Column();
  readonly #keys = new Column();
  /** The item that each of them met. */
  #met = new Int32Array();
  readonly #isMet: Uint8Array;
  #metCount = 0;
  /** The items that may be meant, by the place in the file. */
  readonly #ambiguous = new Map<number, readonly number[]>();

  constructor(numbers: WrittenNumbers, items: AccountNumbers, per: AmountPer) {
    this.#written = numbers;
    this.#items = items;
    this.#per = per;
    this.#index = new NumberIndex(items.keys, items.names);
    this.#isMet = new Uint8Array(items.length);
    for (let place = 0; place < numbers.length; place++) this.#take(place);
    this.#meetAll();
  }

  /** How many entries there are; what is ambiguous is none. */
  get length(): number {
    return this.#keys.length;
  }

  #take(place: number): void {
    const range = this.#written.range(place);
    if (range === undefined) return this.#takeOne(place);
    const [first, last] = range.map((digits) => this.#items.names.ofDigits(digits)) as [number, number];
    for (let key = first; key <= last; key++) this.#add(place, key);
  }

  #takeOne(place: number): void {
    const plain = this.#written.plainKey(place);
    const key = plain ?? this.#items.names.ofDigits(numberDigits(typed(this.#written.number(place))));
    if (this.#index.first(key) !== undefined) return this.#add(place, key);
    const national = nationalDigits(this.#written.number(place));
    const ending = national === undefined ? [] : this.#index.endingWith(national);
    if (ending.length > 1) this.#ambiguous.set(place, ending);
    else this.#add(place, ending[0] === undefined ? key : this.#items.keys.at(ending[0]));
  }

  #add(place: number, key: number): void {
    this.#places.push(place);
    this.#keys.push(key);
  }

  #meetAll(): void {
    const own = new KeyIndex(this.#keys);
    this.#met = new Int32Array(this.#keys.length);
    for (let entry = 0; entry < this.#keys.length; entry++) {
      const key = this.#keys.at(entry);
      const item = this.#index.first(key);
      if (own.isAlone(entry)) this.#meet(entry, item ?? ONLY_IN_FILE);
      else if (own.first(key) === entry) this.#pair(own.alike(entry), this.#index.alike(item));
    }
  }

  /** Numbers of the file with the same digits, and the items that have them. */
  #pair(entries: readonly number[], items: readonly number[]): void {
    const free = [...items];
    // Where an item costs what a line says, it is that one.
    const waiting = items.length < 2 ? entries : entries.filter((entry) => !this.#meetExactly(entry, free));
    const [first = 0] = entries;
    for (const entry of waiting) {
      const isRepeated = items.length > 0 || entry !== first;
      this.#meet(entry, free.shift() ?? (isRepeated ? TWICE - first : ONLY_IN_FILE));
    }
  }

  /** Whether one of the free items costs the amount, which is then no longer free. */
  #meetExactly(entry: number, free: number[]): boolean {
    const amount = this.#written.amount(this.#places.at(entry));
    if (amount === undefined) return false;
    const at = free.findIndex((i) => this.expected(i) === amount);
    if (at < 0) return false;
    this.#meet(entry, free.splice(at, 1)[0] as number);
    return true;
  }

  /** @param item or why there is none */
  #meet(entry: number, item: number): void {
    this.#met[entry] = item;
    if (item < 0) return;
    this.#metCount += 1;
    this.#isMet[item] = 1;
  }

  isMet(item: number): boolean {
    return this.#isMet[item] === 1;
  }

  /** How many met an item. */
  get met(): number {
    return this.#metCount;
  }

  place(entry: number): number {
    return this.#places.at(entry);
  }

  number(entry: number): string {
    const place = this.#places.at(entry);
    const isOfRange = this.#written.range(place) !== undefined;
    return isOfRange ? `+${this.#items.names.digits(this.#keys.at(entry))}` : this.#written.number(place);
  }

  /** The item that an entry met. */
  item(entry: number): number | undefined {
    const met = this.#met[entry] ?? ONLY_IN_FILE;
    return met < 0 ? undefined : met;
  }

  /** The first entry of the same number, of one that met no item because all that have it were met. */
  first(entry: number): number | undefined {
    const met = this.#met[entry] ?? ONLY_IN_FILE;
    return met > TWICE ? undefined : TWICE - met;
  }

  /** Those that several items end with, by their places in the file. */
  get ambiguous(): ReadonlyMap<number, readonly number[]> {
    return this.#ambiguous;
  }

  /**
   * What an item costs, in millionths. Amounts are below 2^53 of them, so one that is not, which is rounded,
   * equals none.
   * @returns `undefined` where the months of its frequency are not known
   */
  expected(item: number): number | undefined {
    const charge = this.#items.millionths(item);
    const months = this.#per === 'month' ? 1 : this.#items.months(item);
    return charge === undefined || months === undefined ? undefined : charge * months;
  }
}
