// A database that an older Linecard filled, on every store: a migration gives its rows what an import would
// store today, whole or not at all, and goes on where one was killed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { schemaSteps } from '../server/store/migrations.ts';
import { openStore } from '../server/store/open.ts';
import type { ResultRow } from '../server/store/store.ts';
import { storedColumns, type Table, tables } from '../server/store/tables.ts';
import { ENVIRONMENT } from './environment.ts';
import { hardRows } from './hard-rows.ts';
import { query } from './postgres-server.ts';
import { load, stores } from './service.ts';

const MAIN = join(import.meta.dirname, '../server/main.ts');
const SCHEMA = new URL('../server/store/schema/', import.meta.url);
const APPLICATION_ID = 0x4c4e4344;
/** The oldest step whose rows are upgraded here, and the columns that later ones have added. */
const OLD_STEP = 2;
const ADDED = ['subscription_status_folded', 'created_at'];
/** So many rows that a migration can be killed in the middle of them. */
const MANY = 8_000;
/** How long a migration is left before it is killed: some before it begins, some before it ends. */
const KILLED_AFTER_MS = [300, 450, 600];

/** A row by the names of its columns. */
type OldRow = Readonly<Record<string, ResultRow[number]>>;

/** What the databases spell differently, below the program. */
interface Below {
  run(url: string, text: string): Promise<void>;
  insert(url: string, table: string, rows: readonly OldRow[]): Promise<void>;
  setStep(step: number): string;
}

function onSqlite<T>(url: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(url.replace('sqlite:', ''), { timeout: 5_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const BELOW: Readonly<Record<string, Below>> = {
  SQLite: {
    run: async (url, text) => onSqlite(url, (database) => database.exec(text)),
    insert: async (url, table, rows) =>
      onSqlite(url, (database) => {
        const columns = Object.keys(rows[0] ?? {});
        const insert = database.prepare(
          `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
        );
        database.exec('begin');
        for (const row of rows) insert.run(...Object.values(row));
        database.exec('commit');
      }),
    setStep: (step) => `pragma application_id = ${APPLICATION_ID}; pragma user_version = ${step}`,
  },
  PostgreSQL: {
    run: async (url, text) => void (await query(url, text)),
    async insert(url, table, rows) {
      const columns = Object.keys(rows[0] ?? {}).join(', ');
      const records = `select ${columns} from json_populate_recordset(null::${table}, $1)`;
      await query(url, `insert into ${table} (${columns}) ${records}`, JSON.stringify(rows));
    },
    setStep: (step) =>
      `insert into deployment values ('schema_step', '${step}') on conflict (name) do update set value = excluded.value`,
  },
};

const table: Table = tables.virtual_numbers;
const everyTable: readonly Table[] = Object.values(tables);

function stepsUpTo(dialect: string, step: number): string[] {
  const folder = new URL(`${dialect}/`, SCHEMA);
  const names = readdirSync(folder).sort().slice(0, step);
  return names.map((name) => readFileSync(new URL(name, folder), 'utf8'));
}

/** All columns of all rows, as the database of the newest step holds them. */
async function rowsOf(url: string, { name, ...of }: Table): Promise<ResultRow[]> {
  const store = await openStore(url, 'write');
  const columns = storedColumns({ name, ...of }).join(', ');
  const [rows] = await store.read({ text: `select ${columns} from ${name} order by id`, values: [] });
  await store.close();
  return rows;
}

/** A row as the older program stored it: digits with their `00` and their trunk zero. */
function asOfOld({ list, ...of }: Table, row: ResultRow): OldRow {
  const named = Object.fromEntries(storedColumns({ list, ...of }).map((name, i) => [name, row[i] ?? null]));
  const { did } = JSON.parse(String(named['item'])) as { did?: string };
  const remaining = Object.entries(named).filter(
    ([name]) => list.name !== table.name || !ADDED.includes(name),
  );
  const old = Object.fromEntries(remaining);
  return did === undefined ? old : { ...old, did_digits: did.normalize('NFKC').replace(/\D/g, '') };
}

for (const kind of stores) {
  const below = BELOW[kind.name] as Below;
  const dialect = kind.name === 'SQLite' ? 'sqlite' : 'postgres';

  describe(`an older database on ${kind.name}`, () => {
    const expected = new Map<Table, ResultRow[]>();

    before(async () => {
      const fresh = await kind.make();
      const store = await openStore(fresh.url, 'write');
      for (const { name } of everyTable)
        await load(store, name as keyof typeof tables, hardRows[name as keyof typeof tables]);
      await store.close();
      for (const one of everyTable) expected.set(one, await rowsOf(fresh.url, one));
      await fresh.remove();
    });

    /** A database of the older step, with the hard rows in it. */
    async function older() {
      const database = await kind.make();
      after(() => database.remove());
      for (const text of stepsUpTo(dialect, OLD_STEP)) await below.run(database.url, text);
      await below.run(database.url, below.setStep(OLD_STEP));
      for (const [one, rows] of expected) {
        await below.insert(
          database.url,
          one.name,
          rows.map((row) => asOfOld(one, row)),
        );
      }
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
        const migration = spawn(process.execPath, [MAIN, 'migrate', '--database-url', url], {
          env: ENVIRONMENT,
          stdio: 'ignore',
        });
        const ended = once(migration, 'exit');
        await Promise.race([ended, sleep(ms)]);
        migration.kill('SIGKILL');
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
