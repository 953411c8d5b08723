// Answers kept between requests. What is kept is true of one revision of its account; every request looks the revision up
// anew, so an answer of another one is never given.

/** What can be kept: its revision, and roughly how many bytes it takes. */
export interface Keepable {
  readonly revision: string;
  readonly bytes: number;
}

/** The most recently asked answers, up to a number of bytes; 0 keeps none. */
export class Kept<T extends Keepable> {
  readonly #answers = new Map<string, T>();
  readonly #max_bytes: number;
  #bytes = 0;

  constructor(max_bytes: number) {
    this.#max_bytes = max_bytes;
  }

  /** Whether an answer is kept under a key, of whatever revision. */
  has(key: string): boolean {
    return this.#answers.has(key);
  }

  /** The answer kept under a key at this revision; of whatever revision, where it is not known. */
  find(key: string, revision: string | undefined): T | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined || (revision !== undefined && answer.revision !== revision)) return undefined;
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    return answer;
  }

  keep(key: string, answer: T): void {
    this.#drop(key);
    this.#answers.set(key, answer);
    this.#bytes += answer.bytes;
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= this.#max_bytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#answers.get(key)?.bytes ?? 0;
    this.#answers.delete(key);
  }
}
