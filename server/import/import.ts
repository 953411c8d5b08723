// An operator's import (docs/import.md): files -> rows, all of them or none. Reading and checking run on a
// thread of their own, because they cost as much as the writing, which is done here. It must not know the
// formats of files or which database it is.

import { on } from 'node:events';
import { pipeline, type Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { Load, LoadSummary, Store } from '../store/store.ts';
import type { Table, tables } from '../store/tables.ts';
import { workerBeside } from '../worker-url.ts';
import { type ImportFault, ImportRefused, lineReference, lineText, MAX_REPORTED_FAULTS } from './faults.ts';
import { type Format, type ImportFile, importFile, STANDARD_INPUT, UnreadableFile } from './files.ts';
import type { ReadJob, RowBatch } from './reading.ts';

export interface ImportProgress {
  readonly doing: 'reading' | 'waiting' | 'finishing';
  readonly rows: number;
  /** Bytes read, and how many there are, where that is known. */
  readonly bytes: number;
  readonly totalBytes: number | undefined;
}

export interface ImportJob {
  readonly store: Store;
  readonly table: Table;
  /** Names of files; `-` is standard input. */
  readonly files: readonly string[];
  readonly format?: Format | undefined;
  /** The account of all rows, where the files do not name it. */
  readonly account_id?: string | undefined;
  /** Whether items of the accounts in the files that the files do not name are removed. */
  readonly replace?: boolean;
  readonly stdin?: Readable;
  /** Stops the import, which leaves everything as it was. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** How long another import is waited for. */
  readonly lockTimeoutMs?: number;
}

export interface ImportSummary extends LoadSummary {
  readonly rows: number;
}

/** The import was stopped before its end, and everything is as it was. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
}

function inspectFiles(names: readonly string[], format: Format | undefined): ImportFile[] {
  const files: ImportFile[] = [];
  const faults: ImportFault[] = [];
  for (const [i, name] of names.entries()) {
    try {
      files.push(importFile(name, format));
      if (names.indexOf(name) < i) throw new UnreadableFile('This is named twice.');
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      faults.push({ line: lineReference(i, 0), text: error.message });
    }
  }
  if (faults.length > 0) throw new ImportRefused(names, faults, faults.length);
  return files;
}

/** Reads on another thread, a few batches ahead of the writing. */
async function* readAhead(job: ReadJob, stdin: Readable, signal?: AbortSignal): AsyncGenerator<RowBatch> {
  const takesStdin = job.files.some(({ name }) => name === STANDARD_INPUT);
  const worker = new Worker(workerBeside(import.meta.url), { workerData: job, stdin: takesStdin });
  let broken: Error | null | undefined;
  if (worker.stdin !== null) {
    pipeline(stdin, worker.stdin, (error) => {
      broken = error;
      if (error) void worker.terminate();
    });
  }
  try {
    for await (const [batch] of on(worker, 'message', { close: ['exit'], signal })) {
      yield batch as RowBatch;
      worker.postMessage('written');
    }
    if (broken) throw broken;
  } finally {
    // Standard input that is still open would keep the process from ending.
    if (takesStdin) stdin.destroy();
    await worker.terminate();
  }
}

/** One import: the load that its batches go into, its faults, and how far it is. */
class ImportRun {
  readonly #job: ImportJob;
  readonly #totalBytes: number | undefined;
  readonly #faults: ImportFault[] = [];
  #totalFaults = 0;
  #rows = 0;
  #bytes = 0;
  #load: Load | undefined;

  constructor(job: ImportJob, files: readonly ImportFile[]) {
    this.#job = job;
    const sizes = files.map(({ bytes }) => bytes);
    this.#totalBytes = sizes.includes(undefined)
      ? undefined
      : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  async add(batch: RowBatch): Promise<void> {
    const { store, table, signal, lockTimeoutMs } = this.#job;
    this.#load ??= await store.load(table, {
      signal,
      lockTimeoutMs,
      onWait: () => this.#report('waiting'),
    });
    if (batch.totalFaults === 0) await this.#load.add(batch.rows, batch.lines);
    else await this.#load.addFaulty(batch.ids, batch.lines);
    this.#faults.push(...batch.faults);
    this.#totalFaults = batch.totalFaults;
    this.#rows += batch.lines.length;
    this.#bytes = batch.bytes;
    this.#report('reading');
  }

  /** @throws {ImportRefused} when there are faults, duplicates among them. */
  async commit(): Promise<ImportSummary> {
    const { account_id, replace = false } = this.#job;
    if (this.#load === undefined) throw new Error('An import must name at least one file.');
    this.#report('finishing');
    await this.#addDuplicates(this.#load);
    if (this.#totalFaults > 0) throw new ImportRefused(this.#job.files, this.#faults, this.#totalFaults);
    const accounts = account_id === undefined ? [] : [account_id];
    return { rows: this.#rows, ...(await this.#load.commit({ accounts, removeOthers: replace })) };
  }

  async rollback(): Promise<void> {
    await this.#load?.rollback();
  }

  async #addDuplicates(load: Load): Promise<void> {
    const { first, total } = await load.duplicates(MAX_REPORTED_FAULTS);
    for (const { id, line, firstLine } of first) {
      const where = lineText(this.#job.files, firstLine);
      this.#faults.push({ line, text: `id: ${id} is there twice; it was first given at ${where}.` });
    }
    this.#totalFaults += total;
  }

  #report(doing: ImportProgress['doing']): void {
    const [rows, bytes, totalBytes] = [this.#rows, this.#bytes, this.#totalBytes];
    this.#job.onProgress?.({ doing, rows, bytes, totalBytes });
  }
}

/**
 * Imports files into a list in one transaction.
 * @throws {ImportRefused} when any file or row has a fault, with all of them.
 * @throws {ImportStopped} when the signal came first.
 * @throws {StoreUnavailable} when another writer does not end in time, or the disk is full.
 */
export async function importFiles(job: ImportJob): Promise<ImportSummary> {
  const { table, account_id, stdin = process.stdin, signal } = job;
  const files = inspectFiles(job.files, job.format);
  const run = new ImportRun(job, files);
  try {
    const reading = { list: table.list.name as keyof typeof tables, files, account_id };
    for await (const batch of readAhead(reading, stdin, signal)) await run.add(batch);
    return await run.commit();
  } catch (error) {
    await run.rollback();
    if (signal?.aborted === true)
      throw new ImportStopped('Stopped. Nothing was imported: the lists are as they were.', { cause: error });
    throw error;
  }
}
