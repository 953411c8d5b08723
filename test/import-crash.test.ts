// Whatever happens to an import: the old list or the whole new one, never between, and the next import works.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../server/store/open.ts';
import type { Store } from '../server/store/store.ts';
import { ENVIRONMENT } from './environment.ts';
import { MAIN } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Several times what `ulimit` leaves below, and as long to write as a command takes to start. */
const ROWS = Number(process.env['TEST_ROWS'] ?? 4_000);
/** As a summary says it. */
const IN_WORDS = ROWS.toLocaleString('en');
const OLD_ROWS = 300;
const KILLS = 4;
const WINDOWS = process.platform === 'win32';

const folder = temporaryFolder();

const path = join(folder, 'linecard.db');
const url = `sqlite:${path}`;

const HEADER = 'account_id,id,did,comment,status,subscription_status,frequency,created_at\n';

/** A file of numbers of one account, all with this comment. */
function file(comment: string, rows: number): string {
  const name = join(folder, `${comment}.csv`);
  const row = (_: unknown, i: number) =>
    `C1,${i + 1},+4420${String(70_000_000 + i)},${comment},active,active,monthly,2026-02-10T16:04:11.482913Z\n`;
  writeFileSync(name, HEADER + Array.from({ length: rows }, row).join(''));
  return name;
}

function startImport(...words: string[]): ChildProcess {
  const all = [
    MAIN,
    'import',
    'virtual-numbers',
    ...words,
    '--database-url',
    url,
    ...(words.some((word) => word.startsWith('--replace') || word === '--update') ? [] : ['--replace']),
    ...(words.includes('--update') ? [] : ['--max-removed', '100%']),
  ];
  return spawn(process.execPath, all, { env: ENVIRONMENT });
}

/** Waits for the end of a command: its exit status or signal, and what it said on standard error. */
async function ended(child: ChildProcess): Promise<{ how: unknown; said: string }> {
  const [said, [code, signal]] = await Promise.all([
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'exit') as Promise<[number | null, string | null]>,
  ]);
  return { how: code ?? signal, said };
}

/**
 * The log of what has changed is that of the imports which came to their end: each has ended one revision,
 * and what it says of its entries is so.
 */
async function mustAgreeWithLog(store: Store): Promise<void> {
  const [[account], [log]] = await store.read(
    {
      text: `select sequence, (select count(*) from revisions), (select max(sequence) from revisions) + 1,
        (select count(*) from revisions where revisions.revision = accounts.revision) from accounts`,
      values: [],
    },
    {
      text: `select entries, (select count(*) from virtual_numbers_changes), newest,
        (select coalesce(max(sequence), 0) from virtual_numbers_changes),
        (select max(sequence) from accounts) >= max(newest, rebuilt, filled) from change_logs`,
      values: [],
    },
  );
  const [sequence, ended, next, again] = (account ?? []).map(Number);
  assert.deepEqual([ended, next, again], [sequence, sequence, 0]);
  const [entries, counted, newest, last, isBehind] = (log ?? []).map(Number);
  assert.deepEqual([counted, last, isBehind], [entries, newest, 1]);
}

/** Which list a reader finds: how many rows, with which comments. */
async function found(): Promise<string> {
  const store = await openStore(url, 'read');
  await mustAgreeWithLog(store);
  const [rows] = await store.read({
    text: `select count(*), min(json_extract(item, '$.comment')), max(json_extract(item, '$.comment')),
      (select virtual_numbers from accounts) from virtual_numbers`,
    values: [],
  });
  await store.close();
  return String(rows[0]?.join(' '));
}

/** Whether an import holds the lock for writing, which it takes when its first rows have been read. */
function isBeingWritten(): boolean {
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma busy_timeout = 0; begin immediate; rollback');
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}

describe('an import that does not come to its end', () => {
  const old_file = file('old', OLD_ROWS);
  const new_file = file('new', ROWS);
  const OLD = `${OLD_ROWS} old old ${OLD_ROWS}`;
  const NEW = `${ROWS} new new ${ROWS}`;
  let usual_ms = 0;

  before(async () => {
    const begin = performance.now();
    assert.equal((await ended(startImport(new_file))).how, 0);
    usual_ms = performance.now() - begin;
    assert.equal((await ended(startImport(old_file))).how, 0);
    assert.equal(await found(), OLD);
  });

  test('because it was killed at any point leaves the old list or the whole new one', async () => {
    for (let i = 0; i < KILLS; i++) {
      const child = startImport(new_file, i % 2 === 0 ? '--replace' : '--replace-all');
      const end = ended(child);
      await sleep(usual_ms * (0.3 + (0.75 * i) / KILLS));
      child.kill('SIGKILL');
      const { how } = await end;
      const now = await found();
      assert.ok(now === OLD || (now === NEW && i > 0), `${how}: ${now}`);
      if (now === NEW) assert.equal((await ended(startImport(old_file))).how, 0);
    }
    assert.equal((await ended(startImport(old_file))).how, 0);
    assert.equal(await found(), OLD);
    assert.equal(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0);
  });

  test('because it was killed while it changed single columns leaves all as they were, or as they are to be', async () => {
    const changed = join(folder, 'changed.csv');
    const lines = Array.from({ length: ROWS }, (_, i) => `C1,${i + 1},changed\n`);
    writeFileSync(changed, `account_id,id,comment\n${lines.join('')}`);
    assert.equal((await ended(startImport(new_file, '--replace-all'))).how, 0);
    for (let i = 0; i < KILLS; i += 2) {
      const child = startImport(changed, '--update');
      const end = ended(child);
      await sleep(usual_ms * (0.3 + (0.75 * i) / KILLS));
      child.kill('SIGKILL');
      const { how } = await end;
      const now = await found();
      assert.ok(now === NEW || (now === `${ROWS} changed changed ${ROWS}` && i > 0), `${how}: ${now}`);
      if (now !== NEW) assert.equal((await ended(startImport(new_file))).how, 0);
    }
    const { how, said } = await ended(startImport(changed, '--update'));
    assert.equal(how, 0, said);
    assert.match(said, new RegExp(`${IN_WORDS} updated, 0 unchanged, 0 removed`));
    assert.equal((await ended(startImport(old_file, '--replace-all'))).how, 0);
    assert.equal(await found(), OLD);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`because of ${signal}, says so and leaves the old list`, { skip: WINDOWS }, async () => {
      const child = startImport('-', '--format', 'csv');
      const end = ended(child);
      // All rows, but not the end of the file: the import goes on waiting for more, within its transaction.
      child.stdin?.write(readFileSync(new_file));
      child.stdin?.on('error', () => {});
      while (!isBeingWritten() && child.exitCode === null) await sleep(20);
      child.kill(signal);
      const { how, said } = await end;
      assert.equal(how, 1);
      assert.match(said, /Nothing was imported: the lists are as they were\.\n$/);
      assert.equal(await found(), OLD);
    });
  }

  test('because the disk takes no more, says so and leaves the old list', { skip: WINDOWS }, async () => {
    // A limit on the size of files is the full disk that a test can have.
    const kibibytes = 2_048;
    const words = [MAIN, 'import', 'virtual-numbers', new_file, '--database-url', url];
    const limited = `ulimit -f ${2 * kibibytes}; exec "$0" "$@"`;
    const child = spawn('sh', ['-c', limited, process.execPath, ...words], { env: ENVIRONMENT });
    const { how, said } = await ended(child);
    assert.equal(how, 1, said);
    assert.match(said, /disk/i);
    assert.match(said, /Nothing was changed\.\n$/);
    assert.equal(await found(), OLD);
  });

  test('does not keep two others from running one after the other', async () => {
    const ends = await Promise.all([ended(startImport(new_file)), ended(startImport(new_file))]);
    for (const { how, said } of ends) assert.equal(how, 0, said);
    assert.match(ends.map(({ said }) => said).join(''), new RegExp(`${IN_WORDS} unchanged`));
    assert.equal(await found(), NEW);
  });
});
