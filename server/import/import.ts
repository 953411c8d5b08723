// An operator's import (docs/feed.md): files or the rows of a query -> rows, all of them or none. Reading and
// checking run on a thread of their own, because they cost as much as the writing, which is done here. It
// must not know the formats of files or which database it is.

import { on } from 'node:events';
import { pipeline, type Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { tables } from '../store/tables.ts';
import { workerBeside } from '../worker-url.ts';
import { type ImportFault, ImportRefused, lineReference } from './faults.ts';
import { type Format, type ImportFile, importFile, STANDARD_INPUT, UnreadableFile } from './files.ts';
import { querySources } from './query-rows.ts';
import type { ReadJob, RowBatch } from './reading.ts';
import { type ImportJob, type ImportRules, ImportRun, ImportStopped, type ImportSummary } from './run.ts';
import type { SourceQuery } from './sources/source.ts';

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

/** Bytes of all files, where they are known. */
function totalBytes(files: readonly ImportFile[]): number | undefined {
  return files.reduce<number | undefined>(
    (sum, { bytes }) => (sum === undefined || bytes === undefined ? undefined : sum + bytes),
    0,
  );
}

const rulesOf = ({ account_id, update = false }: ImportRules) => ({ account_id, isUpdate: update });
const listOf = ({ table }: ImportRules) => table.list.name as keyof typeof tables;

/** Imports what the reading half reads, and rolls back whatever fails. */
async function importRead(
  run: ImportRun,
  reading: ReadJob,
  stdin: Readable,
  signal: AbortSignal | undefined,
): Promise<ImportSummary> {
  try {
    for await (const batch of readAhead(reading, stdin, signal)) await run.add(batch);
    return await run.finish();
  } catch (error) {
    await run.rollback();
    if (signal?.aborted === true) throw new ImportStopped(undefined, { cause: error });
    throw error;
  }
}

/**
 * Imports files into a list in one transaction.
 * @throws {ImportRefused} when any file or row has a fault, with all of them.
 * @throws {ImportWithheld} when it is not of the size that was expected.
 * @throws {ImportStopped} when the signal came first.
 * @throws {StoreUnavailable} when another writer does not end in time, or the disk is full.
 */
export async function importFiles(job: ImportJob): Promise<ImportSummary> {
  const { delimiter, encoding, stdin = process.stdin, signal } = job;
  const files = inspectFiles(job.files, job.format);
  const reading = { list: listOf(job), rules: rulesOf(job), files, delimiter, encoding };
  return importRead(new ImportRun(job, job.files, totalBytes(files)), reading, stdin, signal);
}

/**
 * Imports the rows of a query into a list in one transaction.
 * @param named how faults name the database, and the text of the query.
 * @throws as `importFiles`; a database that goes away is a fault.
 */
export async function importQuery(
  job: ImportRules,
  query: SourceQuery,
  named: { readonly database: string; readonly text: string },
): Promise<ImportSummary> {
  const run = new ImportRun(job, querySources(named.database, named.text));
  const reading = { list: listOf(job), rules: rulesOf(job), files: [], query };
  return importRead(run, reading, process.stdin, job.signal);
}
