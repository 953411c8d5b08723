// A real MariaDB for the tests, as a process of its own on a temporary folder. It knows nothing of Linecard.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { freePort } from './free-port.ts';
import { serverFolder } from './postgres-process.ts';
import { until } from './until.ts';

const PLACES = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const BINARY = PLACES.map((folder) => join(folder, 'mariadbd')).find((path) => existsSync(path));
/** CI brings it, and must not pass without. */
export const NO_MARIADB =
  BINARY !== undefined || process.env['CI'] === 'true'
    ? false
    : 'there is no MariaDB: apt-get install --no-install-recommends mariadb-server';
/** Small, fast and not durable: nothing of it has to outlive the machine. */
const FLAGS = [
  '--bind-address=127.0.0.1',
  '--innodb-buffer-pool-size=16M',
  '--innodb-log-file-size=8M',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-use-native-aio=0',
  // As older servers have it: dates of nothing but zeros.
  '--sql-mode=',
  // The session's own zone must not matter.
  '--default-time-zone=+05:30',
];

export class MariadbServer {
  /** Of a database that its owner may do anything in. */
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, process: ChildProcess, folder: string) {
    this.url = url;
    this.#process = process;
    this.#folder = folder;
  }

  static async start(): Promise<MariadbServer> {
    const folder = serverFolder('linecard-mariadb-');
    const data = join(folder, 'data');
    // The server may run as a user who cannot write to the TMPDIR of the tests.
    const ours = [`--user=${statSync(folder).uid}`, `--datadir=${data}`, `--tmpdir=${folder}`];
    const options = ['--no-defaults', ...ours];
    const how = ['--auth-root-authentication-method=normal', '--skip-test-db'];
    const made = spawnSync('mariadb-install-db', [...options, ...how], { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`MariaDB cannot be set up: ${made.stdout}${made.stderr}`);
    const port = await freePort();
    const child = spawn(
      BINARY ?? 'mariadbd',
      [...options, ...FLAGS, `--port=${port}`, `--socket=${join(folder, 's')}`],
      { stdio: 'ignore' },
    );
    const url = `mysql://root@127.0.0.1:${port}`;
    const connection = await until('MariaDB takes connections', () => {
      if (child.exitCode !== null) throw new Error(`MariaDB ended with status ${child.exitCode}.`);
      return createConnection(`${url}/mysql`).catch(() => undefined);
    });
    await connection.query('create database carrier character set utf8mb4');
    await connection.end();
    return new MariadbServer(`${url}/carrier`, child, folder);
  }

  /** Statements on a connection of their own; returns the rows of a single one. */
  async run(text: string, uri = this.url): Promise<RowDataPacket[]> {
    const connection = await createConnection({ uri, charset: 'utf8mb4', multipleStatements: true });
    try {
      return (await connection.query<RowDataPacket[]>(text))[0];
    } finally {
      await connection.end();
    }
  }

  /** Creates a database with what the statements create, and returns its address. */
  async createDatabase(name: string, statements: string): Promise<string> {
    await this.run(`create database ${name} character set utf8mb4`);
    const { href } = Object.assign(new URL(this.url), { pathname: name });
    await this.run(statements, href);
    return href;
  }

  /** The address for a new user, who may read every column of the database but these (`table.column`). */
  async createReader(url: string, hidden: readonly string[]): Promise<string> {
    const reader = new URL(url);
    reader.username = `${reader.pathname.slice(1)}_reader`;
    const user = `'${reader.username}'@'%'`;
    const columns = await this.run(
      'select table_name as t, column_name as c from information_schema.columns where table_schema = database()',
      url,
    );
    const grants = columns
      .filter(({ t, c }) => !hidden.includes(`${t}.${c}`))
      .map(({ t, c }) => `grant select (\`${c}\`) on \`${t}\` to ${user};`);
    await this.run(`create user ${user}; ${grants.join('')}`, url);
    return reader.href;
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await exited;
    rmSync(this.#folder, { recursive: true });
  }
}
