// What the engine needs of a pool of worker threads. It must not know how work reaches them: that pool is
// given to it.

import type { Query } from '@linecard/client/contract/query';
import type { IndexData } from '../list-index/index-data.ts';
import type { tables } from '../store/tables.ts';
import type { ExportFormat } from './export.ts';
import type { FacetsAnswer } from './facets.ts';
import type { Page } from './list.ts';

export type ListName = keyof typeof tables;

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

/** An export that has begun: its text comes in chunks, as fast as they are taken. */
export interface WorkerExport {
  readonly revision: string;
  /** How many items will come. */
  readonly total: number;
  /** UTF-8. A chunk is good until the next is taken: its buffer is filled anew. */
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
 * begun.
 * @throws {StoreUnavailable} where it cannot be worked out in time.
 * @throws {Problem} `rate-limited`, where as many exports of the account are open as may be.
 */
export interface ListWorkers {
  page(work: ListQuery, isGone: () => boolean): Promise<Page>;
  /** Facets by an index, or from the database without one. */
  facets(work: ListQuery, isGone: () => boolean, index?: IndexData): Promise<FacetsAnswer>;
  export(work: ListQuery, format: ExportFormat, isGone: () => boolean): Promise<WorkerExport>;
}
