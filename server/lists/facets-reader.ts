// Reads the facets of one list, in the worker pool, and caches them by revision.

import { formatSelection, type Query } from '@linecard/client/contract/query';
import type { Table } from '../store/tables.ts';
import { bytesOfAnswer, type CacheFigures, cacheKey, RevisionCache } from './cache.ts';
import { inTime, timed, type WaitingClient } from './deadline.ts';
import { type FacetsAnswer, facetsHold } from './facets.ts';
import { currencyStatement } from './facets-statements.ts';
import type { ListIndexes } from './indexes.ts';
import { knownRow, type ListOwner, type ReaderOptions, revisionOf } from './owner.ts';
import type { ListSizes } from './sizes.ts';
import { type ListWorkers, workOf } from './workers.ts';

export interface FacetsReaderOptions extends ReaderOptions {
  readonly indexes: Pick<ListIndexes, 'find'>;
  readonly workers: Pick<ListWorkers, 'facets'>;
  /** Memory for cached answers of one kind. */
  readonly cacheBytes: number;
}

export class FacetsReader {
  readonly #table: Table;
  readonly #options: FacetsReaderOptions;
  readonly #sizes: ListSizes;
  readonly #cache: RevisionCache<FacetsAnswer>;

  constructor(table: Table, options: FacetsReaderOptions, sizes: ListSizes) {
    this.#table = table;
    this.#options = options;
    this.#sizes = sizes;
    this.#cache = new RevisionCache(options.cacheBytes);
  }

  get figures(): CacheFigures {
    return this.#cache.figures;
  }

  /**
   * The facets of a query.
   * @throws {StoreUnavailable}
   */
  async read(owner: ListOwner, query: Query, client: WaitingClient): Promise<FacetsAnswer> {
    const key = cacheKey(owner.account_id, formatSelection(query));
    const cached = this.#cache.peek(key);
    const isDue = cached === undefined || !facetsHold(cached);
    const isCurrent = !isDue && cached.revision === (await revisionOf(this.#options.store, owner));
    this.#cache.count(isCurrent);
    if (isCurrent) return cached;
    const facets = await timed(client.stages, () => this.#count(owner, query, client));
    this.#cache.set(key, facets, bytesOfAnswer(facets.body, key.length));
    return facets;
  }

  /**
   * Counts in the worker pool: by the index where it is current, which all threads share, else from the
   * database.
   */
  async #count(owner: ListOwner, query: Query, client: WaitingClient): Promise<FacetsAnswer> {
    const { indexes, workers, deadlineMs } = this.#options;
    const { account_id } = owner;
    const work = workOf(this.#table, account_id, query, { client, deadlineMs });
    const index = indexes.find(this.#table, owner);
    if (index !== undefined) {
      const letGo = index.hold();
      try {
        const known = await inTime(this.#currency(account_id), deadlineMs, client);
        const currency = known.currency ?? this.#options.currency ?? null;
        if (index.revision === known.revision)
          return await workers.facets(work, client.isGone, { currency, index: index.data }, client.stages);
      } finally {
        letGo();
      }
    }
    const currency = this.#options.currency ?? null;
    const size = await inTime(this.#sizes.of(owner), deadlineMs, client);
    return this.#sizes.lookingThrough(account_id, size, index, () =>
      workers.facets(work, client.isGone, { currency }, client.stages),
    );
  }

  /** The account's own currency, which an index does not hold. */
  async #currency(account_id: string): Promise<{ revision: string; currency: string | null }> {
    const { store } = this.#options;
    const [[row]] = await store.read(currencyStatement(store.dialect, account_id));
    const [revision, currency] = knownRow(row) as [string, string | null];
    return { revision, currency };
  }
}
