// Slices of the time that rows take on a thread with other work, such as the requests of an intake.

import { setImmediate } from 'node:timers/promises';

const SLICE_MILLISECONDS = 5;
/** Between two looks at the clock. */
const ROWS_A_LOOK = 16;

export class Slice {
  #rows = 0;
  #began = performance.now();

  /** To be called after each row. */
  isOver(): boolean {
    this.#rows += 1;
    return this.#rows % ROWS_A_LOOK === 0 && performance.now() - this.#began > SLICE_MILLISECONDS;
  }

  /** Continues after the other work. */
  async next(): Promise<void> {
    await setImmediate();
    this.#began = performance.now();
  }
}
