// Whatever happens to an import: the old list or the whole new one, never between, and the next import works.

import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { type Running, startProgram } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

/** Several times what `ulimit` leaves below, and as long to write as a command takes to start. */
const ROWS = Number(process.env['TEST_ROWS'] ?? 4_000);
/** As a summary says it. */
const IN_WORDS = ROWS.toLocaleString('en');
const OLD_ROWS = 300;
const KILLS = Number(process.env['TEST_KILLS'] ?? 4);
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

function startImport(...words: string[]): Running {
  const isUpdate = words.includes('--update');
  const all = [
    ...words,
    '--database-url',
    url,
    ...(isUpdate || words.some((word) => word.startsWith('--replace')) ? [] : ['--replace']),
    ...(isUpdate ? [] : ['--max-removed', '100%']),
  ];
  return startProgram(['import', 'virtual-numbers', ...all]);
}

/** Waits for the end of an import: its exit status or signal, and what it said on standard error. */
async function endOf({ ended }: Running): Promise<{ how: unknown; said: string }> {
  const { status, signal, err } = await ended;
  return { how: status ?? signal, said: err };
}

async function mustImport(...words: string[]): Promise<void> {
  const { how, said } = await endOf(startImport(...words));
  assert.equal(how, 0, said);
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
  const oldFile = file('old', OLD_ROWS);
  const newFile = file('new', ROWS);
  const OLD = `${OLD_ROWS} old old ${OLD_ROWS}`;
  const NEW = `${ROWS} new new ${ROWS}`;
  let usualMs = 0;

  before(async () => {
    const begin = performance.now();
    await mustImport(newFile);
    usualMs = performance.now() - begin;
    await mustImport(oldFile);
    assert.equal(await found(), OLD);
  });

  /** Kills imports at any point: each leaves what was there, or all that it makes; `restore` undoes that. */
  async function mustSurvive(
    nth: readonly number[],
    before: string,
    after: string,
    restore: string,
    start: (i: number) => Running,
  ) {
    let undone = 0;
    for (const i of nth) {
      const running = start(i);
      if (i === 0) await until('it writes', () => isBeingWritten() || running.child.exitCode !== null);
      else await sleep(usualMs * (0.3 + (0.75 * i) / KILLS));
      running.child.kill('SIGKILL');
      const { how } = await endOf(running);
      const now = await found();
      assert.ok(now === before || now === after, `${how}: ${now}`);
      if (now === before) undone += 1;
      else await mustImport(restore);
    }
    assert.ok(undone > 0, 'every import had ended before it was killed');
  }
  const kills = Array.from({ length: KILLS }, (_, i) => i);

  test('because it was killed at any point leaves the old list or the whole new one', async () => {
    await mustSurvive(kills, OLD, NEW, oldFile, (i) =>
      startImport(newFile, i % 2 === 0 ? '--replace' : '--replace-all'),
    );
    await mustImport(oldFile);
    assert.equal(await found(), OLD);
    assert.equal(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0);
  });

  test('because it was killed while it changed single columns leaves all as they were, or as they are to be', async () => {
    const changed = join(folder, 'changed.csv');
    const lines = Array.from({ length: ROWS }, (_, i) => `C1,${i + 1},changed\n`);
    writeFileSync(changed, `account_id,id,comment\n${lines.join('')}`);
    await mustImport(newFile, '--replace-all');
    const half = kills.filter((i) => i % 2 === 0);
    await mustSurvive(half, NEW, `${ROWS} changed changed ${ROWS}`, newFile, () =>
      startImport(changed, '--update'),
    );
    const { how, said } = await endOf(startImport(changed, '--update'));
    assert.equal(how, 0, said);
    assert.match(
      said,
      new RegExp(`${IN_WORDS} updated \\(changed: comment ${IN_WORDS}\\), 0 unchanged, 0 removed`),
    );
    await mustImport(oldFile, '--replace-all');
    assert.equal(await found(), OLD);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`because of ${signal}, says so and leaves the old list`, { skip: WINDOWS }, async () => {
      const running = startImport('-', '--format', 'csv');
      const { child } = running;
      // All rows, but not the end of the file: the import goes on waiting for more, within its transaction.
      child.stdin.write(readFileSync(newFile));
      child.stdin.on('error', () => {});
      await until('it writes', () => isBeingWritten() || child.exitCode !== null);
      child.kill(signal);
      const { how, said } = await endOf(running);
      assert.equal(how, 1);
      assert.match(said, /Nothing was imported: the lists are as they were\.\n$/);
      assert.equal(await found(), OLD);
    });
  }

  test('because the disk takes no more, says so and leaves the old list', { skip: WINDOWS }, async () => {
    // A limit on the size of files is the full disk that a test can have.
    const kibibytes = 2_048;
    const within = ['sh', '-c', `ulimit -f ${2 * kibibytes}; exec "$0" "$@"`];
    const words = ['import', 'virtual-numbers', newFile, '--database-url', url];
    const { how, said } = await endOf(startProgram(words, { within }));
    assert.equal(how, 1, said);
    assert.match(said, /disk/i);
    assert.match(said, /Nothing was changed\.\n$/);
    assert.equal(await found(), OLD);
  });

  test('does not keep two others from running one after the other', async () => {
    const ends = await Promise.all([endOf(startImport(newFile)), endOf(startImport(newFile))]);
    for (const { how, said } of ends) assert.equal(how, 0, said);
    assert.match(ends.map(({ said }) => said).join(''), new RegExp(`${IN_WORDS} unchanged`));
    assert.equal(await found(), NEW);
  });
});
