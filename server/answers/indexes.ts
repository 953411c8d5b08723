// Which accounts' lists have an index in memory: those that are in demand, again and again while they do not
// change. Indexes are built on another thread, and cached up to a number of bytes.
//
// Where those in demand do not all fit, they must not evict each other in turn: building an index takes as
// long as to look through its list twenty times. So an index is only built where it fits, where those that it
// would evict have been idle, or where its list is in more demand than theirs, by more than building costs.

import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexData } from '../list-index/index-data.ts';
import { ListIndex } from '../list-index/list-index.ts';
import type { Caller } from '../store/callers.ts';
import type { Table } from '../store/tables.ts';
import type { CacheFigures } from './cache.ts';
import { IndexCache } from './index-cache.ts';
import type { ListName } from './question.ts';

/** A shorter list is looked through as fast as its index. */
const MIN_ROWS = 200;
/** In a longer one a single request would take too much of the request thread. */
const MAX_ROWS = 500_000;
/** Building an index takes as long as to look through its list so many times. */
const BUILDING_IN_LOOKS = 20;
/** So many times more must a list be in demand than those that it is to take the memory from. */
const EVICTION_MARGIN = 1.5;
/** An index is idle whose uses count less: a single one after seven minutes, a thousand after 17. */
const IDLE_USES = 0.01;
/** After each such time what was looked for before counts half. */
const HALVING_MILLISECONDS = 60_000;
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
  /** Each counts half after a while. */
  times: number;
  /** When the list may get one, as `performance.now` counts. */
  readonly notBefore: number;
  /** Its index is larger than it may be, at this revision. */
  readonly isTooLarge?: boolean;
}

/** The index that is being built; there is one at a time. */
interface Building {
  readonly key: string;
  readonly rows: number;
  readonly index: Promise<ListIndex | undefined>;
}

/** Builds the index of a list; `undefined` where it would take more bytes. */
export interface IndexBuilder {
  index(list: ListName, account_id: string, maxBytes: number): Promise<IndexData | undefined>;
}

export interface ListIndexesOptions {
  /** 0 for no indexes. */
  readonly maxBytes: number;
  readonly minRows?: number;
  readonly pause?: number;
  /** Milliseconds that only ever grow. */
  readonly now?: () => number;
  /** Called when an index could not be built; the lists are answered without it. */
  readonly onFailure: (error: unknown) => void;
}

/** What a list of an account is known by; an account's id has no line ends. */
const keyOf = ({ name }: Table, account_id: string) => `${name}\n${account_id}`;

export class ListIndexes {
  readonly #builder: IndexBuilder;
  readonly #options: Required<ListIndexesOptions>;
  readonly #cache: IndexCache;
  /** By key, the latest last. */
  readonly #demands = new Map<string, IndexDemand>();
  #building: Building | undefined;
  #halvedAt: number;
  #withoutRoom = 0;

  constructor(builder: IndexBuilder, options: ListIndexesOptions) {
    this.#builder = builder;
    this.#options = { minRows: MIN_ROWS, pause: PAUSE, now: () => performance.now(), ...options };
    this.#cache = new IndexCache(options.maxBytes);
    this.#halvedAt = this.#options.now();
  }

  get figures(): CacheFigures {
    return this.#cache.figures;
  }

  /** How many requests looked through a list again whose index has no room beside those in demand. */
  get withoutRoom(): number {
    return this.#withoutRoom;
  }

  /** The index of an account's list, at its revision where that is known. */
  find(
    table: Table,
    { account_id, revision }: Pick<Caller, 'account_id' | 'revision'>,
  ): ListIndex | undefined {
    this.#halve();
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
    const { minRows, maxBytes, now } = this.#options;
    const maxRows = Math.min(MAX_ROWS, maxBytes / ESTIMATED_BYTES_A_ROW);
    if (rows < minRows || rows > maxRows) return;
    this.#halve();
    const key = keyOf(table, account_id);
    const before = this.#demands.get(key);
    const demand =
      before?.revision === revision ? before : { revision, times: 0, notBefore: before?.notBefore ?? 0 };
    demand.times += 1;
    this.#note(key, demand);
    const mayBuild = this.#building === undefined && now() >= demand.notBefore;
    if (mayBuild && this.#isWorthwhile(key, demand, rows))
      this.#building = { key, rows, index: this.#build(table, account_id, demand) };
  }

  /** Whether an index of a list saves more than it costs. */
  #isWorthwhile(key: string, { times, isTooLarge = false }: IndexDemand, rows: number): boolean {
    if (times <= 1 || isTooLarge) return false;
    // It takes the place of one of an older revision.
    if (this.#cache.has(key)) return true;
    const uses = this.#cache.usesEvictedBy(rows * ESTIMATED_BYTES_A_ROW);
    const hasRoom = uses < IDLE_USES || times > BUILDING_IN_LOOKS + EVICTION_MARGIN * uses;
    if (!hasRoom) this.#withoutRoom += 1;
    return hasRoom;
  }

  /** Halves what was noted before, once for each time that has passed. */
  #halve(): void {
    const times = Math.floor((this.#options.now() - this.#halvedAt) / HALVING_MILLISECONDS);
    if (times === 0) return;
    this.#halvedAt += times * HALVING_MILLISECONDS;
    const factor = 2 ** -times;
    this.#cache.age(factor);
    for (const demand of this.#demands.values()) demand.times *= factor;
  }

  #note(key: string, demand: IndexDemand): void {
    this.#demands.delete(key);
    this.#demands.set(key, demand);
    if (this.#demands.size > MAX_DEMANDS) {
      this.#demands.delete(this.#demands.keys().next().value as string);
    }
  }

  async #build(
    table: Table,
    account_id: string,
    { revision, times }: IndexDemand,
  ): Promise<ListIndex | undefined> {
    const { maxBytes, pause, onFailure, now } = this.#options;
    const key = keyOf(table, account_id);
    const began = now();
    let isTooLarge = false;
    try {
      const data = await this.#builder.index(table.name as ListName, account_id, maxBytes);
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
      // Where its texts are longer than most, it is not tried again until the list changes.
      this.#note(key, { revision, times: 0, notBefore: ended + pause * (ended - began), isTooLarge });
    }
  }
}
