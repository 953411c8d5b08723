// Answers kept between calls, so that a list that did not change is not sent again (`ETag`, `If-None-Match`). It keeps
// what was used last, up to a limit, in memory only.

/** One million characters hold about two thousand virtual numbers. */
const MAX_CHARACTERS = 8_000_000;

/** An answer as it came. */
export interface Kept {
  readonly etag: string;
  readonly link: string | null;
  readonly text: string;
}

/** May be shared by many clients: what one token was answered is never given to another. */
export class Cache {
  readonly #kept = new Map<string, Kept>();
  readonly #max_characters: number;
  #characters = 0;

  constructor(options: { readonly max_characters?: number | undefined } = {}) {
    this.#max_characters = options.max_characters ?? MAX_CHARACTERS;
  }

  /** Forgets everything. */
  clear(): void {
    this.#kept.clear();
    this.#characters = 0;
  }

  /** For the client: what was answered to a request, which `key` names together with its token. */
  find(key: string): Kept | undefined {
    const answer = this.#kept.get(key);
    if (answer === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    return answer;
  }

  /** For the client: keeps an answer, and lets go of those that were not used for longest. */
  keep(key: string, answer: Kept): void {
    this.#drop(key);
    this.#kept.set(key, answer);
    this.#characters += sizeOf(key, answer);
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#max_characters) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const answer = this.#kept.get(key);
    if (answer === undefined) return;
    this.#kept.delete(key);
    this.#characters -= sizeOf(key, answer);
  }
}

function sizeOf(key: string, { etag, link, text }: Kept): number {
  return key.length + etag.length + (link?.length ?? 0) + text.length;
}
