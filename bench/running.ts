// A server under measurement: started on its own core, and observed through /proc.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = join(import.meta.dirname, '..');
const MAX_START_MS = 20_000;
const POLL_MS = 5;
const MAX_STOP_MS = 10_000;
/** Linux counts processor time in 1/100 s. */
const TICKS_PER_SECOND = 100;

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

/** The fields of /proc/PID/stat from the state on; the name before it may contain spaces. */
function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
}

/** Processor seconds of a process, or for `reaped` of its children that have exited. */
export function processorSeconds(pid: number, whose: 'own' | 'reaped' = 'own'): number {
  const [user, system] = whose === 'own' ? [11, 12] : [13, 14];
  const fields = statOf(pid);
  return (Number(fields[user]) + Number(fields[system])) / TICKS_PER_SECOND;
}

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

/** Processor seconds of a process and its children; for `reaped`, only of children that have exited. */
export function processorSecondsOfAll(pid: number, whose: 'all' | 'reaped' = 'all'): number {
  const living = whose === 'all' ? [pid, ...childrenOf(pid)] : [];
  const own = living.reduce((sum, one) => sum + secondsOfLiving(one), 0);
  // Read last, to include children that exit meanwhile.
  return own + processorSeconds(pid, 'reaped');
}

/** 0 if the process has just exited. */
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
  /** The file of its standard error, which includes the log. */
  readonly #log: string;
  #pids: readonly number[] = [];

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
        this.#gather();
        return;
      } catch {
        await sleep(POLL_MS);
      }
    }
    const [first = ''] = readFileSync(this.#log, 'utf8').trim().split('\n');
    await this.stop();
    throw new Error(`${words[0]} does not answer: ${first}`);
  }

  #gather(): readonly number[] {
    const { pid = 0 } = this.#child;
    this.#pids = [pid, ...childrenOf(pid)];
    return this.#pids;
  }

  get mebibytes(): number {
    const kibibytes = this.#pids.map((pid) =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
    );
    return kibibytes.reduce((sum, one) => sum + one, 0) / 1_024;
  }

  /** Processor seconds used so far, of all threads and processes. */
  get processor_seconds(): number {
    return this.#gather().reduce((sum, pid) => sum + processorSeconds(pid), 0);
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
