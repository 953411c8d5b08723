// Accounts and tokens on every store, as they change: who is refused from when on, and what a change leaves
// behind.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { belongingsOf } from '../../server/store/access/account-pages.ts';
import {
  createAccount,
  deleteAccount,
  disableAccount,
  enableAccount,
  listAccounts,
  updateAccount,
} from '../../server/store/access/accounts.ts';
import { findCaller } from '../../server/store/access/callers.ts';
import { revokeTokensOf } from '../../server/store/access/token-batch.ts';
import { createToken, endToken, listTokens, succeedToken } from '../../server/store/access/tokens.ts';
import { additional_services, virtual_numbers } from '../kit/model.ts';
import { numberRow } from '../kit/rows.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const HOUR = 3_600_000;

for (const kind of stores) {
  describe(`on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, {
        accounts: ['C1', 'C2', 'C3'],
        rows: { virtual_numbers: [numberRow('C1', 1), numberRow('C2', 2), numberRow('C3', 3)] },
      });
    });
    after(() => service.close());

    const statusOf = async (id: string) => (await service.ask(id, virtual_numbers.path)).status;
    const accountOf = async (id: string) =>
      (await listAccounts(service.operator)).find((account) => account.id === id);
    const revisionOf = async (id: string) =>
      (
        await service.operator.read({
          text: `select revision, updated_at from accounts where id = '${id}'`,
          values: [],
        })
      )[0][0];

    async function becomes(id: string, status: number) {
      const seen = new Set<number>();
      await until(`${id} is answered ${status}`, async () => {
        const current = await statusOf(id);
        if (current !== status) seen.add(current);
        return current === status;
      });
      for (const other of seen) assert.ok([200, 401].includes(other), `answered ${other} on the way`);
    }

    test('a disabled account is refused as an unknown token is, and taken again when it is enabled', async () => {
      assert.equal(await statusOf('C1'), 200);
      const before = await revisionOf('C1');
      assert.equal(await disableAccount(service.operator, 'C1'), true);
      await becomes('C1', 401);
      const refused = await service.ask('C1', additional_services.path);
      assert.match(refused.body, /not valid/);
      const since = (await accountOf('C1'))?.disabled_at;
      assert.match(String(since), /Z$/);
      await disableAccount(service.operator, 'C1');
      assert.equal((await accountOf('C1'))?.disabled_at, since);
      assert.equal(await enableAccount(service.operator, 'C1'), true);
      await becomes('C1', 200);
      assert.deepEqual(await revisionOf('C1'), before);
      assert.deepEqual(
        [await disableAccount(service.operator, 'nobody'), await enableAccount(service.operator, 'nobody')],
        [false, false],
      );
    });

    test('a change of name or currency changes nothing else, and the revision', async () => {
      const before = await revisionOf('C1');
      assert.equal(await updateAccount(service.operator, 'C1', { currency: 'EUR' }), true);
      assert.equal(await updateAccount(service.operator, 'C1', { name: 'One' }), true);
      const { name, currency, updated_at } = (await accountOf('C1')) ?? {};
      assert.deepEqual([name, currency], ['One', 'EUR']);
      const now = await revisionOf('C1');
      assert.notEqual(now?.[0], before?.[0]);
      assert.ok(String(updated_at) > String(before?.[1]));
      assert.equal(await updateAccount(service.operator, 'nobody', { name: 'x' }), false);
      assert.equal(await createAccount(service.operator, 'C1', { currency: 'USD' }), false);
      assert.equal((await accountOf('C1'))?.currency, 'EUR');
    });

    test('the time of the last change goes with the revision, through an import as well', async () => {
      const before = [await revisionOf('C1'), await revisionOf('C2')];
      await sleep(2);
      await load(service.operator, 'virtual_numbers', [
        { ...numberRow('C2', 2), comment: 'new' },
        numberRow('C1', 1),
      ]);
      assert.deepEqual(await revisionOf('C1'), before[0]);
      const [revision, updated_at] = (await revisionOf('C2')) ?? [];
      assert.notEqual(revision, before[1]?.[0]);
      assert.ok(String(updated_at) > String(before[1]?.[1]));
      await load(service.operator, 'virtual_numbers', [numberRow('C4', 4)]);
      const made = await accountOf('C4');
      assert.equal(made?.updated_at, made?.created_at);
    });

    test('a deleted account takes its items and tokens with it, and nothing of others', async () => {
      assert.deepEqual(await belongingsOf(service.operator, 'C3'), {
        webhooks: 0,
        items: { virtual_numbers: 1, additional_services: 0 },
        tokens: 1,
      });
      assert.equal(await deleteAccount(service.operator, 'C3'), true);
      await becomes('C3', 401);
      const left = await service.operator.read({
        text: `select id from virtual_numbers where account_id = 'C3'`,
        values: [],
      });
      assert.deepEqual(left, [[]]);
      assert.equal(await belongingsOf(service.operator, 'C3'), undefined);
      assert.equal(await deleteAccount(service.operator, 'C3'), false);
      assert.equal(await statusOf('C2'), 200);
      // One of the same id starts from nothing.
      await load(service.operator, 'virtual_numbers', [numberRow('C3', 5)]);
      assert.deepEqual((await belongingsOf(service.operator, 'C3'))?.items['virtual_numbers'], 1);
    });

    test('a token that takes the place of another is like it, and the other ends', async () => {
      const first = await createToken(service.operator, 'C2', 'phone book', Date.now() + HOUR);
      const second = await succeedToken(service.operator, first?.id ?? '');
      const tokens = await listTokens(service.operator, 'customer', 'C2');
      const [old, made] = [first, second].map((one) => tokens.find(({ id }) => id === one?.id));
      assert.equal(made?.name, old?.name);
      const lasts = Date.parse(made?.expires_at ?? '') - Date.parse(made?.created_at ?? '');
      assert.ok(Math.abs(lasts - HOUR) < 1_000);
      assert.ok(await findCaller(service.operator, first?.token ?? ''));
      await endToken(service.operator, first?.id ?? '', Date.now() + 2 * HOUR);
      const [unchanged] = (await listTokens(service.operator, 'customer', 'C2')).filter(
        ({ id }) => id === first?.id,
      );
      assert.equal(unchanged?.expires_at, old?.expires_at);
      await endToken(service.operator, first?.id ?? '', Date.now());
      assert.equal(await findCaller(service.operator, first?.token ?? ''), undefined);
      assert.ok(await findCaller(service.operator, second?.token ?? ''));
      assert.equal(await succeedToken(service.operator, first?.id ?? ''), undefined);
      assert.equal(await succeedToken(service.operator, 'nothing'), undefined);
    });

    test('all tokens of an account are revoked at once, and no others', async () => {
      const made = await Promise.all([1, 2, 3].map(() => createToken(service.operator, 'C4', '')));
      assert.equal(await revokeTokensOf(service.operator, 'C4'), 3);
      for (const one of made) assert.equal(await findCaller(service.operator, one?.token ?? ''), undefined);
      assert.equal(await revokeTokensOf(service.operator, 'C4'), 0);
      assert.equal(await revokeTokensOf(service.operator, 'nobody'), undefined);
      assert.equal(await statusOf('C2'), 200);
    });
  });
}
