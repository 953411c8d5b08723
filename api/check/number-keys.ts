// The digits of a telephone number as one key: the decimal that they are after a 1, as leading zeros count.
// Longer ones, which a double does not hold, have keys below zero, by their order.

import { numberDigits } from '../contract/digits.ts';

const MAX_DIGITS = 15;
const [ZERO, ONE, NINE, PLUS] = [0x30, 0x31, 0x39, 0x2b];

/** The key of digits of which the first is no zero, after a plus or without; `undefined` for other texts. */
export function plainKey(text: string): number | undefined {
  const { length } = text;
  const start = text.charCodeAt(0) === PLUS ? 1 : 0;
  const first = text.charCodeAt(start);
  if (length - start > MAX_DIGITS || !(first >= ONE && first <= NINE)) return undefined;
  let [value, power] = [0, 1];
  for (let i = start; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code < ZERO || code > NINE) return undefined;
    value = value * 10 + code - ZERO;
    power *= 10;
  }
  return power + value;
}

export class NumberKeys {
  readonly #long: string[] = [];
  readonly #keys = new Map<string, number>();

  /** Of digits alone. */
  ofDigits(digits: string): number {
    if (digits.length <= MAX_DIGITS) return Number(`1${digits}`);
    const found = this.#keys.get(digits);
    if (found !== undefined) return found;
    const key = -this.#long.push(digits);
    this.#keys.set(digits, key);
    return key;
  }

  /** Of a number as an account has it. */
  of(number: string): number {
    return plainKey(number) ?? this.ofDigits(numberDigits(number));
  }

  digits(key: number): string {
    return key < 0 ? (this.#long[-key - 1] ?? '') : String(key).slice(1);
  }
}
