// Answers kept between requests. What is kept is true of one revision of its account; every request looks the revision up
// anew, so an answer of another one is never given.

/** What can be kept: its revision, and roughly how many bytes it takes. */
export interface Keepable {
  readonly revision: string;
  readonly bytes: number;
}

interface Entry<T> {
  readonly answer: T;
  /** Asked for since it was last passed over; so a hit costs a mark, and not a new place in the order. */
  asked: boolean;
}

/** Answers up to a number of bytes; 0 keeps none. What was not asked for lately goes first. */
export class Kept<T extends Keepable> {
  /** The next to go first. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #max_bytes: number;
  #bytes = 0;

  constructor(max_bytes: number) {
    this.#max_bytes = max_bytes;
  }

  /** Whether an answer is kept under a key, of whatever revision. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The answer kept under a key at this revision; of whatever revision, where it is not known. */
  find(key: string, revision: string | undefined): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || (revision !== undefined && entry.answer.revision !== revision))
      return undefined;
    entry.asked = true;
    return entry.answer;
  }

  keep(key: string, answer: T): void {
    this.#drop(key);
    if (answer.bytes > this.#max_bytes) return;
    this.#makeRoom(answer.bytes);
    this.#entries.set(key, { answer, asked: false });
    this.#bytes += answer.bytes;
  }

  #makeRoom(bytes: number): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes + bytes <= this.#max_bytes) return;
      if (entry.asked) {
        entry.asked = false;
        this.#entries.delete(key);
        this.#entries.set(key, entry);
      } else this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.answer.bytes ?? 0;
    this.#entries.delete(key);
  }
}
