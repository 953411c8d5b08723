// The health of each replica, in memory that all threads of a process share.

import type { Replicas } from '../../store.ts';

/** The health of a replica; no other number occurs. */
const [OUT_OF_ROTATION, HEALTHY, SUSPECT] = [0, 1, 2] as const;

export class ReplicaHealth {
  readonly #health: Replicas['health'];
  #last = 0;

  constructor(health: Replicas['health']) {
    this.#health = health;
  }

  /** The position of the next healthy one, round robin; `undefined` where none is. */
  next(): number | undefined {
    const { length } = this.#health;
    for (let i = 1; i <= length; i++) {
      const position = (this.#last + i) % length;
      if (Atomics.load(this.#health, position) !== HEALTHY) continue;
      this.#last = position;
      return position;
    }
    return undefined;
  }

  /** It has failed a read: it gets no other before its next health check. */
  suspect(position: number): void {
    Atomics.compareExchange(this.#health, position, HEALTHY, SUSPECT);
  }

  set(position: number, isHealthy: boolean): void {
    Atomics.store(this.#health, position, isHealthy ? HEALTHY : OUT_OF_ROTATION);
  }
}
