// Signed deliveries that are not verified yet, because their bodies have not come whole. Anybody may have
// sent them, so only so many are received at once, and so many bytes; the rest of the intake is for senders
// with a token.

import { Problem } from '@linecard/client/contract/problems';

const MAX_DELIVERIES = 32;
const MAX_DELIVERIES_OF_ADDRESS = 8;
/** All addresses together may have so many times the largest body, and each may have one. */
const MAX_LARGEST_BODIES = 4;
const RETRY_AFTER_SECONDS = '5';

/** What all have, or those of one address. */
interface Share {
  deliveries: number;
  bytes: number;
}

/** A delivery on its way, until it is verified or refused. */
export interface UnverifiedDelivery {
  /**
   * Counts bytes of its body.
   * @throws {Problem} as `begin`
   */
  count(bytes: number): void;
  /** May be called again. */
  end(): void;
}

const HEADERS = { headers: { 'retry-after': RETRY_AFTER_SECONDS } };
const again = `Try again in ${RETRY_AFTER_SECONDS} seconds.`;

export class UnverifiedDeliveries {
  readonly #maxBytes: number;
  readonly #all: Share = { deliveries: 0, bytes: 0 };
  readonly #byAddress = new Map<string, Share>();

  /** `maxBytes`: those of the largest body. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Begins to receive one.
   * @throws {Problem} `rate-limited` where its address has as much as it may, `unavailable` where all have.
   */
  begin(address: string): UnverifiedDelivery {
    const own = this.#byAddress.get(address) ?? { deliveries: 0, bytes: 0 };
    const delivery: Share = { deliveries: 0, bytes: 0 };
    const add = (deliveries: number, bytes: number) => {
      for (const share of [delivery, own, this.#all]) {
        share.deliveries += deliveries;
        share.bytes += bytes;
      }
    };
    this.#mustHaveRoom(own, 1, 0);
    add(1, 0);
    this.#byAddress.set(address, own);
    return {
      count: (bytes) => {
        this.#mustHaveRoom(own, 0, bytes);
        add(0, bytes);
      },
      end: () => {
        add(-delivery.deliveries, -delivery.bytes);
        if (own.deliveries === 0) this.#byAddress.delete(address);
      },
    };
  }

  #mustHaveRoom(own: Share, deliveries: number, bytes: number): void {
    const isMore = ({ deliveries: d, bytes: b }: Share, maxDeliveries: number, maxBytes: number) =>
      d + deliveries > maxDeliveries || b + bytes > maxBytes;
    if (isMore(own, MAX_DELIVERIES_OF_ADDRESS, this.#maxBytes))
      throw new Problem(
        'rate-limited',
        `This address has as many signed deliveries on their way as it may. ${again}`,
        HEADERS,
      );
    if (isMore(this.#all, MAX_DELIVERIES, MAX_LARGEST_BODIES * this.#maxBytes))
      throw new Problem(
        'unavailable',
        `There are too many signed deliveries on their way. ${again}`,
        HEADERS,
      );
  }
}
