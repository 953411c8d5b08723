// One worker thread, as the request thread sees it: the requests sent to it, and the promises of its
// responses. The other side is worker.ts.

import { Worker } from 'node:worker_threads';
import { Problem } from '@linecard/client/contract/problems';
import type { IndexData } from '../../list-index/index-data.ts';
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

/** Keeps the garbage of long exports small; more makes them no faster. */
const YOUNG_MEBIBYTES = 4;
/** The size of the chunks of a stream, and how many buffers they are sent in, which are reused. */
const CHUNK_BYTES = 65_536;
const BUFFERS = 2;
const ENDED = 'A worker thread has ended in the middle of its tasks.';
/** What Node says where the machine lets no further thread begin, or open what it needs. */
const NOT_STARTED = new Set<string | undefined>(['ERR_WORKER_INIT_FAILED', 'EMFILE', 'ENFILE']);

function errorOf({ message, stack, problem, isUnavailable, isForeign }: CopiedError): Error {
  if (problem !== undefined) {
    const { code, faults, headers } = problem;
    return new Problem(code, message, { headers, ...(faults === undefined ? {} : { faults }) });
  }
  // Made again, and so counted here as well.
  if (isForeign) return new ForeignRows(message);
  if (isUnavailable) return new StoreUnavailable(message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** Why a thread has ended; one that could not begin may begin when others have released what they hold. */
function endOf(cause: NodeJS.ErrnoException): Error {
  if (!NOT_STARTED.has(cause.code)) return cause;
  const message = `No further thread can be started (${cause.message}). Raise the limit of open files (ulimit -n), or of memory.`;
  return new StoreUnavailable(message, { cause });
}

/** A request without its response. */
interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Started by its first request, if not before. If it dies, its pending requests fail, and the next starts
 * another.
 */
export class WorkerThread {
  readonly #settings: WorkerSettings;
  readonly #pending = new Map<number, PendingRequest>();
  #worker: Worker | undefined;
  #lastId = 0;
  /** How many streams are open on it. */
  streams = 0;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
  }

  /** How many requests are pending. */
  get load(): number {
    return this.#pending.size;
  }

  get isStarted(): boolean {
    return this.#worker !== undefined;
  }

  /** Starts it before it has anything to do, so that its first request need not wait for that. */
  start(): void {
    try {
      this.#worker ??= this.#start();
      if (this.#pending.size === 0) this.#worker.unref();
    } catch {
      // A request that needs it is refused with why.
    }
  }

  answer(task: QuestionTask): Promise<Answer | undefined> {
    return this.#send({ id: this.#newId(), ...task }) as Promise<Answer | undefined>;
  }

  index(task: IndexTask): Promise<IndexData | undefined> {
    return this.#send({ id: this.#newId(), ...task }) as Promise<IndexData | undefined>;
  }

  /**
   * The answer to a question whose body is a stream.
   * @param onClose called once, when the stream has come to its end or is closed.
   */
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

  /** Ends the thread; its pending requests fail. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker !== undefined) this.#fail(worker, new Error(ENDED));
    await worker?.terminate();
  }

  /**
   * The chunks of a stream. Their buffers are transferred to the worker thread and come back filled: text in
   * buffers of its own would be garbage that the collector lets grow to 64 MiB.
   */
  async *#chunks(streamId: number, close: () => void): AsyncGenerator<Uint8Array> {
    const next = (buffer: ArrayBuffer) => {
      const chunk = this.#send({ id: this.#newId(), streamId, buffer });
      // A failure is thrown where the chunk is taken.
      chunk.catch(() => {});
      return chunk as Promise<Uint8Array<ArrayBuffer> | null>;
    };
    try {
      const coming = Array.from({ length: BUFFERS }, () => next(new ArrayBuffer(CHUNK_BYTES)));
      for (let chunk = await coming.shift(); chunk; chunk = await coming.shift()) {
        const { buffer } = chunk;
        yield chunk;
        coming.push(next(buffer));
      }
    } finally {
      close();
    }
  }

  #newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Sends a request; resolves with its result, and rejects where no thread can be started. */
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
    const timeMs = 'question' in request ? request.timeMs : undefined;
    return timeMs === undefined ? promise : this.#inTime(request.id, promise, timeMs);
  }

  /** Where the thread has ended, so has the stream. */
  #closeStream(closedStream: number): void {
    this.#worker?.postMessage({ closedStream } satisfies WorkerMessage);
  }

  /** A result that comes too late is dropped; a stream that begins too late is closed. */
  #inTime(id: number, result: Promise<unknown>, timeMs: number): Promise<unknown> {
    const timer = setTimeout(() => {
      this.#take(id)?.reject(new StoreUnavailable('The database did not answer in time.'));
      this.#closeStream(id);
    }, timeMs);
    return result.finally(() => clearTimeout(timer));
  }

  /** Takes a pending request out; a thread that has none does not keep the process alive. */
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
