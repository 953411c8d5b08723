// An operator's import (docs/how-to/import-files.md): files or the rows of a query -> rows, all of them or
// none. Reading and checking run on a thread of their own, because they cost as much as the writing, which is
// done here. A body that came over HTTP is a file without a name.

import { on } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { processActor } from '../store/log/audit.ts';
import { workerUrl } from '../worker-url.ts';
import { isGzip } from './chunks.ts';
import { tableOf } from './declared.ts';
import { type ImportFault, ImportRefused, ImportStopped, type LineSource, lineReference } from './faults.ts';
import {
  bytesOf,
  type Format,
  type ImportFile,
  importFile,
  lineSourceOf,
  STANDARD_INPUT,
  UnreadableFile,
  unreadable,
} from './files.ts';
import { type ImportJob, type ImportSummary, isTable, type TargetName } from './job.ts';
import { type ReadJob, type RowBatch, readBatches } from './reading.ts';
import { ImportRun } from './run.ts';
import { recorded } from './run-record.ts';
import type { SourceQuery } from './sources/source.ts';

/** Up to this size a file is read on the thread that writes: to start another takes as long. */
const SMALL_BYTES = 524_288;
/** The same for bodies, unpacked. */
const SMALL_BODY_BYTES = 65_536;
/** Room for young objects of the thread that reads: the default takes 40 MB more, and reads no faster. */
const YOUNG_MEBIBYTES = 12;

type FilesJob = ImportJob & Required<Pick<ImportJob, 'files'>>;

function inspectFiles({ files: names, format, delimiter, open }: FilesJob): ImportFile[] {
  const files: ImportFile[] = [];
  const faults: ImportFault[] = [];
  for (const [i, name] of names.entries()) {
    try {
      const file = importFile(name, format, open?.(name));
      files.push(file);
      // A watched folder has files of all formats.
      if (delimiter !== undefined && file.format !== 'csv' && open === undefined)
        throw new UnreadableFile('This is no CSV, and --delimiter is for CSV: leave it out.');
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
  const worker = new Worker(workerUrl(import.meta.url), {
    workerData: job,
    stdin: takesStdin,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEBIBYTES },
  });
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

/**
 * The bytes of a body that is read on this thread, unpacked; `undefined` where there are more, which another
 * thread reads: this one has requests to answer.
 */
function smallBytes(body: ImportBody): Buffer | undefined {
  if (!('bytes' in body)) return undefined;
  const { bytes } = body;
  if (!body.isCompressed && !isGzip(bytes)) return bytes.length <= SMALL_BODY_BYTES ? bytes : undefined;
  try {
    const unpacked = gunzipSync(bytes, { maxOutputLength: SMALL_BODY_BYTES });
    // What is packed twice would be unpacked twice.
    return isGzip(unpacked) ? undefined : unpacked;
  } catch {
    return undefined;
  }
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
  const keepsAbsent = isTable(table) && !update && job.defaults !== true;
  const rules = { account_id: account, isUpdate: update, keepsAbsent };
  // Only an import with a mapping loads what checks it.
  const checked = job.mapping === undefined ? undefined : await import('./mapping/mapping.ts');
  const own = isTable(table) ? table.own : undefined;
  const mapping = checked?.readMapping(String(job.mapping), list, rules, own);
  const delimiter = job.delimiter ?? mapping?.delimiter;
  const encoding = job.encoding ?? mapping?.encoding;
  const takesOpenEnd = !(job.replace || job.replace_all) || job.expect_rows !== undefined;
  return { list, own, rules, files, query, mapping, delimiter, encoding, maxBytes, takesOpenEnd };
}

/** What is read, where from, and whether on this thread. */
interface Reading {
  readonly job: ReadJob;
  readonly sources: readonly LineSource[];
  readonly stdin?: Readable;
  readonly totalBytes?: number | undefined;
  readonly isSmall?: boolean;
}

/**
 * Imports what is read, and rolls back whatever fails.
 * @param source where it comes from, as it is recorded.
 */
function importRead(
  job: ImportJob,
  source: string,
  begin: (job: ImportJob) => Promise<Reading>,
): Promise<ImportSummary> {
  const { provenance = { origin: 'command', actor: processActor(), source } } = job;
  return recorded({ ...job, provenance }, async (given) => {
    const own = { ...given, table: await tableOf(job) };
    const { job: reading, sources, totalBytes, stdin = process.stdin, isSmall = false } = await begin(own);
    const run = new ImportRun(own, { sources, totalBytes, mapping: reading.mapping });
    const batches = isSmall ? readBatches(reading, stdin) : readAhead(reading, stdin, job.signal);
    try {
      for await (const batch of batches) await run.add(batch);
      return await run.finish();
    } catch (error) {
      await run.rollback();
      if (job.signal?.aborted === true) throw new ImportStopped(undefined, { cause: error });
      throw error;
    }
  });
}

/**
 * Imports files into a list in one transaction. A name that is no file's is a mistake of the command, and a
 * run only of a feed that is named.
 * @throws {ImportRefused} when any file or row has a fault, with all of them.
 * @throws {ImportRejected} when it is not of the size that was expected.
 * @throws {ImportStopped} when the signal came first.
 * @throws {StoreUnavailable} when another writer does not end in time, or the disk is full.
 */
export async function importFiles(job: FilesJob): Promise<ImportSummary> {
  const { stdin = process.stdin, files: names, feed, provenance } = job;
  const inspected = feed === undefined && provenance === undefined ? inspectFiles(job) : undefined;
  return importRead(job, names.join(' '), async (own) => {
    const files = inspected ?? inspectFiles(job);
    const isSmall = (bytesOf(files, true) ?? Number.POSITIVE_INFINITY) <= SMALL_BYTES;
    const totalBytes = bytesOf(files);
    const sources = files.map(lineSourceOf);
    return { job: await readJobOf(own, files), sources, stdin, totalBytes, isSmall };
  });
}

/**
 * Imports one body as `importFiles` does a file. A small one is read on this thread: it costs less than to
 * start another.
 * @throws {ImportTooLarge} when it has more bytes, once unpacked, than it may; and as `importFiles`.
 */
export function importBody(
  job: ImportJob & { readonly format: Format },
  body: ImportBody,
): Promise<ImportSummary> {
  const { format } = job;
  const { isCompressed } = body;
  const beginWith =
    (own: ImportJob) => async (file: ImportFile, how?: Pick<Reading, 'stdin' | 'isSmall'>) => ({
      job: { ...(await readJobOf(own, [{ ...file, isBody: true }])), takesOpenEnd: false },
      sources: [lineSourceOf({ name: '', format })],
      totalBytes: file.bytes,
      ...how,
    });
  return importRead(job, '', (own) => {
    const begin = beginWith(own);
    if (!('bytes' in body))
      return begin({ name: '', format, bytes: body.size, descriptor: body.descriptor, isCompressed });
    const small = smallBytes(body);
    const bytes = small ?? body.bytes;
    return begin(
      {
        name: STANDARD_INPUT,
        format,
        bytes: bytes.length,
        isCompressed: isCompressed && small === undefined,
      },
      { stdin: Readable.from([bytes]), isSmall: small !== undefined },
    );
  });
}

/**
 * Imports the rows of a query into a list in one transaction.
 * @param query may be read from its file only when the run starts.
 * @throws as `importFiles`; a database that goes away is a fault.
 */
export function importQuery(
  job: ImportJob,
  query: SourceQuery | (() => SourceQuery),
  { database, text }: { readonly database: string; readonly text: string },
): Promise<ImportSummary> {
  return importRead(job, `${database} ${text}`, async (own) => ({
    job: await readJobOf(own, [], typeof query === 'function' ? query() : query),
    sources: [{ rowsOf: database }, text],
  }));
}
