// Databases that have the schema and nothing else, one of each kind for a run of the tests, and a file with
// the sample accounts: copying one takes a fifth of what the steps of the schema take. All copies of one have
// its cursor key. And copies of a database that a test has filled.

import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fillDemo } from '../../server/demo/demo.ts';
import { openStore } from '../../server/store/open.ts';
import { PostgresServer } from './postgres-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

const FILE = 'linecard.db';
/** What was killed may still write. */
const HOW = { recursive: true, maxRetries: 5 } as const;

/** A database that exists for one test. */
export interface Database {
  readonly url: string;
  /** What the service itself opens, where it is not what the operator opens. */
  readonly readingUrl?: string;
  remove(): Promise<void>;
}

/** What the processes of a run find the templates by; one that runs a test file alone has none. */
const { TEST_SQLITE_TEMPLATE, TEST_DEMO_TEMPLATE, TEST_POSTGRES_TEMPLATE } = process.env;

function urlIn(folder: string): string {
  return `sqlite:${join(folder, FILE)}`;
}

/** An empty file, or one with the schema or with the sample accounts, if there is a template of it. */
export function makeFile(from?: 'template' | 'demo'): Database {
  const folder = temporaryFolder();
  const template = from && { template: TEST_SQLITE_TEMPLATE, demo: TEST_DEMO_TEMPLATE }[from];
  if (template !== undefined) cpSync(template, folder, { recursive: true });
  return { url: urlIn(folder), remove: async () => rmSync(folder, HOW) };
}

/** The same on a server. */
export async function makeDatabase(server: PostgresServer, from?: 'template'): Promise<Database> {
  return server.makeDatabase('icu', from && TEST_POSTGRES_TEMPLATE);
}

/** A copy that is the same to the byte: nobody may be connected to the database. */
export async function copyOf({ url }: Pick<Database, 'url'>): Promise<Database> {
  if (!url.startsWith('sqlite:'))
    return (await PostgresServer.shared()).makeDatabase('icu', new URL(url).pathname.slice(1));
  const folder = temporaryFolder();
  cpSync(dirname(url.slice('sqlite:'.length)), folder, { recursive: true });
  return { url: urlIn(folder), remove: async () => rmSync(folder, HOW) };
}

/** Makes the templates of a run; returns the environment that its processes find them by. */
export async function makeTemplates(
  server: PostgresServer,
): Promise<{ env: Record<string, string>; remove(): Promise<void> }> {
  const folder = temporaryFolder();
  await (await openStore(urlIn(folder), 'write')).close();
  const demo = temporaryFolder();
  const store = await openStore(urlIn(demo), 'write');
  await fillDemo(store);
  await store.close();
  const database = await server.makeDatabase('icu');
  await (await openStore(database.url, 'write')).close();
  return {
    env: {
      TEST_SQLITE_TEMPLATE: folder,
      TEST_DEMO_TEMPLATE: demo,
      TEST_POSTGRES_TEMPLATE: new URL(database.url).pathname.slice(1),
    },
    remove: () => database.remove(),
  };
}
