// A database with a small list in it, to be copied again and again: each copy is the same to the byte, and
// what happens to it happens to no other.

import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { importBody } from '../../server/import/import.ts';
import type { ImportSummary } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { type Table, tables } from '../../server/store/tables.ts';
import { createOperatorToken } from '../../server/store/tokens.ts';
import { ACCOUNTS, csvOf, type Feed, OLD_ROWS } from './feeds.ts';
import { differenceOf } from './many.ts';
import { PostgresServer, query, urlWith } from './postgres-server.ts';
import { beginCopies, copiesFaults, type ListCopies, reading, seenLists } from './seen-lists.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A database that is a copy of the first. */
export interface Ground {
  readonly url: string;
  /** Of the embedded store. */
  readonly folder?: string;
  remove(): Promise<void>;
}

export interface Grounds {
  readonly name: string;
  /** What customers see of the accounts, before anything has happened. */
  readonly old: string;
  /** Copies of the lists as they are then. */
  readonly copies: ListCopies;
  /** An operator's token, bound to no account. */
  readonly token: string;
  copy(): Promise<Ground>;
  close(): Promise<void>;
}

/** Imports rows in process, as the command does with those options. */
export function importFeed(
  store: Store,
  { rows, options }: Pick<Feed, 'rows' | 'options'>,
  table: Table = tables.virtual_numbers,
): Promise<ImportSummary> {
  const job = {
    store,
    table,
    format: 'csv',
    update: options.includes('--update'),
    replace: options.includes('--replace'),
    replace_all: options.includes('--replace-all'),
    max_removed: { percent: 100 },
  } as const;
  return importBody(job, { bytes: Buffer.from(csvOf(rows)), isCompressed: false });
}

/** What customers see when the import has come to its end. */
export async function seenAfter(grounds: Grounds, feed: Feed): Promise<string> {
  const ground = await grounds.copy();
  try {
    const store = await openStore(ground.url, 'write');
    await importFeed(store, feed);
    await store.close();
    return await reading(ground.url, (one) => seenLists(one, ACCOUNTS));
  } finally {
    await ground.remove();
  }
}

/**
 * What is wrong with a database after an import went wrong: it must hold the old list or the new one,
 * copies that are kept by their changes must agree with it, and the next import must work.
 */
export async function aftermath(
  grounds: Grounds,
  { url }: Ground,
  feed: Feed,
  after: string,
): Promise<string[]> {
  const faults: string[] = [];
  await reading(url, async (store) => {
    const seen = await seenLists(store, ACCOUNTS);
    if (seen !== grounds.old && seen !== after) faults.push(`it left ${differenceOf(seen, after)}`);
    faults.push(...(await copiesFaults(store, grounds.copies)));
  });
  const store = await openStore(url, 'write');
  await importFeed(store, feed);
  await store.close();
  await reading(url, async (one) => {
    const seen = await seenLists(one, ACCOUNTS);
    if (seen !== after) faults.push(`the next import left ${differenceOf(seen, after)}`);
    faults.push(...(await copiesFaults(one, grounds.copies)));
  });
  return faults;
}

async function fill(url: string, rows: Feed['rows']): Promise<Pick<Grounds, 'old' | 'copies' | 'token'>> {
  const store = await openStore(url, 'write');
  // From the second import on there is a log of what changes.
  await importFeed(store, { rows: rows.slice(0, 5), options: [] });
  await importFeed(store, { rows, options: [] });
  const { token } = await createOperatorToken(store, { name: 'drill' });
  await store.close();
  return reading(url, async (one) => ({
    old: await seenLists(one, ACCOUNTS),
    copies: await beginCopies(one, [...new Set(rows.map(({ account_id }) => String(account_id)))]),
    token,
  }));
}

async function onSqlite(rows: Feed['rows']): Promise<Grounds> {
  const folder = temporaryFolder();
  const first = join(folder, 'first');
  mkdirSync(first);
  const filled = await fill(`sqlite:${join(first, 'linecard.db')}`, rows);
  let copies = 0;
  return {
    name: 'SQLite',
    ...filled,
    async copy() {
      const to = join(folder, String(copies++));
      cpSync(first, to, { recursive: true });
      return {
        url: `sqlite:${join(to, 'linecard.db')}`,
        folder: to,
        remove: async () => rmSync(to, { recursive: true, maxRetries: 3 }),
      };
    },
    close: async () => rmSync(folder, { recursive: true, maxRetries: 3 }),
  };
}

async function onPostgres(rows: Feed['rows'], given?: PostgresServer): Promise<Grounds> {
  const server = given ?? (await PostgresServer.shared());
  const first = await server.makeDatabase();
  const filled = await fill(first.url, rows);
  const template = new URL(first.url).pathname.slice(1);
  return {
    name: 'PostgreSQL',
    ...filled,
    async copy() {
      const name = `linecard_${randomBytes(6).toString('hex')}`;
      await query(server.url, `create database ${name} template ${template}`);
      return {
        url: urlWith(server.url, { database: name }),
        remove: async () => void (await query(server.url, `drop database ${name} with (force)`)),
      };
    },
    close: () => first.remove(),
  };
}

/** Makes the first database of a kind of store, filled by two imports. */
export function openGrounds(
  name: 'SQLite' | 'PostgreSQL',
  { rows = OLD_ROWS, server }: { readonly rows?: Feed['rows']; readonly server?: PostgresServer } = {},
): Promise<Grounds> {
  return name === 'SQLite' ? onSqlite(rows) : onPostgres(rows, server);
}
