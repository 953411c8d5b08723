// The rate limit: how many requests of each token there were within its minute, over all processes of this
// machine.

/** How long a token's requests are counted together. */
export const WINDOW_SECONDS = 60;
const WINDOW_MILLISECONDS = WINDOW_SECONDS * 1_000;
/** What is counted here is published to the other processes at least so often. */
const PUBLISH_MILLISECONDS = 100;
/**
 * A process counts no more than its part of this share of a limit unpublished: by so much a limit can be
 * overrun.
 */
const SLACK = 0.05;
const MAX_TOKENS = 100_000;

/**
 * Milliseconds since the machine was started, the same for all of its processes, however its clock is set: a
 * minute is a minute also where that is set back by an hour.
 */
function uptime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** Of each token: when its minute began, by the `uptime`, and how many more requests there were since. */
export type Counts = readonly (readonly [token_id: string, began: number, more: number])[];

/** The other processes of this machine, of which each counts the requests that it gets. */
export interface Peers {
  /** How many processes count, this one among them. */
  readonly processes: number;
  publish(counts: Counts): void;
  /** Calls with whatever another process publishes. */
  subscribe(onCounts: (counts: Counts) => void): void;
}

interface Window {
  began: number;
  count: number;
  /** Counted here and not published yet. */
  unpublished: number;
}

/**
 * Counts requests by token, in windows of a minute that begin with the first of them. Each process counts by
 * itself, so a request waits for nothing; what others have counted comes a moment later. So a sum is never
 * too high, and too low by no more than what is still on its way.
 */
export class RequestCounts {
  readonly #windows = new Map<string, Window>();
  readonly #unpublished = new Map<string, Window>();
  readonly #peers: Peers | undefined;
  readonly #limit: number;
  readonly #maxUnpublished: number;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: number, peers?: Peers, now = uptime) {
    this.#now = now;
    this.#limit = limit;
    this.#peers = peers;
    this.#maxUnpublished = Math.max(1, Math.floor((limit * SLACK) / (peers?.processes ?? 1)));
    peers?.subscribe((counts) => this.add(counts));
  }

  /**
   * Counts one more; returns how many there were with it, and in how many milliseconds their minute is over.
   */
  count(token_id: string): { readonly count: number; readonly leftMs: number } {
    const now = this.#now();
    const window = this.#windowOf(token_id, now, now);
    window.count += 1;
    if (this.#peers !== undefined && window.count <= this.#limit) this.#note(token_id, window);
    return { count: window.count, leftMs: window.began + WINDOW_MILLISECONDS - now };
  }

  /** How many there were so far, and in how many milliseconds their minute is over. */
  countSoFar(token_id: string): { readonly count: number; readonly leftMs: number } {
    const now = this.#now();
    const window = this.#windows.get(token_id);
    const leftMs = window === undefined ? 0 : window.began + WINDOW_MILLISECONDS - now;
    return window !== undefined && leftMs > 0 ? { count: window.count, leftMs } : { count: 0, leftMs: 0 };
  }

  /** Adds what another process has counted. */
  add(counts: Counts): void {
    const now = this.#now();
    for (const [token_id, began, more] of counts) {
      if (began + WINDOW_MILLISECONDS <= now) continue;
      const window = this.#windowOf(token_id, began, now);
      window.began = Math.min(window.began, began);
      window.count += more;
    }
  }

  /** All that is known, for a process that has just started. */
  all(): Counts {
    return [...this.#windows].map(([token_id, { began, count }]) => [token_id, began, count]);
  }

  #windowOf(token_id: string, began: number, now: number): Window {
    let window = this.#windows.get(token_id);
    if (window === undefined || window.began + WINDOW_MILLISECONDS <= now) {
      window = { began, count: 0, unpublished: 0 };
      // The oldest come first.
      this.#windows.delete(token_id);
      this.#windows.set(token_id, window);
      this.#evict(now);
    }
    return window;
  }

  /** Evicts minutes that are over, and the oldest where there are too many. */
  #evict(now: number): void {
    for (const [token_id, { began }] of this.#windows) {
      if (this.#windows.size <= MAX_TOKENS && began + WINDOW_MILLISECONDS > now) return;
      this.#windows.delete(token_id);
    }
  }

  #note(token_id: string, window: Window): void {
    window.unpublished += 1;
    this.#unpublished.set(token_id, window);
    if (window.unpublished >= this.#maxUnpublished) this.#publish();
    else this.#timer ??= setTimeout(() => this.#publish(), PUBLISH_MILLISECONDS).unref();
  }

  #publish(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#unpublished].map(
      ([id, { began, unpublished }]) => [id, began, unpublished] as const,
    );
    for (const window of this.#unpublished.values()) window.unpublished = 0;
    this.#unpublished.clear();
    this.#peers?.publish(counts);
  }
}
