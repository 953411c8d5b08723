// The numbers and ranges of a file in columns, each with its line and its amount.

import { Column } from './column.ts';
import { NumberTexts } from './number-texts.ts';

/** What the amounts of a file are for. */
export const AMOUNTS_PER = ['payment', 'month'] as const;
export type AmountPer = (typeof AMOUNTS_PER)[number];

/** A number, or a range of them, as a file has it. */
export interface WrittenNumber {
  /** From 1; of a JSON array, the position of the element. */
  readonly line: number;
  readonly number: string;
  /** The digits of the first and the last number, of a range. */
  readonly range?: readonly [first: string, last: string];
  /** In millionths; of a range, that of all its numbers. */
  readonly amount?: number;
}

export class WrittenNumbers {
  readonly #lines = new Column();
  readonly #texts = new NumberTexts();
  /** NaN where there is none. */
  readonly #amounts = new Column();
  readonly #ranges = new Map<number, WrittenNumber['range']>();

  get length(): number {
    return this.#lines.length;
  }

  push({ line, number, range, amount = Number.NaN }: WrittenNumber): void {
    if (range !== undefined) this.#ranges.set(this.length, range);
    this.#lines.push(line);
    this.#texts.push(number);
    this.#amounts.push(amount);
  }

  line(i: number): number {
    return this.#lines.at(i);
  }

  number(i: number): string {
    return this.#texts.at(i);
  }

  /** The key of a number that is written as most are; `undefined` for others. */
  plainKey(i: number): number | undefined {
    return this.#texts.plainKey(i);
  }

  range(i: number): WrittenNumber['range'] {
    return this.#ranges.get(i);
  }

  amount(i: number): number | undefined {
    const amount = this.#amounts.at(i);
    return Number.isNaN(amount) ? undefined : amount;
  }

  *values(): Generator<WrittenNumber, void, void> {
    for (let i = 0; i < this.length; i++) {
      const [range, amount] = [this.range(i), this.amount(i)];
      yield {
        line: this.line(i),
        number: this.number(i),
        ...(range !== undefined && { range }),
        ...(amount !== undefined && { amount }),
      };
    }
  }
}
