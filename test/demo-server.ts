// The server as an operator starts it, with the sample accounts: a process of its own that can be stopped
// and found again. Everything is done by its command, so that nothing is known here of what is within.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENT } from './environment.ts';

const MAIN = join(import.meta.dirname, '..', 'server', 'main.ts');
const PATIENCE_MS = 30_000;

/** The sample accounts that are shown. */
export const SMALL_FIRM = 'pennywharf-dental';

export interface MadeToken {
  readonly id: string;
  readonly token: string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

export class DemoServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'linecard-console-'));
  readonly #options: readonly string[];
  readonly port: number;
  #child: ChildProcess | undefined;

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
      ...ENVIRONMENT,
      LINECARD_DATABASE_URL: `sqlite:${join(this.#folder, 'demo.db')}`,
      LINECARD_LOG_LEVEL: 'warn',
    };
  }

  /** Starts to answer, at first or again; other `options` once. */
  async go(options = this.#options): Promise<void> {
    const words = [MAIN, 'serve', '--demo', '--port', String(this.port), ...options];
    this.#child = spawn(process.execPath, words, { env: this.#environment, stdio: 'ignore' });
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const isThere = await fetch(`${this.origin}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isThere) return;
      if (Date.now() > deadline) throw new Error('The server does not answer.');
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  /** Stops, and takes its data with it. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true });
  }

  /** Runs a command on the same database, and gives what it said. */
  async command(...words: readonly string[]): Promise<{ out: string; err: string }> {
    const child = spawn(process.execPath, [MAIN, ...words], { env: this.#environment });
    const said = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number | null];
    if (status !== 0) throw new Error(`${words.join(' ')}: ${said.err}`);
    return said;
  }

  async token(account: string): Promise<MadeToken> {
    const { out, err } = await this.command('token', 'create', '--account', account);
    return { token: out.trim(), id: /token (\S+)/.exec(err)?.[1] ?? '' };
  }

  /** Imports virtual numbers; what is not said of one is as usual. */
  async import(account: string, rows: readonly Record<string, unknown>[]): Promise<void> {
    const file = join(this.#folder, 'numbers.ndjson');
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
