// What is known of each replica: its health, in memory that all threads of a process share, and its lag, by
// positions in the write-ahead log and the clock of this process.
//
// Why positions: a replica that has replayed all there is looks as old as the last change, which on an idle
// primary may be of yesterday. So lag is measured by the log alone: a replica lags that has not replayed what
// the primary had written at a time in the past.

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

/**
 * A page of the log. What is written up to its end may end within a record, which no replica can replay
 * before the rest.
 */
const PAGE_BYTES = 8_192;

/** Where the log of the primary ended at each health check of a time window. */
export class PrimaryLog {
  readonly #windowMs: number;
  #ends: { readonly at: number; readonly position: number }[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Adds the position of a check; times are in milliseconds and only grow. */
  add(position: number, at: number): void {
    // Another server took over, and what it has not is lost.
    if (position < (this.#ends.at(-1)?.position ?? 0)) this.#ends = [];
    this.#ends.push({ at, position });
    while ((this.#ends[1]?.at ?? at) <= at - this.#windowMs) this.#ends.shift();
  }

  /** How many bytes that were written by a time a replica still lacks that has replayed up to a position. */
  missingBytes(replayed: number, until: number): number {
    const end = this.#ends.findLast(({ at }) => at <= until)?.position ?? 0;
    const whole = end % PAGE_BYTES === 0 ? end - PAGE_BYTES : end;
    return replayed < whole ? end - replayed : 0;
  }
}
