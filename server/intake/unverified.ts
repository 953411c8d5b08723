// Signed deliveries that are not verified yet, because their bodies have not arrived completely. Anybody may
// have sent them, so their number and their bytes are limited; the rest of the intake is for senders with a
// token. Where a limit is reached, the oldest is refused to make room: a good one is verified within moments,
// so that no number of bad ones keeps it out.

import { intakeLimits } from '../limits/intake-limits.ts';
import type { Exceeded, Limit } from '../limits/limits.ts';
import { refusal } from '../limits/refusal.ts';

/** The largest body that is received before it is known who has signed it. */
export const MAX_UNVERIFIED_BYTES = intakeLimits.unverifiedBytes.each;

/** A delivery in flight, until it is verified or refused. */
export interface UnverifiedDelivery {
  /** Aborts with a problem where it has to make room. */
  readonly signal: AbortSignal;
  count(bytes: number): void;
  /** May be called again. */
  end(): void;
}

interface InFlight {
  readonly address: string;
  readonly controller: AbortController;
  bytes: number;
}

type Limits = Readonly<Record<'unverified' | 'unverifiedBytes', Limit & Readonly<Record<Exceeded, number>>>>;

export class UnverifiedDeliveries {
  readonly #limits: Limits;
  /** The oldest first. */
  readonly #inFlight = new Set<InFlight>();

  constructor(limits: Limits = intakeLimits) {
    this.#limits = limits;
  }

  begin(address: string): UnverifiedDelivery {
    const { unverified, unverifiedBytes } = this.#limits;
    const one: InFlight = { address, controller: new AbortController(), bytes: 0 };
    this.#inFlight.add(one);
    this.#makeRoom(one, unverified, () => 1);
    return {
      signal: one.controller.signal,
      count: (bytes) => {
        one.bytes += bytes;
        this.#makeRoom(one, unverifiedBytes, (other) => other.bytes);
      },
      end: () => this.#inFlight.delete(one),
    };
  }

  /** Refuses the oldest others, of its address and of all, as long as there are too many with this one. */
  #makeRoom(one: InFlight, limit: Limits['unverified'], weightOf: (other: InFlight) => number): void {
    for (const exceeded of ['each', 'total'] as const) {
      const all = [...this.#inFlight].filter(
        ({ address }) => exceeded === 'total' || address === one.address,
      );
      let weight = all.reduce((sum, other) => sum + weightOf(other), 0);
      for (const other of all) {
        if (weight <= limit[exceeded]) break;
        if (other === one || weightOf(other) === 0) continue;
        weight -= weightOf(other);
        this.#inFlight.delete(other);
        other.controller.abort(refusal(limit, exceeded));
      }
    }
  }
}
