// The server as an operator starts it, with the sample accounts: a process of its own that can be stopped
// and found again. Everything is done by its command, so that nothing is known here of what is within.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type Ended, mustRun, type Running, startProgram, stopProgram } from './program.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** The sample accounts that are shown. */
export const SMALL_FIRM = 'pennywharf-dental';

export interface MadeToken {
  readonly id: string;
  readonly token: string;
}

export class DemoServer {
  readonly #folder = temporaryFolder();
  readonly #options: readonly string[];
  readonly port: number;
  #running: Running | undefined;

  static async start(...options: readonly string[]): Promise<DemoServer> {
    const server = new DemoServer(await freePort(), options);
    await server.go();
    return server;
  }

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.#options = options;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get #environment() {
    return {
      LINECARD_DATABASE_URL: `sqlite:${join(this.#folder, 'demo.db')}`,
      LINECARD_LOG_LEVEL: 'warn',
    };
  }

  /** Starts to answer, at first or again; other `options` once. */
  async go(options = this.#options): Promise<void> {
    const words = ['serve', '--demo', '--port', String(this.port), ...options];
    this.#running = startProgram(words, { env: this.#environment });
    await until('the server answers', () =>
      fetch(`${this.origin}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }

  /** Stops, and can go again. */
  async stop(): Promise<void> {
    if (this.#running !== undefined) await stopProgram(this.#running);
    this.#running = undefined;
  }

  /** Stops, and takes its data with it. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true });
  }

  /** Runs a command on the same database, and gives what it said. */
  command(...words: readonly string[]): Promise<Ended> {
    return mustRun(words, { env: this.#environment });
  }

  async token(account: string): Promise<MadeToken> {
    const { out, err } = await this.command('token', 'create', '--account', account);
    return { token: out.trim(), id: /token (\S+)/.exec(err)?.[1] ?? '' };
  }

  /** Imports virtual numbers; what is not said of one is as usual. */
  async import(account: string, rows: readonly Record<string, unknown>[]): Promise<void> {
    const file = join(this.#folder, `numbers-${account}.ndjson`);
    const usual = {
      account_id: account,
      status: 'active',
      subscription_status: 'active',
      frequency: 'monthly',
      created_at: '2026-01-01T00:00:00Z',
    };
    writeFileSync(file, rows.map((row) => `${JSON.stringify({ ...usual, ...row })}\n`).join(''));
    await this.command('import', 'virtual-numbers', file);
  }
}
