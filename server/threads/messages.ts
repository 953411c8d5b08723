// What the request thread and the threads beside it tell each other. Everything here can be copied from one to the other.

import type { ProblemCode } from '@linecard/client/contract/problems';
import type { Query } from '@linecard/client/contract/query';
import type { IndexData } from '../list-index/list-index.ts';
import type { ExportFormat } from '../lists/export.ts';
import type { StoreOptions } from '../store/store.ts';
import type { tables } from '../store/tables.ts';

/** What the other thread starts with. */
export interface AsideData {
  readonly database_url: string;
  readonly options: StoreOptions;
  readonly cursor_key: string;
  /** Whether whoever answers requests comes first where both want the same processor. */
  readonly stands_back: boolean;
}

/** What every kind of work is about. */
interface About {
  readonly list: keyof typeof tables;
  readonly account_id: string;
  /** How long whoever asks can wait for it to be worked out or begun, where there is a limit. */
  readonly time_ms?: number | undefined;
}

export interface Asked extends About {
  readonly query: Query;
}

export type Work =
  | ({ readonly kind: 'index'; readonly max_bytes: number } & About)
  | ({ readonly kind: 'page' } & Asked)
  | ({ readonly kind: 'facets'; readonly index?: IndexData | undefined } & Asked)
  | ({ readonly kind: 'export'; readonly format: ExportFormat } & Asked);

/** To the other thread: new work, or room for the next piece of an export, which bears the number of that work. */
export type Question =
  | { readonly id: number; readonly work: Work }
  | { readonly id: number; readonly export: number; readonly room: ArrayBuffer };

/** A question, or which export may be closed. */
export type Message = Question | { readonly export: number };

/** From the other thread: a result, which for an export is its head and then its pieces, or what went wrong. */
export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: Failure;
}

/** An error that has crossed between threads. */
export interface Failure {
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: ProblemCode;
  readonly unavailable: boolean;
}

export interface ExportHead {
  readonly revision: string;
  readonly total: number;
}
