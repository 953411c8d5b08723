// An operator's import (docs/how-to/import-files.md): files or the rows of a query -> rows, all of them or
// none. Reading and checking run on a thread of their own, because they cost as much as the writing, which is
// done here. A body that came over HTTP is a file without a name.

import { on } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { workerUrl } from '../worker-url.ts';
import { type ImportFault, ImportRefused, ImportStopped, lineReference } from './faults.ts';
import {
  type Format,
  type ImportFile,
  importFile,
  STANDARD_INPUT,
  textBytes,
  UnreadableFile,
  unreadable,
} from './files.ts';
import type { ImportJob, ImportSummary, TargetName } from './job.ts';
import type { Mapping } from './mapping/mapped.ts';
import { querySources } from './query-rows.ts';
import { type ReadJob, type RowBatch, readBatches } from './reading.ts';
import type { RowRules } from './rows.ts';
import { ImportRun } from './run.ts';
import { recorded } from './run-record.ts';
import type { SourceQuery } from './sources/source.ts';

/** Up to this size a file is read on the thread that writes: to start another takes as long. */
const SMALL_BYTES = 524_288;

type FilesJob = ImportJob & Required<Pick<ImportJob, 'files'>>;

function inspectFiles({ files: names, format, delimiter, open }: FilesJob): ImportFile[] {
  const files: ImportFile[] = [];
  const faults: ImportFault[] = [];
  for (const [i, name] of names.entries()) {
    try {
      const file = importFile(name, format, open?.(name));
      files.push(file);
      // A watched folder has files of both formats.
      if (delimiter !== undefined && file.format === 'ndjson' && open === undefined)
        throw new UnreadableFile('This is NDJSON, and --delimiter is for CSV: leave it out.');
      if (names.indexOf(name) < i) throw new UnreadableFile('This is named twice.');
    } catch (error) {
      const why = unreadable(error);
      if (!(why instanceof UnreadableFile)) throw why;
      faults.push({ line: lineReference(i, 0), detail: why.message });
    }
  }
  if (faults.length > 0) throw new ImportRefused(names, faults, faults.length);
  return files;
}

/** Reads on another thread, a few batches ahead of the writing. */
async function* readAhead(job: ReadJob, stdin: Readable, signal?: AbortSignal): AsyncGenerator<RowBatch> {
  const takesStdin = job.files.some(({ name }) => name === STANDARD_INPUT);
  const worker = new Worker(workerUrl(import.meta.url), { workerData: job, stdin: takesStdin });
  let broken: Error | null | undefined;
  if (worker.stdin !== null) {
    pipeline(stdin, worker.stdin, (error) => {
      broken = error;
      if (error) void worker.terminate();
    });
  }
  try {
    for await (const [batch] of on(worker, 'message', { close: ['exit'], signal })) {
      if (batch === 'end') break;
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

/** A body that was received completely: its bytes, or the file that they are in. */
export type ImportBody =
  | { readonly bytes: Buffer; readonly isCompressed: boolean }
  | { readonly descriptor: number; readonly size: number; readonly isCompressed: boolean };

/** Bytes of all files, where they are known. */
function totalBytes(files: readonly ImportFile[]): number | undefined {
  return files.reduce<number | undefined>(
    (sum, { bytes }) => (sum === undefined || bytes === undefined ? undefined : sum + bytes),
    0,
  );
}

/**
 * What a thread is given of a job, which must be data.
 * @throws {ImportRefused} when the mapping cannot be used.
 */
async function readJobOf(
  job: ImportJob,
  files: readonly ImportFile[],
  query?: SourceQuery,
): Promise<ReadJob> {
  const { table, account, update = false, maxBytes } = job;
  const list = table.list.name as TargetName;
  const rules = { account_id: account, isUpdate: update };
  const mapping = job.mapping === undefined ? undefined : await mappingOf(job.mapping, list, rules);
  const delimiter = job.delimiter ?? mapping?.delimiter;
  const encoding = job.encoding ?? mapping?.encoding;
  const takesOpenEnd = !(job.replace || job.replace_all) || job.expect_rows !== undefined;
  return { list, rules, files, query, mapping, delimiter, encoding, maxBytes, takesOpenEnd };
}

/**
 * Reads a mapping; only an import with one loads what checks it.
 * @throws {ImportRefused} when it cannot be used.
 */
export async function mappingOf(path: string, list: TargetName, rules: RowRules): Promise<Mapping> {
  const { readMapping } = await import('./mapping/mapping.ts');
  return readMapping(path, list, rules);
}

/** Imports what is read, and rolls back whatever fails. */
async function importRead(
  run: ImportRun,
  batches: AsyncIterable<RowBatch>,
  signal: AbortSignal | undefined,
): Promise<ImportSummary> {
  try {
    for await (const batch of batches) await run.add(batch);
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
 * @throws {ImportRejected} when it is not of the size that was expected.
 * @throws {ImportStopped} when the signal came first.
 * @throws {StoreUnavailable} when another writer does not end in time, or the disk is full.
 */
export async function importFiles(job: FilesJob): Promise<ImportSummary> {
  const { stdin = process.stdin, signal, files: names } = job;
  return recorded(job, names.join(' '), async (own) => {
    const files = inspectFiles(job);
    const bytes = totalBytes(files);
    const reading = await readJobOf(job, files);
    const isSmall = (textBytes(files) ?? Number.POSITIVE_INFINITY) <= SMALL_BYTES;
    const batches = isSmall ? readBatches(reading, stdin) : readAhead(reading, stdin, signal);
    return importRead(
      new ImportRun(own, names, { totalBytes: bytes, mapping: reading.mapping }),
      batches,
      signal,
    );
  });
}

/**
 * Imports one body as `importFiles` does a file. One in memory is read on this thread: it costs less than to
 * start another.
 * @throws {ImportTooLarge} when it has more bytes, once unpacked, than it may; and as `importFiles`.
 */
export async function importBody(
  job: ImportJob & { readonly format: Format },
  body: ImportBody,
): Promise<ImportSummary> {
  const { format, signal } = job;
  const { isCompressed } = body;
  const inMemory = 'bytes' in body;
  const file = inMemory
    ? { name: STANDARD_INPUT, format, bytes: body.bytes.length, isCompressed }
    : { name: '', format, bytes: body.size, descriptor: body.descriptor, isCompressed };
  return recorded(job, '', async (own) => {
    const reading = { ...(await readJobOf(job, [file])), takesOpenEnd: false };
    const batches = inMemory
      ? readBatches(reading, Readable.from([body.bytes]))
      : readAhead(reading, process.stdin, signal);
    const run = new ImportRun(own, [''], { totalBytes: file.bytes, mapping: reading.mapping });
    return importRead(run, batches, signal);
  });
}

/**
 * Imports the rows of a query into a list in one transaction.
 * @param query may be read from its file only when the run starts.
 * @throws as `importFiles`; a database that goes away is a fault.
 */
export async function importQuery(
  job: ImportJob,
  query: SourceQuery | (() => SourceQuery),
  { database, text }: { readonly database: string; readonly text: string },
): Promise<ImportSummary> {
  return recorded(job, `${database} ${text}`, async (own) => {
    const reading = await readJobOf(job, [], typeof query === 'function' ? query() : query);
    const run = new ImportRun(own, querySources(database, text), { mapping: reading.mapping });
    return importRead(run, readAhead(reading, process.stdin, job.signal), job.signal);
  });
}
