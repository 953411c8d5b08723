// The messages between the request thread and its worker threads. Everything here can be copied from one to
// the other.

import type { Fault, ProblemCode } from '@linecard/client/contract/problems';
import type { KnownTotal } from '../lists/changes.ts';
import type { FoundPage } from '../lists/list.ts';
import type { FacetsBasis, ListQuery, StreamFormat } from '../lists/workers.ts';
import type { StoreOptions } from '../store/store.ts';

/** What a worker thread starts with. */
export interface WorkerSettings {
  readonly databaseUrl: string;
  readonly options: StoreOptions;
  readonly cursorKey: string;
  /** Whether the request thread comes first where both need the same processor. */
  readonly hasLowPriority: boolean;
}

export type ExportTask = { readonly kind: 'export'; readonly format: StreamFormat } & ListQuery;

/** A task with one result. */
export type SingleTask =
  | ({ readonly kind: 'index'; readonly maxBytes: number } & Omit<ListQuery, 'query'>)
  | ({ readonly kind: 'page'; readonly found?: FoundPage } & ListQuery)
  | ({ readonly kind: 'changes'; readonly known?: KnownTotal | undefined } & ListQuery)
  | ({ readonly kind: 'facets' } & FacetsBasis & ListQuery);

/** To a worker thread: a new task, or a buffer for the next chunk of an export, by the id of its task. */
export type WorkerRequest =
  | { readonly id: number; readonly task: SingleTask | ExportTask }
  | { readonly id: number; readonly exportId: number; readonly buffer: ArrayBuffer };

/** A request, or which export is to be closed. */
export type WorkerMessage = WorkerRequest | { readonly closedExport: number };

/** From a worker thread: a result, of an export first its head and then its chunks, or an error. */
export interface WorkerResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: CopiedError;
}

/** An error that has crossed between threads. */
export interface CopiedError {
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: ProblemCode;
  readonly faults?: readonly Fault[] | undefined;
  readonly isUnavailable: boolean;
  /** Whether the row guard refused. */
  readonly isForeign: boolean;
}

export interface ExportHead {
  readonly revision: string;
  readonly total: number;
  readonly monitor: string | undefined;
}
