// Answers what reads a list: by its index in memory, or else by a full scan. Scans are recorded, so that
// lists in demand get an index.

import type { ListIndex } from '../list-index/list-index.ts';
import { selectionOf } from '../lists/plan.ts';
import { storeFor } from '../store/access/callers.ts';
import { headStatement } from '../store/lists/heads.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Answer } from './answer.ts';
import { cacheKey, type NamedStatistics, ValueCache } from './cache.ts';
import { inTime, type WaitingClient } from './client.ts';
import { type Engine, tableOf } from './engine.ts';
import type { ListIndexes } from './indexes.ts';
import { knownRow, type QuestionOfList } from './question.ts';

const MAX_SIZES_BYTES = 8_388_608;

interface Size {
  readonly revision: string;
  readonly rows: number;
}

export interface ListSearchOptions extends Pick<Engine, 'store'> {
  readonly indexes: Pick<ListIndexes, 'find' | 'beingBuilt' | 'missed'>;
  /** How long a client waits for the database, if there is a limit. */
  readonly deadlineMs?: number | undefined;
}

/** An index of the list, or how many rows a scan reads. */
export interface ListMeans {
  readonly index?: ListIndex | undefined;
  readonly rows?: number;
}

export class ListSearch {
  readonly #options: ListSearchOptions;
  readonly #sizes = new ValueCache<Size>(MAX_SIZES_BYTES);

  constructor(options: ListSearchOptions) {
    this.#options = options;
  }

  get statistics(): NamedStatistics {
    return { cache: 'sizes', list: '', ...this.#sizes.statistics };
  }

  /** @param read computes the answer; with an index, `undefined` if that cannot answer or is outdated. */
  async answer(
    question: QuestionOfList,
    client: WaitingClient,
    read: (means: ListMeans) => Promise<Answer | undefined>,
  ): Promise<Answer> {
    const { indexes, deadlineMs } = this.#options;
    const list = [tableOf(question), question.owner] as const;
    const index = indexes.find(...list) ?? (await indexes.beingBuilt(...list));
    const indexed = index && (await read({ index }));
    if (indexed !== undefined) return indexed;
    const size = await inTime(this.#sizeOf(question), deadlineMs, client);
    try {
      const answer = (await read({ rows: size.rows })) as Answer;
      this.#recordScan(question, size, index, answer.revision);
      return answer;
    } catch (error) {
      // A scan that timed out counts as well: it needs an index most.
      if (error instanceof StoreUnavailable) this.#recordScan(question, size, index, size.revision);
      throw error;
    }
  }

  /**
   * The size of a list. If the revision is unknown, the size at an earlier one is used: only whether it
   * exceeds a threshold matters.
   */
  async #sizeOf(question: QuestionOfList): Promise<Size> {
    const { account_id, revision } = question.owner;
    const store = storeFor(this.#options.store, question.owner);
    const key = cacheKey(account_id, question.list);
    const cached = this.#sizes.find(key);
    const isKnown = cached !== undefined && (revision ?? cached.revision) === cached.revision;
    this.#sizes.count(isKnown);
    if (isKnown) return cached;
    const all = selectionOf(tableOf(question), account_id, { filters: [] });
    const [[row]] = await store.read(headStatement(store.dialect, all));
    const [read, rows] = knownRow(row);
    const size = { revision: read as string, rows: Number(rows) };
    this.#sizes.set(key, size);
    return size;
  }

  /** @param index could not answer; if it is of this revision, another would not help either. */
  #recordScan(question: QuestionOfList, size: Size, index: ListIndex | undefined, revision: string): void {
    const { list, owner } = question;
    if (size.revision !== revision) this.#sizes.delete(cacheKey(owner.account_id, list));
    else if (index?.revision !== revision)
      this.#options.indexes.missed(tableOf(question), owner.account_id, revision, size.rows);
  }
}
