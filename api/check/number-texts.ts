// Numbers as they are written, one after the other. Nearly all are a plus and digits, or digits alone, so
// these are made again from their keys, and only the others are held as texts.

import { Column } from './column.ts';
import { plainKey } from './number-keys.ts';

const PLUS = '+';

export class NumberTexts {
  /** Of digits alone, below zero; NaN for what is written in another way. */
  readonly #plain = new Column();
  readonly #others = new Map<number, string>();

  get length(): number {
    return this.#plain.length;
  }

  push(text: string): void {
    const key = plainKey(text);
    if (key === undefined) this.#others.set(this.length, text);
    this.#plain.push(key === undefined ? Number.NaN : text.startsWith(PLUS) ? key : -key);
  }

  at(i: number): string {
    const key = this.#plain.at(i);
    if (Number.isNaN(key)) return this.#others.get(i) ?? '';
    const digits = String(Math.abs(key)).slice(1);
    return key < 0 ? digits : PLUS + digits;
  }

  /** The key of one that is a plus and digits, or digits alone; `undefined` for others. */
  plainKey(i: number): number | undefined {
    const key = Math.abs(this.#plain.at(i));
    return Number.isNaN(key) ? undefined : key;
  }
}
