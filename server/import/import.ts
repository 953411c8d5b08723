// An operator's import (contract, section 7): files -> rows, all of them or none. Reading and checking run on a thread of
// their own, because they cost as much as the writing, which is done here. It must not know how a file is spelled or which
// database it is.

import { on } from 'node:events';
import { pipeline, type Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { Load, LoadSummary, Store } from '../store/store.ts';
import type { Table, tables } from '../store/tables.ts';
import { workerBeside } from '../worker-url.ts';
import { type Fault, ImportRefused, MAX_TOLD_FAULTS, placeOf, placeText } from './faults.ts';
import { type Format, type ImportFile, importFile, STANDARD_INPUT, UnreadableFile } from './files.ts';
import type { Batch, Reading } from './reading.ts';

export interface ImportProgress {
  readonly doing: 'reading' | 'waiting' | 'finishing';
  readonly rows: number;
  /** Bytes read, and how many there are, where that is known. */
  readonly bytes: number;
  readonly total_bytes: number | undefined;
}

export interface ImportJob {
  readonly store: Store;
  readonly table: Table;
  /** Names of files; `-` is standard input. */
  readonly files: readonly string[];
  readonly format?: Format | undefined;
  /** Whose rows they are, where the files do not say. */
  readonly account_id?: string | undefined;
  /** Whether items of the accounts in the files that the files do not name are removed. */
  readonly replace?: boolean;
  readonly stdin?: Readable;
  /** Stops the import, which leaves everything as it was. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly patience_ms?: number;
}

export interface ImportSummary extends LoadSummary {
  readonly rows: number;
}

/** The import was stopped before its end, and everything is as it was. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
}

function lookAtFiles(names: readonly string[], format: Format | undefined): ImportFile[] {
  const files: ImportFile[] = [];
  const faults: Fault[] = [];
  for (const [i, name] of names.entries()) {
    try {
      files.push(importFile(name, format));
      if (names.indexOf(name) < i) throw new UnreadableFile('This is named twice.');
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      faults.push({ place: placeOf(i, 0), text: error.message });
    }
  }
  if (faults.length > 0) throw new ImportRefused(names, faults, faults.length);
  return files;
}

/** Reads on another thread, a few batches ahead of whoever takes them. */
async function* readAhead(reading: Reading, stdin: Readable, signal?: AbortSignal): AsyncGenerator<Batch> {
  const takes_stdin = reading.files.some(({ name }) => name === STANDARD_INPUT);
  const worker = new Worker(workerBeside(import.meta.url), { workerData: reading, stdin: takes_stdin });
  let broken: Error | null | undefined;
  if (worker.stdin !== null) {
    pipeline(stdin, worker.stdin, (error) => {
      broken = error;
      if (error) void worker.terminate();
    });
  }
  try {
    for await (const [batch] of on(worker, 'message', { close: ['exit'], signal })) {
      yield batch as Batch;
      worker.postMessage('written');
    }
    if (broken) throw broken;
  } finally {
    // Standard input that is still open would keep the process from ending.
    if (takes_stdin) stdin.destroy();
    await worker.terminate();
  }
}

/**
 * Imports files into a list in one transaction.
 * @throws {ImportRefused} when any file or row has a fault, with all of them.
 * @throws {ImportStopped} when the signal came first.
 * @throws {StoreUnavailable} when another writer does not end in time, or the disk is full.
 */
export async function importFiles(job: ImportJob): Promise<ImportSummary> {
  const {
    store,
    table,
    files: names,
    account_id,
    replace = false,
    stdin = process.stdin,
    signal,
    onProgress,
  } = job;
  const files = lookAtFiles(names, job.format);
  const sizes = files.map(({ bytes }) => bytes);
  const total_bytes = sizes.includes(undefined)
    ? undefined
    : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const progress = { rows: 0, bytes: 0, total_bytes };
  const tell = (doing: ImportProgress['doing']) => onProgress?.({ doing, ...progress });

  let load: Load | undefined;
  const faults: Fault[] = [];
  let total_faults = 0;
  try {
    const reading = { list: table.list.name as keyof typeof tables, files, account_id };
    for await (const batch of readAhead(reading, stdin, signal)) {
      load ??= await store.load(table, {
        signal,
        lockTimeoutMs: job.patience_ms,
        onWait: () => tell('waiting'),
      });
      if (batch.total_faults === 0) await load.add(batch.rows, batch.places);
      else await load.addFaulty(batch.ids, batch.places);
      faults.push(...batch.faults);
      total_faults = batch.total_faults;
      progress.rows += batch.places.length;
      progress.bytes = batch.bytes;
      tell('reading');
    }
    if (load === undefined) throw new Error('An import must name at least one file.');
    tell('finishing');
    const duplicates = await load.duplicates(MAX_TOLD_FAULTS);
    for (const { id, line: place, firstLine: first_place } of duplicates.first) {
      faults.push({
        place,
        text: `id: ${id} is there twice; it was first given at ${placeText(names, first_place)}.`,
      });
    }
    total_faults += duplicates.total;
    if (total_faults > 0) throw new ImportRefused(names, faults, total_faults);
    const accounts = account_id === undefined ? [] : [account_id];
    return { rows: progress.rows, ...(await load.commit({ accounts, removeOthers: replace })) };
  } catch (error) {
    await load?.rollback();
    if (signal?.aborted === true)
      throw new ImportStopped('Stopped. Nothing was imported: the lists are as they were.', { cause: error });
    throw error;
  }
}
