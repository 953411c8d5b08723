// Which accounts' lists have an index in memory: those that are in demand, again and again while they do not
// change. Indexes are built on another thread, and cached up to a number of bytes.

import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexData } from '../list-index/index-data.ts';
import { type Allocation, bytesOf, IndexMemory } from '../list-index/index-memory.ts';
import { ListIndex } from '../list-index/list-index.ts';
import type { Table } from '../store/tables.ts';
import type { Caller } from '../store/tokens.ts';
import { type CacheFigures, RevisionCache } from './cache.ts';
import type { IndexBuilder, ListName } from './workers.ts';

/** A shorter list is looked through as fast as its index. */
const MIN_ROWS = 200;
/** In a longer one a single request would take too much of the request thread. */
const MAX_ROWS = 500_000;
/** A list that was looked through so many times at one revision gets an index. */
const DEMAND_THRESHOLD = 2;
/** What an index takes, more often less than more. */
const ESTIMATED_BYTES_A_ROW = 360;
/**
 * A list that got an index gets no other for so many times as long as building it took: some change all the
 * time.
 */
const PAUSE = 10;
const MAX_DEMANDS = 10_000;
/** An index of so many rows is there soon enough to be waited for, but not for longer than this. */
const MAX_AWAITED_ROWS = 50_000;
const LONGEST_WAIT_MILLISECONDS = 500;

/** How often a list was looked through at its latest revision without an index. */
interface IndexDemand {
  readonly revision: string;
  readonly times: number;
  /** When the list may get one, as `performance.now` counts. */
  readonly notBefore: number;
}

/** The index that is being built; there is one at a time. */
interface Building {
  readonly key: string;
  readonly rows: number;
  readonly index: Promise<ListIndex | undefined>;
}

export interface ListIndexesOptions {
  /** 0 for no indexes. */
  readonly maxBytes: number;
  readonly minRows?: number;
  readonly pause?: number;
  /** Called when an index could not be built; the lists are answered without it. */
  readonly onFailure: (error: unknown) => void;
}

/** What a list of an account is known by; an account's id has no line ends. */
const keyOf = ({ name }: Table, account_id: string) => `${name}\n${account_id}`;

export class ListIndexes {
  readonly #builder: IndexBuilder;
  readonly #options: Required<ListIndexesOptions>;
  readonly #cache: RevisionCache<ListIndex>;
  readonly #memory: IndexMemory;
  /** By key, the latest last. */
  readonly #demands = new Map<string, IndexDemand>();
  #building: Building | undefined;

  constructor(builder: IndexBuilder, options: ListIndexesOptions) {
    this.#builder = builder;
    this.#options = { minRows: MIN_ROWS, pause: PAUSE, ...options };
    this.#cache = new RevisionCache(options.maxBytes, (index) => index.evict());
    this.#memory = new IndexMemory(options.maxBytes);
  }

  get figures(): CacheFigures {
    return this.#cache.figures;
  }

  /** The index of an account's list, at its revision where that is known. */
  find(
    table: Table,
    { account_id, revision }: Pick<Caller, 'account_id' | 'revision'>,
  ): ListIndex | undefined {
    return this.#cache.find(keyOf(table, account_id), revision);
  }

  /**
   * The index of a list that is just being built, where that does not take long: to look through the list
   * meanwhile would only make it take longer. `undefined` where there is none to wait for.
   */
  coming(
    table: Table,
    { account_id }: Pick<Caller, 'account_id'>,
  ): Promise<ListIndex | undefined> | undefined {
    const building = this.#building;
    if (building?.key !== keyOf(table, account_id) || building.rows > MAX_AWAITED_ROWS) return undefined;
    return Promise.race([building.index, sleep(LONGEST_WAIT_MILLISECONDS, undefined, { ref: false })]);
  }

  /** Notes that a list of so many rows was looked through without an index, at a revision. */
  missed(table: Table, account_id: string, revision: string, rows: number): void {
    const { minRows, maxBytes } = this.#options;
    const maxRows = Math.min(MAX_ROWS, maxBytes / ESTIMATED_BYTES_A_ROW);
    if (rows < minRows || rows > maxRows) return;
    const key = keyOf(table, account_id);
    const demand = this.#demands.get(key);
    const times = demand?.revision === revision ? demand.times + 1 : 1;
    const notBefore = demand?.notBefore ?? 0;
    this.#demand(key, { revision, times, notBefore });
    const isBusy = this.#building !== undefined;
    if (isBusy || times < DEMAND_THRESHOLD || performance.now() < notBefore) return;
    this.#building = { key, rows, index: this.#build(table, account_id, revision) };
  }

  #demand(key: string, demand: IndexDemand): void {
    this.#demands.delete(key);
    this.#demands.set(key, demand);
    if (this.#demands.size > MAX_DEMANDS) {
      this.#demands.delete(this.#demands.keys().next().value as string);
    }
  }

  /** Caches an index, in memory that all threads share; `undefined` where there is no room just now. */
  async #stored(key: string, data: IndexData): Promise<ListIndex | undefined> {
    // What it replaces is of an older revision.
    this.#cache.delete(key);
    const allocation = this.#allocate(bytesOf(data));
    if (allocation === undefined) return undefined;
    const free = () => this.#memory.free(allocation);
    try {
      const index = new ListIndex(await this.#memory.put(data, allocation), free);
      this.#cache.set(key, index, index.bytes);
      return index;
    } catch (error) {
      free();
      throw error;
    }
  }

  /** An allocation of so many bytes, for which other indexes are evicted. */
  #allocate(bytes: number): Allocation | undefined {
    for (;;) {
      const allocation = this.#memory.allocate(bytes);
      if (allocation !== undefined || !this.#cache.evictOne()) return allocation;
    }
  }

  async #build(table: Table, account_id: string, revision: string): Promise<ListIndex | undefined> {
    const { maxBytes, pause, onFailure } = this.#options;
    const key = keyOf(table, account_id);
    const began = performance.now();
    let isTooLarge = false;
    try {
      const data = await this.#builder.index(table.name as ListName, account_id, maxBytes);
      isTooLarge = data === undefined || new ListIndex(data).bytes > maxBytes;
      if (data === undefined || isTooLarge) return undefined;
      return await this.#stored(key, data);
    } catch (error) {
      onFailure(error);
      return undefined;
    } finally {
      this.#building = undefined;
      const now = performance.now();
      // Where its texts are longer than most, it is not tried again until the list changes.
      const times = isTooLarge ? Number.NEGATIVE_INFINITY : 0;
      this.#demand(key, { revision, times, notBefore: now + pause * (now - began) });
    }
  }
}
