// Counts per key within a minute: requests by token, over all processes of this machine, and failures by
// address.

export const WINDOW_SECONDS = 60;
const WINDOW_MILLISECONDS = WINDOW_SECONDS * 1_000;
/** What is counted here is published to the other processes at least this often. */
const PUBLISH_MILLISECONDS = 100;
/** A process counts no more than its part of this share of a limit unpublished: it can be overrun by that. */
const SLACK = 0.05;
const MAX_KEYS = 100_000;

/**
 * Milliseconds since the machine was started, the same for all of its processes, however its clock is set: a
 * minute is a minute also where that is set back by an hour.
 */
function uptime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** By key: when its minute began, by the `uptime`, and how many more there were since. */
export type Counts = readonly (readonly [key: string, began: number, more: number])[];

/** The other processes of this machine, each of which counts what it gets. */
export interface Peers {
  /** How many processes count, this one among them. */
  readonly processes: number;
  publish(counts: Counts): void;
  /** Calls with whatever another process publishes. */
  subscribe(onCounts: (counts: Counts) => void): void;
}

/** How many there are in a minute, and in how many milliseconds it is over. */
export interface Counted {
  readonly count: number;
  readonly leftMs: number;
}

interface Minute {
  began: number;
  count: number;
  /** Counted here and not published yet. */
  unpublished: number;
}

/**
 * Counts in windows of a minute that begin with the first of them. Each process counts by itself, so a
 * request waits for nothing; what others have counted comes a little later. So a sum is never too high, and
 * too low by no more than what is still on its way.
 */
export class WindowCounts {
  readonly #minutes = new Map<string, Minute>();
  readonly #unpublished = new Map<string, Minute>();
  readonly #peers: Peers | undefined;
  readonly #limit: number;
  readonly #maxUnpublished: number;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  /** `limit`: what exceeds it is not published. */
  constructor(limit: number, peers?: Peers, now = uptime) {
    this.#now = now;
    this.#limit = limit;
    this.#peers = peers;
    this.#maxUnpublished = Math.max(1, Math.floor((limit * SLACK) / (peers?.processes ?? 1)));
    peers?.subscribe((counts) => this.add(counts));
  }

  /** Counts one more. */
  count(key: string): Counted {
    const now = this.#now();
    const minute = this.#minuteOf(key, now, now);
    minute.count += 1;
    if (this.#peers !== undefined && minute.count <= this.#limit) this.#record(key, minute);
    return { count: minute.count, leftMs: minute.began + WINDOW_MILLISECONDS - now };
  }

  /** Adds what another process has counted. */
  add(counts: Counts): void {
    const now = this.#now();
    for (const [key, began, more] of counts) {
      if (began + WINDOW_MILLISECONDS <= now) continue;
      const minute = this.#minuteOf(key, began, now);
      minute.began = Math.min(minute.began, began);
      minute.count += more;
    }
  }

  /** All that is known, for a process that has just started. */
  all(): Counts {
    return [...this.#minutes].map(([key, { began, count }]) => [key, began, count]);
  }

  #minuteOf(key: string, began: number, now: number): Minute {
    let minute = this.#minutes.get(key);
    if (minute === undefined || minute.began + WINDOW_MILLISECONDS <= now) {
      minute = { began, count: 0, unpublished: 0 };
      // The oldest come first.
      this.#minutes.delete(key);
      this.#minutes.set(key, minute);
      this.#evict(now);
    }
    return minute;
  }

  /** Evicts minutes that are over, and the oldest where there are too many. */
  #evict(now: number): void {
    for (const [key, { began }] of this.#minutes) {
      if (this.#minutes.size <= MAX_KEYS && began + WINDOW_MILLISECONDS > now) return;
      this.#minutes.delete(key);
    }
  }

  #record(key: string, minute: Minute): void {
    minute.unpublished += 1;
    this.#unpublished.set(key, minute);
    if (minute.unpublished >= this.#maxUnpublished) this.#publish();
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
