// A database that an older Linecard filled, on every store: a migration gives its rows what an import would
// store today, whole or not at all, and goes on where one was killed.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../server/store/open.ts';
import type { ResultRow } from '../../server/store/store.ts';
import { storedColumns, type Table, tables } from '../../server/store/tables.ts';
import {
  asOfOld,
  BELOW,
  type Below,
  olderDatabase,
  rowsOf,
  rowsOfToday,
  withoutNewerSteps,
} from '../kit/older-databases.ts';
import { runProgram, startProgram } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { load, stores } from '../kit/service.ts';

/** Enough rows that a migration can be killed in the middle of them. */
const MANY = 8_000;
/** How long a migration is left before it is killed: some before it begins, some before it ends. */
const KILLED_AFTER_MS = [300, 450, 600];
const table: Table = tables.virtual_numbers;
/** The step that folds every text again. */
const FOLDING_STEP = 17;

/** Texts that fold as they did, and some that do not: those of athens and, among its services, of thebes. */
const NUMBERS = [
  numberRow('athens', 1, { comment: 'ΟΔΟΣΑ', provider: 'ΟΤΕ' }),
  numberRow('athens', 2, { comment: 'Οδος ΘΗΒΑΣ' }),
  numberRow('london', 3, { comment: 'İstanbul, Straße, ΟΔΟ' }),
];
const VPN = { title: 'VPN', service_name: 'VPN', category: 'additional', subscription_status: 'active' };
const SERVICES = [
  { ...VPN, account_id: 'athens', id: 1, frequency: 'monthly' },
  { ...VPN, account_id: 'thebes', id: 2, frequency: 'monthly', service_name: 'H\u0331' },
  { ...VPN, account_id: 'london', id: 3, frequency: 'monthly' },
];

/** Of each account its sequence and its revision, and which lists were rebuilt. */
async function statesOf(url: string) {
  const store = await openStore(url, 'write');
  const [accounts, logs] = await store.read(
    { text: 'select id, sequence, revision from accounts order by id', values: [] },
    {
      text: 'select account_id, list from change_logs where rebuilt > 0 order by account_id, list',
      values: [],
    },
  );
  await store.close();
  return { accounts, rebuilt: logs.map((row) => row.join(' ')) };
}

for (const kind of stores) {
  const below = BELOW[kind.name] as Below;

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

    test('has texts folded as today, and only the lists in which one folds differently are read again', async (t) => {
      const database = await kind.make();
      t.after(() => database.remove());
      const { url } = database;
      const store = await openStore(url, 'write');
      await load(store, 'virtual_numbers', NUMBERS);
      await load(store, 'additional_services', SERVICES);
      await store.close();
      const before = await statesOf(url);
      const today = new Map<Table, ResultRow[]>();
      for (const one of Object.values(tables)) {
        const rows = await rowsOf(url, one);
        today.set(one, rows);
        await below.run(url, `delete from ${one.name}`);
        const old = rows.map((row) => asOfOld(one, row));
        await below.insert(url, one.name, old);
      }
      for (const text of withoutNewerSteps(kind.name)) await below.run(url, text);
      await below.run(url, below.setStep(FOLDING_STEP - 1));
      for (const _ of ['upgraded', 'opened again']) {
        const { accounts, rebuilt } = await statesOf(url);
        assert.deepEqual(rebuilt, ['athens virtual_numbers', 'thebes additional_services']);
        assert.deepEqual(
          accounts.map(([id, sequence, revision], i) => {
            const [, sequenceBefore, revisionBefore] = before.accounts[i] as ResultRow;
            return [id, Number(sequence) - Number(sequenceBefore), revision === revisionBefore];
          }),
          [
            ['athens', 1, false],
            ['london', 0, true],
            ['thebes', 1, false],
          ],
        );
        for (const [one, rows] of today) assert.deepEqual(await rowsOf(url, one), rows, one.name);
      }
    });
  });
}
