// ListClient: the calls for one of the lists. How a request travels is transport.ts's, what a page can do is
// page.ts's.

import { facetsPath } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import { Problem } from '../contract/problems.ts';
import { withHead } from './answer-head.ts';
import { Export, type ExportFormat } from './export.ts';
import { Page, type PagePromise, pagePromise } from './page.ts';
import { isFacets, isObject } from './shape.ts';
import type { Transport } from './transport.ts';

/** How large the pages of a walk are, where the deployment takes pages of that size. */
const WALK_PAGE_SIZE = 1_000;

/** What every call takes beside its parameters. */
export interface CallOptions {
  /** Ends the call, wherever it stands, with the problem `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

export interface ExportOptions extends CallOptions {
  /** `ndjson`, which it is by default, can be read row by row. */
  readonly format?: ExportFormat | undefined;
}

/** Whether a request was refused for its page size, perhaps among other things. */
function refusesPageSize(error: unknown): boolean {
  return (
    error instanceof Problem && error.faults?.some(({ parameter }) => parameter === 'page_size') === true
  );
}

/** Which fields items shall have; without it they have all. */
interface Chosen<F> {
  readonly fields: readonly F[];
}

/** What the calls for a list take and give, such as `VirtualNumbers`. */
interface ListTypes {
  readonly item: object;
  readonly filters: object;
  readonly selection: object;
  readonly walk: { readonly page_size?: number | undefined };
  readonly query: object;
  readonly facets: object;
}

/** One of the two lists, as the account of the client's token sees it. */
export class ListClient<Types extends ListTypes> {
  readonly #list: List;
  readonly #transport: Transport;
  #walkPageSize = WALK_PAGE_SIZE;

  constructor(list: List, transport: Transport) {
    this.#list = list;
    this.#transport = transport;
  }

  /**
   * One page: ten items unless `page_size` says otherwise. `await` gives the page; `for await` walks over its
   * items and all that follow it. With `fields`, items have only these.
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
  list(query?: object, { signal }: CallOptions = {}): PagePromise<Types['item']> {
    const request = { transport: this.#transport, list: this.#list, params: { ...query }, signal };
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
  get(id: number, query?: Record<never, never>, options?: CallOptions): Promise<Types['item']>;
  async get(id: number, query?: object, { signal }: CallOptions = {}): Promise<Types['item']> {
    const path = `${this.#list.path}/${encodeURIComponent(id)}`;
    const answer = await this.#transport.read({ path, params: { ...query }, signal });
    const { body, head, problem } = answer;
    if (isObject(body) && (body['id'] ?? id) === id) return withHead(body, head);
    throw problem('unexpected-answer', `The answer is JSON, but not the ${this.#list.one} ${id}.`);
  }

  /**
   * Every match, in the order of `sort_by`, page by page in large pages. In the order of `id`, which is the
   * default, each item that is there all the while comes exactly once, whatever an import changes meanwhile.
   * With `fields`, items have only these.
   *
   * ```ts
   * let monthly = 0;
   * for await (const number of client.virtualNumbers.iterate({ is_spammed: true })) {
   *   console.log(number.did, number.spam_checked_at);
   *   monthly += number.monthly;
   * }
   * ```
   * @throws {Problem} rather than end early: what comes to its end is the whole list.
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
    yield* await this.#firstPage(query, options);
  }

  /**
   * How many matches there are, what they cost, what falls due, and how many each further filter would leave.
   *
   * ```ts
   * const { total, sums, currency, due, facets } = await client.virtualNumbers.facets({ q: '+44 20' });
   * console.log(`${total} numbers for ${sums.monthly} ${currency ?? ''} a month`);
   * console.log(`${due[7].count} fall due this week`);
   * for (const { value, count } of facets.country_codes.values) console.log(value, count);
   * ```
   * @throws {Problem}
   */
  async facets(query?: Types['filters'], options: CallOptions = {}): Promise<Types['facets']> {
    const call = { path: facetsPath(this.#list), params: { ...query }, signal: options.signal };
    const { body, head, problem } = await this.#transport.read(call);
    if (isFacets(body)) return withHead(body as Types['facets'], head);
    throw problem('unexpected-answer', 'The answer is JSON, but not facets.');
  }

  /**
   * Every match, from one consistent snapshot: row by row, or as the bytes of an NDJSON, CSV or XLSX file.
   * With `fields`, rows have only these.
   *
   * ```ts
   * const rows = await client.additionalServices.export({ frequencies: ['monthly'] });
   * console.log(`${rows.total} will come`);
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
    const { format = 'ndjson', signal } = options;
    return Export.open<Types['item']>(
      this.#transport,
      { path: this.#list.path, params: { ...query }, signal },
      format,
    );
  }

  /** The first page of a walk, with pages as large as the deployment takes; found out once. */
  async #firstPage(query: Types['walk'] | undefined, options: CallOptions): Promise<Page<Types['item']>> {
    if (query?.page_size !== undefined) return this.list(query, options);
    for (;;) {
      const page_size = this.#walkPageSize;
      try {
        return await this.list({ ...query, page_size }, options);
      } catch (error) {
        if (!refusesPageSize(error) || page_size === 1) throw error;
        this.#walkPageSize = Math.min(this.#walkPageSize, Math.floor(page_size / 2));
      }
    }
  }
}
