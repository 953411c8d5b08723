// A database that an older Linecard filled, on every store: a migration gives its rows what an import would
// store today, whole or not at all, and goes on where one was killed.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { schemaSteps } from '../../server/store/migrations.ts';
import { openStore } from '../../server/store/open.ts';
import type { ResultRow } from '../../server/store/store.ts';
import { storedColumns, type Table, tables } from '../../server/store/tables.ts';
import {
  asOfOld,
  BELOW,
  type Below,
  OLD_STEP,
  olderDatabase,
  rowsOf,
  rowsOfToday,
  stepsUpTo,
} from '../kit/older-databases.ts';
import { runProgram, startProgram } from '../kit/program.ts';
import { stores } from '../kit/service.ts';

/** Enough rows that a migration can be killed in the middle of them. */
const MANY = 8_000;
/** How long a migration is left before it is killed: some before it begins, some before it ends. */
const KILLED_AFTER_MS = [300, 450, 600];
const table: Table = tables.virtual_numbers;

for (const kind of stores) {
  const below = BELOW[kind.name] as Below;
  const dialect = kind.name === 'SQLite' ? 'sqlite' : 'postgres';

  describe(`an older database on ${kind.name}`, () => {
    const expected = new Map<Table, ResultRow[]>();

    before(async () => {
      for (const [one, rows] of await rowsOfToday(kind)) expected.set(one, rows);
    });

    /** A database of the older step, with the hard rows in it. */
    async function older() {
      const database = await olderDatabase(kind, expected);
      after(() => database.remove());
      return database;
    }

    async function mustBeUpgraded(url: string): Promise<void> {
      for (const [one, rows] of expected) assert.deepEqual(await rowsOf(url, one), rows, one.name);
    }

    test('has every column of every row as an import would store it', async () => {
      const { url } = await older();
      await mustBeUpgraded(url);
      const columns = storedColumns(table);
      const digits = expected.get(table)?.map((row) => row[columns.indexOf('did_digits')]);
      assert.ok(digits?.includes('442079460018') && !digits.some((text) => String(text).startsWith('0044')));
    });

    test('is left at its step, whole, where a row cannot be upgraded, and goes on from there', async () => {
      const { url } = await older();
      const last = `(select max(id) from ${table.name})`;
      await below.run(url, `update ${table.name} set item = '{' || item where id = ${last}`);
      await assert.rejects(openStore(url, 'write'), /A row of virtual_numbers is damaged/);
      await assert.rejects(below.run(url, `select created_at from ${table.name}`), /created_at/);
      await assert.rejects(openStore(url, 'read'), /run linecard-server migrate/);
      await below.run(url, `update ${table.name} set item = substr(item, 2) where id = ${last}`);
      await mustBeUpgraded(url);
    });

    test('is refused by what only reads or changes it, with what to run, and left as it is', async () => {
      const { url } = await older();
      for (const words of [
        ['account', 'list'],
        ['account', 'update', 'acme', '--name', 'x'],
        ['token', 'list'],
        ['token', 'create', '--account', 'acme'],
        ['audit'],
        ['copy', '--from', url, '--to', 'sqlite:never.db'],
      ]) {
        const where = words[0] === 'copy' ? [] : ['--database-url', url];
        const { status, err } = await runProgram([...words, ...where]);
        assert.equal(status, 1, words.join(' '));
        assert.match(err, /is not up to date: run linecard-server migrate/, words.join(' '));
      }
      await assert.rejects(below.run(url, `select created_at from ${table.name}`), /created_at/);
    });

    test('is upgraded once, however many try at the same time', async () => {
      const { url } = await older();
      const opened = await Promise.all([1, 2, 3].map(() => openStore(url, 'write')));
      for (const store of opened) await store.close();
      await mustBeUpgraded(url);
    });

    test('goes on after each migration that is killed', async () => {
      const { url } = await older();
      const [sample] = (expected.get(table) ?? []).map((row) => asOfOld(table, row));
      const copies = Array.from({ length: MANY }, (_, i) => ({ ...sample, id: 20_000 + i }));
      await below.insert(url, table.name, copies);
      for (const ms of KILLED_AFTER_MS) {
        const { child, ended } = startProgram(['migrate', '--database-url', url]);
        await Promise.race([ended, sleep(ms)]);
        child.kill('SIGKILL');
        await ended;
      }
      const store = await openStore(url, 'write');
      const text = `select count(*) from ${table.name} where created_at = '' or subscription_status_folded <> lower(subscription_status)`;
      const without = `${text} and id >= 20000 and id < ${20_000 + MANY}`;
      assert.deepEqual(await store.read({ text: without, values: [] }), [[[0]]]);
      await store.write({
        text: `delete from ${table.name} where id >= 20000 and id < ${20_000 + MANY}`,
        values: [],
      });
      await store.close();
      await mustBeUpgraded(url);
    });

    test('has every step that there is', () => {
      assert.equal(stepsUpTo(dialect, Number.POSITIVE_INFINITY).length, schemaSteps(dialect).length);
      assert.ok(schemaSteps(dialect).length > OLD_STEP);
    });
  });
}

test('the steps of the two stores are numbered alike: where one needs nothing, its step is a comment', () => {
  assert.equal(schemaSteps('sqlite').length, schemaSteps('postgres').length);
});
