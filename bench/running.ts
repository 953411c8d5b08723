// A server under measurement: started on its own core, and observed through /proc.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from '../test/kit/process-facts.ts';

const ROOT = join(import.meta.dirname, '..');
const MAX_START_MS = 20_000;
const POLL_MS = 5;
const MAX_STOP_MS = 10_000;
/** Linux counts processor time in 1/100 s. */
const TICKS_PER_SECOND = 100;
const MEBIBYTE = 1_048_576;

const cores = availableParallelism();
const canPin = cores > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Server and load have a core each; a database has the others, or shares that of the load. */
export const CORES: Readonly<Record<'server' | 'load' | 'database' | 'any', string>> = {
  server: '0',
  load: '1',
  database: cores > 2 ? `2-${cores - 1}` : '1',
  any: `0-${cores - 1}`,
};

/**
 * What limits measurements on this machine, in sentences.
 * @throws {Error} if nothing can be measured.
 */
export function machineTroubles(): string[] {
  if (!existsSync('/proc/self/stat')) throw new Error('The bench reads /proc: it needs Linux.');
  if (canPin) return [];
  return [
    'Server and load share their cores, because `taskset` is missing or there is only one core. Ratios are less reliable.',
  ];
}

export function pinned(core: string, ...words: string[]): [command: string, args: string[]] {
  const [command = '', ...args] = canPin ? ['taskset', '-c', core, ...words] : words;
  return [command, args];
}

/** Moves a running process, and all processes it starts later. */
export function pin(core: string, pid: number): void {
  if (canPin) spawnSync('taskset', ['-acp', core, String(pid)]);
}

export async function asLoad<T>(work: () => Promise<T>): Promise<T> {
  pin(CORES.load, process.pid);
  try {
    return await work();
  } finally {
    pin(CORES.any, process.pid);
  }
}

/** Processor seconds of a process, and of its children that have exited; 0 if it has just exited itself. */
export function processorSeconds(pid: number): { readonly own: number; readonly reaped: number } {
  let stat = '';
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has exited.
  }
  // From the state on; the name before it may contain spaces.
  const fields = stat.replace(/^.*\) /s, '').split(' ');
  const seconds = (from: number) =>
    (Number(fields[from] ?? 0) + Number(fields[from + 1] ?? 0)) / TICKS_PER_SECOND;
  return { own: seconds(11), reaped: seconds(13) };
}

function withChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? [];
  return [pid, ...children.map(Number)];
}

/** Processor seconds of a process and all its children. */
export function processorSecondsOfAll(pid: number): number {
  const living = withChildren(pid).reduce((sum, one) => sum + processorSeconds(one).own, 0);
  // Read last, to include children that exit meanwhile.
  return living + processorSeconds(pid).reaped;
}

export class Running {
  readonly port: number;
  readonly url: string;
  readonly #child: ChildProcess;
  /** The file of its standard error, which includes the log. */
  readonly #log: string;

  private constructor(child: ChildProcess, port: number, log: string) {
    this.#child = child;
    this.#log = log;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Starts `node …words` on a core, and waits until it answers. */
  static async start(port: number, words: readonly string[], core: string = CORES.server): Promise<Running> {
    const [command, args] = pinned(core, process.execPath, ...words);
    const log = join(tmpdir(), `linecard-bench-${process.pid}-${port}.log`);
    const file = openSync(log, 'a');
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', file],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    closeSync(file);
    const running = new Running(child, port, log);
    const kill = () => {
      child.kill('SIGKILL');
      rmSync(log, { force: true });
    };
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    await running.#untilUp(words);
    return running;
  }

  async #untilUp(words: readonly string[]): Promise<void> {
    const begin = performance.now();
    while (performance.now() - begin < MAX_START_MS && this.#child.exitCode === null) {
      try {
        await (await fetch(this.url)).arrayBuffer();
        return;
      } catch {
        await sleep(POLL_MS);
      }
    }
    const [first = ''] = readFileSync(this.#log, 'utf8').trim().split('\n');
    await this.stop();
    throw new Error(`${words[0]} does not answer: ${first}`);
  }

  get #pid(): number {
    return this.#child.pid ?? 0;
  }

  get mebibytes(): number {
    return withChildren(this.#pid).reduce((sum, pid) => sum + memoryOf(pid), 0) / MEBIBYTE;
  }

  /** Processor seconds used so far, of all threads and processes. */
  get processor_seconds(): number {
    return processorSecondsOfAll(this.#pid);
  }

  /** Empties the log, so that writing it to disk does not disturb later rounds. */
  emptyLog(): void {
    truncateSync(this.#log);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), MAX_STOP_MS);
      this.#child.kill();
      await ended;
      clearTimeout(timer);
    }
    rmSync(this.#log, { force: true });
  }
}
