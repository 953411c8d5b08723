// The reader of one list: chooses where a page, facets or an export are worked out, and caches them by
// revision.
//
// What takes microseconds is worked out on the request thread: pages near the start, whatever an index in
// memory answers, and everything of small accounts. The rest would hold up other requests, and goes to the
// worker pool. So do large pages of a server: to receive their rows and make them a text takes milliseconds;
// and queries with thousands of values.

import { MAX_LIST_VALUES } from '@linecard/client/contract';
import type { Query } from '@linecard/client/contract/query';
import { type Awaitable, andThen } from '../awaitable.ts';
import type { ListIndex } from '../list-index/list-index.ts';
import type { Table } from '../store/tables.ts';
import { bytesOfAnswer, type CacheFigures, cacheKey, RevisionCache } from './cache.ts';
import { type ChangesPage, changesPage, type KnownTotal } from './changes.ts';
import { inTime, timed, type WaitingClient } from './deadline.ts';
import type { FacetsAnswer } from './facets.ts';
import { FacetsReader, type FacetsReaderOptions } from './facets-reader.ts';
import type { ListIndexes } from './indexes.ts';
import { type FoundItem, Lists } from './list.ts';
import { type ListOwner, revisionOf } from './owner.ts';
import type { Page } from './page.ts';
import { isNear, planOf } from './plan.ts';
import { ListSizes } from './sizes.ts';
import { type ListQuery, type ListWorkers, type StreamFormat, type WorkerExport, workOf } from './workers.ts';

/** A list with more rows is large: what looks at all of them goes to the worker pool. */
const LARGE_ROWS = 2_000;
/** A page of more rows is large: making its text takes milliseconds. */
const LARGE_PAGE = 200;
/** How often a page has its selection: by itself, and in each of its links. */
const SELECTIONS_OF_A_PAGE = 5;

/** Whether a query has more values than a list in a URL: to write or to look them up takes milliseconds. */
function isLong({ filters }: Query): boolean {
  const counts = filters.map(({ value }) => (Array.isArray(value) ? value.length : 1));
  return counts.reduce((sum, count) => sum + count, 0) > MAX_LIST_VALUES;
}

export interface ListReaderOptions extends FacetsReaderOptions {
  readonly cursorKey: string;
  readonly indexes: Pick<ListIndexes, 'find' | 'coming' | 'missed'>;
  readonly workers: ListWorkers;
}

export class ListReader {
  readonly table: Table;
  readonly #options: ListReaderOptions;
  readonly #lists: Lists;
  readonly #pages: RevisionCache<Page>;
  readonly #facets: FacetsReader;
  readonly #sizes: ListSizes;

  constructor(table: Table, options: ListReaderOptions) {
    this.table = table;
    this.#options = options;
    this.#lists = new Lists(options.store, options.cursorKey);
    this.#sizes = new ListSizes(table, options.store, options.indexes);
    this.#pages = new RevisionCache(options.cacheBytes);
    this.#facets = new FacetsReader(table, options, this.#sizes);
  }

  /**
   * The account's revision, no older than the request.
   * @throws {StoreUnavailable}
   */
  revision(owner: ListOwner): Promise<string> {
    return revisionOf(this.#options.store, owner);
  }

  /** The page that was last cached under a name, of whatever revision. */
  cachedPage({ account_id }: ListOwner, name: string): Page | undefined {
    return this.#pages.peek(cacheKey(account_id, name));
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
  page(owner: ListOwner, query: Query, client: WaitingClient, name?: string): Awaitable<Page> {
    const page = timed(client.stages, () => this.#readPage(owner, query, client));
    return name === undefined ? page : andThen(page, (read) => this.#cached(owner, name, read));
  }

  #cached({ account_id }: ListOwner, name: string, page: Page): Page {
    this.#pages.count(false);
    const key = cacheKey(account_id, name);
    const characters = key.length + SELECTIONS_OF_A_PAGE * page.selection.length;
    this.#pages.set(key, page, bytesOfAnswer(page.body, characters));
    return page;
  }

  /**
   * Refuses a cursor that is not of this query, where the page itself may not be read.
   * @throws {Problem} `invalid-cursor`
   */
  checkCursor({ account_id }: ListOwner, query: Query): void {
    this.#lists.checkCursor(this.table, account_id, query);
  }

  /**
   * The item of an id, if the account has it.
   * @throws {StoreUnavailable}
   */
  item({ account_id }: ListOwner, id: number, client: WaitingClient): Awaitable<FoundItem> {
    const read = () => this.#inTime(this.#lists.item(this.table, account_id, id), client);
    return timed(client.stages, read);
  }

  /**
   * The facets of a query.
   * @throws {StoreUnavailable}
   */
  facets(owner: ListOwner, query: Query, client: WaitingClient): Promise<FacetsAnswer> {
    return this.#facets.read(owner, query, client);
  }

  /**
   * Begins an export of all that matches a query, in the worker pool.
   * @throws {Problem} `rate-limited` where as many of the account are open as may be, `unavailable` where as
   * many of all are.
   * @throws {StoreUnavailable}
   */
  async export(
    owner: ListOwner,
    query: Query,
    format: StreamFormat,
    client: WaitingClient,
  ): Promise<WorkerExport> {
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
    const { isGone, stages } = client;
    const readThere = (known?: KnownTotal) =>
      workers.changes(this.#workOf(owner, query, client), isGone, stages, known);
    const readHere = (known?: KnownTotal) =>
      this.#inTime(changesPage(store, cursorKey, this.table, account_id, query, known), client);
    if (isLong(query)) return (await readThere()) as ChangesPage;
    const read = this.#isLarge(query) ? readThere : readHere;
    if (query.filters.length > 0 || query.q !== undefined) {
      const index = indexes.find(this.table, owner);
      const found = index?.find({ ...planOf(this.table, account_id, query), limit: 0 });
      const page = found && (await read({ revision: index?.revision ?? '', total: found.total }));
      if (page !== undefined) return page;
      const size = await this.#inTime(this.#sizes.of(owner), client);
      if (size.rows > LARGE_ROWS)
        return this.#sizes.lookingThrough(
          account_id,
          size,
          index,
          async () => (await readThere()) as ChangesPage,
        );
    }
    return (await read()) as ChangesPage;
  }

  #readPage(owner: ListOwner, query: Query, client: WaitingClient): Awaitable<Page> {
    const { table } = this;
    if (isLong(query)) return this.#readThere(owner, query, client);
    if (isNear(table.list, query)) {
      return this.#isLarge(query)
        ? this.#readThere(owner, query, client)
        : this.#readHere(owner, query, client);
    }
    const index = this.#options.indexes.find(table, owner);
    const indexed = index && this.#readByIndex(index, owner, query, client);
    return andThen(indexed, (page) => page ?? this.#readFar(owner, query, client, index));
  }

  /** A page that neither its place nor an index makes cheap, or that an index must be waited for. */
  async #readFar(
    owner: ListOwner,
    query: Query,
    client: WaitingClient,
    found: ListIndex | undefined,
  ): Promise<Page> {
    const index = found ?? (await this.#options.indexes.coming(this.table, owner));
    if (found === undefined && index !== undefined) {
      const indexed = await this.#readByIndex(index, owner, query, client);
      if (indexed !== undefined) return indexed;
    }
    const size = await this.#inTime(this.#sizes.of(owner), client);
    const isThere = this.#isLarge(query) || size.rows > LARGE_ROWS;
    const read = () =>
      isThere ? this.#readThere(owner, query, client) : this.#readHere(owner, query, client);
    return this.#sizes.lookingThrough(owner.account_id, size, index, read);
  }

  /** On this thread. */
  #readHere({ account_id }: ListOwner, query: Query, client: WaitingClient): Awaitable<Page> {
    return this.#inTime(this.#lists.page(this.table, account_id, query), client);
  }

  /** In the worker pool. */
  #readThere(owner: ListOwner, query: Query, client: WaitingClient): Promise<Page> {
    return this.#options.workers.page(this.#workOf(owner, query, client), client.isGone, client.stages);
  }

  /** The page by an index; `undefined` where that does not know it. */
  #readByIndex(
    index: ListIndex,
    owner: ListOwner,
    query: Query,
    client: WaitingClient,
  ): Awaitable<Page | undefined> {
    const { account_id } = owner;
    if (!this.#isLarge(query))
      return this.#inTime(this.#lists.pageByIndex(index, this.table, account_id, query), client);
    const found = this.#lists.find(index, this.table, account_id, query);
    if (found === undefined) return undefined;
    const work = this.#workOf(owner, query, client);
    return this.#options.workers.pageOfFound(work, found, client.isGone, client.stages);
  }

  #workOf({ account_id }: ListOwner, query: Query, client: WaitingClient): ListQuery {
    return workOf(this.table, account_id, query, { client, deadlineMs: this.#options.deadlineMs });
  }

  #isLarge({ page_size }: Query): boolean {
    return this.#options.store.receivesRows && page_size > LARGE_PAGE;
  }

  #inTime<T>(work: Awaitable<T>, client: WaitingClient): Awaitable<T> {
    return inTime(work, this.#options.deadlineMs, client);
  }
}
