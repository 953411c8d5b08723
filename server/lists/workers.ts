// What the engine needs of a pool of worker threads.

import type { FileFormat } from '@linecard/client/contract/addresses';
import type { Query } from '@linecard/client/contract/query';
import type { IndexData } from '../list-index/index-data.ts';
import type { Table, tables } from '../store/tables.ts';
import type { ChangesPage, KnownTotal } from './changes.ts';
import { type Stages, timeLeft, type WaitingClient } from './deadline.ts';
import type { FacetsAnswer } from './facets.ts';
import type { FoundPage } from './list.ts';
import type { Page } from './page.ts';

export type ListName = keyof typeof tables;

/** What can be streamed: a file of the list, or its changes. */
export type StreamFormat = FileFormat | 'changes';

/** A query on a list of an account, as it can be copied to another thread. */
export interface ListQuery {
  readonly list: ListName;
  readonly account_id: string;
  readonly query: Query;
  /**
   * How long its client waits for it to be worked out or, an export, to begin; absent where there is no
   * limit.
   */
  readonly timeMs?: number | undefined;
}

/** The work of a query, for as long as its client may still wait. */
export function workOf(
  table: Table,
  account_id: string,
  query: Query,
  { client, deadlineMs }: { readonly client: WaitingClient; readonly deadlineMs: number | undefined },
): ListQuery {
  return { list: table.name as ListName, account_id, query, timeMs: timeLeft(deadlineMs, client) };
}

/** What facets are counted with, beside the query. */
export interface FacetsBasis {
  /** The currency of the charges; where there is no index, of an account that has none of its own. */
  readonly currency: string | null;
  /** An index that is current; without one they are counted in the database. */
  readonly index?: IndexData;
}

/** An export that has begun: it comes in chunks, as fast as they are taken. */
export interface WorkerExport {
  readonly revision: string;
  /** How many items match. */
  readonly total: number;
  /** What leads to the changes since, as a query string; absent where these are changes. */
  readonly monitor?: string | undefined;
  /** Text as UTF-8. A chunk is good until the next is taken: its buffer is filled anew. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends the work, also where no chunk was taken. */
  close(): void;
}

/** Builds the index of a list; `undefined` where it would take more bytes. */
export interface IndexBuilder {
  index(list: ListName, account_id: string, maxBytes: number): Promise<IndexData | undefined>;
}

/**
 * Works out what takes long, such as a pool of worker threads. Work that waits until `isGone` is true is not
 * begun; how long work has waited is noted where a client's stages are given.
 * @throws {StoreUnavailable} where it cannot be worked out in time.
 * @throws {Problem} `rate-limited` where as many exports of the account are open as may be, `unavailable`
 * where as many of all are.
 */
export interface ListWorkers {
  page(work: ListQuery, isGone: () => boolean, stages?: Stages): Promise<Page>;
  /** A page of rows that an index has found; `undefined` where that is no longer true. */
  pageOfFound(
    work: ListQuery,
    found: FoundPage,
    isGone: () => boolean,
    stages?: Stages,
  ): Promise<Page | undefined>;
  /** With a total that is known, `undefined` where it is of another revision. */
  changes(
    work: ListQuery,
    isGone: () => boolean,
    stages?: Stages,
    known?: KnownTotal,
  ): Promise<ChangesPage | undefined>;
  facets(work: ListQuery, isGone: () => boolean, basis: FacetsBasis, stages?: Stages): Promise<FacetsAnswer>;
  export(
    work: ListQuery,
    format: StreamFormat,
    isGone: () => boolean,
    stages?: Stages,
  ): Promise<WorkerExport>;
}
