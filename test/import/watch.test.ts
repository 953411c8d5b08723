// A folder that files are dropped into: what is taken and when, where it goes, and what happens when
// something goes wrong with a file, the folder, the database or the process.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { DroppedFile } from '../../server/feed/drop-folder.ts';
import { FolderWatch, type WatchJob } from '../../server/feed/watch.ts';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { type Table, tables } from '../../server/store/tables.ts';
import { runProgram, startProgram } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const LOCK = '.linecard-watch';
const PREFIXES = ['virtual-numbers', 'additional-services'];
/** Each place where a file is cut off; TEST_CUTS=300 is the long form. */
const CUTS = Number(process.env['TEST_CUTS'] ?? 3);
const SETTLE_MS = 200;
const TIMES = { pollMs: 20, settleMs: SETTLE_MS, retryMs: 50 };
/** A file that is not moved into place is not complete for as long as any test lasts. */
const NEVER = { ...TIMES, settleMs: 600_000 };

const HEADER = 'account_id,id,did,status,subscription_status,frequency,created_at\n';
const row = (id: number, status = 'active') =>
  `C1,${id},+4420${70_000_000 + id},${status},active,monthly,2026-02-10T16:04:11.482913Z\n`;
const numbers = (...ids: number[]) => HEADER + ids.map((id) => row(id)).join('');
const SERVICES = 'account_id,id,title,subscription_status,frequency\nC1,7,Fax,active,monthly\n';

describe('a folder of dropped files', () => {
  const folder = temporaryFolder();
  let drop: string;
  let store: Store;
  let said: string[];
  let watches: { stop(): Promise<void> }[];

  before(async () => {
    store = await openStore(`sqlite:${join(folder, 'linecard.db')}`, 'write');
  });
  after(() => store.close());
  let drops = 0;
  beforeEach(() => {
    drops += 1;
    drop = join(folder, `drop-${drops}`);
    mkdirSync(drop);
    said = [];
    watches = [];
  });
  afterEach(async () => {
    for (const watch of watches) await watch.stop();
  });

  const tableOf = ({ prefix }: DroppedFile): Table =>
    prefix === 'virtual-numbers' ? tables.virtual_numbers : tables.additional_services;

  /** Imports as the command does. */
  const importOf =
    (rules: Partial<ImportJob> = {}): WatchJob['importFile'] =>
    async (file, taken) => {
      const job = { store, table: tableOf(file), files: [file.path], ...taken, ...rules };
      const { inserted, unchanged } = await importFiles(job);
      said.push(`${file.name}: ${inserted}+${unchanged}`);
    };

  function watch(other: Partial<WatchJob> = {}) {
    const stopping = new AbortController();
    const job: WatchJob = {
      folder: drop,
      prefixes: PREFIXES,
      signal: stopping.signal,
      times: TIMES,
      importFile: importOf({ signal: stopping.signal }),
      say: (message) => said.push(message),
      messageOf: (error) => (error as Error).message,
      ...other,
    };
    const running = new FolderWatch(job).run();
    running.catch(() => {});
    const stop = async () => {
      stopping.abort();
      await running;
    };
    const one = { stop, running };
    watches.push(one);
    return one;
  }

  /** Puts a file in place as an upload that is complete does it. */
  async function put(name: string, text: string | Uint8Array) {
    writeFileSync(join(drop, `${name}.part`), text);
    await sleep(3 * TIMES.pollMs);
    renameSync(join(drop, `${name}.part`), join(drop, name));
  }

  const list = (outcome = '') =>
    existsSync(join(drop, outcome)) ? readdirSync(join(drop, outcome)).toSorted() : [];

  const untilSo = (what: string, isSo: () => boolean) => until(what, isSo, () => said.join('\n'));
  const isIn = (outcome: string, ...names: string[]) =>
    untilSo(`${names.join(', ')} in ${outcome}/`, () => names.every((name) => list(outcome).includes(name)));

  async function idsOf(name = 'virtual_numbers') {
    const [rows] = await store.read({ text: `select id from ${name} order by id`, values: [] });
    return rows.map(([id]) => id);
  }

  test('files of both lists are taken in the order of their names, and moved to done/', async () => {
    writeFileSync(join(drop, 'virtual-numbers-2.csv'), numbers(1, 2));
    writeFileSync(join(drop, 'virtual-numbers-10.csv.gz'), gzipSync(numbers(1)));
    writeFileSync(join(drop, 'additional-services-1.csv'), SERVICES);
    const names = ['additional-services-1.csv', 'virtual-numbers-10.csv.gz', 'virtual-numbers-2.csv'];
    watch();
    await isIn('done', ...names);
    assert.deepEqual(said.slice(1), [`${names[0]}: 1+0`, `${names[1]}: 1+0`, `${names[2]}: 1+1`]);
    assert.deepEqual([await idsOf(), await idsOf('additional_services')], [[1, 2], [7]]);
    assert.deepEqual(list(), [LOCK, 'done', 'failed']);
  });

  test('one that is moved into place is taken at once, and one that grows not before it has ended', async () => {
    watch({ times: NEVER });
    await put('virtual-numbers-1.csv', numbers(1));
    await isIn('done', 'virtual-numbers-1.csv');
    const path = join(drop, 'virtual-numbers-2.csv');
    writeFileSync(path, numbers(1));
    await sleep(10 * TIMES.pollMs);
    assert.deepEqual(said.slice(1), ['virtual-numbers-1.csv: 0+1']);
  });

  test('one that is unchanged for a while is complete', async () => {
    const path = join(drop, 'virtual-numbers-2.csv');
    writeFileSync(path, HEADER);
    watch({ times: { ...TIMES, settleMs: 1_000 } });
    for (let id = 1; id <= 20; id++) {
      appendFileSync(path, row(id));
      await sleep(30);
    }
    await isIn('done', 'virtual-numbers-2.csv');
    assert.equal((await idsOf()).length, 20);
  });

  test('a later file of the list waits for an earlier one that is not complete, and the other list does not', async () => {
    writeFileSync(join(drop, 'virtual-numbers-1.csv'), numbers(1));
    watch({ times: NEVER });
    await put('virtual-numbers-2.csv', numbers(1));
    await put('additional-services-3.csv', SERVICES);
    await isIn('done', 'additional-services-3.csv');
    assert.deepEqual(list('done'), ['additional-services-3.csv']);
    // Uploaded again, and this time moved into place.
    await put('virtual-numbers-1.csv', numbers(1));
    await isIn('done', 'virtual-numbers-1.csv', 'virtual-numbers-2.csv');
    assert.match(said.at(-1) ?? '', /^virtual-numbers-2/);
  });

  test('temporary, hidden and other files, links and folders are left alone; others are named once', async () => {
    const secret = join(folder, 'secret.csv');
    writeFileSync(secret, numbers(99));
    const left = [
      'virtual-numbers-1.csv.part',
      '.virtual-numbers-2.csv',
      'virtual-numbers-3.csv.filepart',
      'virtual-numbers-4.csv~',
    ];
    for (const name of [...left, 'numbers.csv', 'virtual-numbers-5.xlsm'])
      writeFileSync(join(drop, name), numbers(99));
    symlinkSync(secret, join(drop, 'virtual-numbers-6.csv'));
    mkdirSync(join(drop, 'virtual-numbers-7.csv'));
    mkdirSync(join(drop, 'archive'));
    watch();
    await put('virtual-numbers-8.csv', numbers(1));
    await isIn('done', 'virtual-numbers-8.csv');
    await sleep(2 * SETTLE_MS);
    assert.deepEqual(list('done'), ['virtual-numbers-8.csv']);
    assert.deepEqual(list('failed'), []);
    const named = said.filter((message) => message.includes('left alone'));
    assert.equal(named.length, 4);
    for (const name of ['6', '7'])
      assert.match(
        named.join('\n'),
        new RegExp(`"virtual-numbers-${name}.csv" is left alone: it is a link, a f`),
      );
    assert.match(
      named.join('\n'),
      /^"numbers\.csv" is left alone: names begin with virtual-numbers- or additional/,
    );
    assert.ok(!(await idsOf()).includes(99));
  });

  test('a link that takes the place of a file once it was seen is not followed, and neither is a pipe', async () => {
    const secret = join(folder, 'secret.txt');
    writeFileSync(secret, 'a password\n');
    const others = [
      (path: string) => symlinkSync(secret, path),
      (path: string) => execFileSync('mkfifo', [path]),
    ];
    let opened = 0;
    const importFile: WatchJob['importFile'] = async (file, { open, beforeCommit }) => {
      const replace = others[opened++];
      if (replace === undefined) return importOf()(file, { open, beforeCommit });
      const elsewhere = join(folder, 'elsewhere.csv');
      renameSync(file.path, elsewhere);
      replace(file.path);
      try {
        return await importOf()(file, { open, beforeCommit });
      } finally {
        // Back in its place, as if nothing had been.
        renameSync(elsewhere, file.path);
      }
    };
    watch({ importFile });
    await put('virtual-numbers-1.csv', numbers(1));
    await isIn('done', 'virtual-numbers-1.csv');
    assert.equal(opened, 3);
    assert.deepEqual(list('failed'), []);
    assert.ok(!said.join('\n').includes('password'), said.join('\n'));
  });

  test('one with faults goes to failed/ with a report next to it, and the next is taken', async () => {
    watch();
    await put('virtual-numbers-1.csv', numbers(1, 50) + row(51).replace('+4420', 'x'));
    await put('virtual-numbers-2.csv', numbers(2));
    await isIn('done', 'virtual-numbers-2.csv');
    assert.deepEqual(list('failed'), ['virtual-numbers-1.csv', 'virtual-numbers-1.csv.faults.txt']);
    const report = readFileSync(join(drop, 'failed', 'virtual-numbers-1.csv.faults.txt'), 'utf8');
    assert.match(
      report,
      /^virtual-numbers-1\.csv:4: did: must be a phone number .*\n1 fault\. Nothing was imported/,
    );
    assert.ok(!(await idsOf()).includes(50));
    assert.match(
      said[1] ?? '',
      /^virtual-numbers-1\.csv: 1 fault\. .* It is now failed\/virtual-numbers-1\.csv, with a report/,
    );
  });

  test('an earlier file of the same name is never overwritten', async () => {
    watch({ importFile: importOf({ expect_rows: 1 }) });
    for (const ids of [[1], [1, 2], [1], [2, 3], [1]]) {
      const outcome = ids.length === 1 ? 'done' : 'failed';
      const before = list(outcome).length;
      await put('virtual-numbers-1.csv', numbers(...ids));
      await untilSo(
        `it is ${outcome}`,
        () => list(outcome).length > before && !existsSync(join(drop, 'virtual-numbers-1.csv')),
      );
    }
    assert.deepEqual(list('done'), [
      'virtual-numbers-1.2.csv',
      'virtual-numbers-1.3.csv',
      'virtual-numbers-1.csv',
    ]);
    await untilSo('four in failed/', () => list('failed').length === 4);
    assert.deepEqual(list('failed'), [
      'virtual-numbers-1.2.csv',
      'virtual-numbers-1.2.csv.faults.txt',
      'virtual-numbers-1.csv',
      'virtual-numbers-1.csv.faults.txt',
    ]);
    const report = readFileSync(join(drop, 'failed', 'virtual-numbers-1.csv.faults.txt'), 'utf8');
    assert.match(report, /^There are 2 rows, but --expect-rows says 1\./);
  });

  for (const outcome of ['done', 'failed'])
    test(`a link in the place of ${outcome}/ is refused, and nothing is written where it leads`, async () => {
      const elsewhere = join(folder, `elsewhere-${drops}`);
      mkdirSync(elsewhere);
      symlinkSync(elsewhere, join(drop, outcome));
      await assert.rejects(watch().running, /(?:done|failed)\/ is a link, or is no folder: remove it\.$/);
      rmSync(join(drop, outcome));
      watches = [];
      watch();
      await untilSo('it is watched', () => said.some((one) => one.startsWith('Watching')));
      rmSync(join(drop, outcome), { recursive: true });
      symlinkSync(elsewhere, join(drop, outcome));
      await put('virtual-numbers-1.csv', outcome === 'done' ? numbers(1) : 'no,column\n');
      await untilSo('it stays', () => said.some((one) => one.includes('cannot be moved')));
      assert.match(said.join('\n'), /virtual-numbers-1\.csv: it cannot be moved to \w+\/: \w+\/ is a link/);
      assert.deepEqual([readdirSync(elsewhere), list().includes('virtual-numbers-1.csv')], [[], true]);
    });

  test('a report is for the user and the group alone, and a name shows what nobody sees', async () => {
    const mask = process.umask(0);
    watch();
    await put('virtual-numbers-\u202efdp.csv', 'no,column\n');
    await isIn('failed', 'virtual-numbers-\u202efdp.csv.faults.txt');
    process.umask(mask);
    const report = join(drop, 'failed', 'virtual-numbers-\u202efdp.csv.faults.txt');
    assert.equal(statSync(report).mode & 0o777, 0o640);
    await untilSo('it is reported', () => said.some((one) => one.includes('with a report')));
    const all = said.join('\n') + readFileSync(report, 'utf8');
    assert.equal(all.includes('\u202e'), false);
    assert.match(all, /virtual-numbers-\\u202efdp\.csv: /);
  });

  for (const mode of ['insert', 'replace', 'replace-all', 'update'] as const) {
    test(`one that is cut off within a line changes nothing (${mode})`, async () => {
      const rules =
        mode === 'update'
          ? { update: true }
          : {
              replace: mode === 'replace',
              replace_all: mode === 'replace-all',
              max_removed: { percent: 100 } as const,
            };
      watch({ importFile: importOf(rules) });
      const whole = numbers(1, 2, 3).replaceAll('active,active', 'blocked,blocked');
      const columns = whole.slice(0, whole.indexOf('\n')).split(',').length;
      const before = await idsOf();
      for (let i = 0; i < CUTS; i++) {
        let cut = whole.slice(0, Math.floor((whole.length * (i + Math.random())) / CUTS));
        if (cut === '' || cut.endsWith('\n')) cut += 'C';
        // A file that replaces nothing may lack its last line break: one with all cells in its last line is
        // complete.
        const cells = cut.slice(cut.lastIndexOf('\n') + 1).split(',').length;
        if (!mode.startsWith('replace') && cells === columns) cut = cut.slice(0, cut.lastIndexOf(','));
        await put(`virtual-numbers-${i}.csv`, cut);
        await isIn('failed', `virtual-numbers-${i}.csv`);
      }
      assert.deepEqual(await idsOf(), before);
      const [rows] = await store.read({ text: 'select distinct status from virtual_numbers', values: [] });
      assert.deepEqual(rows, [['active']]);
    });
  }

  test('a database that is away is waited for', async () => {
    let tries = 0;
    const importFile: WatchJob['importFile'] = async (file, beforeCommit) => {
      tries += 1;
      if (tries < 3) throw new StoreUnavailable('The disk is full.');
      return importOf()(file, beforeCommit);
    };
    watch({ importFile });
    await put('virtual-numbers-1.csv', numbers(1));
    await isIn('done', 'virtual-numbers-1.csv');
    assert.deepEqual(
      said.slice(1, 3),
      Array(2).fill('virtual-numbers-1.csv: The disk is full. It is tried again in 0 seconds.'),
    );
  });

  test('a file that changes while it is read is not imported, but looked at again', async () => {
    let reads = 0;
    const importFile: WatchJob['importFile'] = (file, { open, beforeCommit }) =>
      importOf()(file, {
        open,
        beforeCommit() {
          reads += 1;
          if (reads === 1) appendFileSync(file.path, row(31));
          beforeCommit();
        },
      });
    watch({ importFile });
    await put('virtual-numbers-1.csv', numbers(30));
    await isIn('done', 'virtual-numbers-1.csv');
    assert.match(
      said[1] ?? '',
      /^virtual-numbers-1\.csv: it changed while it was read\. Nothing was imported/,
    );
    assert.equal(said[2], 'virtual-numbers-1.csv: 2+0');
  });

  test('a folder that goes away is waited for', async () => {
    watch();
    await untilSo('a lock', () => list().includes(LOCK));
    renameSync(drop, `${drop}-away`);
    await untilSo('a complaint', () => said.some((message) => message.includes('cannot be read')));
    await sleep(5 * TIMES.pollMs);
    renameSync(`${drop}-away`, drop);
    await put('virtual-numbers-1.csv', numbers(1));
    await isIn('done', 'virtual-numbers-1.csv');
    assert.match(said[1] ?? '', /cannot be read \(ENOENT\); trying again\.$/);
    assert.match(said[2] ?? '', /: it can be read again\.$/);
    assert.equal(said.length, 4);
  });

  test('a file that cannot be moved is not imported twice', async () => {
    watch();
    await untilSo('folders', () => list().includes('done'));
    rmSync(join(drop, 'done'), { recursive: true });
    writeFileSync(join(drop, 'done'), 'a file in the way');
    await put('virtual-numbers-1.csv', numbers(1));
    await untilSo('a complaint', () => said.length === 3);
    await put('virtual-numbers-2.csv', 'broken');
    await isIn('failed', 'virtual-numbers-2.csv');
    assert.match(
      said[2] ?? '',
      /^virtual-numbers-1\.csv: it cannot be moved to done\/: .*It stays, and is not imported/,
    );
    rmSync(join(drop, 'done'));
    await isIn('done', 'virtual-numbers-1.csv');
    assert.equal(said.filter((message) => message.startsWith('virtual-numbers-1.csv: 0+1')).length, 1);
  });

  test('after a kill between the import and the move the file is imported again, harmlessly', async () => {
    const imported = Promise.withResolvers<void>();
    const released = Promise.withResolvers<never>();
    const stopping = new AbortController();
    const killed = watch({
      signal: stopping.signal,
      async importFile(file, beforeCommit) {
        await importOf({ replace_all: true, max_removed: { percent: 100 } })(file, beforeCommit);
        imported.resolve();
        return released.promise;
      },
    });
    watches.pop();
    await put('virtual-numbers-1.csv', numbers(1, 2));
    await imported.promise;
    // What a killed process leaves: the file, and a lock that is its own.
    const { pid } = spawnSync('true');
    writeFileSync(join(drop, LOCK), JSON.stringify({ host: hostname(), pid, id: 'killed' }));
    watch();
    await isIn('done', 'virtual-numbers-1.csv');
    assert.deepEqual([said.at(-1), await idsOf()], ['virtual-numbers-1.csv: 0+2', [1, 2]]);
    stopping.abort();
    released.reject(new Error('killed'));
    await killed.running;
  });

  test('one process at a time watches a folder', async () => {
    const lock = (holder: object) =>
      writeFileSync(join(drop, LOCK), JSON.stringify({ id: 'other', ...holder }));
    const refused = async (who: RegExp) => {
      const other = watch();
      watches.pop();
      await assert.rejects(other.running, who);
      assert.equal(JSON.parse(readFileSync(join(drop, LOCK), 'utf8')).id, 'other');
    };
    lock({ host: hostname(), pid: process.ppid });
    await refused(
      /Process \d+ on .+ is watching this folder\. Stop it first; .* delete .*\.linecard-watch\.$/,
    );
    lock({ host: 'elsewhere', pid: 1 });
    await refused(/Process 1 on elsewhere is watching/);
    // The number is that of a process now which has begun since.
    lock({ host: hostname(), pid: process.ppid, start: 'of a machine before the power cut' });
    const next = watch();
    await untilSo('the folder', () => said.some((message) => message.startsWith('Watching')));
    await next.stop();
    said.length = 0;
    // Nothing has been heard of it for an hour.
    lock({ host: hostname(), pid: process.ppid });
    const hourAgo = Date.now() / 1_000 - 3_600;
    utimesSync(join(drop, LOCK), hourAgo, hourAgo);
    const watching = watch();
    await untilSo('the folder', () => said.some((message) => message.startsWith('Watching')));
    assert.equal(JSON.parse(readFileSync(join(drop, LOCK), 'utf8')).pid, process.pid);
    await watching.stop();
    assert.deepEqual(list(), ['done', 'failed']);
  });

  test('a folder that is none is refused', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    const watching = watch({ folder: path });
    watches.pop();
    await assert.rejects(watching.running, /file cannot be watched: .*\.$/);
    // Such as the point where something is to be mounted, mistyped.
    const missing = watch({ folder: join(folder, 'mistyped', 'drop') });
    watches.pop();
    await assert.rejects(missing.running, /mistyped\/drop: There is no such folder, and it is not made\./);
    assert.equal(existsSync(join(folder, 'mistyped')), false);
  });

  test('the options of a command stay its own', async () => {
    const run = (...words: string[]) => runProgram(['import', ...words]);
    const both = await run('virtual-numbers', '--update', '--replace', 'none.csv');
    assert.equal(both.status, 2);
    assert.match(both.err, /Choose one of --update/);
    const none = await run('numbers', '--update');
    assert.equal(none.status, 2);
    assert.match(
      none.err,
      /"numbers" is not a list; there are virtual-numbers, additional-services and accounts\./,
    );
    assert.match(
      (await run('--help')).out,
      /--watch <folder>[\s\S]+--max-removed[\s\S]+virtual-numbers \[options\]/,
    );
  });

  test('SIGTERM in the middle of an import rolls it back, leaves the file, and ends with 0', async () => {
    const url = `sqlite:${join(folder, 'command.db')}`;
    const words = ['import', '--watch', drop, '--replace', '--database-url', url];
    const { child, ended, says } = startProgram(words);
    await says(/Watching/);
    // A pipe would be left alone; a file of this size takes a while on any machine.
    const rows = Array.from({ length: 100_000 }, (_, i) => row(i + 1));
    writeFileSync(join(drop, 'virtual-numbers-1.csv.tmp'), HEADER + rows.join(''));
    await sleep(1_200);
    renameSync(join(drop, 'virtual-numbers-1.csv.tmp'), join(drop, 'virtual-numbers-1.csv'));
    await untilSo('an import', () => existsSync(join(folder, 'command.db')));
    child.kill('SIGTERM');
    const { status, signal, err } = await ended;
    assert.deepEqual([status, signal], [0, null], err);
    assert.match(err, /\nStopped after 0 files; 0 failed\.\n$/);
    assert.deepEqual(list(), ['done', 'failed', 'virtual-numbers-1.csv']);
    const other = await openStore(url, 'read').catch(() => undefined);
    const [found] = (await other?.read({ text: 'select count(*) from virtual_numbers', values: [] })) ?? [
      [[0]],
    ];
    await other?.close();
    assert.deepEqual(found[0], [0]);
  });
});
