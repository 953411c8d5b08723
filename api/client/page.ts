// A page of a list that knows the way to the next one, and the walk over all that follow.
//
// Why it counts: a walk that ends is taken for the whole list. So a way on that is missing, goes in circles
// or never ends is an error, and where nothing changed on the account (the ETag says so), the items must be
// as many as the total.

import type { List } from '../contract/list.ts';
import { Problem } from '../contract/problems.ts';
import type { Params } from '../contract/query.ts';
import type { PageOf } from '../lists/page.ts';
import { withHead } from './answer-head.ts';
import { linkedQuery } from './link.ts';
import { mustGoOn } from './retry.ts';
import { isPage } from './shape.ts';
import type { JsonAnswer, Transport } from './transport.ts';

/** A list may grow while it is walked over, but not for ever. */
const GROWTH = 2;
const SPARE_PAGES = 10;

/** A page to come: `await` it, or walk over its items and those of all following pages with `for await`. */
export type PagePromise<T> = Promise<Page<T>> & AsyncIterable<T>;

export function pagePromise<T>(promise: Promise<Page<T>>): PagePromise<T> {
  return Object.assign(promise, {
    async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
      yield* await promise;
    },
  });
}

/**
 * A walk over everything begins at the first page: from another it would end as if it had been everything.
 * @throws {Problem} `invalid-option`
 */
export function mustBeginAtFirst(query: Params = {}): void {
  const name = ['page', 'cursor'].find((one) => query[one] !== undefined);
  if (name === undefined) return;
  throw new Problem(
    'invalid-option',
    `\`iterate\` walks over everything: leave \`${name}\` out, or walk over \`list\`, which goes on from a page.`,
  );
}

/** Which page of which list is wanted, and the transport to it. */
export interface PageRequest {
  readonly transport: Transport;
  readonly list: List;
  readonly params: Params;
  readonly signal: AbortSignal | undefined;
}

/**
 * What `Next-Cursor`, or `Link: rel="next"`, adds to the parameters; `undefined` where neither leads on.
 */
function wayOn({ link, next_cursor }: JsonAnswer): Params | undefined {
  if (next_cursor !== null) return { cursor: next_cursor };
  const given = linkedQuery(link, 'next');
  if (given === undefined) return undefined;
  const params: Record<string, string | number> = {};
  for (const name of ['page', 'page_size']) if (given.has(name)) params[name] = Number(given.get(name));
  const cursor = given.get('cursor');
  return cursor === null ? params : { ...params, cursor };
}

/**
 * One page, as it was at the time of its request. It walks on in the same order and with the same filters.
 */
export class Page<T> implements PageOf<T> {
  readonly data: T[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
  readonly total_pages: number;
  readonly #request: PageRequest;
  readonly #answer: JsonAnswer;
  readonly #next: Params | undefined;
  readonly #isEmpty: boolean;
  /** The largest `total_pages` that any page of this walk had. */
  readonly #mostPages: number;

  /**
   * For the client.
   * @throws {Problem}
   */
  static async fetch<T>(request: PageRequest, before?: Page<T>): Promise<Page<T>> {
    const { transport, list, params, signal } = request;
    const answer = await transport.read({ path: list.path, params, signal });
    const { body, head } = answer;
    if (isPage(body)) return withHead(new Page<T>(request, answer, body as PageOf<T>, before), head);
    throw answer.problem('unexpected-answer', 'The answer is JSON, but not a page of a list.');
  }

  private constructor(request: PageRequest, answer: JsonAnswer, envelope: PageOf<T>, before?: Page<T>) {
    this.data = envelope.data;
    this.page = envelope.page;
    this.page_size = envelope.page_size;
    this.total = envelope.total;
    this.total_pages = envelope.total_pages;
    this.#request = request;
    this.#answer = answer;
    this.#next = wayOn(answer);
    this.#isEmpty = envelope.data.length === 0;
    this.#mostPages = Math.max(envelope.total_pages, before === undefined ? 0 : before.#mostPages);
  }

  /** Whether a page follows. */
  hasNextPage(): boolean {
    return this.#next !== undefined || this.#isLost();
  }

  /**
   * The page that follows; `undefined` on the last one. It goes on behind the last item of this page, so that
   * items that come or go before it shift nothing.
   * @throws {Problem} `endless-list` where the pages lead nowhere, and as `list` does.
   */
  async nextPage(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Page<T> | undefined> {
    if (this.#isLost()) {
      const why = 'a proxy takes it out, or CORS does not expose it';
      throw this.#answer.problem(
        'unexpected-answer',
        `The answer has no Link header and no Next-Cursor, so there is no way on: ${why}.`,
      );
    }
    if (this.#next === undefined) return undefined;
    const { signal = this.#request.signal } = options;
    const params = { ...this.#request.params, page: undefined, cursor: undefined, ...this.#next };
    const next = await Page.fetch<T>({ ...this.#request, params, signal }, this);
    next.#mustFollow(this);
    return next;
  }

  /**
   * The items of this page and of all that follow. Where it comes to its end, that was the whole list.
   * @throws {Problem}
   */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    return Page.#walk(this);
  }

  static async *#walk<T>(first: Page<T>): AsyncGenerator<T, void, void> {
    const { list, params, signal } = first.#request;
    const sort_by = (params['sort_by'] ?? 'id') as string;
    // Sorted by anything that may change, an item can move to the back and come again.
    const seen = list.sorts[sort_by] === 'id' ? undefined : new Set<unknown>();
    const { etag } = first.#answer;
    let isSteady = first.page === 1 && etag !== null;
    let count = 0;
    let page: Page<T> | undefined = first;
    while (page !== undefined) {
      for (const item of page.data) {
        const { id } = item as { id?: unknown };
        if (seen?.has(id) === true) continue;
        seen?.add(id);
        count++;
        mustGoOn(signal);
        yield item;
      }
      isSteady &&= page.#answer.etag === etag;
      const next: Page<T> | undefined = await page.nextPage();
      if (next === undefined && isSteady && count !== page.total) {
        throw page.#answer.problem('broken-off', `The list broke off: ${count} of ${page.total} items came.`);
      }
      page = next;
    }
  }

  /** Whether pages follow and no link leads to them. */
  #isLost(): boolean {
    const { link, next_cursor } = this.#answer;
    return link === null && next_cursor === null && this.page < this.total_pages;
  }

  #mustFollow(before: Page<T>): void {
    const circles = this.page !== before.page + 1 || before.#isEmpty;
    if (!circles && this.page <= GROWTH * this.#mostPages + SPARE_PAGES) return;
    const where = `behind page ${before.page} comes page ${this.page} of ${this.total_pages}`;
    throw this.#answer.problem('endless-list', `The list does not come to an end: ${where}.`);
  }
}
