// A folder that other systems drop files into: which of them are for an import, which are complete, and where
// they go afterwards.

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failed } from '../errors.ts';
import { ImportStopped } from '../import/faults.ts';

/** Names that uploads have before they are complete, and hidden files. */
const TEMPORARY = /^\.|(?:\.(?:part|partial|filepart|tmp|temp|crdownload|upload)|~)$/i;
const ENDING = /\.(?:csv|ndjson|jsonl|json|xlsx)(?:\.gz)?$|\.gz$/i;
const PRINTABLE = /^\P{Cc}+$/u;
export const FOLDER_MAPPING = 'mapping.json';
const REPORT = '.faults.txt';
/** A report holds values of the file: for the user and the group of the folder, and no others. */
const REPORT_MODE = 0o640;

/** Where a file goes when it was imported, and where when it was refused. */
export type Outcome = 'done' | 'failed';
const OUTCOMES: readonly Outcome[] = ['done', 'failed'];

/** The file is not what it was when it was seen. */
export class FileChanged extends ImportStopped {}

/** A link may have taken the place of a file, or a pipe that never has an end. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FOLDER_AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;

export interface DroppedFile {
  readonly name: string;
  readonly path: string;
  /** What its name begins with. */
  readonly prefix: string;
  /** What it was like when it was seen. */
  readonly stats: Stats;
}

/** Since when a file has been as it is, and whether nothing more is to come. */
interface Sighting {
  readonly stats: Stats;
  readonly since: number;
  readonly isMoved: boolean;
}

/** One file under whatever name; its birth tells it from a later one in the same place of the disk. */
const identityOf = ({ dev, ino, birthtimeMs }: Stats) =>
  birthtimeMs > 0 ? `${dev}:${ino}:${birthtimeMs}` : undefined;

export function isSame(a: Stats, b: Stats | undefined): boolean {
  return b !== undefined && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino;
}

export function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/**
 * Opens a file that was seen, whatever its name has come to lead to since.
 * @throws {FileChanged}
 */
export function openSeen({ path, stats }: DroppedFile): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, AS_IT_IS);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') throw new FileChanged(undefined, { cause: error });
    throw error;
  }
  if (isSame(stats, fstatSync(descriptor))) return descriptor;
  closeSync(descriptor);
  throw new FileChanged();
}

/** Writes a report that is not there yet. */
function writeReport(path: string, text: string): void {
  const file = openSync(path, 'wx', REPORT_MODE);
  try {
    // Whatever the mask of the process is.
    fchmodSync(file, REPORT_MODE);
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

export interface DropSettings {
  readonly path: string;
  /** What the names of files for an import begin with, before a dash. */
  readonly prefixes: readonly string[];
  /** A file that has not changed for this time is complete. */
  readonly settleMs: number;
  /** Is called once for each other file, and for a link, folder or pipe under such a name. */
  readonly onIgnored: (name: string, isNoFile: boolean) => void;
}

export class DropFolder {
  readonly #settings: DropSettings;
  #sightings = new Map<string, Sighting>();
  /** What had a temporary name at the last look. */
  #temporary = new Set<string>();
  readonly #ignored = new Set<string>();

  constructor(settings: DropSettings) {
    this.#settings = settings;
  }

  /**
   * Makes the folders that files go to.
   * @throws {Failed} where the folder itself is not there, which is never made: nobody drops files into it.
   */
  prepare(): void {
    if (statSync(this.#settings.path, { throwIfNoEntry: false }) === undefined)
      throw new Failed(
        'There is no such folder, and it is not made. Mount or make it, or name another with --watch.',
      );
    for (const outcome of OUTCOMES) this.#within(outcome, () => undefined);
  }

  /**
   * Does something in the folder of an outcome, which is made where it is missing. A link is refused: a
   * user who drops files could have them written anywhere.
   */
  #within<T>(outcome: Outcome, work: (folder: string) => T): T {
    const path = join(this.#settings.path, outcome);
    if (statsOf(path) === undefined) mkdirSync(path);
    let folder: number;
    try {
      folder = openSync(path, FOLDER_AS_IT_IS);
    } catch (cause) {
      throw new Error(`${outcome}/ is a link, or is no folder: remove it`, { cause });
    }
    try {
      // By its descriptor, because another may stand under its name by now.
      return work(process.platform === 'linux' ? `/proc/self/fd/${folder}` : path);
    } finally {
      closeSync(folder);
    }
  }

  /**
   * The file that can be imported now: the first by name that is complete, and not after one with the same
   * prefix that is not.
   * @param isDone whether a file has been imported already.
   */
  look(isDone: (file: DroppedFile) => boolean): DroppedFile | undefined {
    const { files, temporary } = this.#find();
    const now = performance.now();
    const sightings = new Map<string, Sighting>();
    const waiting = new Set<string>();
    let ready: DroppedFile | undefined;
    for (const file of files) {
      const sighting = this.#sightingOf(file, now);
      sightings.set(file.name, sighting);
      if (isDone(file)) continue;
      const isComplete = sighting.isMoved || now - sighting.since >= this.#settings.settleMs;
      if (!isComplete) waiting.add(file.prefix);
      else if (!waiting.has(file.prefix)) ready ??= file;
    }
    this.#sightings = sightings;
    this.#temporary = temporary;
    return ready;
  }

  /** Looks at a file again, as if it had just come. */
  forget(name: string): void {
    this.#sightings.delete(name);
  }

  /**
   * Moves a file to an outcome, under a name that is free, and puts the report next to it.
   * @returns where it is now, from the folder.
   */
  move({ name, path }: DroppedFile, outcome: Outcome, report?: string): string {
    return this.#within(outcome, (folder) => {
      const free = this.#freeName(name, folder);
      renameSync(path, join(folder, free));
      if (report !== undefined) writeReport(join(folder, free + REPORT), report);
      return join(outcome, free);
    });
  }

  #sightingOf({ name, stats }: DroppedFile, now: number): Sighting {
    const before = this.#sightings.get(name);
    if (before !== undefined && isSame(before.stats, stats)) return before;
    const identity = identityOf(stats);
    // It was seen under a temporary name, and its writer has given it this one.
    const isNew = before === undefined || identityOf(before.stats) !== identity;
    const isMoved = isNew && identity !== undefined && this.#temporary.has(identity);
    return { stats, since: now, isMoved };
  }

  #find(): { files: DroppedFile[]; temporary: Set<string> } {
    const files: DroppedFile[] = [];
    const temporary = new Set<string>();
    for (const entry of readdirSync(this.#settings.path, { withFileTypes: true })) {
      const { name } = entry;
      const path = join(this.#settings.path, name);
      const stats = statsOf(path);
      if (stats === undefined) continue;
      const prefix = this.#settings.prefixes.find((one) => name.startsWith(`${one}-`));
      const fits = prefix !== undefined && ENDING.test(name) && PRINTABLE.test(name);
      const identity = identityOf(stats);
      // A link could lead to any file of the machine.
      if (!stats.isFile()) {
        if (fits || !entry.isDirectory()) this.#ignore(name, fits);
      } else if (TEMPORARY.test(name)) {
        if (identity !== undefined) temporary.add(identity);
      } else if (fits) files.push({ name, path, prefix, stats });
      else this.#ignore(name, false);
    }
    return { files: files.toSorted((a, b) => (a.name < b.name ? -1 : 1)), temporary };
  }

  #ignore(name: string, isNoFile: boolean): void {
    if (this.#ignored.has(name) || [...OUTCOMES, FOLDER_MAPPING].includes(name)) return;
    this.#ignored.add(name);
    this.#settings.onIgnored(name, isNoFile);
  }

  /** The name itself, or with a number before its ending; an earlier file is never overwritten. */
  #freeName(name: string, folder: string): string {
    const ending = ENDING.exec(name)?.[0] ?? '';
    const stem = name.slice(0, name.length - ending.length);
    for (let i = 1; ; i++) {
      const free = i === 1 ? name : `${stem}.${i}${ending}`;
      const path = join(folder, free);
      if (statsOf(path) === undefined && statsOf(path + REPORT) === undefined) return free;
    }
  }
}
