// Tokens: their form, what is stored of them, and when they are good.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { openTokenStore, type TokenStore } from '../../../test/kit/token-store.ts';
import type { Statement } from '../sql.ts';
import type { Store } from '../store.ts';
import { findCaller } from './callers.ts';
import { recordUse } from './token-uses.ts';
import { createToken, isTokenOf, listTokens, revokeToken } from './tokens.ts';

const HOUR = 3_600_000;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe('a token', () => {
  let folder: string;
  let store: Store;
  let made: TokenStore['made'];
  let close: TokenStore['close'];
  before(async () => {
    ({ folder, store, made, close } = await openTokenStore());
  });
  after(() => close());

  test('has a prefix, at least 32 random characters and a checksum', async () => {
    const tokens = await Promise.all(Array.from({ length: 200 }, async () => (await made()).token));
    assert.equal(new Set(tokens).size, 200);
    for (const token of tokens) {
      assert.match(token, /^lc_[0-9A-Za-z]{38,}$/);
      assert.ok(isTokenOf('customer', token));
    }
    const seen = new Set(tokens.flatMap((token) => Array.from(token.slice(3, 35))));
    assert.equal(seen.size, 62, 'every letter and digit is used');
  });

  test('that is mistyped in one character, or in two that were swapped, is recognised without a look-up', async () => {
    const { token } = await made();
    for (let i = 3; i < token.length; i++) {
      for (const character of '0Aaz9') {
        if (token[i] !== character)
          assert.equal(isTokenOf('customer', token.slice(0, i) + character + token.slice(i + 1)), false);
      }
      const [one = '', two = ''] = [token[i - 1], token[i]];
      if (one !== two && i > 3)
        assert.equal(isTokenOf('customer', token.slice(0, i - 1) + two + one + token.slice(i + 1)), false);
    }
  });

  for (const text of [
    '',
    'lc_',
    'lc_x',
    'LC_',
    'lc_'.padEnd(45, '0'),
    'lc_'.padEnd(45, 'é'),
    `lc_${'0'.repeat(42)}\n`,
  ]) {
    test(`is not ${JSON.stringify(text)}`, () => assert.equal(isTokenOf('customer', text), false));
  }

  test('is stored nowhere but as a hash', async () => {
    const { token } = await made();
    for (const file of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, file));
      assert.equal(bytes.includes(token) || bytes.includes(token.slice(3, -6)), false, file);
    }
    assert.doesNotMatch(JSON.stringify(await listTokens(store, 'customer')), new RegExp(token));
  });

  test('stands for its account and no other', async () => {
    const [one, other] = [await made('acme'), await made('other')];
    assert.equal((await findCaller(store, one.token))?.account_id, 'acme');
    assert.equal((await findCaller(store, other.token))?.account_id, 'other');
    assert.equal((await findCaller(store, one.token))?.token_id, one.id);
  });

  test('is not made for an account that is not there', async () => {
    assert.equal(await createToken(store, 'nobody', ''), undefined);
    assert.equal(await createToken(store, "' or 1=1 --", ''), undefined);
  });

  test('that was never made belongs to no account', async () => {
    const { token } = await made();
    assert.equal(await findCaller(store, `${token}x`), undefined);
    assert.equal(await findCaller(store, ''), undefined);
    assert.equal(await findCaller(store, '%'), undefined);
  });

  test('is good until it expires', async () => {
    assert.ok(await findCaller(store, (await made('acme', Date.now() + HOUR)).token));
    assert.equal(await findCaller(store, (await made('acme', Date.now() - 1)).token), undefined);
    assert.equal(await findCaller(store, (await made('acme', Date.now())).token), undefined);
  });

  test('is good until it is revoked, for good, and no other is', async () => {
    const [one, other] = [await made(), await made()];
    assert.equal(await revokeToken(store, one.id), 'revoked');
    assert.equal(await findCaller(store, one.token), undefined);
    const [revoked] = (await listTokens(store, 'customer')).filter(({ id }) => id === one.id);
    assert.equal(await revokeToken(store, one.id), 'already');
    assert.deepEqual(
      (await listTokens(store, 'customer')).filter(({ id }) => id === one.id),
      [revoked],
    );
    assert.match(String(revoked?.revoked_at), TIMESTAMP);
    assert.ok(await findCaller(store, other.token));
    assert.equal(await revokeToken(store, 'nothing'), 'unknown');
    assert.equal(await revokeToken(store, other.token), 'unknown');
  });

  test('is listed by account and age, those of one account alone when requested', async () => {
    const all = await listTokens(store, 'customer');
    assert.deepEqual(new Set(all.map(({ account_id }) => account_id)), new Set(['acme', 'other']));
    const sorted = all.toSorted((a, b) =>
      a.account_id + a.created_at < b.account_id + b.created_at ? -1 : 1,
    );
    assert.deepEqual(
      all.map(({ created_at }) => created_at),
      sorted.map(({ created_at }) => created_at),
    );
    assert.deepEqual(
      new Set((await listTokens(store, 'customer', 'other')).map(({ account_id }) => account_id)),
      new Set(['other']),
    );
    assert.deepEqual(await listTokens(store, 'customer', 'nobody'), []);
  });

  test('is recorded as used next to thousands of others, and requests go on meanwhile', async () => {
    const { id } = await made();
    let turn = 0;
    let next = setImmediate(function count() {
      turn += 1;
      next = setImmediate(count);
    });
    const turns: number[] = [];
    const counting = {
      write(...statements: Statement[]) {
        turns.push(turn);
        return store.write(...statements);
      },
    } as unknown as Store;
    const used = new Map(Array.from({ length: 2_000 }, (_, i) => [`none-${i}`, Date.now()]));
    await recordUse(counting, 'customer', used.set(id, Date.now()));
    clearImmediate(next);
    assert.ok(turns.length > 1);
    assert.equal(new Set(turns).size, turns.length);
    const found = (await listTokens(store, 'customer')).find((one) => one.id === id);
    assert.match(String(found?.last_used_at), TIMESTAMP);
  });

  test('was last used when it was, though a clock that was ahead wrote another time', async () => {
    const { id } = await made('acme');
    const now = Date.now();
    for (const at of [now + 24 * HOUR, now, now - HOUR])
      await recordUse(store, 'customer', new Map([[id, at]]));
    const found = (await listTokens(store, 'customer')).find((one) => one.id === id);
    assert.equal(found?.last_used_at, timestampOf(now));
  });
});
