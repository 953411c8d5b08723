// A server under measurement: started on its own core, watched from /proc under load. Knows nothing of
// what it serves.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..');
const LONGEST_START_MS = 20_000;
const POLLED_EVERY_MS = 5;
const LONGEST_STOP_MS = 10_000;
/** Linux counts processor time in hundredths of a second. */
const TICKS_A_SECOND = 100;

const cores = availableParallelism();
const canPin = cores > 1 && spawnSync('taskset', ['--version']).status === 0;

/**
 * What runs where: the server has the first core for itself, the load the second, a database what is left
 * next to the server.
 */
export const CORES: Readonly<Record<'server' | 'load' | 'database' | 'any', string>> = {
  server: '0',
  load: '1',
  database: cores > 2 ? `2-${cores - 1}` : '1',
  any: `0-${cores - 1}`,
};

/**
 * What the machine cannot do, in sentences.
 * @throws {Error} when nothing can be measured here.
 */
export function machineTroubles(): string[] {
  if (!existsSync('/proc/self/stat')) throw new Error('The bench reads /proc: it needs Linux.');
  if (canPin) return [];
  return [
    'Servers and load share their cores: there is no `taskset`, or one core only. Ratios are less fair.',
  ];
}

/** The words of a command that runs on a core. */
export function pinned(core: string, ...words: string[]): [command: string, args: string[]] {
  const [command = '', ...args] = canPin ? ['taskset', '-c', core, ...words] : words;
  return [command, args];
}

/** Moves a process that runs, and whatever it will start. */
export function pin(core: string, pid: number): void {
  if (canPin) spawnSync('taskset', ['-acp', core, String(pid)]);
}

/** Does something on the core of the load, for what this process asks itself. */
export async function asLoad<T>(work: () => Promise<T>): Promise<T> {
  pin(CORES.load, process.pid);
  try {
    return await work();
  } finally {
    pin(CORES.any, process.pid);
  }
}

/**
 * Where a process stands in /proc, split at blanks from its state on; the name before may hold blanks itself.
 */
function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
}

/** Seconds of processor that a process has used, or, for `reaped`, its children that have ended. */
export function processorSeconds(pid: number, whose: 'own' | 'reaped' = 'own'): number {
  const [user, system] = whose === 'own' ? [11, 12] : [13, 14];
  const fields = statOf(pid);
  return (Number(fields[user]) + Number(fields[system])) / TICKS_A_SECOND;
}

/** The processes that a process has started. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => {
      try {
        return Number(statOf(other)[1]) === pid;
      } catch {
        return false;
      }
    });
}

/** The same of a process together with its children: those that have ended, or all. */
export function processorSecondsOfAll(pid: number, whose: 'all' | 'reaped' = 'all'): number {
  const living = whose === 'all' ? [pid, ...childrenOf(pid)] : [];
  const own = living.reduce((sum, one) => sum + secondsOfLiving(one), 0);
  // Looked at last: a child that ends meanwhile is among them.
  return own + processorSeconds(pid, 'reaped');
}

/** 0 for a process that has just ended. */
function secondsOfLiving(pid: number): number {
  try {
    return processorSeconds(pid);
  } catch {
    return 0;
  }
}

export class Running {
  readonly port: number;
  readonly url: string;
  readonly #child: ChildProcess;
  /** What it writes to standard error, a log of requests among it. */
  readonly #log: string;
  /** Its own and those that it started. */
  #pids: readonly number[] = [];

  private constructor(child: ChildProcess, port: number, log: string) {
    this.#child = child;
    this.#log = log;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Starts `node …words` on a core; it is up when it answers at all. */
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

  /** Asks until there is an answer, whatever it says. */
  async #untilUp(words: readonly string[]): Promise<void> {
    const begin = performance.now();
    while (performance.now() - begin < LONGEST_START_MS && this.#child.exitCode === null) {
      try {
        await (await fetch(this.url)).arrayBuffer();
        this.#gather();
        return;
      } catch {
        await sleep(POLLED_EVERY_MS);
      }
    }
    const [first = ''] = readFileSync(this.#log, 'utf8').trim().split('\n');
    await this.stop();
    throw new Error(`${words[0]} does not answer: ${first}`);
  }

  /** Looks for the processes that it has started, to look at them together from now on. */
  #gather(): readonly number[] {
    const { pid = 0 } = this.#child;
    this.#pids = [pid, ...childrenOf(pid)];
    return this.#pids;
  }

  /** MiB of memory that it takes now. */
  get mebibytes(): number {
    const kibibytes = this.#pids.map((pid) =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
    );
    return kibibytes.reduce((sum, one) => sum + one, 0) / 1_024;
  }

  /** Seconds of processor that it has used so far, all threads and processes of it. */
  get processor_seconds(): number {
    return this.#gather().reduce((sum, pid) => sum + processorSeconds(pid), 0);
  }

  /** Empties its log, so that none of it grows to what a disk must take under load. */
  emptyLog(): void {
    truncateSync(this.#log);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), LONGEST_STOP_MS);
      this.#child.kill();
      await ended;
      clearTimeout(timer);
    }
    rmSync(this.#log, { force: true });
  }
}
