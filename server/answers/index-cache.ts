// The indexes that are in memory, up to a number of bytes.
//
// Those that are used least are evicted first. How often each is used is halved from time to time, so that
// what was used long ago counts little; the order of eviction is worked out then, not at every request.

import type { ListIndex } from '../list-index/list-index.ts';
import type { CacheStatistics } from './cache.ts';

interface CachedIndex {
  readonly index: ListIndex;
  /** How often it was used, each use counting half after a while. */
  uses: number;
}

export class IndexCache {
  readonly #indexes = new Map<string, CachedIndex>();
  readonly #maxBytes: number;
  /** Keys in the order of eviction, as it was when it was last worked out. */
  #evictionOrder = new Set<string>();
  readonly #counts = { bytes: 0, hits: 0, misses: 0, evictions: 0 };

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get statistics(): CacheStatistics {
    return { ...this.#counts, entries: this.#indexes.size };
  }

  /** The index cached under a key at a revision; of whatever revision, where it is not known. */
  find(key: string, revision: string | undefined): ListIndex | undefined {
    const cached = this.#indexes.get(key);
    if (cached === undefined || (revision !== undefined && cached.index.revision !== revision)) {
      this.#counts.misses += 1;
      return undefined;
    }
    this.#counts.hits += 1;
    cached.uses += 1;
    return cached.index;
  }

  /** Whether there is an index under a key, of whatever revision. */
  has(key: string): boolean {
    return this.#indexes.has(key);
  }

  /**
   * How often the indexes are used that one of so many bytes would evict, as uses of one that is as large as
   * it: to answer without an index takes longer the larger a list is. 0 where it would evict none.
   */
  usesEvictedBy(bytes: number): number {
    let free = this.#maxBytes - this.#counts.bytes;
    let uses = 0;
    for (const [, cached] of this.#inOrderOfEviction()) {
      if (free >= bytes) break;
      free += cached.index.bytes;
      uses += cached.uses * cached.index.bytes;
    }
    return uses / bytes;
  }

  /**
   * Caches an index in place of what the key had; others are evicted for it. It begins with so many uses, or
   * with those of its predecessor.
   */
  put(key: string, index: ListIndex, uses: number): void {
    const replaced = this.#indexes.get(key);
    this.#remove(key);
    for (const [other] of this.#inOrderOfEviction()) {
      if (this.#counts.bytes + index.bytes <= this.#maxBytes) break;
      this.#remove(other);
      this.#counts.evictions += 1;
    }
    this.#indexes.set(key, { index, uses: Math.max(uses, replaced?.uses ?? 0) });
    this.#counts.bytes += index.bytes;
  }

  /** Makes each use so far count so many times as much as it did, and works out the order of eviction. */
  age(factor: number): void {
    for (const cached of this.#indexes.values()) cached.uses *= factor;
    this.#evictionOrder.clear();
    this.#evictionOrder = new Set([...this.#inOrderOfEviction()].map(([key]) => key));
  }

  /** Those that came since the order was worked out are last. */
  *#inOrderOfEviction(): Generator<readonly [string, CachedIndex]> {
    for (const key of this.#evictionOrder) yield [key, this.#indexes.get(key) as CachedIndex];
    const newer = [...this.#indexes].filter(([key]) => !this.#evictionOrder.has(key));
    yield* newer.sort(([, a], [, b]) => a.uses - b.uses);
  }

  #remove(key: string): void {
    const cached = this.#indexes.get(key);
    if (cached === undefined) return;
    this.#indexes.delete(key);
    this.#evictionOrder.delete(key);
    this.#counts.bytes -= cached.index.bytes;
    cached.index.evict();
  }
}
