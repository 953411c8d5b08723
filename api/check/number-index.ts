// The numbers of an account by their digits, and by their last digits: by the last six of them, which is made
// only where a number is written as within its country.

import { MIN_NATIONAL_DIGITS } from '../contract/digits.ts';

/** How many are named of those that end alike. */
const MAX_CANDIDATES = 10;
const NONE = -1;

export class NumberIndex {
  readonly #digits: readonly string[];
  readonly #first = new Map<string, number>();
  /** The next with the same digits. */
  readonly #next: Int32Array;
  /** The first of each number, by its last digits. */
  #endings: ReadonlyMap<number, number[]> | undefined;

  /** @param digits of each item; empty where it has none */
  constructor(digits: readonly string[]) {
    this.#digits = digits;
    this.#next = new Int32Array(digits.length).fill(NONE);
    for (let i = digits.length - 1; i >= 0; i--) {
      const own = digits[i] as string;
      this.#next[i] = this.#first.get(own) ?? NONE;
      this.#first.set(own, i);
    }
    this.#first.delete('');
  }

  /** The position of the first that has these digits. */
  first(digits: string): number | undefined {
    return this.#first.get(digits);
  }

  /** The positions of all that have the digits of the first of them, in order. */
  alike(first: number): number[] {
    const found: number[] = [];
    for (let i = first; i !== NONE; i = this.#next[i] ?? NONE) found.push(i);
    return found;
  }

  #byEnding(): ReadonlyMap<number, number[]> {
    const endings = new Map<number, number[]>();
    for (const [digits, i] of this.#first) {
      if (digits.length < MIN_NATIONAL_DIGITS) continue;
      const ending = Number(digits.slice(-MIN_NATIONAL_DIGITS));
      const others = endings.get(ending);
      if (others === undefined) endings.set(ending, [i]);
      else others.push(i);
    }
    return endings;
  }

  /**
   * The first position of each number that ends with these digits, in order.
   * @param digits at least as many as a number within its country has
   */
  endingWith(digits: string): number[] {
    this.#endings ??= this.#byEnding();
    const alike = this.#endings.get(Number(digits.slice(-MIN_NATIONAL_DIGITS))) ?? [];
    const found = alike.filter((i) => this.#digits[i]?.endsWith(digits));
    return found.sort((a, b) => a - b).slice(0, MAX_CANDIDATES);
  }
}
