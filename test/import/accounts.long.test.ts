// An import of accounts that is killed at any instant leaves the old accounts and tokens or the new, and the
// next import works.

import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { importFiles } from '../../server/import/import.ts';
import { ACCOUNTS, type ImportJob } from '../../server/import/job.ts';
import { listAccounts } from '../../server/store/access/accounts.ts';
import { findCaller } from '../../server/store/access/callers.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { everyInstant } from '../kit/killed.ts';
import { PostgresServer, query } from '../kit/postgres-server.ts';
import { ndjson } from '../kit/rows.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

describe('an import of accounts that is killed', () => {
  const BEFORE: readonly object[] = [
    { account_id: 'A', name: 'old' },
    { account_id: 'B', disabled: true },
  ];
  const ROWS: readonly object[] = [
    { account_id: 'A', name: 'new', disabled: true },
    { account_id: 'B', parent_id: 'A', disabled: false },
    { account_id: 'C' },
  ];
  const OLD = 'A old -, B  - disabled; valid: A';
  const NEW = 'A new - disabled, B  A, C  -; valid: B';

  const load = (store: Store, rows: readonly object[], job: Partial<ImportJob> = {}) =>
    importFiles({
      store,
      table: ACCOUNTS,
      files: ['-'],
      format: 'ndjson',
      stdin: Readable.from([ndjson(rows)]),
      ...job,
    });

  /** Makes the accounts with a token for each; B has been disabled with its token. */
  async function prepared(store: Store): Promise<string[]> {
    await load(store, [{ account_id: 'A', name: 'old' }, { account_id: 'B' }]);
    const tokens = await Promise.all(['A', 'B'].map(async (id) => (await createToken(store, id, ''))?.token));
    await load(store, BEFORE);
    await setImmediate();
    return tokens.map(String);
  }

  async function stateOf(store: Store, tokens: readonly string[]): Promise<string> {
    const found = await listAccounts(store);
    const shown = found.map(({ id, name, parent_id, disabled_at }) =>
      `${id} ${name} ${parent_id ?? '-'} ${disabled_at === null ? '' : 'disabled'}`.trim(),
    );
    const callers = await Promise.all(tokens.map((token) => findCaller(store, token)));
    await setImmediate();
    return `${shown.join(', ')}; valid: ${callers.flatMap((one) => one?.account_id ?? []).join(', ')}`;
  }

  test('leaves the old accounts and tokens or the new, at every instant of the embedded store', async () => {
    const folder = temporaryFolder();
    const url = (path: string) => `sqlite:${join(path, 'linecard.db')}`;
    const store = await openStore(url(folder), 'write');
    const tokens = await prepared(store);
    assert.equal(await stateOf(store, tokens), OLD);
    const copies = await everyInstant(folder, () => load(store, ROWS));
    assert.equal(await stateOf(store, tokens), NEW);
    await store.close();
    // The two files are not committed together: the lists are first.
    const between = `${folder}-between`;
    cpSync(folder, between, { recursive: true });
    const last = copies.findLast((copy) => existsSync(join(copy, 'linecard.db-tokens'))) ?? '';
    for (const name of ['linecard.db-tokens', 'linecard.db-tokens-wal'])
      if (existsSync(join(last, name))) cpSync(join(last, name), join(between, name));
    const states = new Set<string>();
    for (const copy of [...copies, between]) {
      const left = await openStore(url(copy), 'write');
      states.add(await stateOf(left, tokens));
      await load(left, ROWS);
      assert.equal(await stateOf(left, tokens), NEW, copy);
      await left.close();
    }
    assert.deepEqual([...states], [OLD, NEW]);
  });

  test('leaves the old ones where PostgreSQL loses its connection before the commit', async () => {
    const database = await (await PostgresServer.shared()).makeDatabase();
    const store = await openStore(database.url, 'write');
    const tokens = await prepared(store);
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    await assert.rejects(
      load(store, ROWS, { beforeCommit: async () => void (await query(database.url, kill)) }),
    );
    assert.equal(await stateOf(store, tokens), OLD);
    await load(store, ROWS);
    assert.equal(await stateOf(store, tokens), NEW);
    await store.close();
    await database.remove();
  });
});
