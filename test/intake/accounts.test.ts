// Accounts over HTTP: the same rows and faults as the command, in order, and by tokens that may write some
// accounts only.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { CSV, type Intake, NDJSON, openIntake } from '../kit/intake-server.ts';
import { ndjson } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';
import { deleteEverything, selectIn } from '../kit/stored-items.ts';

for (const kind of stores) {
  describe(`accounts at the intake, on ${kind.name}`, () => {
    let intake: Intake;
    before(async () => {
      intake = await openIntake(kind);
    });
    beforeEach(() => deleteEverything(intake.operator));
    after(() => intake.close());

    const accounts = async () =>
      (await selectIn(intake.operator, 'select id, name, parent_id from accounts order by id')).map((row) =>
        row.map((one) => one ?? '').join(' '),
      );
    const send = (rows: readonly object[], headers: Record<string, string> = {}) =>
      intake.send('POST', 'accounts', ndjson(rows), { ...NDJSON, ...headers });
    const sendAs = (token: string, rows: readonly object[]) =>
      intake.sendWith('POST', 'accounts', ndjson(rows), { authorization: `Bearer ${token}`, ...NDJSON });

    test('are made and changed, and the answer is the summary', async () => {
      const csv = 'account_id,name,parent_id\nC1,One,R1\nR1,Seller,\n';
      const { status, json } = await intake.send('POST', 'accounts', csv, CSV);
      assert.equal(status, 200);
      assert.partialDeepStrictEqual(json, { list: 'accounts', dry_run: false, rows: 2, inserted: 2 });
      assert.deepEqual(await accounts(), ['C1 One R1', 'R1 Seller ']);
      const tried = await intake.send('POST', 'accounts?dry_run=true', 'account_id,name\nC1,Other\n', CSV);
      assert.deepEqual(tried.json.accounts, [
        { account_id: 'C1', inserted: 0, updated: 1, disabled: 0, enabled: 0 },
      ]);
      assert.deepEqual(await accounts(), ['C1 One R1', 'R1 Seller ']);
    });

    test('are refused with every fault', async () => {
      const { status, json } = await send([
        { account_id: 'A', parent_id: 'B' },
        { account_id: 'B', parent_id: 'A' },
        { account_id: 'C', currency: 'XXX' },
      ]);
      assert.equal(status, 422);
      assert.deepEqual(
        json.errors.map(({ line, column }: { line: number; column: string }) => [line, column]),
        [
          [1, 'parent_id'],
          [2, 'parent_id'],
          [3, 'currency'],
        ],
      );
      assert.equal(json.total, 3);
      assert.deepEqual(await accounts(), []);
    });

    test('take no option of the lists, and are neither replaced nor deleted', async () => {
      for (const [method, path] of [
        ['PUT', 'accounts'],
        ['PATCH', 'accounts'],
        ['DELETE', 'accounts'],
      ] as const) {
        const { status, headers } = await intake.send(method, path, 'account_id\nA\n');
        assert.deepEqual([status, headers.get('allow')], [405, 'POST, GET, HEAD'], method);
      }
      for (const parameter of ['account=A', 'all=true', 'max_removed=5', 'max_moved=5']) {
        const { status, json } = await intake.send('POST', `accounts?${parameter}`, 'account_id\nA\n');
        assert.equal(status, 400, parameter);
        assert.match(json.detail, / is about the items of a list\. An import of accounts .* deletes none\./);
      }
      const { json } = await intake.send('POST', 'accounts?nothing=1', 'account_id\nA\n');
      assert.match(
        json.detail,
        /Known are skip_deleted, expect_rows, dry_run, delimiter, encoding, mapping\./,
      );
      assert.deepEqual(await accounts(), []);
    });

    test('come in the order of their feed', async () => {
      const numbered = (sequence: number) => ({
        'linecard-feed': 'crm',
        'linecard-sequence': String(sequence),
      });
      assert.equal((await send([{ account_id: 'A', name: 'new' }], numbered(7))).status, 200);
      assert.equal((await send([{ account_id: 'A', name: 'old' }], numbered(6))).status, 409);
      assert.deepEqual(await accounts(), ['A new ']);
    });

    test('a token that is bound to accounts writes those, and puts them below no other', async () => {
      await send([{ account_id: 'R', parent_id: 'top' }, { account_id: 'top' }]);
      const token = await intake.tokenFor('A', 'B');
      assert.equal((await sendAs(token, [{ account_id: 'B', name: 'b', parent_id: 'A' }])).status, 200);
      const refusals = [];
      for (const rows of [
        [{ account_id: 'R', name: 'x' }],
        [{ account_id: 'unknown', name: 'x' }],
        [{ account_id: 'A', parent_id: 'R' }],
        [{ account_id: 'A', parent_id: 'unknown' }],
        [{ account_id: 'R', parent_id: 'A' }],
        [{ account_id: 'R', parent_id: 'R' }],
      ])
        refusals.push(await sendAs(token, rows));
      const named = ['R', 'unknown', 'R', 'unknown', 'R', 'R'];
      assert.deepEqual(
        refusals.map(({ status, json }) => [status, json.detail]),
        named.map((id) => [403, `This token may not write the account "${id}". Nothing was changed.`]),
      );
      assert.deepEqual(await accounts(), ['A  ', 'B b A', 'R  top', 'top  ']);
    });

    test('a token that is bound to accounts does not take one from below another', async () => {
      await send([{ account_id: 'A', parent_id: 'R' }, { account_id: 'R' }]);
      const token = await intake.tokenFor('A', 'B');
      for (const parent_id of ['', 'B']) {
        const { status, json } = await sendAs(token, [{ account_id: 'B' }, { account_id: 'A', parent_id }]);
        assert.equal(status, 403);
        assert.match(json.detail, /is below one that this token may not write.* Leave its parent_id out\./);
      }
      assert.deepEqual(await accounts(), ['A  R', 'B  ', 'R  ']);
      assert.equal((await sendAs(token, [{ account_id: 'A', name: 'a' }])).status, 200);
      assert.deepEqual(await accounts(), ['A a R', 'B  ', 'R  ']);
    });

    test('a token for one list does not see how many items the other has', async () => {
      await send([{ account_id: 'C1' }]);
      const limits = { lists: ['virtual_numbers'] } as const;
      const may = ['accounts', 'read'] as const;
      const { token } = await createOperatorToken(intake.operator, { name: '', may, limits });
      const seen = async (path: string) =>
        (await intake.sendWith('GET', path, undefined, { authorization: `Bearer ${token}` })).json;
      const [listed] = (await seen('accounts')).data;
      for (const one of [listed, await seen('accounts/C1')])
        assert.deepEqual([one.virtual_numbers, one.additional_services], [0, null]);
    });

    test('a fault names no account to a token that may not write it', async () => {
      await send([
        { account_id: 'X1' },
        ...[2, 3, 4, 5, 6].map((i) => ({ account_id: `X${i}`, parent_id: `X${i - 1}` })),
      ]);
      const token = await intake.tokenFor('A', 'B', 'C');
      await send([{ account_id: 'A', parent_id: 'X6' }]);
      const { status, json } = await sendAs(token, [
        { account_id: 'B', parent_id: 'A' },
        { account_id: 'C', parent_id: 'B' },
      ]);
      assert.equal(status, 422);
      assert.match(
        json.errors[0].detail,
        /"C" below "B" below "A" below another account below another account/,
      );
      assert.ok(!JSON.stringify(json).includes('X'));
    });
  });
}
