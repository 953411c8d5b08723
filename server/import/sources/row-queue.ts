// Rows that are pushed, to be pulled in batches: what is ahead of the reader is bounded.

import { BATCH_ROWS } from './source.ts';

export class RowQueue<Row> {
  #rows: Row[] = [];
  #state: 'open' | 'ended' | { readonly error: unknown } = 'open';
  #wake: (() => void) | undefined;
  readonly #pause: () => void;
  readonly #resume: () => void;

  /** @param pause is called when there are enough rows, and `resume` when they have been taken. */
  constructor(pause: () => void, resume: () => void) {
    this.#pause = pause;
    this.#resume = resume;
  }

  add(row: Row): void {
    this.#rows.push(row);
    if (this.#rows.length < BATCH_ROWS) return;
    this.#pause();
    this.#wake?.();
  }

  end(): void {
    if (this.#state === 'open') this.#state = 'ended';
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#state = { error };
    this.#wake?.();
  }

  /** Every row that was added before the end, in batches. */
  async *batches(): AsyncGenerator<readonly Row[]> {
    for (;;) {
      if (typeof this.#state === 'object') throw this.#state.error;
      const isDue = this.#rows.length >= BATCH_ROWS || this.#state === 'ended';
      if (isDue) {
        const rows = this.#rows;
        this.#rows = [];
        if (rows.length > 0) yield rows;
        if (this.#state === 'ended' && this.#rows.length === 0) return;
        this.#resume();
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}
