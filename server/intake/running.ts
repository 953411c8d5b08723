// The requests in flight of the intake: how many there may be, and how they end when it stops.

import { Problem } from '@linecard/client/contract/problems';
import { intakeLimits } from '../limits/limits.ts';
import { refusal } from '../limits/refusal.ts';

function stopping(): Problem {
  const headers = { 'retry-after': String(intakeLimits.deliveries.retrySeconds) };
  const detail = 'The intake is stopping. Nothing was changed; try again in a moment.';
  return new Problem('unavailable', detail, { headers });
}

export class Running {
  readonly #controllers = new Set<AbortController>();
  #whenIdle: (() => void) | undefined;
  #isClosing = false;

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** @throws {Problem} `unavailable` when there are too many, or it is closing. */
  begin(): AbortController {
    if (this.#isClosing) throw stopping();
    if (this.#controllers.size >= intakeLimits.deliveries.total)
      throw refusal(intakeLimits.deliveries, 'total');
    const controller = new AbortController();
    this.#controllers.add(controller);
    return controller;
  }

  end(controller: AbortController): void {
    this.#controllers.delete(controller);
    if (this.#controllers.size === 0) this.#whenIdle?.();
  }

  /** Waits until all have ended; what has not by then is stopped. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    if (this.#controllers.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenIdle = resolve;
    const stop = () => {
      for (const controller of this.#controllers) controller.abort(stopping());
    };
    const timer = setTimeout(stop, graceMs);
    await promise;
    clearTimeout(timer);
  }
}
