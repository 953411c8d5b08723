// What imports and exports are measured against, each the least that a program does with the same file and
// the same table: it loads the rows, or sets flags, in one transaction, or reads the items of an account. It
// knows the columns of the files of the bench; it checks nothing, compares nothing with what is stored,
// counts nothing and keeps no log of changes. `node bench/yardstick.ts DATABASE_URL load|flags FILE` uses a
// database that has the schema; `node bench/yardstick.ts DATABASE_URL read ACCOUNT` prints how many items it
// has read, and in how many seconds.

import { createReadStream } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parseCharge } from '@linecard/client/contract/charge';
import { Client } from 'pg';
import { countryName } from '../server/import/countries.ts';
import { filePath } from '../server/store/open.ts';
import { CopyRows, copyLine } from '../server/store/postgres/copy-rows.ts';
import { dropIndexes } from '../server/store/sqlite/load-statements.ts';
import { type Stored, storedColumns, storedRow, tables } from '../server/store/tables.ts';
import { COLUMNS } from './data.ts';

const TABLE = tables.virtual_numbers;
const ROWS_AT_ONCE = 1_000;
const CHUNK_BYTES = 262_144;
const QUOTED_CELL = /(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/gy;

const READERS = {
  integer: Number,
  charge: (cell: string) => parseCharge(cell) ?? 0,
  flag: (cell: string) => cell === 'true',
  timestamp: (cell: string) => cell || null,
  text: (cell: string) => cell,
} as const;
const KINDS: Readonly<Record<string, { readonly kind: keyof typeof READERS }>> = TABLE.list.fields;
const FIELDS = COLUMNS.map((name) => ({ name, read: READERS[KINDS[name]?.kind ?? 'text'] }));

/** Where the rows of a file go, in one transaction. */
interface Target {
  load(rows: readonly (readonly Stored[])[]): Promise<void> | void;
  setFlags(flags: readonly (readonly string[])[]): Promise<void> | void;
  commit(): Promise<void> | void;
}

/** The item with another flag, as SQL. */
const flagged = (flag: string) =>
  `replace(item, '"is_spammed":${flag === 'true' ? 'false' : 'true'}', '"is_spammed":${flag}')`;

function embedded(path: string): Target {
  const database = new DatabaseSync(path);
  const columns = storedColumns(TABLE);
  database.exec('pragma synchronous = full; begin immediate');
  const indexes = dropIndexes(database, TABLE);
  const insert = database.prepare(
    `insert into ${TABLE.name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  );
  const update = (flag: string) =>
    database.prepare(
      `update ${TABLE.name} set is_spammed = ${flag}, item = ${flagged(flag)} where id = ? and account_id = ?`,
    );
  const updates = { true: update('true'), false: update('false') };
  return {
    load(rows) {
      for (const row of rows) insert.run(...row);
    },
    setFlags(flags) {
      for (const [account_id = '', id, flag] of flags) updates[flag as 'true'].run(Number(id), account_id);
    },
    commit() {
      for (const index of indexes) database.exec(index);
      database.exec('commit');
      database.close();
    },
  };
}

async function onPostgres(url: string): Promise<Target> {
  const client = new Client(url);
  await client.connect();
  await client.query('begin');
  const copy = new CopyRows(client, `copy ${TABLE.name} (${storedColumns(TABLE).join(', ')}) from stdin`);
  return {
    load: (rows) => copy.write(rows.map((row) => copyLine(undefined, row)).join('')),
    async setFlags(flags) {
      const flag = flags[0]?.[2] ?? '';
      await client.query(
        `update ${TABLE.name} as one set is_spammed = ${Number(flag === 'true')}, item = ${flagged(flag)}
         from unnest($1::text[], $2::bigint[]) as given (account_id, id)
         where one.account_id = given.account_id and one.id = given.id`,
        [flags.map(([account_id]) => account_id), flags.map(([, id]) => id)],
      );
    },
    async commit() {
      await copy.end();
      await client.query('commit');
      await client.end();
    },
  };
}

function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  return Array.from(
    line.matchAll(QUOTED_CELL),
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  );
}

/** The cells of the lines of a file but its header, many lines at a time. */
async function* linesOf(path: string): AsyncGenerator<string[][]> {
  let rest = '';
  let isHeader = true;
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: CHUNK_BYTES })) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    if (isHeader) lines.shift();
    isHeader = false;
    yield lines.map(cellsOf);
  }
}

function rowOf(cells: readonly string[]): Stored[] {
  const values: Record<string, string | number | boolean | null> = {};
  for (let i = 0; i < COLUMNS.length; i++) {
    const { name, read } = FIELDS[i] as (typeof FIELDS)[number];
    values[name] = read(cells[i] ?? '');
  }
  values['country'] = countryName(String(values['country_code']));
  return storedRow(TABLE, cells[0] ?? '', values);
}

async function change(database_url: string, what: 'load' | 'flags', path: string): Promise<void> {
  const file = filePath(database_url);
  const target = file === undefined ? await onPostgres(database_url) : embedded(file);
  for await (const lines of linesOf(path)) {
    await (what === 'load' ? target.load(lines.map(rowOf)) : target.setFlags(lines));
  }
  await target.commit();
}

type Page = readonly (readonly [item: string, id: number | string])[];

/** Reads pages of items in the order of their ids, which is what an export does before it writes them. */
async function readItems(database_url: string, account_id: string): Promise<() => Promise<number>> {
  const file = filePath(database_url);
  const page = (account: string, after: string, limit: string) =>
    `select item, id from ${TABLE.name} where account_id = ${account} and id > ${after} order by id limit ${limit}`;
  let read: (after: number) => Promise<Page> | Page;
  if (file === undefined) {
    const client = new Client(database_url);
    await client.connect();
    const query = { name: 'page', text: page('$1', '$2', '$3'), rowMode: 'array' } as const;
    read = async (after) => {
      const { rows } = await client.query({ ...query, values: [account_id, after, ROWS_AT_ONCE] });
      return rows as unknown as Page;
    };
  } else {
    const database = new DatabaseSync(file, { readOnly: true, returnArrays: true });
    const statement = database.prepare(page('?', '?', '?'));
    read = (after) => statement.all(account_id, after, ROWS_AT_ONCE) as unknown as Page;
  }
  return async () => {
    let [count, last] = [0, 0];
    for (let rows = await read(last); rows.length > 0; rows = await read(last)) {
      count += rows.length;
      last = Number(rows.at(-1)?.[1]);
    }
    return count;
  };
}

const [database_url = '', what, given = ''] = process.argv.slice(2);
if (what === 'load' || what === 'flags') await change(database_url, what, given);
else {
  const read = await readItems(database_url, given);
  // Once before it is measured, as the server has run its code before.
  await read();
  const [begin, before] = [performance.now(), process.cpuUsage()];
  const items = await read();
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - begin) / 1_000;
  console.log(JSON.stringify({ items, seconds, processor: (user + system) / 1_000_000 }));
  // The connection to PostgreSQL would keep it alive.
  process.exit();
}
