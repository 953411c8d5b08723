// The worker thread itself, the other side of thread.ts: works out pages, facets, exports and indexes on a
// store of its own.

import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Problem, type ProblemCode } from '@linecard/client/contract/problems';
import { buildIndex } from '../list-index/build.ts';
import { buffersOf } from '../list-index/index-memory.ts';
import { beginChanges } from '../lists/change-stream.ts';
import { changesPage } from '../lists/changes.ts';
import { beginExport } from '../lists/export.ts';
import { facetsAnswer, facetsPlan, readFacets } from '../lists/facets.ts';
import { facetsByIndex } from '../lists/facets-by-index.ts';
import { Lists } from '../lists/list.ts';
import { selectionOf } from '../lists/plan.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { ForeignRows, StoreUnavailable } from '../store/store-errors.ts';
import { tables } from '../store/tables.ts';
import type {
  CopiedError,
  ExportHead,
  ExportTask,
  SingleTask,
  WorkerMessage,
  WorkerRequest,
  WorkerResponse,
  WorkerSettings,
} from './messages.ts';

interface RunningExport {
  readonly head: ExportHead;
  readonly chunks: ChunkReader;
  close(): Promise<void>;
}

const { databaseUrl, options, cursorKey, hasLowPriority } = workerData as WorkerSettings;
const encoder = new TextEncoder();
const exports = new Map<number, Promise<RunningExport>>();
let opening: Promise<Store> | undefined;

/** Raises the nice value of this thread, so that the request thread comes first on a busy processor. */
function lowerPriority(): void {
  // Elsewhere a priority is that of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Where that is not permitted, both have the same priority.
  }
}

/**
 * Opened by the first task, and by the next where that failed: the request thread has it open, so it may
 * pass.
 */
function opened(): Promise<Store> {
  opening ??= openStore(databaseUrl, 'read', { ...options, sharesSnapshots: false }).catch(
    (cause: unknown) => {
      opening = undefined;
      if (cause instanceof StoreUnavailable) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new StoreUnavailable(`A thread cannot open the database: ${why}`, { cause });
    },
  );
  return opening;
}

function send(response: WorkerResponse, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(response, transfer);
}

function copyOf(error: unknown): CopiedError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return {
    message,
    stack,
    isUnavailable: error instanceof StoreUnavailable,
    isForeign: error instanceof ForeignRows,
    ...(error instanceof Problem ? { code: error.code as ProblemCode, faults: error.faults } : {}),
  };
}

/**
 * Puts the beginning of a text or of bytes into a buffer, as much as fits; returns how many bytes that was,
 * and the rest.
 */
function put(part: string | Uint8Array, into: Uint8Array): [written: number, rest: string | Uint8Array] {
  if (typeof part === 'string') {
    const { read, written } = encoder.encodeInto(part, into);
    return [written, part.slice(read)];
  }
  const written = Math.min(part.length, into.length);
  into.set(part.subarray(0, written));
  return [written, part.subarray(written)];
}

/** Fills buffers with the parts of an export, one after another; what does not fit waits for the next. */
class ChunkReader {
  readonly #parts: AsyncIterator<string | Uint8Array>;
  #rest: string | Uint8Array = '';
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: AsyncIterable<string | Uint8Array>) {
    this.#parts = parts[Symbol.asyncIterator]();
  }

  /** The next chunk; `null` at the end. */
  next(buffer: ArrayBuffer): Promise<Uint8Array | null> {
    const chunk = this.#last.then(() => this.#fill(new Uint8Array(buffer)));
    this.#last = chunk.catch(() => {});
    return chunk;
  }

  /** Ends the parts behind the chunks that were requested. */
  async close(): Promise<void> {
    await this.#last;
    await this.#parts.return?.();
  }

  async #fill(bytes: Uint8Array): Promise<Uint8Array | null> {
    let filled = 0;
    for (;;) {
      const [written, rest] = put(this.#rest, bytes.subarray(filled));
      filled += written;
      this.#rest = rest;
      if (rest.length > 0) break;
      const part = await this.#parts.next();
      if (part.done === true) break;
      this.#rest = part.value;
    }
    return filled === 0 ? null : bytes.subarray(0, filled);
  }
}

async function runExport(
  store: Store,
  { list, account_id, query, format }: ExportTask,
): Promise<RunningExport> {
  const table = tables[list];
  const begun = await (format === 'changes'
    ? beginChanges(store, cursorKey, table, account_id, query)
    : beginExport(store, cursorKey, table, account_id, query, format));
  const chunks = new ChunkReader(begun.parts);
  const { revision, total, monitor } = begun;
  return {
    head: { revision, total, monitor },
    chunks,
    async close() {
      await chunks.close();
      await begun.close();
    },
  };
}

/** It can be closed as soon as it was requested, also while the store is still being opened. */
async function openExport(id: number, task: ExportTask): Promise<ExportHead> {
  const running = opened().then((store) => runExport(store, task));
  exports.set(id, running);
  running.catch(() => exports.delete(id));
  return (await running).head;
}

/** The body as bytes, which can be moved to the request thread: a text would be copied, twice. */
function asBytes<T extends { readonly body: string | Uint8Array }>(page: T | undefined): T | undefined {
  if (typeof page?.body !== 'string') return page;
  return { ...page, body: encoder.encode(page.body) };
}

/** What of a result is moved: a copy of an index would stay here until it is collected. */
function movedOf({ kind }: SingleTask | ExportTask, result: unknown): ArrayBuffer[] {
  if (kind === 'index') return buffersOf(result);
  const body = (result as { readonly body?: unknown } | undefined)?.body;
  return body instanceof Uint8Array ? [body.buffer as ArrayBuffer] : [];
}

async function run(task: SingleTask): Promise<unknown> {
  const store = await opened();
  const table = tables[task.list];
  const { account_id } = task;
  if (task.kind === 'index') {
    const listed = selectionOf(table, account_id, { filters: [] });
    return buildIndex(store, table, listed, task.maxBytes);
  }
  const { query } = task;
  if (task.kind === 'changes')
    return asBytes(await changesPage(store, cursorKey, table, account_id, query, task.known));
  if (task.kind === 'page') {
    const lists = new Lists(store, cursorKey);
    const { found } = task;
    if (found === undefined) return asBytes(await lists.page(table, account_id, query));
    return asBytes(await lists.pageByIndex({ ...found, find: () => found }, table, account_id, query));
  }
  const plan = facetsPlan(table, account_id, query, task.currency);
  const rows = task.index === undefined ? await readFacets(store, plan) : facetsByIndex(task.index, plan);
  return facetsAnswer(plan, rows);
}

async function closeExport(id: number): Promise<void> {
  const running = exports.get(id);
  exports.delete(id);
  // A failure has been reported to the request that met it.
  await running?.then((open) => open.close()).catch(() => {});
}

async function nextChunk(id: number, buffer: ArrayBuffer): Promise<Uint8Array | null> {
  const open = await exports.get(id);
  if (open === undefined) throw new Error('The export is closed.');
  return open.chunks.next(buffer);
}

async function respond(request: WorkerRequest): Promise<void> {
  const { id } = request;
  try {
    if ('task' in request) {
      const { task } = request;
      const result = await (task.kind === 'export' ? openExport(id, task) : run(task));
      return send({ id, result }, movedOf(task, result));
    }
    const chunk = await nextChunk(request.exportId, request.buffer);
    send({ id, result: chunk }, chunk === null ? [] : [request.buffer]);
  } catch (error) {
    send({ id, error: copyOf(error) });
  }
}

if (hasLowPriority) lowerPriority();
parentPort?.on('message', (message: WorkerMessage) => {
  if ('id' in message) void respond(message);
  else void closeExport(message.closedExport);
});
