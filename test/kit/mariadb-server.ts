// A real MariaDB for the tests, as a process of its own on a temporary folder. It knows nothing of Linecard.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { freePort } from './free-port.ts';
import { serverFolder } from './postgres-process.ts';

const PLACES = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const BINARY = PLACES.map((folder) => join(folder, 'mariadbd')).find((path) => existsSync(path));
/** CI brings it, and must not pass without. */
export const NO_MARIADB =
  BINARY !== undefined || process.env['CI'] === 'true'
    ? false
    : 'there is no MariaDB: apt-get install --no-install-recommends mariadb-server';
const STARTS = 100;
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
    const options = ['--no-defaults', `--user=${statSync(folder).uid}`, `--datadir=${data}`];
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
    const server = new MariadbServer(`${url}/carrier`, child, folder);
    for (let i = 0; i < STARTS; i++) {
      const connection = await createConnection(`${url}/mysql`).catch(() => undefined);
      if (connection !== undefined) {
        await connection.query('create database carrier character set utf8mb4');
        await connection.end();
        return server;
      }
      await sleep(50);
    }
    await server.stop();
    throw new Error('MariaDB did not start.');
  }

  /** One statement on a connection of its own. */
  async run(text: string): Promise<void> {
    const connection = await createConnection({ uri: this.url, charset: 'utf8mb4' });
    try {
      await connection.query(text);
    } finally {
      await connection.end();
    }
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await exited;
    rmSync(this.#folder, { recursive: true });
  }
}
