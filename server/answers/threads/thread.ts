// A worker thread, from the side of the request thread: sends requests and resolves their responses. The
// other side is worker.ts.

import { Worker } from 'node:worker_threads';
import { Problem } from '@linecard/client/contract/problems';
import type { IndexData } from '../../list-index/index-data.ts';
import type { ImportState } from '../../store/imports/import-state.ts';
import { ForeignRows, StoreUnavailable } from '../../store/store-errors.ts';
import { workerUrl } from '../../worker-url.ts';
import type { Answer } from '../answer.ts';
import type {
  CopiedError,
  IndexTask,
  QuestionTask,
  StreamHead,
  WorkerMessage,
  WorkerRequest,
  WorkerResponse,
  WorkerSettings,
} from './messages.ts';

/** Limits the garbage of long exports; a larger value does not make them faster. */
const YOUNG_MEBIBYTES = 4;
/** Chunks of a stream have this size, and are sent in this many buffers, which are reused. */
const CHUNK_BYTES = 65_536;
const BUFFERS = 2;
const ENDED = 'A worker thread exited before it completed its tasks.';
/** Error codes of Node if the machine has no resources for another thread. */
const NOT_STARTED = new Set<string | undefined>(['ERR_WORKER_INIT_FAILED', 'EMFILE', 'ENFILE']);

function errorOf({ message, stack, problem, isUnavailable, isForeign }: CopiedError): Error {
  if (problem !== undefined) {
    const { code, faults, headers } = problem;
    return new Problem(code, message, { headers, ...(faults === undefined ? {} : { faults }) });
  }
  // Creating the error again counts it on this thread as well.
  if (isForeign) return new ForeignRows(message);
  if (isUnavailable) return new StoreUnavailable(message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/**
 * The error for pending requests. A thread that cannot be started may start later, when resources are free.
 */
function endOf(cause: NodeJS.ErrnoException): Error {
  if (!NOT_STARTED.has(cause.code)) return cause;
  const message = `No further thread can be started (${cause.message}). Raise the limit of open files (ulimit -n), or of memory.`;
  return new StoreUnavailable(message, { cause });
}

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Started on demand. If the thread exits, its pending requests fail, and the next request starts another.
 */
export class WorkerThread {
  readonly #settings: WorkerSettings;
  readonly #pending = new Map<number, PendingRequest>();
  #worker: Worker | undefined;
  #lastId = 0;
  streams = 0;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
  }

  get load(): number {
    return this.#pending.size;
  }

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  start(): void {
    try {
      this.#worker ??= this.#start();
      if (this.#pending.size === 0) this.#worker.unref();
    } catch {
      // A request that needs the thread fails with this error.
    }
  }

  answer(task: QuestionTask): Promise<Answer | undefined> {
    return this.#send({ id: this.#newId(), ...task }) as Promise<Answer | undefined>;
  }

  index(task: IndexTask): Promise<IndexData | undefined> {
    return this.#send({ id: this.#newId(), ...task }) as Promise<IndexData | undefined>;
  }

  importState(timeMs: number): Promise<ImportState> {
    return this.#send({ id: this.#newId(), imports: true, timeMs }) as Promise<ImportState>;
  }

  /** `onClose` is called once, when the stream has ended or is closed. */
  async stream(task: QuestionTask, onClose: () => void): Promise<Answer> {
    const id = this.#newId();
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      this.streams -= 1;
      this.#closeStream(id);
      onClose();
    };
    this.streams += 1;
    try {
      const head = (await this.#send({ id, ...task })) as StreamHead;
      return { ...head, body: { ...head.body, parts: this.#chunks(id, close), close } };
    } catch (error) {
      close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker !== undefined) this.#fail(worker, new Error(ENDED));
    await worker?.terminate();
  }

  /**
   * The chunks of a stream. Buffers are transferred to the worker thread and come back filled: separate
   * strings would be garbage, which the collector lets grow to 64 MiB.
   */
  async *#chunks(streamId: number, close: () => void): AsyncGenerator<Uint8Array> {
    const next = (buffer: ArrayBuffer) => {
      const chunk = this.#send({ id: this.#newId(), streamId, buffer });
      // Errors are thrown when the chunk is awaited.
      chunk.catch(() => {});
      return chunk as Promise<Uint8Array<ArrayBuffer> | null>;
    };
    try {
      const chunks = Array.from({ length: BUFFERS }, () => next(new ArrayBuffer(CHUNK_BYTES)));
      for (let chunk = await chunks.shift(); chunk; chunk = await chunks.shift()) {
        const { buffer } = chunk;
        yield chunk;
        chunks.push(next(buffer));
      }
    } finally {
      close();
    }
  }

  #newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #send(request: WorkerRequest): Promise<unknown> {
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      return Promise.reject(endOf(error as Error));
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(request.id, { resolve, reject });
    this.#worker.ref();
    this.#worker.postMessage(request, 'buffer' in request ? [request.buffer] : []);
    const timeMs = 'timeMs' in request ? request.timeMs : undefined;
    return timeMs === undefined ? promise : this.#inTime(request.id, promise, timeMs);
  }

  #closeStream(closedStream: number): void {
    this.#worker?.postMessage({ closedStream } satisfies WorkerMessage);
  }

  /** After the timeout, a result is discarded and a stream closed. */
  #inTime(id: number, result: Promise<unknown>, timeMs: number): Promise<unknown> {
    const timer = setTimeout(() => {
      this.#take(id)?.reject(new StoreUnavailable('The database did not answer in time.'));
      this.#closeStream(id);
    }, timeMs);
    return result.finally(() => clearTimeout(timer));
  }

  /** Removes a pending request. A thread without any does not keep the process alive. */
  #take(id: number): PendingRequest | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker?.unref();
    return pending;
  }

  #start(): Worker {
    const worker = new Worker(workerUrl(import.meta.url), {
      workerData: this.#settings,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEBIBYTES },
    });
    worker.on('message', ({ id, result, error }: WorkerResponse) => {
      const pending = this.#take(id);
      if (error === undefined) pending?.resolve(result);
      else pending?.reject(errorOf(error));
    });
    worker.on('error', (error) => this.#fail(worker, endOf(error as Error)));
    worker.on('exit', () => this.#fail(worker, new Error(ENDED)));
    return worker;
  }

  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
