// Caches answers, so that an unchanged list is not sent again (`ETag`, `If-None-Match`). In memory; the least
// recently used are evicted.

/** One million characters hold about two thousand virtual numbers. */
const MAX_CHARACTERS = 8_000_000;

export interface CachedAnswer {
  readonly etag: string;
  readonly link: string | null;
  readonly next_cursor: string | null;
  readonly text: string;
}

/** May be shared by many clients: an answer to one token is never given to another. */
export class Cache {
  readonly #answers = new Map<string, CachedAnswer>();
  readonly #max_characters: number;
  #characters = 0;

  /** @param options `max_characters` of all answers together, 8,000,000 by default */
  constructor(options: { readonly max_characters?: number | undefined } = {}) {
    this.#max_characters = options.max_characters ?? MAX_CHARACTERS;
  }

  clear(): void {
    this.#answers.clear();
    this.#characters = 0;
  }

  /** For the client: `key` names the request and its token. */
  get(key: string): CachedAnswer | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined) return undefined;
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    return answer;
  }

  /** For the client. */
  set(key: string, answer: CachedAnswer): void {
    this.#evict(key);
    this.#answers.set(key, answer);
    this.#characters += sizeOf(key, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#characters <= this.#max_characters) break;
      this.#evict(oldest);
    }
  }

  #evict(key: string): void {
    const answer = this.#answers.get(key);
    if (answer === undefined) return;
    this.#answers.delete(key);
    this.#characters -= sizeOf(key, answer);
  }
}

function sizeOf(key: string, { etag, link, next_cursor, text }: CachedAnswer): number {
  return key.length + etag.length + (link?.length ?? 0) + (next_cursor?.length ?? 0) + text.length;
}
