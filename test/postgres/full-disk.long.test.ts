// Emergencies while the disk of a PostgreSQL server is full, and its log still has space: a token is revoked
// and an account disabled all the same.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serverFolder, serverUser } from '../kit/postgres-process.ts';
import { PostgresServer, query, urlWith } from '../kit/postgres-server.ts';
import { Operator } from '../kit/program.ts';

const DISK_MEBIBYTES = 32;
const PAGE = Buffer.alloc(4_096, 1);

const disk = serverFolder('linecard-disk-');
const { uid, gid } = serverUser() ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const OPTIONS = `size=${DISK_MEBIBYTES}m,uid=${uid},gid=${gid},mode=755`;
const canMount = spawnSync('mount', ['-t', 'tmpfs', '-o', OPTIONS, 'tmpfs', disk]).status === 0;
if (!canMount) rmSync(disk, { recursive: true });

/** Writes a file until the disk takes no more. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, PAGE);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(file);
  }
}

describe('on a full disk of PostgreSQL', { skip: !canMount && 'no disk may be mounted here' }, () => {
  let server: PostgresServer;
  let operator: Operator;
  let url: string;

  before(async () => {
    server = await PostgresServer.start();
    await query(server.url, `create tablespace small location '${disk}'`);
    const lists = `create database lists tablespace small template template0 encoding 'UTF8' locale 'C'`;
    await query(server.url, lists);
    url = urlWith(server.url, { database: 'lists' });
    operator = new Operator(url);
    await operator.mustDo('migrate');
    for (const account of ['one', 'two']) {
      await operator.mustDo('account', 'create', account);
      await operator.mustDo('token', 'create', '--account', account);
    }
  });
  after(async () => {
    operator?.close();
    await server?.stop();
    spawnSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true });
  });

  test('a token is revoked and an account disabled, also where the audit log has no page left', async () => {
    const [[one], [two]] = [await operator.tokenIds('one'), await operator.tokenIds('two')];
    // The next entry of each needs a new page.
    await query(url, 'truncate token_events, account_events');
    const filling = join(disk, 'filling');
    fill(filling);
    assert.match((await operator.run('account', 'create', 'three')).err, /The disk of the database is full/);
    const revoked = await operator.run('token', 'revoke', String(one));
    assert.deepEqual([revoked.status, revoked.err.includes('no space for entries')], [0, true], revoked.err);
    const disabled = await operator.run('account', 'disable', 'two');
    assert.deepEqual(
      [disabled.status, disabled.err.includes('no space for entries')],
      [0, true],
      disabled.err,
    );
    const state = await query(
      url,
      `select tokens.id, revoked_at is not null as revoked, suspended_at is not null as suspended, disabled_at is not null as disabled
        from tokens join accounts on accounts.id = account_id order by account_id`,
    );
    assert.deepEqual(state, [
      { id: one, revoked: true, suspended: false, disabled: false },
      { id: two, revoked: false, suspended: true, disabled: true },
    ]);
    rmSync(filling);
    await operator.mustDo('account', 'enable', 'two');
    assert.match(
      await operator.mustDo('audit'),
      /account enabled[\s\S]*token resumed|token resumed[\s\S]*account enabled/,
    );
  });
});
