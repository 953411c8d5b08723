// The numbers of an account by their digits, and by their last digits, which are looked up in the sorted
// list of reversed digits: made only where a number is written as within its country.

/** How many are named of those that end alike. */
const MAX_CANDIDATES = 10;
const NONE = -1;

const reversed = (digits: string) => Array.from(digits).reverse().join('');

export class NumberIndex {
  readonly #digits: readonly string[];
  readonly #first = new Map<string, number>();
  /** The next with the same digits. */
  readonly #next: Int32Array;
  #reversed: readonly string[] | undefined;

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

  has(digits: string): boolean {
    return this.#first.has(digits);
  }

  digitsAt(i: number): string {
    return this.#digits[i] as string;
  }

  /** The positions of all that have these digits, in order. */
  all(digits: string): number[] {
    const found: number[] = [];
    for (let i = this.#first.get(digits) ?? NONE; i !== NONE; i = this.#next[i] ?? NONE) found.push(i);
    return found;
  }

  /** The first position of each number that ends with these digits. */
  endingWith(digits: string): number[] {
    this.#reversed ??= [...this.#first.keys()].map(reversed).sort();
    const wanted = reversed(digits);
    let [low, high] = [0, this.#reversed.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#reversed[middle] as string) < wanted) low = middle + 1;
      else high = middle;
    }
    const found: number[] = [];
    for (let at = low; found.length < MAX_CANDIDATES; at++) {
      const one = this.#reversed[at];
      if (one?.startsWith(wanted) !== true) break;
      found.push(this.#first.get(reversed(one)) as number);
    }
    return found;
  }
}
