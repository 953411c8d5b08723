// The cache of everything that is retained between requests, up to a number of bytes. Pages, facets and sizes
// are valid for one revision of an account: that is looked up for every request, and compared with the
// revision of the value that is found.
//
// Eviction is by second chance (the CLOCK algorithm): the oldest entry is evicted first, unless it was read
// since it was last considered; then it moves to the end of the queue. A hit only sets a flag, where LRU
// would move the entry.

import type { Answer } from './answer.ts';

const BYTES_PER_CHARACTER = 2;
/** Overhead of a cached value, without its strings. */
const BYTES_PER_VALUE = 400;
const BYTES_PER_OBJECT = 32;
const BYTES_PER_MEMBER = 8;

export function bytesOfAnswer({ body, headers }: Answer, key: string): number {
  const bytes =
    typeof body === 'string' ? BYTES_PER_CHARACTER * body.length : (body as Uint8Array).byteLength;
  let characters = key.length;
  for (const name in headers) characters += (headers[name] as string).length;
  return BYTES_PER_VALUE + bytes + BYTES_PER_CHARACTER * characters;
}

/** About how many bytes a value of plain objects takes, of whatever is in it. */
function bytesOfValue(value: unknown): number {
  if (typeof value === 'string') return BYTES_PER_OBJECT + BYTES_PER_CHARACTER * value.length;
  if (typeof value !== 'object' || value === null) return BYTES_PER_MEMBER;
  return Object.values(value).reduce(
    (sum: number, one) => sum + BYTES_PER_MEMBER + bytesOfValue(one),
    BYTES_PER_OBJECT,
  );
}

/** The same, with its entry of a cache. */
const bytesOfEntry = (key: string, value: unknown): number =>
  BYTES_PER_VALUE + BYTES_PER_CHARACTER * key.length + bytesOfValue(value);

/** Account ids contain no line breaks, so keys are unique. */
export function cacheKey(account_id: string, name: string): string {
  return `${account_id}\n${name}`;
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
  /** Read since it was stored or last considered for eviction. */
  isReferenced: boolean;
}

/** Which cache of a process it is; of the answers about which list. */
export interface NamedStatistics extends CacheStatistics {
  readonly cache: string;
  readonly list: string;
}

export interface CacheStatistics {
  readonly bytes: number;
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

/** Values by key, up to a number of bytes; 0 disables it. */
export class ValueCache<T> {
  /** In order of eviction. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #maxBytes: number;
  readonly #counts = { bytes: 0, hits: 0, misses: 0, evictions: 0 };

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The value of a key, of any revision. The caller counts the hit or miss. */
  find(key: string): T | undefined {
    // Looking up a string from a request takes half a microsecond even if the map is empty.
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

  /** Replaces the value of a key. `bytes` may be an estimate. */
  set(key: string, value: T, bytes = bytesOfEntry(key, value)): void {
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
