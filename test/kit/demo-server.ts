// The server as an operator starts it, with the sample accounts: a process of its own that can be stopped and
// found again at the same address.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { Operator, type Running, stopProgram } from './program.ts';
import { ndjson, REQUIRED_VALUES } from './rows.ts';
import { type Database, makeFile } from './templates.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The sample accounts that are shown. */
export const SMALL_FIRM = 'pennywharf-dental';

export interface MadeToken {
  readonly id: string;
  readonly token: string;
}

export class DemoServer extends Operator {
  readonly #database: Database;
  readonly #options: readonly string[];
  readonly port: number;
  #running: Running | undefined;

  static async open(...options: readonly string[]): Promise<DemoServer> {
    const server = new DemoServer(makeFile('demo'), await freePort(), options);
    await server.go();
    return server;
  }

  private constructor(database: Database, port: number, options: readonly string[]) {
    super(database.url, { LINECARD_LOG_LEVEL: 'warn' });
    this.#database = database;
    this.port = port;
    this.#options = options;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What it has printed since it was last started. */
  get said(): string {
    return this.#running?.said.all ?? '';
  }

  /** Starts to answer, at first or again; other `options` once. */
  async go(options = this.#options): Promise<void> {
    this.#running = this.start('serve', '--demo', '--port', String(this.port), ...options);
    await this.#running.says(/answers at/);
  }

  /** Stops, and can go again. */
  async stop(): Promise<void> {
    if (this.#running !== undefined) await stopProgram(this.#running);
    this.#running = undefined;
  }

  /** Stops, and takes its data with it. */
  async remove(): Promise<void> {
    await this.stop();
    await this.#database.remove();
  }

  /** What it printed for a sample account when it was last started. */
  async sampleToken(account: string): Promise<string> {
    const found = await this.#running?.says(new RegExp(`${account}: .*\\n +(lc_\\w+)`));
    return found?.[1] ?? '';
  }

  /** @param limits further options of the command. */
  async token(account: string, ...limits: readonly string[]): Promise<MadeToken> {
    const { out, err } = await this.command('token', 'create', '--account', account, ...limits);
    return { token: out.trim(), id: /token (\S+)/.exec(err)?.[1] ?? '' };
  }

  /** Imports virtual numbers; what is not said of one is as usual. */
  async import(account_id: string, rows: readonly Record<string, unknown>[]): Promise<void> {
    const file = join(temporaryFolder(), 'numbers.ndjson');
    writeFileSync(file, ndjson(rows.map((row) => ({ ...REQUIRED_VALUES, account_id, ...row }))));
    await this.command('import', 'virtual-numbers', file);
  }

  /** Imports additional services of these names, with ids from one on. */
  async importServices(account_id: string, titles: readonly string[], from: number): Promise<void> {
    const { did: _did, status: _status, created_at: _created, ...rest } = REQUIRED_VALUES;
    const file = join(temporaryFolder(), 'services.ndjson');
    writeFileSync(file, ndjson(titles.map((title, i) => ({ ...rest, account_id, id: from + i, title }))));
    await this.command('import', 'additional-services', file);
  }
}
