// Cursors of keyset pagination: where a walk over a list stands, sealed so that one that was altered, or that
// belongs to another account, list, filter, order or page size, is refused (docs/api.md, "Pages").

import { hash, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Problem } from '@linecard/client/contract/problems';
import type { Stored } from '../store/tables.ts';

/** Of base 64: 132 bits. */
const SEAL_CHARACTERS = 22;
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

/**
 * What only the deployment can write. With SHA-3 a key in front of the text is all that it takes: unlike
 * SHA-2 it cannot be gone on with from its result.
 */
function sealed(cursorKey: string, scope: CursorScope, payload: string): string {
  const { account_id, list, selection, page_size } = scope;
  const text = cursorKey + JSON.stringify([account_id, list, selection, page_size, payload]);
  const seal = hash('sha3-256', text, 'base64url').slice(0, SEAL_CHARACTERS);
  return seal + Buffer.from(payload).toString('base64url');
}

/** What a long sort key is known by. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'base64url');
}

type SealedKey = Position['key'] | { readonly packed: string };

function shortened(key: Position['key']): SealedKey {
  if (typeof key !== 'string' || key.length <= MAX_KEY_CHARACTERS) return key;
  const packed = deflateRawSync(key).toString('base64url');
  return packed.length <= MAX_PACKED_CHARACTERS ? { packed } : { digest: digestOf(key) };
}

function whole(key: SealedKey): Position['key'] {
  if (typeof key !== 'object' || key === null || !('packed' in key)) return key;
  return inflateRawSync(Buffer.from(key.packed, 'base64url')).toString();
}

export function writeCursor(cursorKey: string, scope: CursorScope, { page, key, id }: Position): string {
  return sealed(cursorKey, scope, JSON.stringify([page, id, shortened(key)]));
}

export function invalidCursor(why: string): Problem {
  return new Problem('invalid-cursor', `${why} Start again from the first page.`);
}

/**
 * Where a cursor stands.
 * @throws {Problem} `invalid-cursor`
 */
export function readCursor(cursorKey: string, scope: CursorScope, cursor: string): Position {
  const payload = Buffer.from(cursor.slice(SEAL_CHARACTERS), 'base64url').toString();
  const received = Buffer.from(cursor);
  const genuine = Buffer.from(sealed(cursorKey, scope, payload));
  if (received.length !== genuine.length || !timingSafeEqual(received, genuine)) {
    throw invalidCursor(
      'The cursor was altered, or belongs to other filters, another order, another page size or another account.',
    );
  }
  const [page, id, key] = JSON.parse(payload) as [number, number, SealedKey];
  return { page, id, key: whole(key) };
}
