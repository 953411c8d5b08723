// How often each token has asked within its minute, over all processes of this machine. It must not know how they reach
// each other.

/** How long a token's requests are counted together. */
export const WINDOW_SECONDS = 60;
const WINDOW_MILLISECONDS = WINDOW_SECONDS * 1_000;
/** What is counted here is told to the others at least so often. */
const TELL_MILLISECONDS = 100;
/** Nobody keeps more than his part of so much of a limit to himself: by this much it can be overrun. */
const SLACK = 0.05;
const MAX_TOKENS = 100_000;

/** Token, when its minute began in milliseconds since 1970, and how many more have asked since. */
export type Counted = readonly (readonly [token_id: string, began: number, more: number])[];

/** The other processes of this machine, of which each counts what it sees. */
export interface Others {
  /** How many count, this one among them. */
  readonly processes: number;
  tell(counted: Counted): void;
  /** Calls with whatever another tells. */
  listen(take: (counted: Counted) => void): void;
}

interface Window {
  began: number;
  count: number;
  /** Counted here and not told yet. */
  untold: number;
}

/**
 * Counts requests by token, in windows of a minute that begin with the first of them. Each process counts by itself and
 * asks nobody, so a request waits for nothing; what others have counted comes a moment later. So a sum is never too high,
 * and too low by no more than what is still on its way.
 */
export class RequestCounts {
  readonly #windows = new Map<string, Window>();
  readonly #untold = new Map<string, Window>();
  readonly #others: Others | undefined;
  readonly #limit: number;
  readonly #most_untold: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: number, others?: Others) {
    this.#limit = limit;
    this.#others = others;
    this.#most_untold = Math.max(1, Math.floor((limit * SLACK) / (others?.processes ?? 1)));
    others?.listen((counted) => this.add(counted));
  }

  /** Counts one more; gives how many there were with it, and in how many milliseconds their minute is over. */
  count(token_id: string): { readonly count: number; readonly left_ms: number } {
    const now = Date.now();
    const window = this.#windowOf(token_id, now, now);
    window.count += 1;
    if (this.#others !== undefined && window.count <= this.#limit) this.#note(token_id, window);
    return { count: window.count, left_ms: window.began + WINDOW_MILLISECONDS - now };
  }

  /** Takes in what another has counted. */
  add(counted: Counted): void {
    const now = Date.now();
    for (const [token_id, began, more] of counted) {
      if (began + WINDOW_MILLISECONDS <= now) continue;
      const window = this.#windowOf(token_id, began, now);
      window.began = Math.min(window.began, began);
      window.count += more;
    }
  }

  /** All that is known, for somebody who knows nothing yet. */
  all(): Counted {
    return [...this.#windows].map(([token_id, { began, count }]) => [token_id, began, count]);
  }

  #windowOf(token_id: string, began: number, now: number): Window {
    let window = this.#windows.get(token_id);
    if (window === undefined || window.began + WINDOW_MILLISECONDS <= now) {
      window = { began, count: 0, untold: 0 };
      // The oldest come first.
      this.#windows.delete(token_id);
      this.#windows.set(token_id, window);
      this.#forget(now);
    }
    return window;
  }

  /** Lets go of minutes that are over, and of the oldest where there are too many. */
  #forget(now: number): void {
    for (const [token_id, { began }] of this.#windows) {
      if (this.#windows.size <= MAX_TOKENS && began + WINDOW_MILLISECONDS > now) return;
      this.#windows.delete(token_id);
    }
  }

  #note(token_id: string, window: Window): void {
    window.untold += 1;
    this.#untold.set(token_id, window);
    if (window.untold >= this.#most_untold) this.#tell();
    else this.#timer ??= setTimeout(() => this.#tell(), TELL_MILLISECONDS).unref();
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counted = [...this.#untold].map(([id, { began, untold }]) => [id, began, untold] as const);
    for (const window of this.#untold.values()) window.untold = 0;
    this.#untold.clear();
    this.#others?.tell(counted);
  }
}
