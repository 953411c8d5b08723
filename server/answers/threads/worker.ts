// The worker thread, the other side of thread.ts: answers questions and builds indexes, with a store of its
// own.

import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Problem, type ProblemCode } from '@linecard/client/contract/problems';
import { QueryParser } from '@linecard/client/contract/query-parser';
import type { Use } from '@linecard/client/contract/rules';
import { oneStep } from '../../limits/steps.ts';
import { buildIndex } from '../../list-index/build.ts';
import { buffersOf } from '../../list-index/index-data.ts';
import { selectionOf } from '../../lists/plan.ts';
import { importState } from '../../store/imports/import-state.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { ForeignRows, StoreRefused, StoreUnavailable } from '../../store/store-errors.ts';
import { tableWith } from '../../store/tables.ts';
import { type AnswerStream, isStream } from '../answer.ts';
import { type Engine, tableOf } from '../engine.ts';
import { isAboutList, isStreamed, mustBeAllowed, type Question } from '../question.ts';
import { workOf } from '../work.ts';
import type {
  CopiedError,
  IndexTask,
  QuestionTask,
  WorkerMessage,
  WorkerRequest,
  WorkerResponse,
  WorkerSettings,
} from './messages.ts';

interface OpenStream {
  readonly chunks: ChunkReader;
  close(): Promise<void>;
}

/** A result, and the buffers in it that are transferred instead of copied. */
type Moved = readonly [result: unknown, transfer: ArrayBuffer[]];

const { databaseUrl, options, hasLowPriority, ...settings } = workerData as WorkerSettings;
const encoder = new TextEncoder();
const streams = new Map<number, Promise<OpenStream | undefined>>();
let opening: Promise<Store> | undefined;

/** Raises the nice value, so that the request thread takes precedence on a busy processor. */
function lowerPriority(): void {
  // On other systems the priority applies to the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not permitted: both have the same priority.
  }
}

/**
 * Opens the store with the first task. If that fails, the next task tries again, as the cause may be
 * temporary.
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
  // What is refused while the service runs, such as for a missing privilege, may be allowed again.
  const isUnavailable = error instanceof StoreUnavailable || error instanceof StoreRefused;
  const copied = { message, stack, isUnavailable, isForeign: error instanceof ForeignRows };
  if (!(error instanceof Problem)) return copied;
  const { code, faults, headers } = error;
  return { ...copied, problem: { code: code as ProblemCode, faults, headers } };
}

function put(part: string | Uint8Array, into: Uint8Array): [written: number, rest: string | Uint8Array] {
  if (typeof part === 'string') {
    const { read, written } = encoder.encodeInto(part, into);
    return [written, part.slice(read)];
  }
  const written = Math.min(part.length, into.length);
  into.set(part.subarray(0, written));
  return [written, part.subarray(written)];
}

/**
 * Fills buffers with the parts of a stream one after the other; the rest of a part goes to the next buffer.
 */
class ChunkReader {
  readonly #parts: AsyncIterator<string | Uint8Array>;
  #rest: string | Uint8Array = '';
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: AsyncIterable<string | Uint8Array>) {
    this.#parts = parts[Symbol.asyncIterator]();
  }

  next(buffer: ArrayBuffer): Promise<Uint8Array | null> {
    const chunk = this.#last.then(() => this.#fill(new Uint8Array(buffer)));
    this.#last = chunk.catch(() => {});
    return chunk;
  }

  /** Ends the parts after the chunks already requested. */
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

function openStream(stream: AnswerStream): OpenStream {
  const chunks = new ChunkReader(stream.parts);
  return {
    chunks,
    async close() {
      await chunks.close();
      await stream.close();
    },
  };
}

/** @throws {Problem} `invalid-parameter`, `forbidden` */
function parsed(question: Question): Question {
  const { longBody, kind } = question;
  if (longBody === undefined || !isAboutList(question)) return question;
  const parser = new QueryParser(tableOf(question).list, longBody.maxPageSize, kind as Use);
  const query = parser.ofJson(longBody.text);
  mustBeAllowed({ ...question, query });
  return { ...question, query };
}

/** A stream can be closed as soon as it is requested, even while the store is being opened. */
async function answer(id: number, { question, found }: QuestionTask): Promise<Moved> {
  const hint = found && { ...found, find: () => oneStep(found) };
  const work = opened().then((store) => {
    const engine: Engine = { ...settings, store };
    return workOf(question).answer(engine, parsed(question), hint);
  });
  if (isStreamed(question)) {
    const stream = work.then((made) => (made && isStream(made.body) ? openStream(made.body) : undefined));
    streams.set(id, stream);
    stream.catch(() => streams.delete(id));
  }
  const made = await work;
  if (made === undefined) return [made, []];
  const { body } = made;
  if (isStream(body)) return [{ ...made, body: { total: body.total } }, []];
  // Bytes are transferred; a string would be copied twice.
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  return [{ ...made, body: bytes }, [bytes.buffer as ArrayBuffer]];
}

async function index({ list, own, account_id, maxBytes }: IndexTask): Promise<Moved> {
  const table = tableWith(list, own);
  const listed = selectionOf(table, account_id, { filters: [] });
  const data = await buildIndex(await opened(), table, listed, maxBytes);
  return [data, buffersOf(data)];
}

async function nextChunk(streamId: number, buffer: ArrayBuffer): Promise<Moved> {
  const open = await streams.get(streamId);
  if (open === undefined) throw new Error('The stream is closed.');
  const chunk = await open.chunks.next(buffer);
  return [chunk, chunk === null ? [] : [buffer]];
}

async function closeStream(id: number): Promise<void> {
  const stream = streams.get(id);
  streams.delete(id);
  // The error was already reported to the request that caused it.
  await stream?.then((open) => open?.close()).catch(() => {});
}

async function imports(): Promise<Moved> {
  return [await importState(await opened()), []];
}

function run(request: WorkerRequest): Promise<Moved> {
  if ('question' in request) return answer(request.id, request);
  if ('imports' in request) return imports();
  return 'streamId' in request ? nextChunk(request.streamId, request.buffer) : index(request);
}

async function respond(request: WorkerRequest): Promise<void> {
  const { id } = request;
  try {
    const [result, transfer] = await run(request);
    send({ id, result }, transfer);
  } catch (error) {
    send({ id, error: copyOf(error) });
  }
}

if (hasLowPriority) lowerPriority();
parentPort?.on('message', (message: WorkerMessage) => {
  if ('id' in message) void respond(message);
  else void closeStream(message.closedStream);
});
