// The cache of what is true of one revision of an account: pages, facets, sizes. The revision is looked up
// for every request, so a cached value of another revision is never served.
//
// Values are evicted by second chance (the CLOCK algorithm): the oldest first, but one that was found since
// it was last considered goes back to the end of the queue instead. A hit costs a mark, where LRU would have
// to move the entry.

import type { Answer } from './answer.ts';

/** A character takes so many bytes at the most. */
const BYTES_A_CHARACTER = 2;
/** What a cached value takes beside its texts. */
const BYTES_A_VALUE = 400;

/** What a cached answer takes: its body, its headers and its key. */
export function bytesOfAnswer({ body, headers }: Answer, key: string): number {
  const bytes = typeof body === 'string' ? BYTES_A_CHARACTER * body.length : (body as Uint8Array).byteLength;
  let characters = key.length;
  for (const name in headers) characters += (headers[name] as string).length;
  return BYTES_A_VALUE + bytes + BYTES_A_CHARACTER * characters;
}

/** The key of what an account has under a name; an account's id has no line ends. */
export function cacheKey(account_id: string, name: string): string {
  return `${account_id}\n${name}`;
}

/** What can be cached. */
export interface OfRevision {
  readonly revision: string;
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
  /** Found since it was stored or last spared. */
  isReferenced: boolean;
}

/** What a cache holds, and what came of it since it was made. */
export interface CacheStatistics {
  readonly bytes: number;
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

/** Values by key, up to a number of bytes; 0 caches nothing. */
export class RevisionCache<T extends OfRevision> {
  /** In the order in which eviction considers them. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #maxBytes: number;
  readonly #counts = { bytes: 0, hits: 0, misses: 0, evictions: 0 };

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The value cached under a key at a revision; of whatever revision, where it is not known. */
  find(key: string, revision: string | undefined): T | undefined {
    const cached = this.#entries.get(key)?.value;
    const isHit = cached !== undefined && (revision === undefined || cached.revision === revision);
    this.count(isHit);
    return isHit ? this.peek(key) : undefined;
  }

  /** The value cached under a key, of whatever revision: whether it was a hit is for the caller to count. */
  peek(key: string): T | undefined {
    // To look up a text that came with a request takes half a microsecond, also where nothing is cached.
    if (this.#entries.size === 0) return undefined;
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isReferenced = true;
    return entry.value;
  }

  count(isHit: boolean): void {
    if (isHit) this.#counts.hits += 1;
    else this.#counts.misses += 1;
  }

  get statistics(): CacheStatistics {
    return { ...this.#counts, entries: this.#entries.size };
  }

  /** Caches a value that takes roughly so many bytes, in place of what the key had. */
  set(key: string, value: T, bytes: number): void {
    this.delete(key);
    if (bytes > this.#maxBytes) return;
    this.#evictFor(bytes);
    this.#entries.set(key, { value, bytes, isReferenced: false });
    this.#counts.bytes += bytes;
  }

  delete(key: string): void {
    if (this.#entries.size === 0) return;
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#counts.bytes -= entry.bytes;
    this.#entries.delete(key);
  }

  /** Evicts until so many bytes more fit. */
  #evictFor(bytes: number): void {
    for (const [key, entry] of this.#entries) {
      if (this.#counts.bytes + bytes <= this.#maxBytes) return;
      if (entry.isReferenced) {
        entry.isReferenced = false;
        this.#entries.delete(key);
        this.#entries.set(key, entry);
      } else {
        this.delete(key);
        this.#counts.evictions += 1;
      }
    }
  }
}
