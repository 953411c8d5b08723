// Authentication of requests, and the recorded uses of their tokens.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openTokenStore, type TokenStore } from '../../test/kit/token-store.ts';
import { recordUse } from '../store/access/token-uses.ts';
import { createToken, listTokens, revokeToken } from '../store/access/tokens.ts';
import { openStore } from '../store/open.ts';
import { sql } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { admission, failureLimiter } from './admission.ts';
import { Authenticator, credentialsOf } from './authentication.ts';
import type { PeerSource } from './peer.ts';

const HOUR = 3_600_000;
/** Tokens are checked for revocation more often than this. */
const REVOKED_WITHIN_MS = 200;
const REQUEST = { ip: '192.0.2.1', socket: {} } as PeerSource;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const basic = (pair: string, scheme = 'Basic') => `${scheme} ${Buffer.from(pair).toString('base64')}`;

for (const [header, text] of [
  [undefined, ''],
  ['', ''],
  ['lc_x', 'lc_x'],
  ['Bearer lc_x', 'lc_x'],
  ['bearer   lc_x ', 'lc_x'],
  ['Bearer', ''],
  [basic('lc_x:'), 'lc_x'],
  [basic('lc_x:token'), 'lc_x'],
  [basic(':lc_x'), 'lc_x'],
  [basic('token:lc_x', 'bAsIc '), 'lc_x'],
  [basic(':'), ''],
  [basic('token:'), ''],
  [basic('token:token'), ''],
  [basic('bob:lc_x'), 'bob:lc_x'],
  [basic('lc_x:secret'), 'lc_x:secret'],
  [basic('lc_x'), 'lc_x'],
  [basic('lc_x:lc_y'), 'lc_x:lc_y'],
  ['Basic', 'Basic'],
  ['Basic lc_x', 'Basic lc_x'],
  ['Basic *', 'Basic *'],
] as const) {
  test(`the header ${JSON.stringify(header)} holds ${JSON.stringify(text)}`, () =>
    assert.equal(credentialsOf(header), text));
}

describe('a token of a request', () => {
  let url: string;
  let store: Store;
  let made: TokenStore['made'];
  let close: TokenStore['close'];
  before(async () => {
    ({ url, store, made, close } = await openTokenStore());
  });
  after(() => close());

  test('that is refused is not recorded as used', async () => {
    const { id, token } = await made('acme', Date.now() - 1);
    const authenticator = new Authenticator(store, false);
    await assert.rejects(async () => authenticator.caller(token), { code: 'unauthenticated' });
    await authenticator.uses.writeUses(store);
    assert.equal(
      (await listTokens(store, 'customer', 'acme')).find((one) => one.id === id)?.last_used_at,
      null,
    );
  });

  test('that is refused for its address is not recorded as used', async () => {
    const limits = { addresses: ['198.51.100.0/24'] };
    const { token } = (await createToken(store, 'acme', '', undefined, limits)) ?? assert.fail();
    const authenticator = new Authenticator(store, false);
    const admit = admission(authenticator, failureLimiter(), () => {})(undefined);
    const reply = { getHeader: () => undefined, header: () => reply } as unknown as FastifyReply;
    const ask = async (ip: string) =>
      admit(
        { ...REQUEST, ip, headers: { authorization: token }, routeOptions: {} } as FastifyRequest,
        reply,
        () => {},
      );
    await assert.rejects(ask('192.0.2.1'), { code: 'forbidden' });
    assert.equal(authenticator.uses.hasUse, false);
    await ask('198.51.100.1');
    assert.ok(authenticator.uses.hasUse);
  });

  test('whose use could not be written is written the next time', async () => {
    const { id, token } = await made();
    const authenticator = new Authenticator(store, false);
    authenticator.recordUse(await authenticator.caller(token), REQUEST);
    const away = Object.create(store, {
      write: { value: async () => assert.fail('The database is away.') },
    }) as Store;
    await assert.rejects(authenticator.uses.writeUses(away));
    assert.ok(authenticator.uses.hasUse);
    await authenticator.uses.writeUses(store);
    assert.match(
      String((await listTokens(store, 'customer', 'acme')).find((one) => one.id === id)?.last_used_at),
      TIMESTAMP,
    );
  });

  test('that is cached expires as early as one that is looked up', async (t) => {
    const reader = await openStore(url, 'read');
    t.after(async () => reader.close());
    const authenticator = new Authenticator(reader, true);
    /** The caller as found by a request from the network, in an iteration of the event loop of its own. */
    const ask = async (token: string) => {
      await setImmediate();
      return authenticator.caller(`Bearer ${token}`);
    };
    const [lasting, short] = [await made(), await made('acme', Date.now() + HOUR)];
    for (const { token } of [lasting, short]) assert.equal(await ask(token), await ask(token));
    const before = await ask(lasting.token);
    await store.write(sql`update accounts set revision = 'moved' where id = 'acme'`);
    assert.equal((await ask(lasting.token)).revision, 'moved');
    assert.notEqual(before.revision, 'moved');
    await revokeToken(store, lasting.id);
    await sleep(REVOKED_WITHIN_MS);
    await assert.rejects(ask(lasting.token), { code: 'unauthenticated' });
    await ask(short.token);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + HOUR });
    await assert.rejects(ask(short.token), { code: 'unauthenticated' });
  });

  test('shows when it was last used, which never goes back', async () => {
    const { id, token } = await made();
    const shown = async () =>
      (await listTokens(store, 'customer', 'acme')).find((one) => one.id === id)?.last_used_at;
    assert.equal(await shown(), null);
    const authenticator = new Authenticator(store, false);
    authenticator.recordUse(await authenticator.caller(`Bearer ${token}`), REQUEST);
    assert.ok(authenticator.uses.hasUse);
    await authenticator.uses.writeUses(store);
    assert.equal(authenticator.uses.hasUse, false);
    const now = await shown();
    assert.match(String(now), TIMESTAMP);
    await recordUse(store, 'customer', new Map([[id, 0]]));
    assert.equal(await shown(), now);
    await recordUse(store, 'customer', new Map([[id, Date.now() + HOUR]]));
    assert.ok(String(await shown()) > String(now));
  });

  /** A store whose reads are round trips, and which has no state numbers. */
  function distant(): { readonly remote: Store; lookUps: number } {
    const read = async (...statements: Parameters<Store['read']>) => {
      distance.lookUps += 1;
      await setImmediate();
      return store.read(...statements);
    };
    const remote = Object.create(store, {
      state: { value: undefined },
      dialect: { value: store.dialect },
      read: { value: read },
    }) as Store;
    const distance = { remote, lookUps: 0 };
    return distance;
  }

  test('of many concurrent requests is looked up once, if that is a round trip', async () => {
    const { token } = await made();
    const distance = distant();
    const authenticator = new Authenticator(distance.remote, false);
    const request = async () => authenticator.caller(token);
    const callers = await Promise.all([request(), request(), request()]);
    callers.push(await request());
    assert.equal(distance.lookUps, 1);
    assert.deepEqual(new Set(callers.map(({ account_id }) => account_id)), new Set(['acme']));
    const [first, ...others] = callers.map(({ revision }) => revision);
    assert.equal(typeof first, 'string', 'the request that was looked up for knows the revision');
    assert.deepEqual(new Set(others), new Set([undefined]), 'the others must read it');
  });

  test('that is refused is looked up again with the next request, because it may be valid by then', async () => {
    const authenticator = new Authenticator(distant().remote, false);
    const { id, token } = await made();
    await store.write(sql`update tokens set revoked_at = 'now' where id = ${id}`);
    await assert.rejects(async () => authenticator.caller(token), { code: 'unauthenticated' });
    await store.write(sql`update tokens set revoked_at = null where id = ${id}`);
    assert.equal((await authenticator.caller(token)).token_id, id);
  });
});
