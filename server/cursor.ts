// Cursors: where a walk over a list stands, sealed so that one that was altered, or that belongs to another account,
// list, filter, order or page size, is refused (contract, sections 4 and 5).

import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Problem } from '@linecard/client';
import type { Stored } from './tables.ts';

const SEAL_BYTES = 16;
/** A longer sort key is packed. */
const MAX_KEY_CHARACTERS = 200;
/** A packed sort key that is longer still would make links that no proxy passes. */
const MAX_PACKED_CHARACTERS = 2_000;

/** The last row of a page, and the number of the page behind it. */
export interface Position {
  readonly page: number;
  readonly id: number;
  /** The sort key of the row; of a long one only the digest, by which it is known again. */
  readonly key: Stored | { readonly digest: string };
}

/** What a cursor is good for: everything of a query but the page. */
export interface CursorScope {
  readonly account_id: string;
  readonly list: string;
  readonly selection: string;
  readonly page_size: number;
}

function seal(cursor_key: string, scope: CursorScope, payload: string): Buffer {
  const { account_id, list, selection, page_size } = scope;
  return createHmac('sha256', cursor_key)
    .update(JSON.stringify([account_id, list, selection, page_size, payload]))
    .digest()
    .subarray(0, SEAL_BYTES);
}

/** What a long sort key is known by. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'base64url');
}

type Written = Position['key'] | { readonly packed: string };

function shortened(key: Position['key']): Written {
  if (typeof key !== 'string' || key.length <= MAX_KEY_CHARACTERS) return key;
  const packed = deflateRawSync(key).toString('base64url');
  return packed.length <= MAX_PACKED_CHARACTERS ? { packed } : { digest: digestOf(key) };
}

function whole(key: Written): Position['key'] {
  if (typeof key !== 'object' || key === null || !('packed' in key)) return key;
  return inflateRawSync(Buffer.from(key.packed, 'base64url')).toString();
}

export function writeCursor(cursor_key: string, scope: CursorScope, { page, key, id }: Position): string {
  const payload = JSON.stringify([page, id, shortened(key)]);
  return Buffer.concat([seal(cursor_key, scope, payload), Buffer.from(payload)]).toString('base64url');
}

export function invalidCursor(why: string): Problem {
  return new Problem('invalid-cursor', `${why} Start again from the first page.`);
}

/**
 * Where a cursor stands.
 * @throws {Problem} `invalid-cursor`
 */
export function readCursor(cursor_key: string, scope: CursorScope, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.toString('utf8', SEAL_BYTES);
  const sealed = bytes.subarray(0, SEAL_BYTES);
  const genuine =
    sealed.length === SEAL_BYTES &&
    bytes.toString('base64url') === cursor &&
    timingSafeEqual(sealed, seal(cursor_key, scope, payload));
  if (!genuine) {
    throw invalidCursor(
      'The cursor was altered, or belongs to other filters, another order, another page size or another account.',
    );
  }
  const [page, id, key] = JSON.parse(payload) as [number, number, Written];
  return { page, id, key: whole(key) };
}
