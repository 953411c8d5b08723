// What may take more than a few milliseconds leaves the request thread: pages of large accounts, facets and exports are
// worked out on other threads, each with a store of its own. This side sends the work and takes the answers.

import { Worker } from 'node:worker_threads';
import { Problem, type ProblemCode, type Query } from '@linecard/client';
import type { ExportFormat } from './export.ts';
import type { FacetsAnswer } from './facets.ts';
import type { Page } from './list.ts';
import type { IndexData } from './list-index.ts';
import { isPostgresUrl } from './open.ts';
import { type StoreOptions, StoreUnavailable } from './store.ts';
import type { tables } from './tables.ts';

/** Beside this file, with its ending: TypeScript in the repository, JavaScript where the package is installed. */
const WORKER = new URL(
  `./aside-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/** Keeps the garbage of long exports small; more makes them no faster. */
const YOUNG_MEBIBYTES = 4;

const INDEXER_IDLE_MILLISECONDS = 2_000;
/** An export comes in pieces of so many bytes, each in one of so many buffers that go to and fro between the threads. */
const PIECE_BYTES = 65_536;
const BUFFERS = 2;

/** What every kind of work is about. */
interface About {
  readonly list: keyof typeof tables;
  readonly account_id: string;
  /** How long whoever asks can wait for it to be worked out or begun, where there is a limit. */
  readonly time_ms?: number | undefined;
}

export interface Asked extends About {
  readonly query: Query;
}

export type Work =
  | ({ readonly kind: 'index' } & About)
  | ({ readonly kind: 'page' } & Asked)
  | ({ readonly kind: 'facets'; readonly index?: IndexData | undefined } & Asked)
  | ({ readonly kind: 'export'; readonly format: ExportFormat } & Asked);

/** To the other thread: new work, or room for the next piece of an export, which bears the number of that work. */
export type Question =
  | { readonly id: number; readonly work: Work }
  | { readonly id: number; readonly export: number; readonly room: ArrayBuffer };

/** A question, or which export may be closed. */
export type Message = Question | { readonly export: number };

/** From the other thread: a result, which for an export is its head and then its pieces, or what went wrong. */
export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: Failure;
}

/** An error that has crossed between threads. */
export interface Failure {
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: ProblemCode;
  readonly unavailable: boolean;
}

export interface ExportHead {
  readonly revision: string;
  readonly total: number;
}

export interface OpenExport extends ExportHead {
  /** Its text. A piece is good until the next is asked for: then its buffer is filled anew. To leave off ends the work. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Ends the work, also where no piece was taken. */
  close(): void;
}

function errorOf({ message, stack, code, unavailable }: Failure): Error {
  if (code !== undefined) return new Problem(code, message);
  if (unavailable) return new StoreUnavailable(message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** What the other thread starts with. */
export interface AsideData {
  readonly database_url: string;
  readonly options: StoreOptions;
  readonly cursor_key: string;
}

/** One other thread, started by its first work; should it ever die, what it was doing fails and the next work starts another. */
class Thread {
  readonly #data: AsideData;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #last_id = 0;

  constructor(data: AsideData) {
    this.#data = data;
  }

  /** How much it has to do. */
  get load(): number {
    return this.#waiting.size;
  }

  newId(): number {
    this.#last_id += 1;
    return this.#last_id;
  }

  ask(message: Question): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(message.id, { resolve, reject });
    this.tell(message);
    this.#worker?.ref();
    const time_ms = 'work' in message ? message.work.time_ms : undefined;
    return time_ms === undefined ? promise : this.#withinTime(message.id, promise, time_ms);
  }

  tell(message: Message): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message, 'room' in message ? [message.room] : []);
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  /** What comes too late comes to nobody; an export that begins too late is closed. */
  #withinTime(id: number, answer: Promise<unknown>, time_ms: number): Promise<unknown> {
    const timer = setTimeout(() => {
      this.#take(id)?.reject(new StoreUnavailable('The database did not answer in time.'));
      this.tell({ export: id });
    }, time_ms);
    return answer.finally(() => clearTimeout(timer));
  }

  /** Whoever waits for an answer; a thread that nobody waits for does not keep the process alive. */
  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    return waiting;
  }

  #start(): Worker {
    const worker = new Worker(WORKER, {
      workerData: this.#data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEBIBYTES },
    });
    worker.on('message', ({ id, result, failure }: Answer) => {
      const waiting = this.#take(id);
      if (failure === undefined) waiting?.resolve(result);
      else waiting?.reject(errorOf(failure));
    });
    worker.on('error', (error) => this.#fail(error as Error));
    return worker;
  }

  #fail(error: Error): void {
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}

/**
 * The pieces of an export. Their buffers are lent to the other thread and come back filled: text in buffers of its own
 * would be garbage that the collector lets grow to 64 MiB.
 */
async function* piecesOf(thread: Thread, export_: number, close: () => void): AsyncGenerator<Uint8Array> {
  const next = (room: ArrayBuffer) => {
    const piece = thread.ask({
      id: thread.newId(),
      export: export_,
      room,
    }) as Promise<Uint8Array<ArrayBuffer> | null>;
    // A failure waits for whoever takes the piece.
    piece.catch(() => {});
    return piece;
  };
  try {
    const coming = Array.from({ length: BUFFERS }, () => next(new ArrayBuffer(PIECE_BYTES)));
    for (let piece = await coming.shift(); piece; piece = await coming.shift()) {
      const { buffer } = piece;
      yield piece;
      coming.push(next(buffer));
    }
  } finally {
    close();
  }
}

function leastBusy(threads: readonly Thread[]): Thread {
  return threads.reduce((best, thread) => (thread.load < best.load ? thread : best));
}

/**
 * The other threads; work goes to the one that has the least of it. Exports of a file, however many and slow, keep to half
 * of them, so that they hold up nobody's page and take the memory of few threads.
 */
export class Aside {
  readonly #threads: readonly Thread[];
  readonly #exporting: readonly Thread[];
  /** Indexes are made on a thread of their own: the more there is to do for the others, the more they are needed. */
  readonly #indexer: Thread;
  #indexer_ends: NodeJS.Timeout | undefined;

  constructor(database_url: string, cursor_key: string, threads: number, options: StoreOptions = {}) {
    const data: AsideData = { database_url, options, cursor_key };
    this.#threads = Array.from({ length: threads }, () => new Thread(data));
    // On a server each export holds a connection, of which a thread has few.
    const exporting = isPostgresUrl(database_url) ? threads : Math.ceil(threads / 2);
    this.#exporting = this.#threads.slice(0, exporting);
    this.#indexer = new Thread(data);
  }

  page(asked: Asked): Promise<Page> {
    return this.#ask({ kind: 'page', ...asked }) as Promise<Page>;
  }

  /** Facets, from an index that is still true or else from the database. */
  facets(asked: Asked, index?: IndexData): Promise<FacetsAnswer> {
    return this.#ask({ kind: 'facets', ...asked, index }) as Promise<FacetsAnswer>;
  }

  /** The index of an account's list as it is now. The thread ends soon after: what it took to make it is given back. */
  async index(list: Asked['list'], account_id: string): Promise<IndexData> {
    clearTimeout(this.#indexer_ends);
    const indexer = this.#indexer;
    try {
      const work: Work = { kind: 'index', list, account_id };
      return (await indexer.ask({ id: indexer.newId(), work })) as IndexData;
    } finally {
      clearTimeout(this.#indexer_ends);
      const end = () => indexer.load === 0 && void indexer.close();
      this.#indexer_ends = setTimeout(end, INDEXER_IDLE_MILLISECONDS).unref();
    }
  }

  /** Begins an export; it is worked out no further ahead than its buffers hold. */
  async export(asked: Asked, format: ExportFormat): Promise<OpenExport> {
    const thread = leastBusy(this.#exporting);
    const id = thread.newId();
    const head = (await thread.ask({ id, work: { kind: 'export', format, ...asked } })) as ExportHead;
    const close = () => thread.tell({ export: id });
    return { ...head, pieces: piecesOf(thread, id, close), close };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads, this.#indexer].map((thread) => thread.close()));
  }

  #ask(work: Work): Promise<unknown> {
    const thread = leastBusy(this.#threads);
    return thread.ask({ id: thread.newId(), work });
  }
}
