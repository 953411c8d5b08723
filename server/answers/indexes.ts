// Decides which lists have an index in memory: those that are queried repeatedly without changing. Indexes
// are built on another thread and cached up to a number of bytes.
//
// If the lists in demand do not all fit, their indexes must not evict each other over and over: building an
// index takes as long as 20 full scans of its list. So an index is built only if it fits, if the indexes that
// it would evict are idle, or if its list is in more demand than theirs by more than the cost of building it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexData } from '../list-index/index-data.ts';
import { ListIndex } from '../list-index/list-index.ts';
import type { Caller } from '../store/access/callers.ts';
import type { Table } from '../store/tables.ts';
import type { CacheStatistics } from './cache.ts';
import { IndexCache } from './index-cache.ts';

/** A shorter list is scanned as fast as its index. */
const MIN_ROWS = 200;
/** With a longer list, a single request would block the request thread for too long. */
const MAX_ROWS = 500_000;
/** Building an index takes as long as this many full scans of its list. */
const BUILD_COST_IN_SCANS = 20;
/** How many times the demand for a list must exceed that of the indexes it would evict. */
const EVICTION_MARGIN = 1.5;
/** An index with fewer uses is idle: 7 minutes after a single use, 17 minutes after a thousand. */
const IDLE_USES = 0.01;
/** The interval at which use counts and demand are halved. */
const HALVING_MILLISECONDS = 60_000;
/** Rather too high than too low. */
const ESTIMATED_BYTES_PER_ROW = 360;
/**
 * An index that takes more is not built: its texts are so long that it would evict the indexes of many lists,
 * and building it takes several times its size.
 */
const MAX_BYTES_PER_ROW = 2_048;
/**
 * After an index is built, its list gets no other for this many times the build time: some change constantly.
 */
const PAUSE = 10;
const MAX_DEMANDS = 10_000;
/**
 * Requests wait for an index that is being built if the list is no longer than this, and no longer than that.
 */
const MAX_AWAITED_ROWS = 50_000;
const MAX_WAIT_MILLISECONDS = 500;

/** How often a list was scanned at its latest revision for lack of an index. */
interface IndexDemand {
  readonly revision: string;
  times: number;
  /** The earliest time to build an index, on the clock of `now`. */
  readonly notBefore: number;
  readonly isTooLarge?: boolean;
}

interface Building {
  readonly key: string;
  readonly rows: number;
  readonly index: Promise<ListIndex | undefined>;
}

/** Builds the index of a list; `undefined` if it would exceed `maxBytes`. */
export interface IndexBuilder {
  index(table: Table, account_id: string, maxBytes: number): Promise<IndexData | undefined>;
}

export interface ListIndexesOptions {
  readonly maxBytes: number;
  readonly minRows?: number;
  readonly pause?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Called when building an index has failed; lists are then answered without it. */
  readonly onFailure: (error: unknown) => void;
}

/** Account ids contain no line breaks, so keys are unique. */
const keyOf = ({ name, own }: Table, account_id: string) =>
  `${name}${own === undefined ? '' : ` ${own.revision}`}\n${account_id}`;

export class ListIndexes {
  readonly #builder: IndexBuilder;
  readonly #options: Required<ListIndexesOptions>;
  readonly #cache: IndexCache;
  readonly #demands = new Map<string, IndexDemand>();
  #building: Building | undefined;
  #halvedAt: number;
  #rejected = 0;

  constructor(builder: IndexBuilder, options: ListIndexesOptions) {
    this.#builder = builder;
    this.#options = { minRows: MIN_ROWS, pause: PAUSE, now: () => performance.now(), ...options };
    this.#cache = new IndexCache(options.maxBytes);
    this.#halvedAt = this.#options.now();
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics;
  }

  get rejected(): number {
    return this.#rejected;
  }

  find(
    table: Table,
    { account_id, revision }: Pick<Caller, 'account_id' | 'revision'>,
  ): ListIndex | undefined {
    this.#halve();
    return this.#cache.find(keyOf(table, account_id), revision);
  }

  /**
   * The index of a list while it is being built, unless that takes long: scanning the list meanwhile would
   * only slow down both. `undefined` if there is none to wait for.
   */
  beingBuilt(
    table: Table,
    { account_id }: Pick<Caller, 'account_id'>,
  ): Promise<ListIndex | undefined> | undefined {
    const building = this.#building;
    if (building?.key !== keyOf(table, account_id) || building.rows > MAX_AWAITED_ROWS) return undefined;
    return Promise.race([building.index, sleep(MAX_WAIT_MILLISECONDS, undefined, { ref: false })]);
  }

  /** Records a full scan of a list at a revision, and builds an index if that is worthwhile. */
  missed(table: Table, account_id: string, revision: string, rows: number): void {
    const { minRows, maxBytes, now } = this.#options;
    const maxRows = Math.min(MAX_ROWS, maxBytes / ESTIMATED_BYTES_PER_ROW);
    if (rows < minRows || rows > maxRows) return;
    this.#halve();
    const key = keyOf(table, account_id);
    const before = this.#demands.get(key);
    const demand =
      before?.revision === revision ? before : { revision, times: 0, notBefore: before?.notBefore ?? 0 };
    demand.times += 1;
    this.#record(key, demand);
    const mayBuild = this.#building === undefined && now() >= demand.notBefore;
    if (mayBuild && this.#isWorthwhile(key, demand, rows))
      this.#building = { key, rows, index: this.#build(table, account_id, rows, demand) };
  }

  #isWorthwhile(key: string, { times, isTooLarge = false }: IndexDemand, rows: number): boolean {
    if (times <= 1 || isTooLarge) return false;
    // It replaces an index of an older revision.
    if (this.#cache.has(key)) return true;
    const uses = this.#cache.usesEvictedBy(rows * ESTIMATED_BYTES_PER_ROW);
    const isAccepted = uses < IDLE_USES || times > BUILD_COST_IN_SCANS + EVICTION_MARGIN * uses;
    if (!isAccepted) this.#rejected += 1;
    return isAccepted;
  }

  #halve(): void {
    const times = Math.floor((this.#options.now() - this.#halvedAt) / HALVING_MILLISECONDS);
    if (times === 0) return;
    this.#halvedAt += times * HALVING_MILLISECONDS;
    const factor = 2 ** -times;
    this.#cache.age(factor);
    for (const demand of this.#demands.values()) demand.times *= factor;
  }

  #record(key: string, demand: IndexDemand): void {
    this.#demands.delete(key);
    this.#demands.set(key, demand);
    if (this.#demands.size > MAX_DEMANDS) {
      this.#demands.delete(this.#demands.keys().next().value as string);
    }
  }

  async #build(
    table: Table,
    account_id: string,
    rows: number,
    { revision, times }: IndexDemand,
  ): Promise<ListIndex | undefined> {
    const { pause, onFailure, now } = this.#options;
    const maxBytes = Math.min(this.#options.maxBytes, rows * MAX_BYTES_PER_ROW);
    const key = keyOf(table, account_id);
    const began = now();
    let isTooLarge = false;
    try {
      const data = await this.#builder.index(table, account_id, maxBytes);
      const index = data && new ListIndex(data);
      isTooLarge = index === undefined || index.bytes > maxBytes;
      if (index === undefined || isTooLarge) return undefined;
      this.#cache.put(key, index, times);
      return index;
    } catch (error) {
      onFailure(error);
      return undefined;
    } finally {
      this.#building = undefined;
      const ended = now();
      // An index that was too large is not built again until the list changes.
      this.#record(key, { revision, times: 0, notBefore: ended + pause * (ended - began), isTooLarge });
    }
  }
}
