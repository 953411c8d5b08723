// How large the lists of accounts are, which decides where they are looked through and which get an index.

import type { Awaitable } from '../awaitable.ts';
import type { ListIndex } from '../list-index/list-index.ts';
import { headStatement } from '../store/heads.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Table } from '../store/tables.ts';
import { type OfRevision, RevisionCache } from './cache.ts';
import type { ListIndexes } from './indexes.ts';
import { knownRow, type ListOwner } from './owner.ts';
import { selectionOf } from './plan.ts';

/** The sizes of so many accounts' lists are cached, each as one. */
const MAX_SIZES = 20_000;

/** How many rows a list of an account has, before any filter. */
interface Size extends OfRevision {
  readonly rows: number;
}

export class ListSizes {
  readonly #table: Table;
  readonly #store: Store;
  readonly #indexes: Pick<ListIndexes, 'missed'>;
  readonly #sizes = new RevisionCache<Size>(MAX_SIZES);

  constructor(table: Table, store: Store, indexes: Pick<ListIndexes, 'missed'>) {
    this.#table = table;
    this.#store = store;
    this.#indexes = indexes;
  }

  /**
   * How large a list is: only whether it is over a threshold matters, so the size of an older revision may
   * serve once.
   */
  async of({ account_id, revision }: ListOwner): Promise<Size> {
    const cached = this.#sizes.find(account_id, revision);
    if (cached !== undefined) return cached;
    const all = selectionOf(this.#table, account_id, { filters: [] });
    const [[row]] = await this.#store.read(headStatement(this.#store.dialect, all));
    const [read, rows] = knownRow(row);
    const size = { revision: read as string, rows: Number(rows) };
    this.#sizes.set(account_id, size, 1);
    return size;
  }

  /**
   * Has the database look through a list, and notes that, also where the time for it was too short: the index
   * is needed all the more then.
   * @param index that was of no use; where it is current, another would do no better.
   */
  async lookingThrough<T extends OfRevision>(
    account_id: string,
    size: Size,
    index: ListIndex | undefined,
    read: () => Awaitable<T>,
  ): Promise<T> {
    try {
      const found = await read();
      this.#noteMiss(account_id, found.revision, size, index);
      return found;
    } catch (error) {
      if (error instanceof StoreUnavailable) this.#noteMiss(account_id, size.revision, size, index);
      throw error;
    }
  }

  #noteMiss(account_id: string, revision: string, size: Size, index: ListIndex | undefined): void {
    if (size.revision !== revision) this.#sizes.delete(account_id);
    else if (index?.revision !== revision) {
      this.#indexes.missed(this.#table, account_id, revision, size.rows);
    }
  }
}
