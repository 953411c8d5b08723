// Which accounts' lists have an index in memory: those that are asked what takes looking at all of them, again and again
// while they do not change; the most recently asked, up to a number of bytes. An index is made on another thread.

import { setTimeout as sleep } from 'node:timers/promises';
import { ListIndex } from '../list-index/list-index.ts';
import type { Table } from '../store/tables.ts';
import type { Caller } from '../store/tokens.ts';
import type { Asked } from '../threads/messages.ts';
import type { Aside } from '../threads/pool.ts';
import { Kept } from './cache.ts';

/** A shorter list is looked through as fast as its index. */
const MIN_ROWS = 200;
/** In a longer one a single request would take too much of the request thread. */
const MAX_ROWS = 500_000;
/** Asked so many times at one revision, a list is worth an index. */
const WORTH_IT = 2;
/** What an index takes, more often less than more. */
const ESTIMATED_BYTES_A_ROW = 300;
/** A list that got an index gets no other for so many times as long as making it took: some change all the time. */
const PAUSE = 10;
const MAX_WISHES = 10_000;
/** An index of so many rows is there soon enough to be waited for, but not for longer than this. */
const MAX_AWAITED_ROWS = 50_000;
const LONGEST_WAIT_MILLISECONDS = 500;

/** How often a list was asked at its latest revision without an index. */
interface Wish {
  readonly revision: string;
  readonly times: number;
  /** When it may get one, as `performance.now` counts. */
  readonly not_before: number;
}

export interface ListIndexesOptions {
  /** 0 for no indexes. */
  readonly max_bytes: number;
  readonly min_rows?: number;
  readonly pause?: number;
  /** Called when an index could not be made; the lists are answered without it. */
  readonly onFailure: (error: unknown) => void;
}

/** What a list of an account is known by; an account's id has no line ends. */
const keyOf = ({ name }: Table, account_id: string) => `${name}\n${account_id}`;

export class ListIndexes {
  readonly #aside: Pick<Aside, 'index'>;
  readonly #options: Required<ListIndexesOptions>;
  readonly #kept: Kept<ListIndex>;
  readonly #wishes = new Map<string, Wish>();
  #coming: { readonly key: string; readonly index: Promise<ListIndex | undefined> } | undefined;

  constructor(aside: Pick<Aside, 'index'>, options: ListIndexesOptions) {
    this.#aside = aside;
    this.#options = { min_rows: MIN_ROWS, pause: PAUSE, ...options };
    this.#kept = new Kept(options.max_bytes);
  }

  /** The index of a caller's list, as far as is known still true. */
  find(table: Table, { account_id, revision }: Caller): ListIndex | undefined {
    return this.#kept.find(keyOf(table, account_id), revision);
  }

  /**
   * The index of a list that is just being made, where that does not take long: to look through the list meanwhile would only
   * make it take longer. `undefined` where there is none to wait for.
   */
  coming(table: Table, { account_id, totals }: Caller): Promise<ListIndex | undefined> | undefined {
    const is_short = (totals[table.name] ?? 0) <= MAX_AWAITED_ROWS;
    if (!is_short || this.#coming?.key !== keyOf(table, account_id)) return undefined;
    return Promise.race([this.#coming.index, sleep(LONGEST_WAIT_MILLISECONDS, undefined, { ref: false })]);
  }

  /** Notes that a list of so many rows was looked through without an index, at a revision. */
  missed(table: Table, account_id: string, revision: string, rows: number): void {
    const { min_rows, max_bytes } = this.#options;
    const max_rows = Math.min(MAX_ROWS, max_bytes / ESTIMATED_BYTES_A_ROW);
    if (rows < min_rows || rows > max_rows) return;
    const key = keyOf(table, account_id);
    const wish = this.#wishes.get(key);
    const times = wish?.revision === revision ? wish.times + 1 : 1;
    const not_before = wish?.not_before ?? 0;
    this.#wish(key, { revision, times, not_before });
    if (times < WORTH_IT || performance.now() < not_before || this.#coming !== undefined) return;
    this.#coming = { key, index: this.#make(key, table.name as Asked['list'], account_id, revision) };
  }

  #wish(key: string, wish: Wish): void {
    this.#wishes.delete(key);
    this.#wishes.set(key, wish);
    if (this.#wishes.size > MAX_WISHES) this.#wishes.delete(this.#wishes.keys().next().value as string);
  }

  async #make(
    key: string,
    list: Asked['list'],
    account_id: string,
    revision: string,
  ): Promise<ListIndex | undefined> {
    const { max_bytes, pause, onFailure } = this.#options;
    const began = performance.now();
    let is_too_large = false;
    try {
      const data = await this.#aside.index(list, account_id, max_bytes);
      const index = data && new ListIndex(data);
      is_too_large = index === undefined || index.bytes > max_bytes;
      if (index === undefined || is_too_large) return undefined;
      this.#kept.keep(key, index);
      return index;
    } catch (error) {
      onFailure(error);
      return undefined;
    } finally {
      this.#coming = undefined;
      const now = performance.now();
      // Where its texts are longer than most, it is not tried again until the list changes.
      const times = is_too_large ? Number.NEGATIVE_INFINITY : 0;
      this.#wish(key, { revision, times, not_before: now + pause * (now - began) });
    }
  }
}
