// Counts per key and minute: requests per token, over all processes of this machine, and failures per
// address.

export const WINDOW_SECONDS = 60;

export const secondsOf = (leftMs: number) => Math.ceil(leftMs / 1_000);
const WINDOW_MILLISECONDS = WINDOW_SECONDS * 1_000;
/** The longest time that a count stays unpublished. */
const PUBLISH_MILLISECONDS = 100;
/** Unpublished counts of all processes stay below this fraction of the limit, so it is overrun by no more. */
const SLACK = 0.05;
const MAX_KEYS = 100_000;

/**
 * Milliseconds since the machine was booted: the same in all processes, and not affected when the clock is
 * set back.
 */
function uptime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/**
 * Milliseconds until a window ends. The order of the operations matters: `began + 60_000 - now` is rounded to
 * more than 60,000 for some values.
 */
const leftOf = (began: number, now: number) => WINDOW_MILLISECONDS - (now - began);

/** For each key: when its window began, in `uptime`, and the number to add. */
export type Counts = readonly (readonly [key: string, began: number, more: number])[];

export interface Peers {
  /** Number of processes that count, including this one. */
  readonly processes: number;
  publish(counts: Counts): void;
  /** Registers a callback for what other processes publish. */
  subscribe(onCounts: (counts: Counts) => void): void;
}

/** The count of the window, and milliseconds until it ends. */
export interface Counted {
  readonly count: number;
  readonly leftMs: number;
}

interface Minute {
  began: number;
  count: number;
  unpublished: number;
}

/**
 * Counts in windows of one minute that begin with the first request. Each process counts locally, so that no
 * request waits for another process, and publishes its counts. The sum is therefore never too high, and too
 * low by at most the counts not yet published.
 */
export class WindowCounts {
  readonly #minutes = new Map<string, Minute>();
  readonly #unpublished = new Map<string, Minute>();
  readonly #peers: Peers | undefined;
  readonly #limit: number;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  /** Counts above `limit`, if a key has no other, are not published. */
  constructor(limit: number, peers?: Peers, now = uptime) {
    this.#now = now;
    this.#limit = limit;
    this.#peers = peers;
    peers?.subscribe((counts) => this.add(counts));
  }

  count(key: string, limit = this.#limit): Counted {
    const now = this.#now();
    const minute = this.#minuteOf(key, now, now);
    minute.count += 1;
    if (this.#peers !== undefined && minute.count <= limit) this.#record(key, minute, limit);
    return { count: minute.count, leftMs: leftOf(minute.began, now) };
  }

  add(counts: Counts): void {
    const now = this.#now();
    for (const [key, began, more] of counts) {
      if (leftOf(began, now) <= 0) continue;
      const minute = this.#minuteOf(key, began, now);
      minute.began = Math.min(minute.began, began);
      minute.count += more;
    }
  }

  all(): Counts {
    return [...this.#minutes].map(([key, { began, count }]) => [key, began, count]);
  }

  #minuteOf(key: string, began: number, now: number): Minute {
    let minute = this.#minutes.get(key);
    if (minute === undefined || leftOf(minute.began, now) <= 0) {
      minute = { began, count: 0, unpublished: 0 };
      // A map iterates in insertion order, so the oldest windows come first.
      this.#minutes.delete(key);
      this.#minutes.set(key, minute);
      this.#evict(now);
    }
    return minute;
  }

  /** Evicts windows that have ended, and the oldest ones above the maximum. */
  #evict(now: number): void {
    for (const [key, { began }] of this.#minutes) {
      if (this.#minutes.size <= MAX_KEYS && leftOf(began, now) > 0) return;
      this.#minutes.delete(key);
    }
  }

  #record(key: string, minute: Minute, limit: number): void {
    minute.unpublished += 1;
    this.#unpublished.set(key, minute);
    const most = Math.max(1, Math.floor((limit * SLACK) / (this.#peers?.processes ?? 1)));
    if (minute.unpublished >= most) this.#publish();
    else this.#timer ??= setTimeout(() => this.#publish(), PUBLISH_MILLISECONDS).unref();
  }

  #publish(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#unpublished].map(
      ([key, { began, unpublished }]) => [key, began, unpublished] as const,
    );
    for (const minute of this.#unpublished.values()) minute.unpublished = 0;
    this.#unpublished.clear();
    this.#peers?.publish(counts);
  }
}
