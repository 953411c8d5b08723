// A page of a list, and the walk over all pages after it.
//
// Why it counts: callers take a walk that ends for the complete list. So a next link that is missing, goes in
// circles or never ends is an error, and where nothing changed on the account (by its ETag), the number of
// items must be the total.
//
// Why it requests the ids: in an order by anything else, an item that changes can move to a later page and
// come a second time. So the ids are requested also where the chosen fields leave them out, and then taken
// out of the items.

import type { List } from '../contract/list.ts';
import { Problem } from '../contract/problems.ts';
import type { Params } from '../contract/query.ts';
import type { PageOf } from '../lists/answers.ts';
import { linkedQuery, stateOf, withHead } from './headers.ts';
import type { CallOptions } from './options.ts';
import { throwIfAborted } from './retry.ts';
import { isPage } from './shape.ts';
import type { JsonAnswer, Transport } from './transport.ts';

/** A list may grow during a walk, but not forever. */
const GROWTH = 2;
const SPARE_PAGES = 10;

/** Items of this page and of those after it as an array, at most `limit`. */
type ToArray<T> = (options?: { readonly limit?: number | undefined }) => Promise<T[]>;

/** A promise of a page: `await` it, or walk over its items and all pages after it with `for await`. */
export type PagePromise<T> = Promise<Page<T>> & AsyncIterable<T> & { readonly toArray: ToArray<T> };

export function pagePromise<T, P extends AsyncIterable<T>>(
  promise: Promise<P>,
): Promise<P> & AsyncIterable<T> & { readonly toArray: ToArray<T> } {
  const walk = async function* (): AsyncGenerator<T, void, void> {
    yield* await promise;
  };
  const toArray: ToArray<T> = async ({ limit = Number.POSITIVE_INFINITY } = {}) => {
    const items: T[] = [];
    if (limit > 0) for await (const item of walk()) if (items.push(item) >= limit) break;
    return items;
  };
  return Object.assign(promise, { [Symbol.asyncIterator]: walk, toArray });
}

/**
 * A walk over everything begins at the first page: from another, it would look complete and not be.
 * @throws {Problem} `invalid-option`
 */
export function mustBeginAtFirst(query: Params = {}): void {
  const name = ['page', 'cursor'].find((one) => query[one] !== undefined);
  if (name === undefined) return;
  throw new Problem(
    'invalid-option',
    `\`iterate\` walks over everything: leave \`${name}\` out, or walk over \`list\`, which continues from a page.`,
  );
}

export interface PageRequest extends CallOptions {
  readonly transport: Transport;
  readonly list: List;
  readonly params: Params;
  /** Of pages that are numbered and have no cursor; absent for the list itself. */
  readonly path?: string;
}

/** Whether an item can come twice in a walk. */
function mayRepeat({ list, params }: PageRequest): boolean {
  return list.sorts[(params['sort_by'] ?? 'id') as string] !== 'id';
}

function isFull(fields: unknown): fields is readonly unknown[] {
  return Array.isArray(fields) && fields.length > 0;
}

/** The chosen fields and the id, where a walk needs it and they leave it out. */
function fieldsWithId(request: PageRequest): readonly unknown[] | undefined {
  const { fields } = request.params;
  if (!isFull(fields) || fields.includes('id')) return undefined;
  return mayRepeat(request) ? [...fields, 'id'] : undefined;
}

/** The ids that were taken out of items. */
const takenIds = new WeakMap<object, unknown>();

function withoutId<T>(item: T): T {
  const { id, ...chosen } = item as T & { readonly id?: unknown };
  takenIds.set(chosen, id);
  return chosen as T;
}

function idOf(item: object): unknown {
  return takenIds.get(item) ?? (item as { readonly id?: unknown }).id;
}

/** What `Next-Cursor` or `Link: rel="next"` adds to the parameters; `undefined` on the last page. */
function nextParams({ link, next_cursor }: JsonAnswer<unknown>): Params | undefined {
  if (next_cursor !== null) return { cursor: next_cursor };
  const given = linkedQuery(link, 'next');
  if (given === undefined) return undefined;
  const params: Record<string, string | number> = {};
  for (const name of ['page', 'page_size']) if (given.has(name)) params[name] = Number(given.get(name));
  const cursor = given.get('cursor');
  return cursor === null ? params : { ...params, cursor };
}

function numberedPage({ page, page_size, total_pages }: PageOf<unknown>): Params | undefined {
  return page < total_pages ? { page: page + 1, page_size } : undefined;
}

/** One page, as it was at the time of its request. The pages after it have the same order and filters. */
export class Page<T> implements PageOf<T> {
  readonly data: T[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
  readonly total_pages: number;
  readonly #request: PageRequest;
  readonly #answer: JsonAnswer<unknown>;
  readonly #next: Params | undefined;
  readonly #isEmpty: boolean;
  /** The largest `total_pages` that any page of this walk had. */
  readonly #mostPages: number;

  /**
   * For the client.
   * @throws {Problem}
   */
  static async fetch<T>(request: PageRequest, before?: Page<T>): Promise<Page<T>> {
    const { transport, list, params, path = list.path, ...options } = request;
    const fields = fieldsWithId(request);
    const chosen = fields === undefined ? params : { ...params, fields };
    const call = { ...options, path, params: chosen };
    const answer = await transport.read<PageOf<T>>(call, [isPage, 'a page of a list']);
    const { body, head } = answer;
    const data = fields === undefined ? body.data : body.data.map(withoutId);
    return withHead(new Page<T>(request, { ...answer, body: { ...body, data } }, before), head);
  }

  private constructor(request: PageRequest, answer: JsonAnswer<PageOf<T>>, before?: Page<T>) {
    const { body } = answer;
    this.data = body.data;
    this.page = body.page;
    this.page_size = body.page_size;
    this.total = body.total;
    this.total_pages = body.total_pages;
    this.#request = request;
    this.#answer = answer;
    this.#next = request.path === undefined ? nextParams(answer) : numberedPage(answer.body);
    this.#isEmpty = body.data.length === 0;
    this.#mostPages = Math.max(body.total_pages, before === undefined ? 0 : before.#mostPages);
  }

  /** The `cursor` of the next page; `undefined` on the last one. */
  get next(): string | undefined {
    const cursor = this.#next?.['cursor'];
    return typeof cursor === 'string' ? cursor : undefined;
  }

  /** Whether there is a next page. */
  hasNextPage(): boolean {
    return this.#next !== undefined || this.#isLost();
  }

  /**
   * The next page; `undefined` on the last one. It begins after the last item of this page, so that items
   * that are added or removed before it shift nothing.
   * @throws {Problem} `endless-list` where the pages go in circles, and as `list` does
   */
  async nextPage(options: CallOptions = {}): Promise<Page<T> | undefined> {
    if (this.#isLost()) {
      const why = 'a proxy removes them, or CORS does not expose them';
      throw this.#answer.problem(
        'unexpected-answer',
        `The answer has no Link header and no Next-Cursor, so the next page is unknown: ${why}.`,
      );
    }
    if (this.#next === undefined) return undefined;
    const params = { ...this.#request.params, page: undefined, cursor: undefined, ...this.#next };
    const next = await Page.fetch<T>({ ...this.#request, ...options, params }, this);
    next.#mustFollow(this);
    return next;
  }

  /**
   * The items of this page and of all pages after it. A walk that ends without an error is complete.
   * @throws {Problem}
   */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    return Page.#walk(this);
  }

  static async *#walk<T>(first: Page<T>): AsyncGenerator<T, void, void> {
    const { signal } = first.#request;
    // Accounts have pages by number alone: one that is added before them shifts them.
    const isNumbered = first.#next?.['page'] !== undefined;
    const seen = isNumbered || mayRepeat(first.#request) ? new Set<unknown>() : undefined;
    const state = stateOf(first.#answer.etag);
    let isSteady = first.page === 1 && state !== undefined;
    let count = 0;
    let page: Page<T> | undefined = first;
    while (page !== undefined) {
      for (const item of page.data) {
        const id = seen && idOf(item as object);
        if (id !== undefined && seen?.has(id) === true) continue;
        seen?.add(id);
        count++;
        throwIfAborted(signal);
        yield item;
      }
      isSteady &&= stateOf(page.#answer.etag) === state;
      const next: Page<T> | undefined = await page.nextPage();
      if (next === undefined && isSteady && count !== page.total) {
        throw page.#answer.problem('broken-off', `The list broke off: ${count} of ${page.total} items came.`);
      }
      page = next;
    }
  }

  /** Whether there are more pages and no link to them. */
  #isLost(): boolean {
    const { link, next_cursor } = this.#answer;
    const isLinked = link !== null || next_cursor !== null || this.#request.path !== undefined;
    return !isLinked && this.page < this.total_pages;
  }

  #mustFollow(before: Page<T>): void {
    const circles = this.page !== before.page + 1 || before.#isEmpty;
    if (!circles && this.page <= GROWTH * this.#mostPages + SPARE_PAGES) return;
    const where = `after page ${before.page} comes page ${this.page} of ${this.total_pages}`;
    throw this.#answer.problem('endless-list', `The list does not end: ${where}.`);
  }
}
