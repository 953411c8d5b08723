// One process at a time on a folder, also on a network mount: a hidden file that says which it is, and that
// it is still there.

import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Failed } from '../errors.ts';

const NAME = '.linecard-watch';
/**
 * A process that has been silent for this time has ended: a running one refreshes its file every half minute.
 */
const STALE_MILLISECONDS = 300_000;
/** Of /proc/PID/stat after the name of the program: proc_pid_stat(5), field 22. */
const START_FIELD = 19;

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly id: string;
  /** Which process of that number; absent where the system does not say. */
  readonly start?: string | undefined;
}

function isHolder(value: unknown): value is Holder {
  const { host, pid, id } = (value ?? {}) as Partial<Record<keyof Holder, unknown>>;
  return typeof host === 'string' && typeof pid === 'number' && typeof id === 'string';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The start of the machine, and that of the process from then on. */
function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // After the name of its program, which may have anything in it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return `${boot} ${fields?.[START_FIELD]}`;
  } catch {
    return undefined;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

export class FolderLock {
  readonly #path: string;
  readonly #me: Holder = {
    host: hostname(),
    pid: process.pid,
    id: randomUUID(),
    start: startOf(process.pid),
  };

  constructor(folder: string) {
    this.#path = join(folder, NAME);
  }

  /** @throws {Failed} when another process has it. */
  acquire(): void {
    if (this.#create()) return;
    const holder = this.#holder();
    if (holder !== undefined && this.#isThere(holder)) throw new Failed(this.#taken(holder));
    this.#remove(holder);
    if (!this.#create()) throw new Failed(this.#taken(this.#holder()));
  }

  /**
   * Removes the file of a holder that has ended. It is moved first, and looked at then: another process may
   * have removed that very one, and put its own in its place.
   * @throws {Failed} when another process has the folder by now.
   */
  #remove(stale: Holder | undefined): void {
    const moved = `${this.#path}.${this.#me.id}`;
    try {
      renameSync(this.#path, moved);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      throw error;
    }
    const holder = this.#holder(moved);
    if (holder !== undefined && holder.id !== stale?.id) {
      renameSync(moved, this.#path);
      throw new Failed(this.#taken(holder));
    }
    rmSync(moved);
  }

  /**
   * Says that this process is still there.
   * @throws {Failed} when another one has taken the folder.
   */
  refresh(): void {
    try {
      const holder = this.#holder();
      if (holder?.id !== this.#me.id) throw new Failed(this.#taken(holder));
      const now = Date.now() / 1_000;
      utimesSync(this.#path, now, now);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // The folder was away, or somebody has deleted the file.
      if (!this.#create()) throw new Failed(this.#taken(this.#holder()), { cause: error });
    }
  }

  release(): void {
    try {
      if (this.#holder()?.id === this.#me.id) rmSync(this.#path);
    } catch {
      // Where the folder is away, so is the lock.
    }
  }

  #create(): boolean {
    try {
      writeFileSync(this.#path, JSON.stringify(this.#me), { flag: 'wx' });
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  #holder(path = this.#path): Holder | undefined {
    try {
      const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
      return isHolder(value) ? value : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  #isThere({ host, pid, start }: Holder): boolean {
    // A time that is as far ahead was written while the clock was.
    if (Math.abs(Date.now() - statSync(this.#path).mtimeMs) >= STALE_MILLISECONDS) return false;
    if (host !== this.#me.host) return true;
    // In a container the process before had the same number; after a power cut another process may have it.
    return pid !== this.#me.pid && isRunning(pid) && (start === undefined || start === startOf(pid));
  }

  #taken(holder: Holder | undefined): string {
    const who = holder === undefined ? 'Another process' : `Process ${holder.pid} on ${holder.host}`;
    return `${who} is watching this folder. Stop it first; if it has ended already, delete ${this.#path}.`;
  }
}
