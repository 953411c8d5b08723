// Chance and time for the sample accounts: throws that come out the same every time, and moments that are counted from
// the beginning of today. It must not know what is thrown for.

import { timestampOf } from '@linecard/client/contract/timestamp';

export const DAY = 86_400_000;

/** A seeded generator (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from 0 up to, not including, `n`. */
  below(n: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  }

  /** True in so many of a hundred throws. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[this.below(from.length)] as T;
  }

  /** One of the names, each as often as its weight says. */
  weigh<N extends string>(weights: Readonly<Partial<Record<N, number>>>): N {
    const entries = Object.entries(weights) as [N, number][];
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [name, weight] of entries) {
      if (left < weight) return name;
      left -= weight;
    }
    throw new Error('dice: no name has a weight');
  }
}

/** The beginning of the UTC day, so many days away. */
export function midnight(today: number, days = 0): number {
  return (Math.floor(today / DAY) + days) * DAY;
}

/** A moment in the one form, with microseconds as a busy system would have left them. */
export function momentAt(milliseconds: number, dice: Dice): string {
  return `${timestampOf(milliseconds).slice(0, -4)}${String(dice.below(1_000)).padStart(3, '0')}Z`;
}
