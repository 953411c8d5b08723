// The data of the bench: a SQLite database with a token for each account, generated once per version of the
// schema and of the rows, and a copy on PostgreSQL for Linecard and its peers, made for each run.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToken } from '../server/store/access/tokens.ts';
import { schemaSteps } from '../server/store/migrations.ts';
import { openStore } from '../server/store/open.ts';
import { PostgresServer, query } from '../test/kit/postgres-server.ts';
import { type BenchAccount, benchAccounts, OWN_FIELDS, writeNumbers } from './data.ts';
import { CORES, pin } from './running.ts';

export const ROOT = join(import.meta.dirname, '..');
export const FOLDER = join(ROOT, 'bench', 'data');
const PEERS = join(ROOT, 'bench', 'peers');
/** Suitable for tables of half a gigabyte. */
const POSTGRES_SETTINGS = ['shared_buffers=1GB', 'work_mem=16MB', 'jit=off'];
/** The defaults of PostgreSQL: commits survive a crash of the machine. */
const DURABLE_SETTINGS = ['fsync=on', 'full_page_writes=on', 'max_wal_size=4GB'];

export interface Deployment {
  readonly accounts: readonly BenchAccount[];
  readonly tokens: ReadonlyMap<string, string>;
  readonly database_url: string;
}

export function linecard(...words: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'server', 'main.ts'), ...words], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`linecard-server ${words.join(' ')}:\n${stderr}`);
}

function version(): string {
  const hash = createHash('sha256').update(readFileSync(join(import.meta.dirname, 'data.ts')));
  for (const step of schemaSteps('sqlite')) hash.update(step);
  return hash.digest('hex').slice(0, 8);
}

async function makeTokens(
  database_url: string,
  accounts: readonly BenchAccount[],
): Promise<[string, string][]> {
  const store = await openStore(database_url, 'write');
  const made: [string, string][] = [];
  for (const { id } of accounts) {
    const token = await createToken(store, id, 'bench');
    if (token !== undefined) made.push([id, token.token]);
  }
  await store.close();
  return made;
}

/** Declares the first of the own fields of the bench. */
export function declareOwn(database_url: string, fields: number): void {
  for (const [name, kind] of Object.entries(OWN_FIELDS).slice(0, fields))
    linecard('field', 'add', 'virtual-numbers', name, '--kind', kind, '--database-url', database_url);
}

/**
 * The SQLite database with `scale` times the accounts and the first of the own fields, generated if it does
 * not exist.
 */
export async function embedded(scale = 1, fields = 0): Promise<Deployment> {
  const accounts = benchAccounts(scale);
  const folder = join(FOLDER, `${version()}-times-${scale}${fields === 0 ? '' : `-own-${fields}`}`);
  const database_url = `sqlite:${join(folder, 'linecard.db')}`;
  // Written last, so that incomplete data is generated again.
  const tokens = join(folder, 'tokens.json');
  if (!existsSync(tokens)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const rows = accounts.reduce((sum, { numbers }) => sum + numbers, 0);
    console.error(`Making a database of ${rows.toLocaleString('en')} numbers, once ...`);
    const file = join(folder, 'numbers.csv');
    writeNumbers(file, accounts, fields);
    linecard('migrate', '--database-url', database_url);
    declareOwn(database_url, fields);
    linecard('import', 'virtual-numbers', file, '--database-url', database_url);
    rmSync(file);
    writeFileSync(tokens, JSON.stringify(await makeTokens(database_url, accounts)));
  }
  return { accounts, database_url, tokens: new Map(JSON.parse(readFileSync(tokens, 'utf8'))) };
}

/** The same accounts on PostgreSQL: in the schema `public` for Linecard, and in `peers` for the peers. */
export interface OnPostgres extends Deployment {
  remove(): Promise<void>;
}

/** Starts PostgreSQL on another core than the server, or uses the one of `TEST_POSTGRES_URL`. */
export async function startPostgres(kind?: 'durable'): Promise<PostgresServer> {
  if (process.env['TEST_POSTGRES_URL'] !== undefined) return PostgresServer.shared();
  const settings = [...POSTGRES_SETTINGS, ...(kind === 'durable' ? DURABLE_SETTINGS : [])];
  const server = await PostgresServer.start(settings.flatMap((setting) => ['-c', setting]));
  // Imports run without a server, so all cores are free.
  if (kind === 'durable') return server;
  pin(CORES.database, server.pid);
  return server;
}

export async function onPostgres(original: Deployment): Promise<OnPostgres> {
  console.error('Copying them to PostgreSQL, for Linecard and for the peers ...');
  const server = await startPostgres();
  const database = await server.makeDatabase('c');
  linecard('copy', '--from', original.database_url, '--to', database.url);
  for (const file of ['schema.sql', 'rows.sql', 'indexes.sql']) {
    await query(database.url, readFileSync(join(PEERS, file), 'utf8'));
  }
  await query(database.url, 'vacuum (analyze)');
  return {
    ...original,
    database_url: database.url,
    async remove() {
      await database.remove();
      await server.stop();
    },
  };
}
