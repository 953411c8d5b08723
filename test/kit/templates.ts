// Databases that have the whole schema and nothing else, one of each kind for a run of the tests: copying one
// takes a fifth of what the steps of the schema take. All copies have one cursor key.

import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../server/store/open.ts';
import type { PostgresServer } from './postgres-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

const FILE = 'linecard.db';

/** A database that exists for one test. */
export interface Database {
  readonly url: string;
  /** What the service itself opens, where it is not what the operator opens. */
  readonly readingUrl?: string;
  remove(): Promise<void>;
}

/** What the processes of a run find the templates by; one that runs a test file alone has none. */
const { TEST_SQLITE_TEMPLATE, TEST_POSTGRES_TEMPLATE } = process.env;

function urlIn(folder: string): string {
  return `sqlite:${join(folder, FILE)}`;
}

/** An empty file, or one with the schema, if there is a template of it. */
export function makeFile(from?: 'template'): Database {
  const folder = temporaryFolder();
  if (from !== undefined && TEST_SQLITE_TEMPLATE !== undefined) {
    for (const name of readdirSync(TEST_SQLITE_TEMPLATE))
      copyFileSync(join(TEST_SQLITE_TEMPLATE, name), join(folder, name));
  }
  return { url: urlIn(folder), remove: async () => rmSync(folder, { recursive: true }) };
}

/** The same on a server. */
export async function makeDatabase(server: PostgresServer, from?: 'template'): Promise<Database> {
  return server.makeDatabase('icu', from && TEST_POSTGRES_TEMPLATE);
}

async function addSchema(url: string): Promise<void> {
  const store = await openStore(url, 'write');
  await store.close();
}

/** Makes the templates of a run; returns the environment that its processes find them by. */
export async function makeTemplates(
  server: PostgresServer,
): Promise<{ env: Record<string, string>; remove(): Promise<void> }> {
  const folder = temporaryFolder();
  await addSchema(urlIn(folder));
  const database = await server.makeDatabase('icu');
  await addSchema(database.url);
  return {
    env: {
      TEST_SQLITE_TEMPLATE: folder,
      TEST_POSTGRES_TEMPLATE: new URL(database.url).pathname.slice(1),
    },
    async remove() {
      await database.remove();
    },
  };
}
