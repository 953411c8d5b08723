// Signed deliveries that are not verified yet, because their bodies have not arrived completely. Anybody may
// have sent them, so their number and their bytes are limited; the rest of the intake is for senders with a
// token.

import { intakeLimits } from '../limits/limits.ts';
import { type Release, Semaphore } from '../limits/semaphore.ts';

/** All addresses together may have this many times the largest body, and each may have one. */
const LARGEST_BODIES = intakeLimits.unverifiedBytes.total / intakeLimits.unverifiedBytes.each;

/** A delivery in flight, until it is verified or refused. */
export interface UnverifiedDelivery {
  /**
   * Counts bytes of its body.
   * @throws {Problem} as `begin`
   */
  count(bytes: number): void;
  /** May be called again. */
  end(): void;
}

export class UnverifiedDeliveries {
  readonly #deliveries = new Semaphore(intakeLimits.unverified);
  readonly #bytes: Semaphore;

  /** `maxBytes`: those of the largest body. */
  constructor(maxBytes: number) {
    this.#bytes = new Semaphore({
      ...intakeLimits.unverifiedBytes,
      each: maxBytes,
      total: LARGEST_BODIES * maxBytes,
    });
  }

  /**
   * Begins to receive one.
   * @throws {Problem} `rate-limited` where its address has reached a maximum, `unavailable` where all have.
   */
  begin(address: string): UnverifiedDelivery {
    const held: Release[] = [this.#deliveries.mustTake(address)];
    return {
      count: (bytes) => void held.push(this.#bytes.mustTake(address, bytes)),
      end: () => {
        for (const release of held.splice(0)) release();
      },
    };
  }
}
