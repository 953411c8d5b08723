// A question about an account: everything that its answer depends on, as data that any thread can take. It is
// also what an answer is cached under, and what its entity tag is good for.

import type { FileFormat } from '@linecard/client/contract/addresses';
import type { Query } from '@linecard/client/contract/query';
import { type Caller, invalidToken } from '../store/callers.ts';
import type { tables } from '../store/tables.ts';

export type ListName = keyof typeof tables;

/** Whose data is read: the account of a token, at the revision that the look-up of the token has seen. */
export type Owner = Pick<Caller, 'account_id' | 'token_id' | 'revision'>;

/** The JSON of a QUERY, and how many items a page may have. */
export interface LongBody {
  readonly text: string;
  readonly maxPageSize: number;
}

export interface Question {
  /** Which line of `WORK` answers it. */
  readonly kind: string;
  readonly owner: Owner;
  /** Absent where it is about the account itself. */
  readonly list?: ListName | undefined;
  readonly query: Query;
  /** In place of `query`, a body so long that a worker thread parses it. */
  readonly longBody?: LongBody | undefined;
  /** Of an item; `undefined` where what was given is no id at all. */
  readonly id?: number | undefined;
  /** Of what is streamed. */
  readonly format?: FileFormat | undefined;
  /** Which representation of the answer it is, in the entity tag: `-csv-gzip`; empty for JSON. */
  readonly form: string;
  /** Whether the query is in the body (QUERY): a link could not repeat it. */
  readonly isInBody: boolean;
}

/** The row of an account that a token has just led to: it is missing where the account was deleted since. */
export function knownRow<T>(row: T | undefined): T {
  if (row === undefined) throw invalidToken();
  return row;
}
