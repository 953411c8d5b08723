// The requests in flight of the intake: how many there may be, and how they end when it stops.

import { Problem } from '@linecard/client/contract/problems';
import { intakeLimits } from '../limits/intake-limits.ts';
import { refusal } from '../limits/refusal.ts';
import { type Release, Semaphore } from '../limits/semaphore.ts';
import type { Operation } from '../store/access/token-scopes.ts';

function stopping(): Problem {
  const headers = { 'retry-after': String(intakeLimits.requests.retrySeconds) };
  const detail = 'The intake is stopping. Nothing was changed; try again in a moment.';
  return new Problem('unavailable', detail, { headers });
}

/** Requests of one operation, which a refusal names. */
const limitOf = (operation: Operation) =>
  ({ ...intakeLimits.requests, what: `${operation} requests in flight` }) as const;

export class Running {
  /** By operation: each has requests of its own. */
  readonly #semaphores = new Map<Operation, Semaphore>();
  readonly #releases = new Map<AbortController, Release>();
  #whenIdle: (() => void) | undefined;
  #isClosing = false;

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /**
   * @param token of the sender; absent where nobody knows yet whose a request is.
   * @throws {Problem} `rate-limited` when the token has too many of this operation; `unavailable` when all
   *   have, or it is closing.
   */
  begin(operation: Operation, token: string | undefined): AbortController {
    if (this.#isClosing) throw stopping();
    const release = this.#semaphoreOf(operation).mustTake(undefined, 1, token);
    const controller = new AbortController();
    this.#releases.set(controller, release);
    return controller;
  }

  /**
   * Counts a request as its sender's from now on, which a signature has shown.
   * @throws {Problem} `rate-limited` when the sender has too many of this operation.
   */
  attribute(controller: AbortController, operation: Operation, signer: string): void {
    this.#releases.get(controller)?.();
    const release = this.#semaphoreOf(operation).take(undefined, 1, signer);
    if (release === undefined) {
      const limit = limitOf(operation);
      const sentence = (most: number) =>
        `The sender of this signature already has ${most} ${limit.what}, a quarter of what all share.`;
      throw refusal({ ...limit, sentence }, 'share');
    }
    this.#releases.set(controller, release);
  }

  #semaphoreOf(operation: Operation): Semaphore {
    return this.#semaphores.getOrInsertComputed(operation, () => new Semaphore(limitOf(operation)));
  }

  end(controller: AbortController): void {
    this.#releases.get(controller)?.();
    this.#releases.delete(controller);
    if (this.#releases.size === 0) this.#whenIdle?.();
  }

  /** Waits until all have ended; what has not by then is stopped. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    if (this.#releases.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenIdle = resolve;
    const stop = () => {
      for (const controller of this.#releases.keys()) controller.abort(stopping());
    };
    const timer = setTimeout(stop, graceMs);
    await promise;
    clearTimeout(timer);
  }
}
