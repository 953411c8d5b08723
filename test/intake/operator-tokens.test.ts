// Operators' tokens: made, listed, rotated and revoked like those of customers, and never taken for one.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createAccount } from '../../server/store/access/accounts.ts';
import { findCaller, type Operator, operatorOf } from '../../server/store/access/callers.ts';
import { Refusal } from '../../server/store/access/refusals.ts';
import { recordUse } from '../../server/store/access/token-uses.ts';
import {
  createOperatorToken,
  endToken,
  isTokenOf,
  listTokens,
  revokeToken,
} from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { runProgram } from '../kit/program.ts';
import { databaseOf, openService, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const HOUR = 3_600_000;
const UNLIMITED = { lists: null, charges: true, addresses: null, rate_limit: null };

/** The operator of a token; `undefined` if it is refused. */
const findOperator = (store: Store, token: string): Promise<Operator | undefined> =>
  operatorOf(store, token).catch((error: unknown) => {
    assert.ok(error instanceof Refusal, String(error));
    return undefined;
  });

for (const kind of stores) {
  describe(`an operator’s token on ${kind.name}`, () => {
    let store: Store;
    let remove: () => Promise<void>;
    before(async () => {
      const database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
      remove = () => database.remove();
    });
    after(async () => {
      await store.close();
      await remove();
    });

    test('stands for its accounts, or for all', async () => {
      const all = await createOperatorToken(store, { name: 'feed' });
      const bound = await createOperatorToken(store, { name: 'two', accounts: ['B', 'A b', 'B'] });
      assert.deepEqual(await findOperator(store, all.token), {
        token_id: all.id,
        accounts: null,
        may: ['import'],
        ...UNLIMITED,
      });
      assert.deepEqual(await findOperator(store, bound.token), {
        token_id: bound.id,
        accounts: ['A b', 'B'],
        may: ['import'],
        ...UNLIMITED,
      });
      assert.equal(await findOperator(store, `${all.token}x`), undefined);
      const listed = await listTokens(store, 'operator');
      // Those of one millisecond are in any order.
      assert.equal(listed.length, 2);
      assert.deepEqual(Object.fromEntries(listed.map(({ name, accounts }) => [name, accounts])), {
        feed: null,
        two: ['A b', 'B'],
      });
      assert.equal(JSON.stringify(listed).includes(all.token), false);
    });

    test('may do what it was created for', async () => {
      const { token } = await createOperatorToken(store, { name: '', may: ['webhooks', 'import'] });
      assert.deepEqual((await findOperator(store, token))?.may, ['import', 'webhooks']);
    });

    test('ends when it expires or is revoked', async () => {
      const expired = await createOperatorToken(store, { name: '', expires_at: Date.now() - 1 });
      assert.equal(await findOperator(store, expired.token), undefined);
      const ended = await createOperatorToken(store, { name: '', expires_at: Date.now() + HOUR });
      await endToken(store, ended.id, Date.now() + 2 * HOUR);
      assert.ok(await findOperator(store, ended.token));
      await endToken(store, ended.id, Date.now());
      assert.equal(await findOperator(store, ended.token), undefined);
      const revoked = await createOperatorToken(store, { name: '' });
      assert.equal(await revokeToken(store, revoked.id), 'revoked');
      assert.equal(await revokeToken(store, revoked.id), 'already');
      assert.equal(await revokeToken(store, 'nothing'), 'unknown');
      assert.equal(await findOperator(store, revoked.token), undefined);
    });

    test('shows when it was last used, and never goes back', async () => {
      const { id } = await createOperatorToken(store, { name: 'used' });
      const last = async () =>
        (await listTokens(store, 'operator')).find((one) => one.id === id)?.last_used_at;
      assert.equal(await last(), null);
      const now = Date.UTC(2026, 10, 22);
      await recordUse(store, 'operator', new Map([[id, now]]));
      await recordUse(store, 'operator', new Map([[id, now - HOUR]]));
      assert.equal(await last(), '2026-11-22T00:00:00.000000Z');
    });

    test('is no customer’s, and the other way round', async () => {
      const service = await openService(kind, { accounts: ['C1'] });
      const { token } = await createOperatorToken(service.operator, { name: '' });
      assert.ok(isTokenOf('operator', token) && !isTokenOf('customer', token));
      assert.equal(await findCaller(service.operator, token), undefined);
      const customers = service.tokenOf('C1').token;
      assert.equal(isTokenOf('operator', customers), false);
      assert.equal(await findOperator(service.operator, customers), undefined);
      const { status, body } = await service.send('GET', '/api/v1/did/me', { authorization: token });
      assert.equal(status, 401);
      assert.match(body, /malformed/);
      await service.close();
    });
  });
}

test('the commands make, list, rotate and revoke them', async () => {
  const folder = temporaryFolder();
  const url = `sqlite:${join(folder, 'linecard.db')}`;
  const store = await openStore(url, 'write');
  await createAccount(store, 'Müller & Co');
  await createAccount(store, 'acme');
  await store.close();
  const run = (...words: string[]) =>
    runProgram(['token', ...words], { env: { LINECARD_DATABASE_URL: url } });
  const nobody = await run('create', '--operator', '--account', 'nobody');
  assert.equal(nobody.status, 1);
  assert.match(nobody.err, /There is no account nobody\. Create it with/);
  const made = await run(
    'create',
    '--operator',
    '--account',
    'Müller & Co',
    '--account',
    'acme',
    '--name',
    'feed',
  );
  assert.equal(made.status, 0, made.err);
  assert.match(made.out, /^lco_[0-9A-Za-z]{42}\n$/);
  assert.match(made.err, /of an operator, for Müller & Co, acme\. It is shown only once/);
  for (const file of readdirSync(folder))
    assert.equal(readFileSync(join(folder, file)).includes(made.out.trim()), false, file);

  const [{ id, ...token }] = JSON.parse((await run('list', '--operator', '--json')).out);
  assert.partialDeepStrictEqual(token, { name: 'feed', accounts: ['Müller & Co', 'acme'], revoked_at: null });
  assert.equal((await run('list', '--json')).out, '[]\n');
  const rotated = await run('rotate', id, '--overlap', '1h');
  assert.equal(rotated.status, 0, rotated.err);
  assert.match(rotated.err, new RegExp(`Token ${id} expires at 2`));
  const reader = await openStore(url, 'read');
  assert.deepEqual((await findOperator(reader, rotated.out.trim()))?.accounts, ['Müller & Co', 'acme']);
  assert.match((await run('revoke', id)).err, new RegExp(`^Revoked token ${id}`));
  assert.equal(await findOperator(reader, made.out.trim()), undefined);
  await reader.close();
  assert.match((await run('list', '--operator')).out, /ID +ACCOUNTS .*\n.+Müller & Co, acme/);
  const may = await run('create', '--operator', '--may', 'sign-in,webhooks', '--name', 'portal');
  assert.equal(may.status, 0, may.err);
  assert.match((await run('list', '--operator')).out, /portal +sign-in, webhooks/);
  const limits = ['--without-charges', '--from', '203.0.113.0/24', '--lists', 'virtual-numbers'];
  limits.push('--rate-limit', '60');
  const reads = await run('create', '--operator', '--may', 'read', '--name', 'support', ...limits);
  assert.match(
    reads.err,
    /all accounts \(virtual-numbers, no charges, from 203\.0\.113\.0\/24, 60 requests a minute\)/,
  );
  const after = await openStore(url, 'read');
  assert.partialDeepStrictEqual(await findOperator(after, reads.out.trim()), {
    ...{ may: ['read'], lists: ['virtual_numbers'], charges: false, addresses: ['203.0.113.0/24'] },
    rate_limit: 60,
  });
  await after.close();
  const writes = await run('create', '--operator', '--without-charges');
  assert.deepEqual(
    [writes.status, /nothing without --may read, so --without-charges/.test(writes.err)],
    [2, true],
  );
  const tree = await run('create', '--operator', '--may', 'read', '--reach', 'tree');
  assert.deepEqual([tree.status, /leave out --reach/.test(tree.err)], [2, true]);
  const two = await run('create', '--account', 'acme', '--account', 'Müller & Co');
  assert.deepEqual([two.status, /belongs to one account/.test(two.err)], [2, true]);
});
