// The requests in flight of the intake: how many there may be, and how they end when it stops.

import { Problem } from '@linecard/client/contract/problems';
import { intakeLimits } from '../limits/intake-limits.ts';
import { type Release, Semaphore } from '../limits/semaphore.ts';
import type { Operation } from '../store/token-scopes.ts';

function stopping(): Problem {
  const headers = { 'retry-after': String(intakeLimits.requests.retrySeconds) };
  const detail = 'The intake is stopping. Nothing was changed; try again in a moment.';
  return new Problem('unavailable', detail, { headers });
}

export class Running {
  readonly #semaphore = new Semaphore(intakeLimits.requests);
  readonly #releases = new Map<AbortController, Release>();
  #whenIdle: (() => void) | undefined;
  #isClosing = false;

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** @throws {Problem} `unavailable` when there are too many of this operation, or it is closing. */
  begin(operation: Operation): AbortController {
    if (this.#isClosing) throw stopping();
    const release = this.#semaphore.mustTake(operation);
    const controller = new AbortController();
    this.#releases.set(controller, release);
    return controller;
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
