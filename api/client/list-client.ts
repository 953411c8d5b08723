// ListClient: the calls for one of the lists. Requests are in transport.ts, pages and walks in page.ts.

import type { ChangesPage } from '../contract/changes.ts';
import { type FacetsOptions, facetsPath } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import { changesPage, followChanges } from './changes.ts';
import { type Copy, catchUp, type Synced } from './copy.ts';
import { Export } from './export.ts';
import { FieldsClient } from './fields-client.ts';
import { withHead } from './headers.ts';
import { LargePages } from './large-pages.ts';
import type { CallOptions, ChangesOf, Chosen, ExportOptions, ListTypes } from './options.ts';
import { mustBeginAtFirst, Page, type PagePromise, pagePromise } from './page.ts';
import { isFacets, isObject } from './shape.ts';
import type { Transport } from './transport.ts';

/** One of the two lists, as the account of the client's token sees it. */
export class ListClient<Types extends ListTypes> extends FieldsClient {
  readonly #list: List;
  readonly #transport: Transport;
  readonly #largePages = new LargePages();

  constructor(list: List, transport: Transport) {
    super(list, transport);
    this.#list = list;
    this.#transport = transport;
  }

  /**
   * One page: ten items by default, see `page_size`. `await` gives the page; `for await` walks over its items
   * and those of all pages after it. With `fields`, items have only these.
   *
   * ```ts
   * const page = await client.virtualNumbers.list({ country_codes: ['DE'], sort_by: 'next_payment_at' });
   * console.log(`${page.data.length} of ${page.total}`);
   *
   * const next = await page.nextPage();
   * console.log(next?.page);
   * ```
   * @throws {Problem}
   */
  list<F extends keyof Types['item']>(
    query: Types['query'] & Chosen<F>,
    options?: CallOptions,
  ): PagePromise<Pick<Types['item'], F>>;
  list(query?: Types['query'], options?: CallOptions): PagePromise<Types['item']>;
  list(query?: object, options: CallOptions = {}): PagePromise<Types['item']> {
    const request = { ...options, transport: this.#transport, list: this.#list, params: { ...query } };
    return pagePromise(Page.fetch<Types['item']>(request));
  }

  /**
   * One item by its `id`.
   *
   * ```ts
   * const { data: [first] } = await client.virtualNumbers.list({ page_size: 1 });
   * const number = await client.virtualNumbers.get(first?.id ?? 41007);
   * console.log(number.did, number.next_payment_at);
   * ```
   * @throws {Problem} `not-found` where the account has none of that id
   */
  get<F extends keyof Types['item']>(
    id: number,
    query: Chosen<F>,
    options?: CallOptions,
  ): Promise<Pick<Types['item'], F>>;
  get(id: number, query?: Partial<Chosen<never>>, options?: CallOptions): Promise<Types['item']>;
  async get(id: number, query?: object, options: CallOptions = {}): Promise<Types['item']> {
    const path = `${this.#list.path}/${encodeURIComponent(id)}`;
    const isIt = (body: unknown) => isObject(body) && (body['id'] ?? id) === id;
    const { body, head } = await this.#transport.read<Types['item']>(
      { ...options, path, params: { ...query } },
      [isIt, `the ${this.#list.one} ${id}`],
    );
    return withHead(body, head);
  }

  /**
   * Every match, in the order of `sort_by`, read in large pages. In the order of `id`, which is the default,
   * each item that stays on the list comes exactly once, whatever an import changes during the walk. With
   * `fields`, items have only these.
   *
   * ```ts
   * let monthly = 0;
   * for await (const number of client.virtualNumbers.iterate({ is_spammed: true })) {
   *   console.log(number.did, number.spam_checked_at);
   *   monthly += number.monthly;
   * }
   * ```
   * @throws {Problem} instead of ending early: a walk that ends without an error is complete
   */
  iterate<F extends keyof Types['item']>(
    query: Types['walk'] & Chosen<F>,
    options?: CallOptions,
  ): AsyncGenerator<Pick<Types['item'], F>, void, void>;
  iterate(query?: Types['walk'], options?: CallOptions): AsyncGenerator<Types['item'], void, void>;
  async *iterate(
    query?: Types['walk'],
    options: CallOptions = {},
  ): AsyncGenerator<Types['item'], void, void> {
    mustBeginAtFirst({ ...query });
    yield* await this.#largePages.ask(query, (params) => this.list(params, options));
  }

  /**
   * How many matches there are, what they cost, what falls due, and how many each further filter would leave.
   *
   * ```ts
   * const { total, sums, currency, due, facets } = await client.virtualNumbers.facets({ q: '+44 20' });
   * console.log(`${total} numbers for ${sums.monthly} ${currency ?? ''} a month`);
   * for (const { value, count } of facets.country_codes.values) console.log(value, count);
   *
   * const { due_by_day = [] } = await client.virtualNumbers.facets({ due_days: 84 });
   * for (const { day, amount } of due_by_day) console.log(day, amount);
   * ```
   * @throws {Problem}
   */
  async facets(
    query?: Types['filters'] & FacetsOptions,
    options: CallOptions = {},
  ): Promise<Types['facets']> {
    const call = { ...options, path: facetsPath(this.#list), params: { ...query } };
    const { body, head } = await this.#transport.read<Types['facets']>(call, [isFacets, 'facets']);
    return withHead(body, head);
  }

  /**
   * Every match, from one consistent snapshot: row by row, or as the bytes of an NDJSON, CSV or XLSX file.
   * With `fields`, rows have only these.
   *
   * ```ts
   * const rows = await client.additionalServices.export({ frequencies: ['monthly'] });
   * console.log(`${rows.total} rows`);
   * for await (const service of rows) console.log(service.title, service.monthly);
   * ```
   * @throws {Problem}
   */
  export<F extends keyof Types['item']>(
    query: Types['selection'] & Chosen<F>,
    options?: ExportOptions,
  ): Promise<Export<Pick<Types['item'], F>>>;
  export(query?: Types['selection'], options?: ExportOptions): Promise<Export<Types['item']>>;
  export(query?: object, options: ExportOptions = {}): Promise<Export<Types['item']>> {
    const { format = 'ndjson', headings, ...call } = options;
    const params = { headings, ...query };
    return Export.open<Types['item']>(this.#transport, { ...call, path: this.#list.path, params }, format);
  }

  /**
   * What has changed since a token, as one page: each item as it is now, or `null` where the list, with these
   * filters, does not have it. Without `since` the complete list comes first; with `now`, a token alone.
   *
   * ```ts
   * const { since } = await client.virtualNumbers.changes({ since: 'now' });
   * // … later:
   * const { data, more, total } = await client.virtualNumbers.changes({ since });
   * for (const { id, item } of data) console.log(id, item === null ? 'was removed' : item.status);
   * console.log(`${total} numbers${more ? ', and more has changed' : ''}`);
   * ```
   * @throws {Problem} `changes-gone` where they can no longer be reported: start again without `since`
   */
  changes<F extends keyof Types['item']>(
    query: ChangesOf<Types> & Chosen<F>,
    options?: CallOptions,
  ): Promise<ChangesPage<Pick<Types['item'], F>>>;
  changes(query?: ChangesOf<Types>, options?: CallOptions): Promise<ChangesPage<Types['item']>>;
  changes(query: ChangesOf<Types> = {}, options: CallOptions = {}): Promise<ChangesPage<Types['item']>> {
    return this.#changesPage(query, 0, options);
  }

  /**
   * Changes as they happen, page by page: first all changes since `since`, then it waits for more, until you
   * leave the loop or abort. Store `since` of a page together with its changes; where `more` is false, a copy
   * that has applied all of them equals the list and holds `total` items.
   *
   * ```ts
   * for await (const { data, more, total } of client.virtualNumbers.follow({ since: 'now' })) {
   *   for (const { id, item } of data) console.log(id, item === null ? 'was removed' : item.comment);
   *   console.log(`${total} numbers`);
   *   if (!more) break; // without it, the loop waits for the next change
   * }
   * ```
   * @throws {Problem} `changes-gone` where they can no longer be reported: start again with an empty copy
   */
  follow<F extends keyof Types['item']>(
    query: ChangesOf<Types> & Chosen<F>,
    options?: CallOptions,
  ): AsyncGenerator<ChangesPage<Pick<Types['item'], F>>, void, void>;
  follow(
    query?: ChangesOf<Types>,
    options?: CallOptions,
  ): AsyncGenerator<ChangesPage<Types['item']>, void, void>;
  follow(
    query: ChangesOf<Types> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ChangesPage<Types['item']>, void, void> {
    const ask = (since: string | undefined, waitSeconds: number) =>
      this.#changesPage({ ...query, since }, waitSeconds, options);
    return followChanges(ask, query.since, options.signal);
  }

  /**
   * Brings a copy of the list up to date: afterwards it equals the list, and its items are counted. Where the
   * changes that it lacks can no longer be reported, it is rebuilt.
   *
   * ```ts
   * let copy = new Map<number, object | null>();
   * let token: string | undefined;
   * const { total } = await client.virtualNumbers.sync({
   *   load: () => token,
   *   count: () => copy.size,
   *   replace({ changes, since }) {
   *     copy = new Map(changes.map(({ id, item }) => [id, item]));
   *     token = since;
   *   },
   *   apply({ changes, since }) {
   *     for (const { id, item } of changes) {
   *       if (item === null) copy.delete(id);
   *       else copy.set(id, item);
   *     }
   *     token = since;
   *   },
   * });
   * console.log(`The copy equals the list: ${total} numbers.`);
   * ```
   * @throws {Problem} `copy-differs` where the count is still wrong after a rebuild
   */
  sync<F extends keyof Types['item']>(
    copy: Copy<Pick<Types['item'], F>>,
    query: Omit<ChangesOf<Types>, 'since'> & Chosen<F>,
    options?: CallOptions,
  ): Promise<Synced>;
  sync(
    copy: Copy<Types['item']>,
    query?: Omit<ChangesOf<Types>, 'since'>,
    options?: CallOptions,
  ): Promise<Synced>;
  sync(copy: Copy<Types['item']>, query: object = {}, options: CallOptions = {}): Promise<Synced> {
    return catchUp(copy, (since) => this.follow({ ...query, since }, options));
  }

  #changesPage(
    query: ChangesOf<Types>,
    waitSeconds: number,
    options: CallOptions,
  ): Promise<ChangesPage<Types['item']>> {
    const request = { ...options, transport: this.#transport, list: this.#list, waitSeconds };
    return this.#largePages.ask(query, (params) => changesPage({ ...request, params }));
  }
}
