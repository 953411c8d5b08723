// The PostgreSQL of the tests starts wherever the tests may be run, for root in folders that only root may
// enter too.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isOpen } from '../kit/postgres-process.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const SERVER = new URL('../kit/postgres-server.ts', import.meta.url).href;
const STARTS = `
  const { PostgresServer, query } = await import(${JSON.stringify(SERVER)});
  const server = await PostgresServer.start();
  console.log((await query(server.url, 'select 6 * 7 as answer'))[0].answer);
  await server.stop();
`;

describe('the PostgreSQL of the tests', () => {
  test('a folder is open to all where no folder above it is closed', () => {
    const folder = temporaryFolder();
    const inner = join(folder, 'inner');
    mkdirSync(inner);
    chmodSync(inner, 0o755);
    assert.equal(isOpen(inner), false);
    chmodSync(folder, 0o755);
    assert.equal(isOpen(inner), isOpen(tmpdir()));
  });

  test('starts where the temporary folder is private', () => {
    const folder = temporaryFolder();
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', STARTS], {
      env: { ...process.env, TMPDIR: folder },
      encoding: 'utf8',
    });
    assert.equal(stdout, '42\n', stderr);
  });
});
