// Which accounts' lists have an index in memory: those that are asked what takes looking at all of them, again and again
// while they do not change; the most recently asked, up to a number of bytes. An index is made on another thread.

import type { Aside, Asked } from './aside.ts';
import { Kept } from './kept.ts';
import { ListIndex } from './list-index.ts';
import type { Table } from './tables.ts';
import type { Caller } from './tokens.ts';

/** A shorter list is looked through as fast as its index. */
const MIN_ROWS = 200;
/** In a longer one a single request would take too much of the request thread. */
const MAX_ROWS = 500_000;
/** Asked so many times at one revision, a list is worth an index. */
const WORTH_IT = 2;
/** What an index takes, more often less than more. */
const ESTIMATED_BYTES_A_ROW = 350;
const MAX_WISHES = 10_000;

/** How often a list was asked at its latest revision without an index. */
interface Wish {
  readonly revision: string;
  readonly times: number;
}

export interface ListIndexesOptions {
  /** 0 for no indexes. */
  readonly max_bytes: number;
  readonly min_rows?: number;
  /** Called when an index could not be made; the lists are answered without it. */
  readonly onFailure: (error: unknown) => void;
}

export class ListIndexes {
  readonly #aside: Pick<Aside, 'index'>;
  readonly #options: Required<ListIndexesOptions>;
  readonly #kept: Kept<ListIndex>;
  readonly #wishes = new Map<string, Wish>();
  #making = false;

  constructor(aside: Pick<Aside, 'index'>, options: ListIndexesOptions) {
    this.#aside = aside;
    this.#options = { min_rows: MIN_ROWS, ...options };
    this.#kept = new Kept(options.max_bytes);
  }

  /** The index of a caller's list, as far as is known still true. */
  find({ name }: Table, { account_id, revision }: Caller): ListIndex | undefined {
    return this.#kept.find(`${name}\n${account_id}`, revision);
  }

  /** Notes that a list of so many rows was looked through without an index, at a revision. */
  missed({ list, name }: Table, account_id: string, revision: string, rows: number): void {
    const { min_rows, max_bytes } = this.#options;
    const max_rows = Math.min(MAX_ROWS, max_bytes / ESTIMATED_BYTES_A_ROW);
    if (rows < min_rows || rows > max_rows) return;
    const key = `${name}\n${account_id}`;
    const wish = this.#wishes.get(key);
    const times = wish?.revision === revision ? wish.times + 1 : 1;
    this.#wishes.delete(key);
    this.#wishes.set(key, { revision, times });
    if (this.#wishes.size > MAX_WISHES) this.#wishes.delete(this.#wishes.keys().next().value as string);
    if (times < WORTH_IT || this.#making) return;
    this.#wishes.delete(key);
    this.#making = true;
    this.#aside
      .index(list.name as Asked['list'], account_id)
      .then((data) => this.#kept.keep(key, new ListIndex(data)))
      .catch(this.#options.onFailure)
      .finally(() => {
        this.#making = false;
      });
  }
}
