// A question about an account: everything its answer depends on, as data that can be sent to another thread.

import type { FileFormat } from '@linecard/client/contract/addresses';
import type { Query } from '@linecard/client/contract/query';
import { type Caller, invalidToken } from '../store/callers.ts';
import type { tables } from '../store/tables.ts';

export type ListName = keyof typeof tables;

/**
 * The account and token of a caller, with the revision of the account if looking up the token has read it.
 */
export type Owner = Pick<Caller, 'account_id' | 'token_id' | 'revision'>;

export interface LongBody {
  readonly text: string;
  readonly maxPageSize: number;
}

export interface Question {
  /** The entry of `WORK` that answers it. */
  readonly kind: string;
  readonly owner: Owner;
  readonly list?: ListName | undefined;
  readonly query: Query;
  /** Replaces `query` if the body is so long that a worker thread must parse it. */
  readonly longBody?: LongBody | undefined;
  /** The id of an item; `undefined` if the path does not contain a valid id. */
  readonly id?: number | undefined;
  readonly format?: FileFormat | undefined;
  /** The suffix of the entity tag for the representation, such as `-csv-gzip`; empty for JSON. */
  readonly form: string;
  /** Whether the query is in the body (QUERY), so that links cannot contain it. */
  readonly isInBody: boolean;
}

/** A row that exists unless the account or token was deleted after the token was looked up. */
export function knownRow<T>(row: T | undefined): T {
  if (row === undefined) throw invalidToken();
  return row;
}
