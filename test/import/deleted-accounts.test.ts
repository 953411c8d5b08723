// An account that was deleted does not come back by a file of before.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, test } from 'node:test';
import { importFiles } from '../../server/import/import.ts';
import { ACCOUNTS, type ImportJob } from '../../server/import/job.ts';
import { createAccountOperation } from '../../server/operations/accounts.ts';
import { createAccount, deleteAccount, hasAccount } from '../../server/store/access/accounts.ts';
import { copyStore } from '../../server/store/copy.ts';
import { commandOrigin } from '../../server/store/log/audit.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { deleteEverything, faultsOfRefused } from '../kit/stored-items.ts';
import type { Database } from '../kit/templates.ts';

for (const kind of stores) {
  describe(`an account that was deleted, on ${kind.name}`, () => {
    let database: Database;
    let store: Store;

    before(async () => {
      database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
    });
    beforeEach(async () => {
      await deleteEverything(store);
      for (const id of ['C7', 'C8']) await createAccount(store, id);
      assert.equal(await deleteAccount(store, 'C7'), true);
    });
    after(async () => {
      await store.close();
      await database.remove();
    });

    const run = (rows: readonly object[], more: Partial<ImportJob> = {}) =>
      importFiles({
        store,
        table: tables.virtual_numbers,
        files: ['-'],
        format: 'ndjson',
        stdin: Readable.from([ndjson(rows)]),
        ...more,
      });
    const refused = (rows: readonly object[], more: Partial<ImportJob> = {}) =>
      faultsOfRefused(store, () => run(rows, more));
    const isThere = (id: string) => hasAccount(store, id);
    const deleted =
      /"C7" was deleted on \d{4}-\d\d-\d\d\. Leave its rows out, as --skip-deleted does, or create it/;

    const mixed = [numberRow('C8', 1), numberRow('C7', 2), numberRow('C7', 3), numberRow('C9', 4)];
    const modes: [what: string, rows: readonly object[], job: Partial<ImportJob>][] = [
      ['items', mixed, {}],
      ['items, replacing all', mixed, { replace_all: true }],
      ['items that go', mixed.map(({ account_id, id }) => ({ account_id, id, removed: true })), {}],
      ['accounts', ['C8', 'C7', 'C10'].map((account_id) => ({ account_id })), { table: ACCOUNTS }],
    ];
    for (const [what, rows, job] of modes) {
      const ofIt = rows.filter((row) => 'account_id' in row && row.account_id === 'C7').length;
      test(`is named by rows of ${what}: refused with their lines, or left out`, async () => {
        const faults = await refused(rows, job);
        assert.equal(faults.length, ofIt);
        assert.match(String(faults[0]), /:2: account_id: /);
        for (const fault of faults) assert.match(fault, deleted);
        const { rows: read, left_out } = await run(rows, { ...job, skip_deleted: true });
        assert.deepEqual([read, left_out], [rows.length - ofIt, ofIt]);
        assert.equal(await isThere('C7'), false);
      });
    }

    test('has no items that could be updated', async () => {
      await run([numberRow('C8', 1)]);
      const rows = ['C8', 'C7'].map((account_id) => ({ account_id, id: 1, comment: 'x' }));
      const faults = await refused(rows, { update: true });
      assert.deepEqual([faults.length, deleted.test(String(faults))], [1, true], String(faults));
      assert.equal((await run(rows, { update: true, skip_deleted: true })).updated, 1);
    });

    test('is not named to a sender that may not write it', async () => {
      const refusal = () => Promise.reject(new Error('This sender may not write C7.'));
      const rows = [numberRow('C8', 1), numberRow('C7', 2)];
      const sent = run(rows, { mayWrite: (id) => id === 'C8', beforeCommit: refusal });
      await assert.rejects(sent, /^Error: This sender may not write C7\.$/);
    });

    test('is an account again once it is created, below another as well', async () => {
      await createAccount(store, 'C7');
      assert.equal((await run([numberRow('C7', 2)])).inserted, 1);
      assert.equal(await deleteAccount(store, 'C7'), true);
      const context = { store, by: { ...commandOrigin(), accounts: undefined } };
      await createAccountOperation.run(context, { id: 'C7', name: '', currency: null, parent_id: 'C8' }, '');
      assert.equal((await run([numberRow('C7', 2)])).inserted, 1);
    });

    test('is deleted in a copy of the database as well', async () => {
      const other = await databaseOf(kind);
      const copy = await openStore(other.url, 'write');
      try {
        await copyStore(store, copy, () => {});
        const faults = await faultsOfRefused(copy, () => run([numberRow('C7', 2)], { store: copy }));
        assert.match(String(faults), deleted);
      } finally {
        await copy.close();
        await other.remove();
      }
    });
  });
}
