// Writes of several endpoints in one transaction: a commit waits for the disk, however much it writes.

import { setImmediate } from 'node:timers/promises';
import type { Statement } from '../store/sql.ts';
import type { WithStore } from '../store/store.ts';

interface Waiting {
  readonly statements: readonly Statement[];
  readonly resolve: (counts: number[]) => void;
  readonly reject: (error: unknown) => void;
}

export class WriteBatch {
  readonly #withStore: WithStore;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(withStore: WithStore) {
    this.#withStore = withStore;
  }

  /** The number of rows that each statement changed. What comes while others are written follows together. */
  write(statements: readonly Statement[]): Promise<number[]> {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>();
    this.#waiting.push({ statements, resolve, reject });
    if (!this.#isRunning) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // What has arrived in the same iteration of the event loop is written together.
      await setImmediate();
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#commit(batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
    }
    this.#isRunning = false;
  }

  #commit(batch: readonly Waiting[]): Promise<void> {
    return this.#withStore(async (store) => {
      const counts = await store.write(...batch.flatMap(({ statements }) => statements));
      for (const { statements, resolve } of batch) resolve(counts.splice(0, statements.length));
    });
  }
}
