// A database that a command created and had no use for.

import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../test/kit/temporary-folder.ts';
import { createAccount } from '../access/accounts.ts';
import { createOperatorToken } from '../access/tokens.ts';
import { SqliteStore } from './sqlite.ts';
import { removeUnused } from './unused.ts';

const folder = temporaryFolder();

test('is removed with its other files, unless somebody has it open or has used it', async () => {
  const path = join(folder, 'new.db');
  const open = SqliteStore.open(path, 'write');
  removeUnused(path, false);
  assert.equal(existsSync(path), true, 'in use');
  await open.close();
  removeUnused(path, false);
  assert.deepEqual(
    ['', '-tokens', '-reserve', '-wal', '-shm'].filter((end) => existsSync(path + end)),
    [],
  );
  for (const use of [
    (store: SqliteStore) => createAccount(store, 'acme', {}),
    (store: SqliteStore) => createOperatorToken(store, { name: 'feed' }),
  ]) {
    const used = SqliteStore.open(path, 'write');
    await use(used);
    await used.close();
    removeUnused(path, false);
    assert.equal(existsSync(path), true, String(use));
    for (const end of ['', '-tokens', '-reserve']) rmSync(path + end);
  }
});
