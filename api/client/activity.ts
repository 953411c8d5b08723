// A page of activity, and the walk over all pages after it.

import { type ActivityEntry, type ActivityQuery, activity } from '../contract/activity.ts';
import { linkedQuery, withHead } from './headers.ts';
import type { CallOptions } from './options.ts';
import type { pagePromise } from './page.ts';
import { throwIfAborted } from './retry.ts';
import { isActivity } from './shape.ts';
import type { Transport } from './transport.ts';

/** A promise of activity: `await` its first page, or walk over all of it with `for await`. */
export type ActivityPromise = ReturnType<typeof pagePromise<ActivityEntry, ActivityPage>>;

/** What happened to the items of an account, newest first: a page of it. */
export class ActivityPage implements AsyncIterable<ActivityEntry> {
  readonly data: readonly ActivityEntry[];
  /** From when on everything is known. */
  readonly since: string;
  readonly #transport: Transport;
  readonly #query: ActivityQuery;
  readonly #options: CallOptions;
  /** The cursor of the next page; `undefined` on the last one. */
  readonly next: string | undefined;

  /**
   * For the client.
   * @throws {Problem}
   */
  static async fetch(
    transport: Transport,
    query: ActivityQuery,
    options: CallOptions,
  ): Promise<ActivityPage> {
    const call = { ...options, path: activity.path, params: { ...query } };
    const { body, head, link, problem } = await transport.read<Pick<ActivityPage, 'data' | 'since'>>(call, [
      isActivity,
      'activity',
    ]);
    const next = linkedQuery(link, 'next')?.get('cursor') ?? undefined;
    if (next !== undefined && next === query.cursor)
      throw problem('endless-list', 'The activity does not end: a page leads to itself.');
    return withHead(new ActivityPage(transport, query, options, body, next), head);
  }

  private constructor(
    transport: Transport,
    query: ActivityQuery,
    options: CallOptions,
    { data, since }: Pick<ActivityPage, 'data' | 'since'>,
    next: string | undefined,
  ) {
    this.data = data;
    this.since = since;
    this.#transport = transport;
    this.#query = query;
    this.#options = options;
    this.next = next;
  }

  /** Whether there is a next page. */
  hasNextPage(): boolean {
    return this.next !== undefined;
  }

  /**
   * The next page, of what happened before; `undefined` on the last one. Later imports change nothing of it.
   * @throws {Problem} as `activity` does
   */
  async nextPage(options: CallOptions = {}): Promise<ActivityPage | undefined> {
    if (this.next === undefined) return undefined;
    return ActivityPage.fetch(
      this.#transport,
      { ...this.#query, cursor: this.next },
      {
        ...this.#options,
        ...options,
      },
    );
  }

  /**
   * The entries of this page and of all pages after it.
   * @throws {Problem}
   */
  [Symbol.asyncIterator](): AsyncGenerator<ActivityEntry, void, void> {
    return ActivityPage.#walk(this);
  }

  static async *#walk(first: ActivityPage): AsyncGenerator<ActivityEntry, void, void> {
    let page: ActivityPage | undefined = first;
    while (page !== undefined) {
      for (const entry of page.data) {
        throwIfAborted(first.#options.signal);
        yield entry;
      }
      page = await page.nextPage();
    }
  }
}
