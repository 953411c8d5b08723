// A real streaming replica of a PostgreSQL server that the tests started, with all that can happen to one. It
// is made without pg_basebackup, which npm's package does not have. It knows nothing of Linecard.

import { appendFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { giveToServer, PostgresProcess, serverFolder } from './postgres-process.ts';
import { FLAGS, type PostgresServer, query } from './postgres-server.ts';
import { until } from './until.ts';

/** What a copy of the data must not have: it would take itself for its original, running. */
const NOT_COPIED = ['postmaster.pid', 'postmaster.opts'];

export class PostgresReplica {
  readonly url: string;
  readonly #process: PostgresProcess;
  readonly #folder: string;
  #stopped: number[] = [];

  private constructor(url: string, process: PostgresProcess, folder: string) {
    this.url = url;
    this.#process = process;
    this.#folder = folder;
  }

  /** What it has said so far. */
  get log(): readonly string[] {
    return this.#process.log;
  }

  /** Copies a server while it runs, and starts the copy as its replica. */
  static async of(primary: PostgresServer, flags: readonly string[] = []): Promise<PostgresReplica> {
    const { folder: original = '' } = primary;
    const folder = serverFolder('linecard-replica-');
    const client = new Client(primary.url);
    await client.connect();
    await client.query(`select pg_backup_start('replica', true)`);
    cpSync(original, folder, {
      recursive: true,
      filter: (path) =>
        !NOT_COPIED.includes(basename(path)) && !path.startsWith(join(original, 'pg_wal', '0')),
    });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await client.end();
    writeFileSync(join(folder, 'backup_label'), rows[0]?.labelfile ?? '');
    writeFileSync(join(folder, 'standby.signal'), '');
    const { hostname, port: primaryPort, username, password } = new URL(primary.url);
    const way = `host=${hostname} port=${primaryPort} user=${username} password=${password}`;
    appendFileSync(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${way}'\n`);
    giveToServer(folder);
    const port = await freePort();
    const url = Object.assign(new URL(primary.url), { port: String(port) }).href;
    const replica = new PostgresReplica(url, new PostgresProcess(folder, port, [...FLAGS, ...flags]), folder);
    await replica.start();
    return replica;
  }

  /** Starts it; after a crash that may take some attempts. */
  async start(): Promise<void> {
    const answers = () => {
      if (this.#process.hasEnded) this.#process.spawn();
      return this.ask('select 1').then(Boolean, () => false);
    };
    await until('the replica starts', answers, () => this.log.slice(-20).join(''));
  }

  async ask(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    return query(Object.assign(new URL(this.url), { pathname: `/${database}` }).href, text);
  }

  /** Waits until it has everything that the primary has now. */
  async catchUp(primary: PostgresServer): Promise<void> {
    const [now] = await query(primary.url, 'select pg_current_wal_lsn() as lsn');
    const is_behind = `select pg_last_wal_replay_lsn() < '${String(now?.['lsn'])}' as is_behind`;
    await until('the replica catches up', async () => {
      const [row] = await this.ask(is_behind);
      return row?.['is_behind'] === false;
    });
  }

  /** Pauses the replay: what comes later is not applied before it resumes. */
  async pause(): Promise<void> {
    await this.ask('select pg_wal_replay_pause()');
    await until('the replay is paused', async () => {
      const [row] = await this.ask('select pg_get_wal_replay_pause_state() as state');
      return row?.['state'] === 'paused';
    });
  }

  async resume(): Promise<void> {
    await this.ask('select pg_wal_replay_resume()');
  }

  async promote(): Promise<void> {
    await this.ask('select pg_promote()');
  }

  /** Ends it: with SIGINT as an administrator does, with SIGKILL as a crash does. */
  async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    await this.#process.end(signal);
  }

  /** Every process of it stops where it is. */
  async freeze(): Promise<void> {
    const rows = await this.ask('select pid from pg_stat_activity');
    this.#stopped = [this.#process.pid, ...rows.map(({ pid }) => Number(pid))];
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  async remove(): Promise<void> {
    this.thaw();
    await this.end('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #signal(signal: NodeJS.Signals): void {
    for (const pid of this.#stopped) {
      try {
        process.kill(pid, signal);
      } catch {
        // The backend of the query for the others has ended since.
      }
    }
  }
}
