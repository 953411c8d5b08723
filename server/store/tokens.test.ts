// Tokens: their form, what is kept of them, and when they are good.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Authenticator } from '../http/authentication.ts';
import { createAccount } from './accounts.ts';
import { openStore } from './open.ts';
import { template } from './sql.ts';
import type { Store } from './store.ts';
import { createToken, findCaller, isWellFormedToken, listTokens, recordUse, revokeToken } from './tokens.ts';

const HOUR = 3_600_000;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe('a token', () => {
  let folder: string;
  let url: string;
  let store: Store;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'linecard-tokens-'));
    url = `sqlite:${join(folder, 'linecard.db')}`;
    store = await openStore(url, 'write');
    await createAccount(store, 'acme', 'Acme');
    await createAccount(store, 'other', '');
  });
  after(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  async function made(account_id = 'acme', expires_at?: number): Promise<{ id: string; token: string }> {
    const token = await createToken(store, account_id, 'test', expires_at);
    assert.ok(token !== undefined);
    return token;
  }

  test('has a prefix, at least 32 random characters and a checksum', async () => {
    const tokens = await Promise.all(Array.from({ length: 200 }, async () => (await made()).token));
    assert.equal(new Set(tokens).size, 200);
    for (const token of tokens) {
      assert.match(token, /^lc_[0-9A-Za-z]{38,}$/);
      assert.ok(isWellFormedToken(token));
    }
    const seen = new Set(tokens.flatMap((token) => Array.from(token.slice(3, 35))));
    assert.equal(seen.size, 62, 'every letter and digit is used');
  });

  test('that is mistyped in one character, or in two that were swapped, is told without a look-up', async () => {
    const { token } = await made();
    for (let i = 3; i < token.length; i++) {
      for (const character of '0Aaz9') {
        if (token[i] !== character)
          assert.equal(isWellFormedToken(token.slice(0, i) + character + token.slice(i + 1)), false);
      }
      const [one = '', two = ''] = [token[i - 1], token[i]];
      if (one !== two && i > 3)
        assert.equal(isWellFormedToken(token.slice(0, i - 1) + two + one + token.slice(i + 1)), false);
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
    test(`is not ${JSON.stringify(text)}`, () => assert.equal(isWellFormedToken(text), false));
  }

  test('is kept nowhere but as a hash', async () => {
    const { token } = await made();
    for (const file of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, file));
      assert.equal(bytes.includes(token) || bytes.includes(token.slice(3, -6)), false, file);
    }
    assert.doesNotMatch(JSON.stringify(await listTokens(store)), new RegExp(token));
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

  test('that nobody made stands for nobody', async () => {
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
    const [revoked] = (await listTokens(store)).filter(({ id }) => id === one.id);
    assert.equal(await revokeToken(store, one.id), 'already');
    assert.deepEqual(
      (await listTokens(store)).filter(({ id }) => id === one.id),
      [revoked],
    );
    assert.match(String(revoked?.revoked_at), TIMESTAMP);
    assert.ok(await findCaller(store, other.token));
    assert.equal(await revokeToken(store, 'nothing'), 'unknown');
    assert.equal(await revokeToken(store, other.token), 'unknown');
  });

  test('shows when it was last used, and never earlier than it showed before', async () => {
    const { id, token } = await made();
    const shown = async () => (await listTokens(store, 'acme')).find((one) => one.id === id)?.last_used_at;
    assert.equal(await shown(), null);
    const authenticator = new Authenticator(store, false);
    await authenticator.caller(`Bearer ${token}`);
    assert.ok(authenticator.hasUse);
    await authenticator.noteUse(store);
    assert.equal(authenticator.hasUse, false);
    const now = await shown();
    assert.match(String(now), TIMESTAMP);
    await recordUse(store, new Map([[id, 0]]));
    assert.equal(await shown(), now);
    await recordUse(store, new Map([[id, Date.now() + HOUR]]));
    assert.ok(String(await shown()) > String(now));
  });

  test('that is refused is not noted as used', async () => {
    const { id, token } = await made('acme', Date.now() - 1);
    const authenticator = new Authenticator(store, false);
    await assert.rejects(async () => authenticator.caller(token), { code: 'unauthenticated' });
    await authenticator.noteUse(store);
    assert.equal((await listTokens(store, 'acme')).find((one) => one.id === id)?.last_used_at, null);
  });

  test('whose use could not be noted is noted the next time', async () => {
    const { id, token } = await made();
    const authenticator = new Authenticator(store, false);
    await authenticator.caller(token);
    const away = Object.create(store, {
      write: { value: async () => assert.fail('The database is away.') },
    }) as Store;
    await assert.rejects(authenticator.noteUse(away));
    assert.ok(authenticator.hasUse);
    await authenticator.noteUse(store);
    assert.match(
      String((await listTokens(store, 'acme')).find((one) => one.id === id)?.last_used_at),
      TIMESTAMP,
    );
  });

  test('that is known from the request before is good for no longer than one that is looked up', async (t) => {
    const reader = await openStore(url, 'read');
    t.after(async () => reader.close());
    const authenticator = new Authenticator(reader, true);
    /** What a request that comes from outside, and so with a turn of the event loop, finds. */
    const ask = async (token: string) => {
      await setImmediate();
      return authenticator.caller(`Bearer ${token}`);
    };
    const [lasting, short] = [await made(), await made('acme', Date.now() + HOUR)];
    for (const { token } of [lasting, short]) assert.equal(await ask(token), await ask(token));
    const before = await ask(lasting.token);
    await store.write(template(store.dialect)`update accounts set revision = 'moved' where id = 'acme'`);
    assert.equal((await ask(lasting.token)).revision, 'moved');
    assert.notEqual(before.revision, 'moved');
    await revokeToken(store, lasting.id);
    await assert.rejects(ask(lasting.token), { code: 'unauthenticated' });
    await ask(short.token);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + HOUR });
    await assert.rejects(ask(short.token), { code: 'unauthenticated' });
  });

  test('is listed by account and age, those of one account alone when asked for', async () => {
    const all = await listTokens(store);
    assert.deepEqual(new Set(all.map(({ account_id }) => account_id)), new Set(['acme', 'other']));
    const sorted = all.toSorted((a, b) =>
      a.account_id + a.created_at < b.account_id + b.created_at ? -1 : 1,
    );
    assert.deepEqual(
      all.map(({ created_at }) => created_at),
      sorted.map(({ created_at }) => created_at),
    );
    assert.deepEqual(
      new Set((await listTokens(store, 'other')).map(({ account_id }) => account_id)),
      new Set(['other']),
    );
    assert.deepEqual(await listTokens(store, 'nobody'), []);
  });
});
