// A cursor comes back as it was written, in its own scope only.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from '@linecard/client/contract/problems';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/characters.ts';
import { type CursorScope, readCursor, writeCursor } from './cursor.ts';

const KEY = 'a key of the deployment';
const SCOPE: CursorScope = {
  account_id: 'acme',
  list: 'virtual_numbers',
  selection: 'q=a&sort_by=did',
  page_size: 10,
};
const POSITION = { page: 2, key: '+4420', id: 7 };

const refused = (read: () => unknown) =>
  assert.throws(
    read,
    (error) => error instanceof Problem && error.code === 'invalid-cursor' && error.faults === undefined,
  );

const position = fc.record({
  page: fc.integer({ min: 2, max: Number.MAX_SAFE_INTEGER }),
  id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  key: fc.oneof(fc.constant(null), fc.maxSafeInteger(), fc.string({ unit: anyCharacter, maxLength: 1_000 })),
});

describe('a cursor', () => {
  test('says where it stands, whatever the sort key is', () => {
    fc.assert(
      fc.property(position, (stands) => {
        const cursor = writeCursor(KEY, SCOPE, stands);
        assert.match(cursor, /^[\w-]+$/);
        assert.deepEqual(readCursor(KEY, SCOPE, cursor), { ...stands });
      }),
    );
  });

  const others: readonly [what: string, key: string, scope: CursorScope][] = [
    ['account', KEY, { ...SCOPE, account_id: 'acm' }],
    ['list', KEY, { ...SCOPE, list: 'additional_services' }],
    ['filter', KEY, { ...SCOPE, selection: 'q=b&sort_by=did' }],
    ['order', KEY, { ...SCOPE, selection: 'q=a&sort_by=did&sort_order=desc' }],
    ['page size', KEY, { ...SCOPE, page_size: 11 }],
    ['deployment', 'a key of another deployment', SCOPE],
  ];
  for (const [what, key, scope] of others) {
    test(`of another ${what} is refused`, () => {
      const cursor = writeCursor(KEY, SCOPE, POSITION);
      refused(() => readCursor(key, scope, cursor));
      refused(() => readCursor(KEY, SCOPE, writeCursor(key, scope, POSITION)));
    });
  }

  test('whose scope only reads alike when it is run together is refused', () => {
    const cursor = writeCursor(KEY, { ...SCOPE, account_id: 'a', list: 'b' }, POSITION);
    refused(() => readCursor(KEY, { ...SCOPE, account_id: 'a","b', list: '' }, cursor));
    refused(() => readCursor(KEY, { ...SCOPE, account_id: 'ab', list: '' }, cursor));
  });

  test('altered anywhere is refused', () => {
    const cursor = writeCursor(KEY, SCOPE, POSITION);
    for (let i = 0; i < cursor.length; i++) {
      for (const character of ['A', 'z', '0', '-', '_', '=', '+', '/', ' ', '\n', 'é']) {
        const altered = cursor.slice(0, i) + character + cursor.slice(i + 1);
        if (altered !== cursor) refused(() => readCursor(KEY, SCOPE, altered));
      }
      refused(() => readCursor(KEY, SCOPE, cursor.slice(0, i)));
      refused(() => readCursor(KEY, SCOPE, cursor.slice(i + 1)));
    }
    for (const longer of [`${cursor}A`, `${cursor}=`, ` ${cursor}`, cursor + cursor])
      refused(() => readCursor(KEY, SCOPE, longer));
  });

  test('that anybody could make up is refused', () => {
    fc.assert(fc.property(fc.string(), (made) => refused(() => readCursor(KEY, SCOPE, made))));
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 64 }), (bytes) =>
        refused(() => readCursor(KEY, SCOPE, Buffer.from(bytes).toString('base64url'))),
      ),
    );
  });
});
