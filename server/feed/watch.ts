// A folder that files are dropped into -> imports, one file after the other, for as long as the process
// lives. Nothing that happens to a file or the folder ends it.

import { closeSync, type FSWatcher, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { listed } from '@linecard/client/contract/wording';
import { Failed } from '../errors.ts';
import { ImportRefused, ImportRejected } from '../import/faults.ts';
import { quoted, shownName } from '../import/values.ts';
import {
  DropFolder,
  type DroppedFile,
  FileChanged,
  isSame,
  type Outcome,
  openSeen,
  statsOf,
} from './drop-folder.ts';
import { FolderLock } from './folder-lock.ts';

export interface WatchTimes {
  /** How often the folder is looked at. */
  readonly pollMs: number;
  /** A file that has not changed for this time is complete. */
  readonly settleMs: number;
  /** How long after a failure that is not the file's it is tried again. */
  readonly retryMs: number;
}

const TIMES: WatchTimes = { pollMs: 1_000, settleMs: 5_000, retryMs: 30_000 };
/** Hints of the file system may come by the hundred. */
const SHORTEST_POLL_MILLISECONDS = 100;
const REFRESH_MILLISECONDS = 30_000;

/** A file that is to be imported as it was seen. */
export interface TakenFile {
  /** Its descriptor, which is closed when the import has ended. */
  readonly open: () => number;
  /** Throws where nothing of it must become visible. */
  readonly beforeCommit: () => void;
}

export interface WatchJob {
  readonly folder: string;
  /** What the names of files begin with, before a dash. */
  readonly prefixes: readonly string[];
  readonly signal: AbortSignal;
  readonly times?: WatchTimes;
  /** Imports a file, all or nothing, and reports it. */
  importFile(file: DroppedFile, taken: TakenFile): Promise<void>;
  say(message: string): void;
  /** An error as a sentence. */
  messageOf(error: unknown): string;
}

export class FolderWatch {
  readonly #job: WatchJob;
  readonly #times: WatchTimes;
  readonly #folder: DropFolder;
  readonly #lock: FolderLock;
  /** Files that were imported, or refused, and cannot be moved; and where they are to go. */
  readonly #unmoved = new Map<
    string,
    { readonly file: DroppedFile; readonly outcome: Outcome; report?: string }
  >();
  imported = 0;
  failed = 0;
  /** What has been said and is still so. */
  #trouble: string | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #retryAt = 0;
  #hints: FSWatcher | undefined;
  /** Aborts when something happens in the folder. */
  #hint = new AbortController();

  constructor(job: WatchJob) {
    this.#job = job;
    this.#times = job.times ?? TIMES;
    this.#lock = new FolderLock(job.folder);
    const endings = '.csv, .ndjson, .jsonl, .json, .xlsx or .gz';
    const beginnings = job.prefixes.map((prefix) => `${prefix}-`);
    const onIgnored = (name: string, isNoFile: boolean) => {
      const why = isNoFile
        ? 'it is a link, a folder or a pipe, and only files are taken'
        : `names begin with ${listed(beginnings, 'or')} and end in ${endings}`;
      job.say(`${quoted(name)} is left alone: ${why}.`);
    };
    const { folder: path, prefixes } = job;
    this.#folder = new DropFolder({ path, prefixes, settleMs: this.#times.settleMs, onIgnored });
  }

  /**
   * Takes files until the signal.
   * @throws {Failed} when the folder is not there at first, or another process has it.
   */
  async run(): Promise<void> {
    const { signal, folder, prefixes } = this.#job;
    try {
      this.#folder.prepare();
      this.#lock.acquire();
    } catch (error) {
      if (error instanceof Failed) throw new Failed(`${folder}: ${error.message}`, { cause: error });
      throw new Failed(`${folder} cannot be watched: ${(error as Error).message}.`, { cause: error });
    }
    const names = listed(prefixes.map((prefix) => `${prefix}-*`));
    this.#job.say(`Watching ${folder} for ${names}. Stop it with Ctrl-C.`);
    // Also while a long import runs; the next look finds out what has failed.
    const heartbeat = setInterval(() => this.#attempt(() => this.#lock.refresh()), REFRESH_MILLISECONDS);
    heartbeat.unref();
    try {
      while (!signal.aborted) await this.#sleep(await this.#round());
    } finally {
      clearInterval(heartbeat);
      this.#hints?.close();
      this.#lock.release();
    }
  }

  /** Takes what there is; returns how long to wait. */
  async #round(): Promise<number> {
    let next: DroppedFile | undefined;
    try {
      this.#refresh();
      next = this.#folder.look(({ name, stats }) => isSame(stats, this.#unmoved.get(name)?.file.stats));
      this.#listen();
      if (this.#trouble !== undefined) this.#job.say(`${this.#job.folder}: it can be read again.`);
      this.#trouble = undefined;
    } catch (error) {
      if (error instanceof Failed)
        throw new Failed(`${this.#job.folder}: ${error.message}`, { cause: error });
      // The rest of what the system says changes from one look to the next.
      const { code = (error as Error).message } = error as NodeJS.ErrnoException;
      this.#complain(`${this.#job.folder} cannot be read (${code}); trying again.`);
      return this.#times.pollMs;
    }
    for (const { file, outcome, report } of this.#unmoved.values()) this.#move(file, outcome, report);
    if (next === undefined || performance.now() < this.#retryAt) return this.#times.pollMs;
    return this.#take(next);
  }

  /** Imports a file and moves it; returns how long to wait. */
  async #take(file: DroppedFile): Promise<number> {
    const { signal } = this.#job;
    const name = shownName(file.name);
    let descriptor: number | undefined;
    const open = () => {
      descriptor = openSeen(file);
      return descriptor;
    };
    const beforeCommit = () => {
      if (!isSame(file.stats, statsOf(file.path))) throw new FileChanged();
    };
    try {
      await this.#job.importFile(file, { open, beforeCommit });
      this.imported += 1;
      this.#move(file, 'done');
    } catch (error) {
      if (signal.aborted) return 0;
      if (error instanceof FileChanged || !isSame(file.stats, statsOf(file.path))) {
        this.#folder.forget(file.name);
        this.#job.say(`${name}: it changed while it was read. Nothing was imported; it is looked at again.`);
        return this.#times.pollMs;
      }
      this.failed += 1;
      if (!(error instanceof ImportRefused || error instanceof ImportRejected)) {
        const seconds = Math.round(this.#times.retryMs / 1_000);
        this.#job.say(`${name}: ${this.#job.messageOf(error)} It is tried again in ${seconds} seconds.`);
        this.#retryAt = performance.now() + this.#times.retryMs;
        return this.#times.pollMs;
      }
      const report = error.message.replaceAll(file.path, name);
      const moved = this.#move(file, 'failed', `${report}\n`);
      const summary = error instanceof ImportRefused ? error.summary : report;
      const where = moved === undefined ? '' : ` It is now ${shownName(moved)}, with a report next to it.`;
      this.#job.say(`${name}: ${summary}${where}`);
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
    return 0;
  }

  /** Where a file is now; `undefined` where it cannot be moved, so that it is not imported again. */
  #move(file: DroppedFile, outcome: Outcome, report?: string): string | undefined {
    const isNew = !this.#unmoved.has(file.name);
    try {
      const moved = this.#folder.move(file, outcome, report);
      this.#unmoved.delete(file.name);
      return moved;
    } catch (error) {
      const isGone = statsOf(file.path) === undefined;
      if (isGone) this.#unmoved.delete(file.name);
      else this.#unmoved.set(file.name, { file, outcome, ...(report === undefined ? {} : { report }) });
      const { message } = error as Error;
      const name = shownName(file.name);
      if (isGone && report !== undefined)
        this.#job.say(`${name}: there is no report: ${message}.\n${report}`);
      else if (isNew && !isGone)
        this.#job.say(
          `${name}: it cannot be moved to ${outcome}/: ${message}. It stays, and is not imported again.`,
        );
      return undefined;
    }
  }

  #refresh(): void {
    if (performance.now() - this.#refreshedAt < REFRESH_MILLISECONDS && this.#trouble === undefined) return;
    this.#lock.refresh();
    this.#refreshedAt = performance.now();
  }

  /** A hint of the file system only saves waiting: on a network mount there is none. */
  #listen(): void {
    this.#attempt(() => {
      this.#hints ??= watch(this.#job.folder, { persistent: false }, () => this.#hint.abort()).on(
        'error',
        () => {
          this.#hints?.close();
          this.#hints = undefined;
        },
      );
    });
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch {
      // The next look at the folder finds out, or polling does without.
    }
  }

  #complain(message: string): void {
    if (this.#trouble !== message) this.#job.say(message);
    this.#trouble = message;
    this.#hints?.close();
    this.#hints = undefined;
  }

  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#job;
    const least = Math.min(ms, SHORTEST_POLL_MILLISECONDS);
    await sleep(least, undefined, { signal }).catch(() => {});
    await sleep(ms - least, undefined, { signal: AbortSignal.any([signal, this.#hint.signal]) }).catch(
      () => {},
    );
    this.#hint = new AbortController();
  }
}
