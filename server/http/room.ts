// Room for bytes that all clients share: how many there may be at once, of one owner and in all.

import type { ServerResponse } from 'node:http';
import { Problem } from '@linecard/client/contract/problems';

const RETRY_SECONDS = '2';

/** How much room there is, in bytes, and what takes it, to follow "as many". */
export interface RoomOptions {
  readonly ofOwner: number;
  readonly inAll: number;
  readonly things: string;
}

export class Room {
  /** How often there was none, because one owner had as much as it may or all had. */
  readonly refused = { owner: 0, all: 0 };
  readonly #options: RoomOptions;
  #bytes = 0;
  readonly #ofOwner = new Map<string, number>();

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** How much is taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes room until an answer is sent or its client has left. An owner that has nothing yet gets as much as
   * it requests, if there is as much.
   * @throws {Problem} `rate-limited` where the owner has as much as it may, `unavailable` where all have.
   */
  take(owner: string, bytes: number, answer: ServerResponse): void {
    // Its client has left, and its end has been announced.
    if (answer.destroyed) return;
    const { ofOwner, inAll, things } = this.#options;
    const headers = { 'retry-after': RETRY_SECONDS };
    const again = `Try again in ${RETRY_SECONDS} seconds.`;
    const taken = this.#ofOwner.get(owner) ?? 0;
    if (taken > 0 && taken + bytes > ofOwner) {
      this.refused.owner += 1;
      const detail = `You have as many ${things} as you may at once. ${again}`;
      throw new Problem('rate-limited', detail, { headers });
    }
    if (this.#bytes > 0 && this.#bytes + bytes > inAll) {
      this.refused.all += 1;
      const detail = `There are as many ${things} as may be at once. ${again}`;
      throw new Problem('unavailable', detail, { headers });
    }
    this.#count(owner, bytes);
    let isTaken = true;
    const free = () => {
      if (isTaken) this.#count(owner, -bytes);
      isTaken = false;
    };
    // Before the next answer on the connection begins, which Node makes way for at the same event.
    answer.prependOnceListener('finish', free);
    answer.once('close', free);
  }

  #count(owner: string, more: number): void {
    this.#bytes += more;
    const bytes = (this.#ofOwner.get(owner) ?? 0) + more;
    if (bytes === 0) this.#ofOwner.delete(owner);
    else this.#ofOwner.set(owner, bytes);
  }
}
