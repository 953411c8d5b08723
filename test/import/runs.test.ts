// Every run of an import leaves a record, however it came in and ended. What became of a feed is read from
// these by feed and mode: a feed that works every minute does not hide one that has failed for days.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { feedFindings, timeFindings } from '../../server/commands/doctor-imports.ts';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { type ImportRunRecord, readRuns } from '../../server/store/imports/import-runs.ts';
import { feedStates } from '../../server/store/imports/import-state.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { readAudit } from '../kit/audit-log.ts';
import { NDJSON, openIntake } from '../kit/intake-server.ts';
import { killPrograms, runProgram, startProgram, stopProgram } from '../kit/program.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import type { Database } from '../kit/templates.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const DAY = 86_400_000;
const folder = temporaryFolder();
const good = join(folder, 'good.ndjson');
const bad = join(folder, 'bad.ndjson');
writeFileSync(good, ndjson([numberRow('C1', 1), numberRow('C1', 2)]));
writeFileSync(bad, ndjson([numberRow('C1', 1), { ...numberRow('C1', 3), status: 7 }, {}]));
after(killPrograms);

for (const kind of stores) {
  describe(`the runs of imports, on ${kind.name}`, () => {
    let database: Database;
    let store: Store;

    beforeEach(async () => {
      database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
    });
    afterEach(async () => {
      await store.close();
      await database.remove();
    });

    const run = (path: string, job: Partial<ImportJob> = {}) =>
      importFiles({ store, table: tables.virtual_numbers, files: [path], ...job });
    const fails = (path: string, job: Partial<ImportJob> = {}) => assert.rejects(run(path, job));
    const all = (feed?: string) => readRuns(store, { feed, limit: 100 });
    const shown = ({ feed, mode, outcome, rows, inserted, faults }: ImportRunRecord) =>
      [feed, mode, outcome, rows, inserted, faults].join(' ');

    /** Moves the runs so far into the past. */
    async function age(ms: number): Promise<void> {
      for (const { id, started_at, ended_at } of await all()) {
        const [began, ended] = [started_at, ended_at ?? ''].map((at) => timestampOf(Date.parse(at) - ms));
        const [microseconds = '', ...rest] = id.split('-');
        const aged = [Number(microseconds) - ms * 1_000, ...rest].join('-');
        const text = `update import_runs set id = '${aged}', started_at = '${began}', updated_at = '${ended}', ended_at = '${ended}' where id = '${id}'`;
        await store.write({ text, values: [], separate: true });
      }
    }

    const COPIED =
      'list, mode, origin, source, started_at, updated_at, ended_at, outcome, rows, left_out, inserted, updated, moved, unchanged, removed, accounts_created, faults, first_fault';

    /** The nth copy of the first run of a feed, as of another feed or sender. */
    const copyOf = (of: string, nth: number, feed = 'feed', actor = 'actor') => ({
      text: `insert into import_runs (id, feed, actor, ${COPIED}) select id || '-${nth}', ${feed}, ${actor}, ${COPIED}
        from import_runs where feed = '${of}' order by id limit 1`,
      values: [],
      separate: true as const,
    });

    test('are retained, in their order, where the clock is set while the process runs', async (context) => {
      const begin = Date.now();
      // As after a start before the clock was right, or a machine that slept.
      for (const [feed, days] of [
        ['first', 40],
        ['second', 41],
      ] as const) {
        context.mock.timers.enable({ apis: ['Date'], now: begin + days * DAY });
        await run(good, { feed });
        context.mock.timers.reset();
      }
      const runs = await all();
      assert.deepEqual(
        runs.map(({ feed, outcome }) => `${feed} ${outcome}`),
        ['first done', 'second done'],
      );
      for (const { id, started_at } of runs) {
        const apartMs = Number(id.split('-')[0]) / 1_000 - Date.parse(started_at);
        assert.ok(Math.abs(apartMs) < 5_000, `${apartMs} ms`);
      }
    });

    test('have a record however they end, with the first fault, and none of a dry run', async () => {
      await run(good);
      await run(good, { feed: 'nightly', replace_all: true });
      await fails(bad, { feed: 'nightly', replace_all: true });
      await fails(good, { feed: 'nightly', expect_rows: 9 });
      await fails(join(folder, 'none.csv'), { feed: 'nightly' });
      await fails(good, { signal: AbortSignal.abort() });
      await run(good, { dry_run: true });
      const runs = await all();
      assert.deepEqual(runs.map(shown), [
        'command insert done 2 2 0',
        'nightly replace-all done 2 0 0',
        'nightly replace-all refused 2 0 8',
        'nightly insert rejected 2 0 0',
        'nightly insert refused 0 0 1',
        'command insert stopped 0 0 0',
      ]);
      assert.match(
        runs[2]?.first_fault ?? '',
        /bad\.ndjson:2: status: must be a JSON text, but was a number/,
      );
      assert.equal(runs[3]?.first_fault?.startsWith('There are 2 rows, but --expect-rows says 9.'), true);
      assert.match(runs[4]?.first_fault ?? '', /none\.csv: There is no such file/);
      for (const { started_at, ended_at, source, actor } of runs) {
        assert.ok(started_at <= (ended_at ?? ''));
        assert.ok(source !== '' && actor !== '');
      }
      assert.equal((await all('nightly')).length, 4);
    });

    test('have none of a name that is no file, unless a feed is named', async () => {
      const none = join(folder, 'none.csv');
      await run(good);
      await fails(none);
      await fails(folder);
      assert.deepEqual((await all()).map(shown), ['command insert done 2 2 0']);
      assert.deepEqual(
        (await feedFindings(store)).map(({ status }) => status),
        [],
      );
      await fails(none, { feed: 'nightly' });
      assert.deepEqual((await all('nightly')).map(shown), ['nightly insert refused 0 0 1']);
      assert.deepEqual(
        (await feedFindings(store)).map(({ status }) => status),
        ['wrong'],
      );
    });

    test('that a person ran by hand, and that failed, are no matter of doctor', async () => {
      await fails(bad);
      await fails(bad, { feed: 'nightly' });
      assert.deepEqual(
        (await feedStates(store)).map(({ feed, failures }) => [feed, failures]),
        [
          ['command', 1],
          ['nightly', 1],
        ],
      );
      const found = await feedFindings(store);
      assert.equal(found.length, 1);
      assert.match(found[0]?.says ?? '', /^The feed nightly of virtual_numbers/);
    });

    test('are shown by a command, those that failed alone, and by feed', async () => {
      await run(good, { feed: 'nightly' });
      await fails(bad);
      const words = ['import', 'runs', '--database-url', database.url];
      const { out } = await runProgram(words);
      assert.match(
        out,
        /^STARTED_AT +LIST +FEED +MODE +OUTCOME .*\n.* nightly +insert +done .*\n.* command +insert +refused /,
      );
      const failed = JSON.parse(
        (await runProgram([...words, '--failed', '--json'])).out,
      ) as ImportRunRecord[];
      assert.deepEqual(failed.map(shown), ['command insert refused 2 0 8']);
      assert.match((await runProgram([...words, '--feed', 'other'])).err, /no such imports/);
    });

    test('are shown with their progress while they run, and as lost when they were killed', async () => {
      const words = ['import', 'virtual-numbers', '--database-url', database.url, '--format', 'ndjson', '-'];
      const running = startProgram([...words, '--feed', 'long']);
      let id = 0;
      const timer = setInterval(() => {
        id += 1;
        running.child.stdin.write(ndjson([numberRow('C9', id)]));
      }, 20);
      running.child.stdin.on('error', () => {});
      await until('there is progress', async () => ((await all('long'))[0]?.rows ?? 0) > 0);
      const [now] = await all('long');
      assert.deepEqual([now?.outcome, now?.ended_at], [null, null]);
      assert.ok(!(await feedStates(store)).some(({ feed }) => feed === 'long'));
      clearInterval(timer);
      running.child.kill('SIGKILL');
      await running.ended;
      await store.write({
        text: `update import_runs set updated_at = '${timestampOf(Date.now() - DAY)}' where feed = 'long'`,
        values: [],
        separate: true,
      });
      assert.equal((await all('long'))[0]?.outcome, 'lost');
      await run(good);
      const [lost] = await all('long');
      assert.deepEqual([lost?.outcome, lost?.ended_at !== null], ['lost', true]);
    });

    test('are distinguished by feed and mode: one that works does not hide one that fails', async () => {
      for (let i = 0; i < 3; i++) {
        await run(good, { feed: 'nightly', replace_all: true });
        await age(DAY);
      }
      await age(DAY);
      await fails(bad, { feed: 'nightly', replace_all: true });
      for (let i = 0; i < 3; i++) await run(good, { feed: 'flags' });
      const states = await feedStates(store);
      assert.deepEqual(
        states.map(({ feed, mode, failures }) => [feed, mode, failures]),
        [
          ['flags', 'insert', 0],
          ['nightly', 'replace-all', 1],
        ],
      );
      const [, nightly] = states;
      assert.ok(Math.abs((nightly?.intervalMs ?? 0) - DAY) < 60_000);
      assert.equal(nightly?.failed?.outcome, 'refused');
      const findings = await feedFindings(store);
      assert.deepEqual(
        findings.map(({ status }) => status),
        ['ok', 'wrong'],
      );
      assert.match(
        findings[1]?.says ?? '',
        /feed nightly of virtual_numbers \(replace-all\) has failed once, .*bad\.ndjson:2/,
      );
      assert.match(findings[1]?.mend ?? '', /import runs --feed nightly/);
      await store.write({
        text: `delete from import_runs where outcome = 'refused'`,
        values: [],
        separate: true,
      });
      assert.match((await feedFindings(store))[1]?.says ?? '', /is late: the last was done at/);
    });

    test('by hand are not expected again: a feed without a name is late only where it repeats itself', async () => {
      for (let i = 0; i < 4; i++) {
        for (const origin of ['command', 'intake', 'watch', 'pull'] as const)
          await run(good, { provenance: { origin, actor: 'operator', source: 'good.ndjson' } });
        await age(DAY);
      }
      await age(2 * DAY);
      const states = await feedStates(store);
      assert.deepEqual(
        states.map(({ feed, intervalMs }) => [feed, intervalMs !== undefined]),
        [
          ['command', false],
          ['intake', false],
          ['pull', true],
          ['watch', true],
        ],
      );
      assert.deepEqual(
        (await feedFindings(store)).map(({ status }) => status),
        ['wrong', 'wrong'],
      );
    });

    test('that were recorded while a clock was ahead hide none of those after them, and are named', async () => {
      await run(good, { feed: 'nightly' });
      await age(-2 * DAY);
      await fails(bad, { feed: 'nightly' });
      const [state] = await feedStates(store);
      assert.deepEqual([state?.done, state?.failures], [undefined, 1]);
      assert.equal((await feedFindings(store))[0]?.status, 'wrong');
      const findings = await timeFindings(store);
      assert.match(
        findings[0]?.says ?? '',
        /^The last progress of the import nightly of virtual_numbers is at /,
      );
      await store.write({
        text: `update import_runs set ended_at = null, outcome = null where outcome = 'done'`,
        values: [],
        separate: true,
      });
      const outcomes = (await all('nightly')).map(({ outcome }) => String(outcome));
      assert.deepEqual(
        outcomes.toSorted((a, b) => a.localeCompare(b)),
        ['lost', 'refused'],
      );
    });

    test('are deleted after 30 days, and all but a thousand of one feed', async () => {
      await run(good, { feed: 'old' });
      await age(31 * DAY);
      await run(good, { feed: 'new' });
      assert.deepEqual(
        (await all()).map(({ feed }) => feed),
        ['new'],
      );
      const copies = Array.from({ length: 1_005 }, (_, i) => copyOf('new', i));
      await store.write(...copies);
      await run(good, { feed: 'new' });
      assert.equal((await readRuns(store, { limit: 5_000 })).length, 1_000);
    });

    test('of a sender that invents names of feeds replace neither each other’s nightly one nor those of others', async () => {
      for (let i = 0; i < 2; i++) await run(good, { feed: 'nightly', replace_all: true });
      const many = Array.from({ length: 300 }, (_, i) => copyOf('nightly', i, `'made-${i}'`));
      const others = [300, 301, 302].map((i) => copyOf('nightly', i, `'of-another'`, `'another'`));
      await store.write(...many, ...others);
      const state = () => feedStates(store);
      assert.equal((await state()).length, 100);
      for (const name of ['nightly', 'of-another'])
        assert.ok(
          (await state()).some(({ feed }) => feed === name),
          name,
        );
      await run(good, { feed: 'last' });
      const runs = await readRuns(store, { limit: 5_000 });
      const names = new Set(runs.map(({ feed }) => feed));
      for (const name of ['nightly', 'of-another', 'last']) assert.ok(names.has(name), name);
      assert.equal(names.size, 101);
      assert.equal(runs.filter(({ feed }) => feed === 'nightly').length, 2);
    });

    test('of a feed that is retired are forgotten by command and over HTTP, with its sequence', async () => {
      const intake = await openIntake(kind);
      try {
        const ok = readFileSync(good, 'utf8');
        const post = async (feed: string, sequence: string) => {
          const headers = { ...NDJSON, 'linecard-feed': feed, 'linecard-sequence': sequence };
          return (await intake.send('POST', 'virtual-numbers', ok, headers)).status;
        };
        const feeds = async () => (await feedStates(intake.operator)).map(({ feed }) => feed);
        for (const feed of ['billing', 'nightly']) assert.equal(await post(feed, '7'), 200);
        assert.equal(await post('billing', '7'), 409);
        assert.equal((await intake.send('DELETE', 'feeds/billing', '')).status, 204);
        assert.deepEqual(await feeds(), ['nightly']);
        const { status, text } = await intake.send('DELETE', 'feeds/billing', '');
        assert.deepEqual([status, /There is no feed billing/.test(text)], [404, true]);
        assert.equal(await post('billing', '1'), 200);
        const words = ['import', 'forget', 'nightly', '--database-url', intake.database_url];
        assert.match((await runProgram(words)).err, /Forgot the feed nightly\./);
        const entries = (await readAudit(intake.operator, {})).filter(
          ({ event }) => event === 'feed forgotten',
        );
        assert.deepEqual(
          entries.map(({ origin, details }) => [origin, details['name']]),
          [
            ['intake', 'billing'],
            ['command', 'nightly'],
          ],
        );
        assert.deepEqual(await feeds(), ['billing']);
        assert.match((await runProgram(words)).err, /There is no feed nightly/);
        // One without a sequence: of a command, or over HTTP.
        const named = { ...NDJSON, 'linecard-feed': 'nightly' };
        assert.equal((await intake.send('POST', 'virtual-numbers', ok, named)).status, 200);
        const { status: ended, err } = await runProgram(words);
        assert.deepEqual([ended, err], [0, 'Forgot the feed nightly.\n']);
        assert.deepEqual(await feeds(), ['billing']);
      } finally {
        await intake.close();
      }
    });

    test('of the intake are recorded with the name of their feed', async () => {
      const intake = await openIntake(kind);
      try {
        const [ok, wrong] = [good, bad].map((path) => readFileSync(path, 'utf8')) as [string, string];
        const numbered = { ...NDJSON, 'linecard-feed': 'billing', 'linecard-sequence': '7' };
        assert.equal((await intake.send('POST', 'virtual-numbers', ok, numbered)).status, 200);
        assert.equal((await intake.send('PUT', 'virtual-numbers', wrong, NDJSON)).status, 422);
        const named = { ...NDJSON, 'linecard-feed': 'nightly' };
        for (let i = 0; i < 2; i++)
          assert.equal((await intake.send('POST', 'virtual-numbers', ok, named)).status, 200);
        const { 'linecard-feed': _, ...nameless } = numbered;
        assert.match(
          (await intake.send('POST', 'virtual-numbers', ok, nameless)).text,
          /Linecard-Sequence needs the Linecard-Feed/,
        );
        const runs = await readRuns(intake.operator, { limit: 10 });
        assert.deepEqual(runs.map(shown), [
          'billing insert done 2 2 0',
          'intake replace refused 2 0 8',
          'nightly insert done 2 0 0',
          'nightly insert done 2 0 0',
        ]);
        assert.match(runs[1]?.first_fault ?? '', /^line 2: status: must be a JSON text/);
      } finally {
        await intake.close();
      }
    });
  });
}

test('a pull that is repeated and a watched folder record each run', async () => {
  const url = `sqlite:${join(folder, 'fed.db')}`;
  const drop = temporaryFolder();
  const watching = startProgram(['import', '--watch', drop, '--database-url', url, '--feed', 'sftp']);
  await watching.says(/Watching/);
  writeFileSync(join(drop, 'virtual-numbers-1.ndjson'), readFileSync(bad));
  await watching.says(/with a report/);
  await stopProgram(watching);
  const query = join(folder, 'none.sql');
  writeFileSync(query, 'select 1');
  const from = 'postgres://nobody@127.0.0.1:1/none';
  await runProgram(['pull', 'virtual-numbers', '--from', from, '--query', query, '--database-url', url]);
  const store = await openStore(url, 'read');
  const runs = await readRuns(store, { limit: 10 });
  await store.close();
  assert.deepEqual(
    runs.map(({ feed, origin, outcome }) => [feed, origin, outcome]),
    [
      ['sftp', 'watch', 'refused'],
      ['pull', 'pull', 'refused'],
    ],
  );
  assert.match(runs[1]?.first_fault ?? '', /cannot be reached/);
});
