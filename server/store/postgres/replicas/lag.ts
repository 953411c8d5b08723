// Replica lag, by positions in the write-ahead log and the clock of this process.
//
// Why positions: a replica that has replayed all there is looks as old as the last change, which on an idle
// primary may be of yesterday. So lag is measured by the log alone: a replica lags that has not replayed what
// the primary was seen to have written so long ago.

/**
 * A page of the log. What is written up to its end may end amid a record, which no replica can replay before
 * the rest.
 */
const PAGE_BYTES = 8_192;

/** Where the log of the primary ended at each health check, from so long ago as matters. */
export class PrimaryLog {
  readonly #windowMs: number;
  #ends: { readonly at: number; readonly position: number }[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Adds the position of a check; times are in milliseconds and only grow. */
  add(position: number, at: number): void {
    // Another server took over, and what it has not is lost.
    if (position < (this.#ends.at(-1)?.position ?? 0)) this.#ends = [];
    this.#ends.push({ at, position });
    while ((this.#ends[1]?.at ?? at) <= at - this.#windowMs) this.#ends.shift();
  }

  /** How many bytes that were written by a time a replica still lacks that has replayed up to a position. */
  missingBytes(replayed: number, until: number): number {
    const end = this.#ends.findLast(({ at }) => at <= until)?.position ?? 0;
    const whole = end % PAGE_BYTES === 0 ? end - PAGE_BYTES : end;
    return replayed < whole ? end - replayed : 0;
  }
}
