// The positions of numbers by their keys, and by their last digits: by the last six of them, which is made
// only where a number is written as within its country.

import { MIN_NATIONAL_DIGITS } from '../contract/digits.ts';
import { Column } from './column.ts';
import type { NumberKeys } from './number-keys.ts';

/** How many are named of those that end alike. */
const MAX_CANDIDATES = 10;
const NONE = -1;
/** At most half of the slots are taken, so that few steps lead to one that is free. */
const SLOTS_FOR_EACH = 2;
const TWO_32 = 2 ** 32;
/** Odd numbers whose bits are spread well, for the lower and the upper half of a key. */
const [MIX_LOW, MIX_HIGH] = [0x9e3779b1, 0x85ebca6b];
const endingOf = (digits: string) => Number(digits.slice(-MIN_NATIONAL_DIGITS));

/** Positions by keys: a table with open addresses, in typed arrays, as a Map takes several times as long. */
export class KeyIndex {
  readonly #keys: Column;
  readonly #slots: Int32Array;
  /** The next with the same key. */
  readonly #next: Int32Array;

  constructor(keys: Column) {
    this.#keys = keys;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(SLOTS_FOR_EACH * keys.length + 1))).fill(NONE);
    this.#next = new Int32Array(keys.length).fill(NONE);
    for (let i = keys.length - 1; i >= 0; i--) {
      const slot = this.#slotOf(keys.at(i));
      this.#next[i] = this.#slots[slot] ?? NONE;
      this.#slots[slot] = i;
    }
  }

  /** Where a key is, or would be. */
  #slotOf(key: number): number {
    const mask = this.#slots.length - 1;
    const mixed = Math.imul(key >>> 0, MIX_LOW) ^ Math.imul(Math.floor(key / TWO_32), MIX_HIGH);
    for (let slot = (mixed ^ (mixed >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const i = this.#slots[slot] ?? NONE;
      if (i === NONE || this.#keys.at(i) === key) return slot;
    }
  }

  /** The position of the first that has this key. */
  first(key: number): number | undefined {
    const i = this.#slots[this.#slotOf(key)] ?? NONE;
    return i === NONE ? undefined : i;
  }

  /** Whether no other has the key of this one. */
  isAlone(i: number): boolean {
    return this.first(this.#keys.at(i)) === i && this.#next[i] === NONE;
  }

  /** The positions of all that have the key of the first of them, in order. */
  alike(first: number | undefined): number[] {
    const found: number[] = [];
    for (let i = first ?? NONE; i !== NONE; i = this.#next[i] ?? NONE) found.push(i);
    return found;
  }
}

/** The numbers of an account. */
export class NumberIndex {
  readonly #keys: Column;
  readonly #names: NumberKeys;
  readonly #byKey: KeyIndex;
  #byEnding: KeyIndex | undefined;

  constructor(keys: Column, names: NumberKeys) {
    this.#keys = keys;
    this.#names = names;
    this.#byKey = new KeyIndex(keys);
  }

  first(key: number): number | undefined {
    return this.#byKey.first(key);
  }

  alike(first: number | undefined): number[] {
    return this.#byKey.alike(first);
  }

  /** By the last digits of the first position of each number that has enough of them. */
  #endings(): KeyIndex {
    const endings = new Column();
    for (let i = 0; i < this.#keys.length; i++) {
      const key = this.#keys.at(i);
      const digits = this.#byKey.first(key) === i ? this.#names.digits(key) : '';
      endings.push(digits.length < MIN_NATIONAL_DIGITS ? NONE : endingOf(digits));
    }
    return new KeyIndex(endings);
  }

  /**
   * The first position of each number that ends with these digits, in order.
   * @param digits at least as many as a number within its country has
   */
  endingWith(digits: string): number[] {
    this.#byEnding ??= this.#endings();
    return this.#byEnding
      .alike(this.#byEnding.first(endingOf(digits)))
      .filter((i) => this.#names.digits(this.#keys.at(i)).endsWith(digits))
      .slice(0, MAX_CANDIDATES);
  }
}
