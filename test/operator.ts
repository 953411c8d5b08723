// The operator at a shell: runs `linecard-server` as child processes against one database, and talks to a
// service that it started. It must not know what a command should print.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENT } from './environment.ts';

const MAIN = join(import.meta.dirname, '..', 'server', 'main.ts');
const PAUSE_MS = 50;
/** What does not come to pass within it has hung. */
const PATIENCE_MS = 60_000;

/** How a command ended. */
export interface Ended {
  readonly status: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

/** A command that runs, with what it has printed so far. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly said: { out: string; err: string };
  readonly ended: Promise<Ended>;
}

/** A service that answers. */
export interface Serving extends Running {
  readonly url: string;
}

/** Looks again and again until something has come to pass. */
export async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`This never came to pass: ${what}`);
    await sleep(PAUSE_MS);
  }
}

export class Operator {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #within: readonly string[];
  readonly #running = new Set<ChildProcessWithoutNullStreams>();

  /** `within` is what the commands are started through, such as a shell that sets a limit. */
  constructor(
    database_url: string,
    environment: Readonly<Record<string, string>> = {},
    within: readonly string[] = [],
  ) {
    this.#within = within;
    this.#environment = {
      ...ENVIRONMENT,
      LINECARD_DATABASE_URL: database_url,
      LINECARD_LOG_FORMAT: 'json',
      ...environment,
    };
  }

  start(...words: readonly string[]): Running {
    const [command = '', ...args] = [...this.#within, process.execPath, MAIN, ...words];
    const child = spawn(command, args, { env: this.#environment });
    this.#running.add(child);
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.err += text;
    });
    const closed = once(child, 'close') as Promise<[number | null, string | null]>;
    const ended = closed.then(([status, signal]) => {
      this.#running.delete(child);
      return { status, signal, ...said };
    });
    return { child, said, ended };
  }

  async run(...words: readonly string[]): Promise<Ended> {
    const { child, ended } = this.start(...words);
    child.stdin.end();
    return ended;
  }

  /** What a command prints on standard output, which must succeed. */
  async mustDo(...words: readonly string[]): Promise<string> {
    const { status, out, err } = await this.run(...words);
    if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${err}`);
    return out.trim();
  }

  async serve(...words: readonly string[]): Promise<Serving> {
    const running = this.start('serve', '--port', '0', ...words);
    let url: string | undefined;
    let hasEnded = false;
    void running.ended.then(() => {
      hasEnded = true;
    });
    await until('the service answers', () => {
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(running.said.out + running.said.err)?.[0];
      return url !== undefined || hasEnded;
    });
    if (url === undefined) throw new Error(`It ended: ${running.said.err}`);
    return { ...running, url };
  }

  /** The ids of the tokens of an account, the oldest first. */
  async tokenIds(account_id: string): Promise<string[]> {
    const text = await this.mustDo('token', 'list', '--account', account_id, '--json');
    return (JSON.parse(text) as { id: string }[]).map(({ id }) => id);
  }

  /** Ends what still runs. */
  close(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }
}

export async function statusOf(url: string, token?: string): Promise<number> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  return answer.status;
}
