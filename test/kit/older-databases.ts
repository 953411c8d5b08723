// A database that an older Linecard filled, on every store: of the oldest step whose rows are upgraded, with
// the hard rows in it.

import { DatabaseSync } from 'node:sqlite';
import { MAX_OWN_FIELDS } from '../../api/contract/own-fields.ts';
import { DELETED_ACCOUNTS } from '../../server/store/access/deleted-accounts.ts';
import { FIELD_EVENTS, OWN_FIELDS } from '../../server/store/lists/own-fields.ts';
import { changesTable } from '../../server/store/log/change-log.ts';
import { schemaSteps } from '../../server/store/migrations.ts';
import { openStore } from '../../server/store/open.ts';
import { OWN_TEXT, slotColumns } from '../../server/store/own-columns.ts';
import type { ResultRow } from '../../server/store/store.ts';
import { storedColumns, type Table, tables } from '../../server/store/tables.ts';
import { hardRows } from './hard-rows.ts';
import { query } from './postgres-server.ts';
import { load, type StoreKind } from './service.ts';

const APPLICATION_ID = 0x4c4e4344;
/** The oldest step whose rows are upgraded here. */
const OLD_STEP = 2;

/** A row by the names of its columns. */
export type OldRow = Readonly<Record<string, ResultRow[number]>>;

/** What the databases spell differently, below the program. */
export interface Below {
  run(url: string, text: string): Promise<void>;
  /** Of each row, the values that the table has columns for at its step. */
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

const POSTGRES: Below = {
  run: async (url, text) => void (await query(url, text)),
  async insert(url, table, rows) {
    const there = await query(
      url,
      'select column_name from information_schema.columns where table_name = $1',
      table,
    );
    const columns = there.map((one) => String(one['column_name'])).join(', ');
    const records = `select ${columns} from json_populate_recordset(null::${table}, $1)`;
    await query(url, `insert into ${table} (${columns}) ${records}`, JSON.stringify(rows));
  },
  setStep: (step) =>
    `insert into deployment values ('schema_step', '${step}') on conflict (name) do update set value = excluded.value`,
};

export const BELOW: Readonly<Record<string, Below>> = {
  SQLite: {
    run: async (url, text) => onSqlite(url, (database) => database.exec(text)),
    insert: async (url, table, rows) =>
      onSqlite(url, (database) => {
        const there = database.prepare('select name from pragma_table_info(?)').all(table);
        const columns = there.map(({ name }) => String(name));
        const insert = database.prepare(
          `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
        );
        database.exec('begin');
        for (const row of rows) insert.run(...columns.map((name) => row[name] ?? null));
        database.exec('commit');
      }),
    setStep: (step) => `pragma application_id = ${APPLICATION_ID}; pragma user_version = ${step}`,
  },
  PostgreSQL: POSTGRES,
  // As a dump of a distributed deployment is restored: it is distributed at the end, with its rows.
  Citus: {
    ...POSTGRES,
    setStep: (step) => `insert into deployment values ('schema_step', '${step}'), ('distributed_by', 'citus')
      on conflict (name) do update set value = excluded.value`,
  },
};

const drop = (table: string, ...columns: readonly string[]) =>
  columns.map((column) => `alter table ${table} drop column ${column}`);
const ofLists = (undo: (name: string) => readonly string[]) => Object.keys(tables).flatMap(undo);
const SLOTS = Array.from({ length: MAX_OWN_FIELDS }, (_, i) => slotColumns(i + 1)).flat();

/** What undoes a step; on SQLite the tokens and the runs are in a file that stays as it is. */
interface Undo {
  readonly lists?: readonly string[];
  readonly tokens?: readonly string[];
}

/** Of each step that is younger than any database here. */
const UNDO: Readonly<Record<number, Undo>> = {
  18: { lists: drop('imports', 'changed'), tokens: drop('import_runs', 'columns', 'changed') },
  19: { lists: drop('imports', 'left_out'), tokens: drop('import_runs', 'left_out') },
  20: {
    lists: [
      ...ofLists((name) => drop(name, ...SLOTS)),
      ...[OWN_FIELDS, FIELD_EVENTS].map(({ name }) => `drop table ${name}`),
    ],
  },
  21: { lists: [`drop table ${DELETED_ACCOUNTS.name}`] },
  22: { tokens: drop('operator_tokens', 'lists', 'charges', 'addresses') },
  23: { lists: ['account_events', DELETED_ACCOUNTS.name].flatMap((name) => drop(name, 'renamed_to')) },
  24: {
    tokens: [
      ...['tokens', 'operator_tokens'].flatMap((name) => drop(name, 'rate_limit')),
      'drop index tokens_by_end',
    ],
  },
  25: { lists: ofLists((name) => drop(changesTable(name), 'from_to')) },
  26: { lists: ['drop table feed_events'] },
  27: { lists: ofLists((name) => drop(name, ...OWN_TEXT)) },
};
const BEFORE_ALL = Math.min(...Object.keys(UNDO).map(Number)) - 1;

/** The statements that undo the steps after one; what they granted, and their policies, remain. */
export function withoutNewerSteps(store: string, step = BEFORE_ALL): string[] {
  const undone = schemaSteps('postgres').flatMap((_, i) => {
    const { lists = [], tokens = [] } = (i >= step && UNDO[i + 1]) || {};
    return [[...lists, ...(store === 'SQLite' ? [] : tokens)]];
  });
  return undone.toReversed().flat();
}

const everyTable: readonly Table[] = Object.values(tables);

/** All columns of all rows, as the database of the newest step holds them. */
export async function rowsOf(url: string, { name, ...of }: Table): Promise<ResultRow[]> {
  const store = await openStore(url, 'write');
  const columns = storedColumns({ name, ...of }).join(', ');
  const [rows] = await store.read({ text: `select ${columns} from ${name} order by id`, values: [] });
  await store.close();
  return rows;
}

/** As text was folded before step 17. */
const foldedOfOld = (text: string) => text.normalize('NFKC').toLowerCase();

/**
 * A row as the older program stored it: digits with their `00` and their trunk zero, and a Σ at the end of a
 * word folded as ς.
 */
export function asOfOld({ list, ...of }: Table, row: ResultRow): OldRow {
  const named: OldRow = Object.fromEntries(
    storedColumns({ list, ...of }).map((name, i) => [name, row[i] ?? null]),
  );
  const item: OldRow = { ...named, ...(JSON.parse(String(named['item'])) as OldRow) };
  const folded = Object.keys(named).filter((name) => name.endsWith('_folded'));
  const texts = folded.map((name) => [name, foldedOfOld(String(item[name.replace('_folded', '')]))] as const);
  const old = { ...named, ...Object.fromEntries(texts) };
  const { did } = item;
  return did === undefined ? old : { ...old, did_digits: String(did).normalize('NFKC').replace(/\D/g, '') };
}

/** What an import would store today of the hard rows, by table. */
export async function rowsOfToday(kind: StoreKind): Promise<Map<Table, ResultRow[]>> {
  const fresh = await kind.make();
  const store = await openStore(fresh.url, 'write');
  for (const { name } of everyTable)
    await load(store, name as keyof typeof tables, hardRows[name as keyof typeof tables]);
  await store.close();
  const rows = new Map<Table, ResultRow[]>();
  for (const one of everyTable) rows.set(one, await rowsOf(fresh.url, one));
  await fresh.remove();
  return rows;
}

/** A database of the older step, with those rows in it as they were stored then. */
export async function olderDatabase(kind: StoreKind, expected: ReadonlyMap<Table, ResultRow[]>) {
  const below = BELOW[kind.name] as Below;
  const database = await kind.make();
  const dialect = kind.name === 'SQLite' ? 'sqlite' : 'postgres';
  for (const text of schemaSteps(dialect).slice(0, OLD_STEP)) await below.run(database.url, text);
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
