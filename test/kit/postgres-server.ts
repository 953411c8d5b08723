// A real PostgreSQL 18 for the tests: the one that TEST_POSTGRES_URL names, or one that is
// started for as long as the tests run. It knows nothing of Linecard.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { initialise, PostgresProcess, serverFolder } from './postgres-process.ts';
import { until } from './until.ts';

const USER = 'postgres';
const STARTS = 5;
/** Fast and not durable: nothing of it has to outlive the machine. */
export const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
};
export const FLAGS = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** How a database compares text where it is left to it; Linecard must not leave it. */
export const LOCALES = {
  c: `locale 'C'`,
  icu: `locale 'C' locale_provider icu icu_locale 'en-US'`,
} as const;

/** One statement on a connection of its own; returns its rows. */
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

export class PostgresServer {
  /** Of a database that a superuser may enter. */
  readonly url: string;
  readonly #process: PostgresProcess | undefined;
  /** Where it keeps its data, if it is started here. */
  readonly folder: string | undefined;

  private constructor(url: string, process?: PostgresProcess, folder?: string) {
    this.url = url;
    this.#process = process;
    this.folder = folder;
  }

  /** Starts a server; another program may take the port in between. */
  static async start(flags: readonly string[] = []): Promise<PostgresServer> {
    const password = randomBytes(8).toString('hex');
    let trouble: unknown;
    for (let attempt = 0; attempt < STARTS; attempt++) {
      const port = await freePort();
      const folder = serverFolder('linecard-postgres-');
      const process = new PostgresProcess(folder, port, [...FLAGS, ...flags]);
      try {
        initialise(folder, USER, password);
        await process.start();
        const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
        return new PostgresServer(url, process, folder);
      } catch (error) {
        rmSync(folder, { recursive: true, force: true });
        trouble = error;
      }
    }
    throw trouble;
  }

  /**
   * The server of this run: the one that is named, or one that is started for this file and stopped after it.
   */
  static shared(): Promise<PostgresServer> {
    shared ??= process.env['TEST_POSTGRES_URL']
      ? Promise.resolve(new PostgresServer(process.env['TEST_POSTGRES_URL']))
      : PostgresServer.start();
    return shared;
  }

  /** An empty database; a copy of `template` has its locale. */
  async makeDatabase(
    locale: keyof typeof LOCALES = 'icu',
    template?: string,
  ): Promise<{ url: string; remove(): Promise<void> }> {
    const name = `linecard_${randomBytes(6).toString('hex')}`;
    // Nothing has to be written twice for a crash: the files of a template are copied as they are.
    const from = template
      ? `template ${template} strategy file_copy`
      : `template template0 encoding 'UTF8' ${LOCALES[locale]}`;
    await query(this.url, `create database ${name} ${from}`);
    return {
      url: urlWith(this.url, { database: name }),
      remove: async () => {
        await query(this.url, `drop database ${name} with (force)`);
      },
    };
  }

  /** What it has said so far. */
  get log(): readonly string[] {
    return this.#process?.log ?? [];
  }

  /** The process that all others of the server come from. */
  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async stop(): Promise<void> {
    await this.#process?.end('SIGINT');
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true });
  }

  /** Kills it, and starts it again as soon as what is left of it lets it: it recovers by its log. */
  async crash(): Promise<void> {
    await this.#process?.end('SIGKILL');
    // Its backends notice that it is gone only when they have something to do.
    const starts = async () =>
      this.#process?.start().then(
        () => true,
        () => false,
      );
    await until('the server starts again', starts, () => this.log.slice(-20).join(''));
  }

  /** Stops it the way an administrator does, and starts it again after a while. */
  async restart(between: () => Promise<void> = async () => {}): Promise<void> {
    await this.#process?.end('SIGINT');
    await between();
    await this.#process?.start();
  }
}
