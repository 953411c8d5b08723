// The indexes in memory, up to a number of bytes. The least frequently used are evicted first. Use counts are
// halved periodically, so that uses long ago count little; that is also when the order of eviction is
// computed, instead of for every request.

import type { ListIndex } from '../list-index/list-index.ts';
import type { CacheStatistics } from './cache.ts';

interface CachedIndex {
  readonly index: ListIndex;
  uses: number;
}

export class IndexCache {
  readonly #indexes = new Map<string, CachedIndex>();
  readonly #maxBytes: number;
  #evictionOrder = new Set<string>();
  readonly #counts = { bytes: 0, hits: 0, misses: 0, evictions: 0 };

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get statistics(): CacheStatistics {
    return { ...this.#counts, entries: this.#indexes.size };
  }

  /** The index of a key at a revision, or at any revision if it is not known. */
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

  has(key: string): boolean {
    return this.#indexes.has(key);
  }

  /**
   * The uses of the indexes that one of this size would evict, weighted by size, because answers without an
   * index take longer for larger lists. 0 if none would be evicted.
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

  /** Replaces the index of a key, and evicts others. It starts with `uses` or those of the index replaced. */
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

  /** Multiplies all use counts by a factor and computes the order of eviction. */
  age(factor: number): void {
    for (const cached of this.#indexes.values()) cached.uses *= factor;
    this.#evictionOrder.clear();
    this.#evictionOrder = new Set([...this.#inOrderOfEviction()].map(([key]) => key));
  }

  /** Indexes added since the order was computed come last. */
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
