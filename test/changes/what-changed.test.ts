// What changed: activity says what fields were and became, and of which number; on every store. That it is
// right for random imports is in events.test.ts.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { ActivityEntry } from '../../api/contract/activity.ts';
import { chargeOf } from '../../api/contract/charge.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { statement } from '../../server/store/sql.ts';
import { declareField, removeField, updateNumbers } from '../kit/own-fields.ts';
import { numberRow } from '../kit/rows.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';

const ACCOUNTS = ['C1', 'C2', 'C3', 'C4', 'C5'];
const MOST = 1_000_000_000_000_000;

for (const kind of stores) {
  describe(`what changed, on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: ACCOUNTS, indexBytes: 0 });
    });
    after(async () => service.close());

    async function ask(account_id: string, events: string): Promise<readonly ActivityEntry[]> {
      const { status, body } = await service.ask(account_id, `/api/v1/activity?events=${events}`);
      assert.equal(status, 200, body);
      return (JSON.parse(body) as { data: ActivityEntry[] }).data;
    }
    const itemsOf = async (account_id: string, events: string) =>
      (await ask(account_id, events)).map(({ items }) => items);
    const did = (id: number) => String(numberRow('', id)['did']);

    test('charges are exact, whatever they are', async () => {
      await load(service.operator, 'virtual_numbers', [numberRow('C1', 1, { monthly: 0 })]);
      let last = 0;
      const check = async (next: number) => {
        if (next === last) return;
        const [from, to] = [last, next].map((one) => ({ monthly: chargeOf(one) }));
        await load(service.operator, 'virtual_numbers', [numberRow('C1', 1, { monthly: chargeOf(next) })]);
        const [[item] = []] = await itemsOf('C1', 'charges_changed');
        assert.deepEqual(item, { id: 1, label: did(1), from, to });
        last = next;
      };
      for (const one of [1, -MOST, MOST, 2_250_000, 2_750_000, 999_999_999_999_999]) await check(one);
      await fc.assert(fc.asyncProperty(fc.integer({ min: -MOST, max: MOST }), check), { numRuns: 20 });
    });

    test('texts are what they were, with quotes and in every script', async () => {
      const statuses = ['a "quote" \\ and, [brackets]', 'заблокирован 🦊', '\u0001', '2,"x",1', 'active'];
      await load(service.operator, 'virtual_numbers', [numberRow('C2', 101, { status: 'active' })]);
      for (const [i, status] of statuses.entries()) {
        await load(service.operator, 'virtual_numbers', [numberRow('C2', 101, { status })]);
        const [[item] = []] = await itemsOf('C2', 'status_changed');
        assert.deepEqual(item?.from, { status: statuses[i - 1] ?? 'active' });
        assert.deepEqual(item?.to, { status });
      }
    });

    test('a token without charges sees none, and everything else', async () => {
      await load(service.operator, 'virtual_numbers', [numberRow('C3', 201, { monthly: 71.25 })]);
      const changed = { monthly: 82.5, status: 'blocked', comment: 'new' };
      await load(service.operator, 'virtual_numbers', [numberRow('C3', 201, changed)]);
      const made = await createToken(service.operator, 'C3', 'limited', undefined, { charges: false });
      const authorization = made?.token ?? assert.fail();
      for (const search of ['', '?events=status_changed,changed', '?lists=virtual_numbers&ids=201']) {
        const { body } = await service.send('GET', `/api/v1/activity${search}`, { authorization });
        assert.match(body, /"from":\{"status":"active"\},"to":\{"status":"blocked"\}/);
        assert.doesNotMatch(body, /monthly|71\.25|82\.5/);
      }
    });

    test('an item that was removed is known by what it was called, and one that is back by its new name', async () => {
      const [one, two] = [numberRow('C4', 301), numberRow('C4', 302)];
      await load(service.operator, 'virtual_numbers', [one, two]);
      await load(
        service.operator,
        'virtual_numbers',
        [one, two].map((row) => ({ ...row, status: 'blocked' })),
      );
      await load(service.operator, 'virtual_numbers', [{ ...one, status: 'blocked' }], ['C4']);
      const labels = async () =>
        (await itemsOf('C4', 'removed,status_changed')).map((all) => all.map(({ label }) => label));
      assert.deepEqual((await labels()).slice(-2), [[did(302)], [did(301), did(302)]]);
      await load(service.operator, 'virtual_numbers', [{ ...two, did: '+12025550100' }]);
      assert.deepEqual((await labels()).slice(-2), [['+12025550100'], [did(301), '+12025550100']]);
    });

    test('an own charge is among the charges, until it is removed, also if another one gets its name', async () => {
      const { operator } = service;
      const update = async (x_cost: number) =>
        void (await updateNumbers(operator, [{ account_id: 'C5', id: 401, x_cost }]));
      await load(operator, 'virtual_numbers', [numberRow('C5', 401)]);
      await declareField(operator, { name: 'x_cost', kind: 'charge' });
      await update(0.5);
      await update(1.25);
      const [cost, first] = await itemsOf('C5', 'charges_changed');
      assert.deepEqual(cost, [{ id: 401, label: did(401), from: { x_cost: 0.5 }, to: { x_cost: 1.25 } }]);
      assert.deepEqual(first?.[0]?.from, { x_cost: 0 });
      await removeField(operator, 'x_cost');
      const removed = await service.ask('C5', '/api/v1/activity?events=charges_changed');
      assert.doesNotMatch(removed.body, /x_cost|1\.25/);
      await setImmediate();
      await declareField(operator, { name: 'x_cost', kind: 'charge' });
      await update(3);
      const after = (await itemsOf('C5', 'charges_changed')).map((items) => items[0]?.to);
      assert.deepEqual(after, [{ x_cost: 3 }, undefined, undefined]);
    });

    test('what was logged before the upgrade says what happened alone', async () => {
      await service.operator.write(statement('update virtual_numbers_changes set from_to = null'));
      const items = (await itemsOf('C3', 'status_changed')).flat();
      assert.deepEqual(items, [{ id: 201, label: did(201) }]);
    });
  });
}
