// Measures the list of numbers on PostgreSQL: the size per row of the table and each index, and the cost of
// maintaining each index during inserts. `node bench/indexes.ts [--write]` (into docs/scaling.md)

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { benchAccounts, writeNumbers } from './data.ts';
import { linecard, startPostgres } from './deployment.ts';
import { processorSeconds } from './running.ts';
import { count, table, writeSection } from './table.ts';

const MILLION = 1_000_000;
const REPETITIONS = 5;
const COPY = 'numbers_again';

interface Relation {
  readonly name: string;
  readonly bytes: number;
  /** The statement that creates it; absent for the table. */
  readonly definition?: string;
}

async function relationsOf(client: Client): Promise<Relation[]> {
  const { rows } = await client.query<{ name: string; bytes: number; definition: string | null }>(`
    select 'virtual_numbers' as name, pg_relation_size('virtual_numbers')::float8 as bytes, null as definition
    union all select indexname, pg_relation_size(indexname::regclass)::float8, indexdef
    from pg_indexes where tablename = 'virtual_numbers' order by definition nulls first`);
  return rows.map(({ name, bytes, definition }) =>
    definition === null ? { name, bytes } : { name, bytes, definition },
  );
}

/** Processor seconds of a backend for inserting all rows into a new table with one index, in import order. */
async function copyingWith(client: Client, backend: number, { definition }: Relation): Promise<number> {
  await client.query(`create table ${COPY} (like virtual_numbers including defaults)`);
  // Without the name, which is taken by the original index.
  if (definition !== undefined) {
    await client.query(definition.replace(/ INDEX \w+ ON \S+ /, ` INDEX ON ${COPY} `));
  }
  const before = processorSeconds(backend).own;
  await client.query(`insert into ${COPY} select * from virtual_numbers order by account_id, id`);
  const seconds = processorSeconds(backend).own - before;
  await client.query(`drop table ${COPY}`);
  return seconds;
}

const accounts = benchAccounts();
const rows = accounts.reduce((sum, { numbers }) => sum + numbers, 0);
const folder = mkdtempSync(join(tmpdir(), 'linecard-bench-'));
const file = join(folder, 'numbers.csv');
const server = await startPostgres();
try {
  writeNumbers(file, accounts);
  const database = await server.makeDatabase('c');
  linecard('import', 'virtual-numbers', file, '--database-url', database.url);

  const client = new Client(database.url);
  await client.connect();
  const backend = Number((await client.query('select pg_backend_pid() as pid')).rows[0].pid);
  const relations = await relationsOf(client);
  await client.query('reindex table virtual_numbers');
  const rebuilt = new Map((await relationsOf(client)).map(({ name, bytes }) => [name, bytes]));
  // The minimum counts, because other load on the machine only adds time.
  const least = new Map<string, number>();
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    for (const one of relations) {
      const seconds = await copyingWith(client, backend, one);
      least.set(one.name, Math.min(seconds, least.get(one.name) ?? Number.POSITIVE_INFINITY));
    }
    console.error(`Repetition ${repetition + 1} of ${REPETITIONS} is done.`);
  }
  await client.end();
  await database.remove();

  const bare = least.get('virtual_numbers') ?? 0;
  const lines = relations.map(({ name, bytes, definition }) => {
    const cost = (least.get(name) ?? 0) - (definition === undefined ? 0 : bare);
    const sizes = [bytes, rebuilt.get(name) ?? 0].map((size) => count(size / rows));
    return [`\`${name}\``, ...sizes, ((cost * MILLION) / rows).toFixed(1)];
  });
  const head = [
    '',
    'bytes a row after an import',
    'after `reindex`',
    'µs of PostgreSQL for each row written',
  ];
  const text = table(head, lines);
  console.log(text);
  if (process.argv.includes('--write')) writeSection('scaling.md', 'indexes', text);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}
