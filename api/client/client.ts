// Client and ListClient: what a program holds to ask a Linecard deployment. It knows what can be asked; how a request
// goes out and comes back is transport.ts's, what a page can do is page.ts's.

import { additional_services, type Item, type List, virtual_numbers } from '../contract/contract.ts';
import { type Facets, facetsPath } from '../contract/facets.ts';
import { Problem } from '../contract/problems.ts';
import { Export, type ExportFormat } from './export.ts';
import type { ClientOptions } from './options.ts';
import { Page, type PagePromise, pagePromise } from './page.ts';
import type { ExportParams, FacetsParams, IterateParams, ListParams } from './params.ts';
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

/** Whether what a request asked was refused for its page size (perhaps among other things). */
function refusesPageSize(error: unknown): boolean {
  return (
    error instanceof Problem && error.faults?.some(({ parameter }) => parameter === 'page_size') === true
  );
}

/** One of the two lists, as the account of the client's token sees it. */
export class ListClient<L extends List> {
  readonly #list: L;
  readonly #transport: Transport;
  #walk_page_size = WALK_PAGE_SIZE;

  constructor(list: L, transport: Transport) {
    this.#list = list;
    this.#transport = transport;
  }

  /**
   * One page: ten items unless `page_size` says otherwise. `await` gives the page; `for await` walks over its items and
   * all that follow it.
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
  list(params?: ListParams<L>, options: CallOptions = {}): PagePromise<Item<L>> {
    const asked = {
      transport: this.#transport,
      list: this.#list,
      params: { ...params },
      signal: options.signal,
    };
    return pagePromise(Page.ask<Item<L>>(asked));
  }

  /**
   * Every match, in the order asked for, page by page in large pages. In the order of `id`, which is the default, each
   * item that is there all the while comes exactly once, whatever an import changes meanwhile.
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
  async *iterate(params?: IterateParams<L>, options: CallOptions = {}): AsyncGenerator<Item<L>, void, void> {
    yield* await this.#firstPage(params, options);
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
  async facets(params?: FacetsParams<L>, options: CallOptions = {}): Promise<Facets<L>> {
    const call = { path: facetsPath(this.#list), params: { ...params }, in_url: true } as const;
    const { body } = await this.#transport.read({ ...call, signal: options.signal });
    return body as Facets<L>;
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
  export(params?: ExportParams<L>, options: ExportOptions = {}): Promise<Export<Item<L>>> {
    const { format = 'ndjson', signal } = options;
    return Export.open<Item<L>>(
      this.#transport,
      { path: this.#list.path, params: { ...params }, signal },
      format,
    );
  }

  /** The first page of a walk, with pages as large as the deployment takes; found out once. */
  async #firstPage(params: IterateParams<L> | undefined, options: CallOptions): Promise<Page<Item<L>>> {
    if (params?.page_size !== undefined) return this.list(params, options);
    for (;;) {
      const page_size = this.#walk_page_size;
      try {
        return await this.list({ ...params, page_size } as ListParams<L>, options);
      } catch (error) {
        if (!refusesPageSize(error) || page_size === 1) throw error;
        this.#walk_page_size = Math.min(this.#walk_page_size, Math.floor(page_size / 2));
      }
    }
  }
}

/**
 * Asks one Linecard deployment on behalf of one account: the one that the token belongs to.
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
  readonly virtualNumbers: ListClient<typeof virtual_numbers>;
  readonly additionalServices: ListClient<typeof additional_services>;

  /** @throws {Problem} `invalid-option` */
  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.virtualNumbers = new ListClient(virtual_numbers, transport);
    this.additionalServices = new ListClient(additional_services, transport);
  }
}
