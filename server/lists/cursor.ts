// Cursors of keyset pagination: the position of a walk over a list, sealed. A cursor that was altered, or
// belongs to another account, list, filter, order or page size, is refused (docs/generated/api.md, "Pages").

import { hash, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Problem } from '@linecard/client/contract/problems';
import type { Plan } from '../store/sql.ts';
import type { Stored } from '../store/tables.ts';
import { type ReadingParts, readingOf, readingParts, type Walked } from './reading.ts';

/** Of base 64: 132 bits. */
const SEAL_CHARACTERS = 22;
/** A longer sort key is compressed. */
const MAX_KEY_CHARACTERS = 200;
/** A compressed sort key that is longer would make links that no proxy forwards. */
const MAX_PACKED_CHARACTERS = 2_000;

/** The last row of a page, the number of the next page, and what the pages so far were read from. */
export interface Position extends Walked {
  readonly page: number;
  readonly id: number;
  /** The sort key of the row; of a long one only the digest, by which it is recognised. */
  readonly key: Stored | { readonly digest: string };
}

/** What a cursor is valid for: everything of a query except the page. */
export interface CursorScope {
  readonly account_id: string;
  readonly list: string;
  readonly selection: string;
  readonly page_size: number;
}

/**
 * Seals a payload for a scope, as only the deployment can. With SHA-3 it is enough to hash the key and then
 * the text: unlike SHA-2, it has no length extension.
 */
export function seal(cursorKey: string, scope: readonly (string | number)[], payload: string): string {
  const text = cursorKey + JSON.stringify([...scope, payload]);
  const digest = hash('sha3-256', text, 'base64url').slice(0, SEAL_CHARACTERS);
  return digest + Buffer.from(payload).toString('base64url');
}

/** The payload that was sealed; `undefined` if it was altered or is valid for another scope. */
export function unseal(
  cursorKey: string,
  scope: readonly (string | number)[],
  sealed: string,
): string | undefined {
  const payload = Buffer.from(sealed.slice(SEAL_CHARACTERS), 'base64url').toString();
  const received = Buffer.from(sealed);
  const genuine = Buffer.from(seal(cursorKey, scope, payload));
  return received.length === genuine.length && timingSafeEqual(received, genuine) ? payload : undefined;
}

function scopeOf({ account_id, list, selection, page_size }: CursorScope) {
  return [account_id, list, selection, page_size];
}

/** What a long sort key is recognised by. */
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

export function writeCursor(cursorKey: string, scope: CursorScope, position: Position): string {
  const { page, key, id, reading, shape } = position;
  const walked =
    reading === undefined ? [] : [readingParts(reading), ...(shape === undefined ? [] : [shape])];
  const payload = [page, id, shortened(key), ...walked];
  return seal(cursorKey, scopeOf(scope), JSON.stringify(payload));
}

export function invalidCursor(why: string): Problem {
  return new Problem('invalid-cursor', `${why} Start again from the first page.`);
}

/**
 * The position of a cursor.
 * @throws {Problem} `invalid-cursor`
 */
export function readCursor(cursorKey: string, scope: CursorScope, cursor: string): Position {
  const payload = unseal(cursorKey, scopeOf(scope), cursor);
  if (payload === undefined) {
    throw invalidCursor(
      'The cursor was altered, or belongs to other filters, another order, another page size or another account.',
    );
  }
  const [page, id, key, parts, shape] = JSON.parse(payload) as [
    ...[number, number, SealedKey],
    ...[ReadingParts?, string?],
  ];
  return { page, id, key: whole(key), ...(parts === undefined ? {} : { reading: readingOf(parts), shape }) };
}

/** Whether a row has the sort key that a cursor says it had; in the order of the ids it has no other. */
export function standsOn(
  { key }: Position,
  { order }: Pick<Plan, 'order'>,
  current: Stored | undefined,
): boolean {
  if (order.column === 'id') return true;
  if (typeof key !== 'object' || key === null) return key === current;
  return typeof current === 'string' && digestOf(current) === key.digest;
}
