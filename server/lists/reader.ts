// The reader of one list: chooses where a page, facets or an export are worked out, and caches them by
// revision. It must not know of HTTP, nor how worker threads are reached.
//
// What takes microseconds is worked out on the request thread: pages near the start, whatever an index in
// memory answers, and everything of small accounts. The rest would hold up other requests, and goes to the
// worker pool.

import { formatSelection, type Query } from '@linecard/client/contract/query';
import { revisionStatement } from '../store/heads.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/tables.ts';
import type { Caller } from '../store/tokens.ts';
import { invalidToken } from '../store/tokens.ts';
import { type CacheFigures, RevisionCache } from './cache.ts';
import { type ChangesPage, changesPage, type KnownTotal } from './changes.ts';
import { inTime, timed, timeLeft, type WaitingClient } from './deadline.ts';
import { type FacetsAnswer, facetsHold } from './facets.ts';
import { currencyStatement } from './facets-statements.ts';
import type { ListIndexes } from './indexes.ts';
import { type FoundItem, Lists, type Page } from './list.ts';
import { isNear, planOf } from './plan.ts';
import { ListSizes } from './sizes.ts';
import type { ListName, ListQuery, ListWorkers, StreamFormat, WorkerExport } from './workers.ts';

/** A list with more rows is large: what looks at all of them goes to the worker pool. */
const LARGE_ROWS = 2_000;
/** A character takes so many bytes at the most. */
const BYTES_A_CHARACTER = 2;
/** What a cached value takes beside its texts. */
const BYTES_A_VALUE = 400;
/** How often a page has its selection: by itself, and in each of its links. */
const SELECTIONS_OF_A_PAGE = 5;

/** Whose request it is, as far as reading goes. */
export type ListOwner = Pick<Caller, 'account_id' | 'revision'>;

export interface ListReaderOptions {
  readonly store: Store;
  readonly cursorKey: string;
  readonly indexes: Pick<ListIndexes, 'find' | 'coming' | 'missed'>;
  readonly workers: ListWorkers;
  /** How long a client may wait for the database, where there is a limit. */
  readonly deadlineMs?: number | undefined;
  /** Memory for cached pages, and as much for cached facets. */
  readonly cacheBytes: number;
  /** The currency of accounts that have none of their own. */
  readonly currency?: string | undefined;
}

export class ListReader {
  readonly table: Table;
  readonly #options: ListReaderOptions;
  readonly #lists: Lists;
  readonly #pages: RevisionCache<Page>;
  readonly #facets: RevisionCache<FacetsAnswer>;
  readonly #sizes: ListSizes;

  constructor(table: Table, options: ListReaderOptions) {
    this.table = table;
    this.#options = options;
    this.#lists = new Lists(options.store, options.cursorKey);
    this.#sizes = new ListSizes(table, options.store, options.indexes);
    this.#pages = new RevisionCache(options.cacheBytes);
    this.#facets = new RevisionCache(options.cacheBytes);
  }

  /**
   * The account's revision, no older than the request.
   * @throws {StoreUnavailable}
   */
  async revision({ account_id, revision }: ListOwner): Promise<string> {
    if (revision !== undefined) return revision;
    const { store } = this.#options;
    const [[row]] = await store.read(revisionStatement(store.dialect, account_id));
    return rowOf(row)[0] as string;
  }

  /** The page that was last cached under a name, of whatever revision. */
  cachedPage({ account_id }: ListOwner, name: string): Page | undefined {
    return this.#pages.peek(keyOf(account_id, name));
  }

  /** Counts a page that was answered as it is cached. */
  countCachedPage(): void {
    this.#pages.count(true);
  }

  get figures(): Readonly<Record<'pages' | 'facets', CacheFigures>> {
    return { pages: this.#pages.figures, facets: this.#facets.figures };
  }

  /**
   * The page that a query asks for; under a name it is cached.
   * @throws {Problem} `invalid-cursor`
   * @throws {StoreUnavailable}
   */
  async page(owner: ListOwner, query: Query, client: WaitingClient, name?: string): Promise<Page> {
    const page = await timed(client.stages, () => this.#readPage(owner, query, client));
    if (name !== undefined) {
      this.#pages.count(false);
      const key = keyOf(owner.account_id, name);
      const characters = key.length + page.body.length + SELECTIONS_OF_A_PAGE * page.selection.length;
      this.#pages.set(key, page, BYTES_A_VALUE + BYTES_A_CHARACTER * characters);
    }
    return page;
  }

  /**
   * The item of an id, if the account has it.
   * @throws {StoreUnavailable}
   */
  item({ account_id }: ListOwner, id: number, client: WaitingClient): Promise<FoundItem> {
    const read = () => this.#inTime(this.#lists.item(this.table, account_id, id), client);
    return timed(client.stages, read);
  }

  /**
   * The facets of a query.
   * @throws {StoreUnavailable}
   */
  async facets(owner: ListOwner, query: Query, client: WaitingClient): Promise<FacetsAnswer> {
    const key = keyOf(owner.account_id, formatSelection(query));
    const cached = this.#facets.peek(key);
    const isDue = cached === undefined || !facetsHold(cached);
    const isCurrent = !isDue && cached.revision === (await this.revision(owner));
    this.#facets.count(isCurrent);
    if (isCurrent) return cached;
    const facets = await timed(client.stages, () => this.#countFacets(owner, query, client));
    const characters = key.length + facets.body.length;
    this.#facets.set(key, facets, BYTES_A_VALUE + BYTES_A_CHARACTER * characters);
    return facets;
  }

  /**
   * Begins an export of all that matches a query, in the worker pool.
   * @throws {Problem} `rate-limited` where as many of the account are open as may be, `unavailable` where as
   * many of all are.
   * @throws {StoreUnavailable}
   */
  export(owner: ListOwner, query: Query, format: StreamFormat, client: WaitingClient): Promise<WorkerExport> {
    const { isGone, stages } = client;
    const begin = () =>
      this.#options.workers.export(this.#workOf(owner, query, client), format, isGone, stages);
    return timed(stages, begin);
  }

  /**
   * A page of what has changed since a token. All of it costs microseconds but for counting what matches.
   * @throws {Problem} `invalid-cursor`, `changes-gone`
   * @throws {StoreUnavailable}
   */
  async changes(owner: ListOwner, query: Query, client: WaitingClient): Promise<ChangesPage> {
    const { store, cursorKey, indexes, workers } = this.#options;
    const { account_id } = owner;
    const readHere = (known?: KnownTotal) =>
      this.#inTime(changesPage(store, cursorKey, this.table, account_id, query, known), client);
    if (query.filters.length > 0 || query.q !== undefined) {
      const index = indexes.find(this.table, owner);
      const found = index?.find({ ...planOf(this.table, account_id, query), limit: 0 });
      const page = found && (await readHere({ revision: index?.revision ?? '', total: found.total }));
      if (page !== undefined) return page;
      const size = await this.#inTime(this.#sizes.of(owner), client);
      if (size.rows > LARGE_ROWS) {
        const large = await workers.changes(this.#workOf(owner, query, client), client.isGone, client.stages);
        this.#sizes.noteMiss(account_id, large.revision, size, index);
        return large;
      }
    }
    return (await readHere()) as ChangesPage;
  }

  async #readPage(owner: ListOwner, query: Query, client: WaitingClient): Promise<Page> {
    const { table } = this;
    const { indexes, workers } = this.#options;
    const { account_id } = owner;
    const readHere = () => this.#inTime(this.#lists.page(table, account_id, query), client);
    if (isNear(table.list, query)) return readHere();
    const index = indexes.find(table, owner) ?? (await indexes.coming(table, owner));
    const found = index && this.#lists.pageByIndex(index, table, account_id, query);
    const indexed = found && (await this.#inTime(found, client));
    if (indexed !== undefined) return indexed;
    const size = await this.#inTime(this.#sizes.of(owner), client);
    const page = await (size.rows <= LARGE_ROWS
      ? readHere()
      : workers.page(this.#workOf(owner, query, client), client.isGone, client.stages));
    this.#sizes.noteMiss(account_id, page.revision, size, index);
    return page;
  }

  /**
   * Counts in the worker pool: by the index where it is current, which all threads share, else from the
   * database.
   */
  async #countFacets(owner: ListOwner, query: Query, client: WaitingClient): Promise<FacetsAnswer> {
    const { indexes, workers } = this.#options;
    const { account_id } = owner;
    const work = this.#workOf(owner, query, client);
    const index = indexes.find(this.table, owner);
    if (index !== undefined) {
      const letGo = index.hold();
      try {
        const known = await this.#inTime(this.#currency(account_id), client);
        const currency = known.currency ?? this.#options.currency ?? null;
        if (index.revision === known.revision)
          return await workers.facets(work, client.isGone, { currency, index: index.data }, client.stages);
      } finally {
        letGo();
      }
    }
    const currency = this.#options.currency ?? null;
    const [facets, size] = await Promise.all([
      workers.facets(work, client.isGone, { currency }, client.stages),
      this.#inTime(this.#sizes.of(owner), client),
    ]);
    this.#sizes.noteMiss(account_id, facets.revision, size, index);
    return facets;
  }

  /** The account's own currency, which an index does not hold. */
  async #currency(account_id: string): Promise<{ revision: string; currency: string | null }> {
    const { store } = this.#options;
    const [[row]] = await store.read(currencyStatement(store.dialect, account_id));
    const [revision, currency] = rowOf(row) as [string, string | null];
    return { revision, currency };
  }

  #workOf({ account_id }: ListOwner, query: Query, client: WaitingClient): ListQuery {
    const timeMs = timeLeft(this.#options.deadlineMs, client);
    return { list: this.table.name as ListName, account_id, query, timeMs };
  }

  #inTime<T>(work: Promise<T>, client: WaitingClient): Promise<T> {
    return inTime(work, this.#options.deadlineMs, client);
  }
}

/** An account's id has no line ends. */
function keyOf(account_id: string, name: string): string {
  return `${account_id}\n${name}`;
}

function rowOf<T>(row: T | undefined): T {
  if (row === undefined) throw invalidToken();
  return row;
}
