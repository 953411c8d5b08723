// Client and ListClient: what a program holds to read from a Linecard deployment. It knows which calls there
// are; how a request travels is transport.ts's, what a page can do is page.ts's.

import { additional_services, virtual_numbers } from '../contract/contract.ts';
import { facetsPath } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import { Problem } from '../contract/problems.ts';
import type { AdditionalServices } from '../lists/additional-services.ts';
import type { VirtualNumbers } from '../lists/virtual-numbers.ts';
import { Export, type ExportFormat } from './export.ts';
import type { ClientOptions } from './options.ts';
import { Page, type PagePromise, pagePromise } from './page.ts';
import { Transport } from './transport.ts';

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
   * items and all that follow it.
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
  list(query?: Types['query'], options: CallOptions = {}): PagePromise<Types['item']> {
    const request = {
      transport: this.#transport,
      list: this.#list,
      params: { ...query },
      signal: options.signal,
    };
    return pagePromise(Page.fetch<Types['item']>(request));
  }

  /**
   * Every match, in the order of `sort_by`, page by page in large pages. In the order of `id`, which is the
   * default, each item that is there all the while comes exactly once, whatever an import changes meanwhile.
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
   * const { total, sums, due, facets } = await client.virtualNumbers.facets({ q: '+44 20' });
   * console.log(`${total} numbers for ${sums.monthly} a month, ${due[7].count} fall due this week`);
   * for (const { value, count } of facets.country_codes.values) console.log(value, count);
   * ```
   * @throws {Problem}
   */
  async facets(query?: Types['filters'], options: CallOptions = {}): Promise<Types['facets']> {
    const call = { path: facetsPath(this.#list), params: { ...query }, inUrl: true } as const;
    const { body } = await this.#transport.read({ ...call, signal: options.signal });
    return body as Types['facets'];
  }

  /**
   * Every match, from one consistent snapshot: row by row, or as the bytes of an NDJSON or CSV file.
   *
   * ```ts
   * const rows = await client.additionalServices.export({ frequencies: ['monthly'] });
   * console.log(`${rows.total} will come`);
   * for await (const service of rows) console.log(service.title, service.monthly);
   * ```
   * @throws {Problem}
   */
  export(query?: Types['selection'], options: ExportOptions = {}): Promise<Export<Types['item']>> {
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

/**
 * Reads from one Linecard deployment the lists of one account: the one that the token belongs to.
 *
 * ```ts
 * import { Client } from '@linecard/client';
 *
 * const client = new Client({ url: 'https://linecard.example.com', token: 'lc_…' });
 * for await (const number of client.virtualNumbers.iterate({ country_codes: ['GB'] })) {
 *   console.log(number.did, number.monthly);
 * }
 * ```
 */
export class Client {
  /** The virtual numbers on the account. */
  readonly virtualNumbers: ListClient<VirtualNumbers>;
  /** The additional services on the account. */
  readonly additionalServices: ListClient<AdditionalServices>;

  /** @throws {Problem} `invalid-option` */
  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.virtualNumbers = new ListClient(virtual_numbers, transport);
    this.additionalServices = new ListClient(additional_services, transport);
  }
}
