// One thread beside the request thread: what is asked of it and who waits for its answers.

import { Worker } from 'node:worker_threads';
import { Problem } from '@linecard/client/contract/problems';
import { StoreUnavailable } from '../store/store.ts';
import type { Answer, AsideData, Failure, Message, Question, Work } from './messages.ts';

/** Beside this file, with its ending: TypeScript in the repository, JavaScript where the package is installed. */
const WORKER = new URL(`./worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url);

/** Keeps the garbage of long exports small; more makes them no faster. */
const YOUNG_MEBIBYTES = 4;

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

/** One other thread, started by its first work; should it ever die, what it was doing fails and the next work starts another. */
export class Thread {
  readonly #data: AsideData;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #last_id = 0;
  #working = 0;

  constructor(data: AsideData) {
    this.#data = data;
  }

  /** How much it has to do. */
  get load(): number {
    return this.#waiting.size;
  }

  /** How many pages and facets it works out. */
  get working(): number {
    return this.#working;
  }

  /** Works something out that comes in one piece. */
  async work(work: Work): Promise<unknown> {
    this.#working += 1;
    try {
      return await this.ask({ id: this.newId(), work });
    } finally {
      this.#working -= 1;
    }
  }

  newId(): number {
    this.#last_id += 1;
    return this.#last_id;
  }

  ask(message: Question): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(message.id, { resolve, reject });
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(message, 'room' in message ? [message.room] : []);
    const time_ms = 'work' in message ? message.work.time_ms : undefined;
    return time_ms === undefined ? promise : this.#withinTime(message.id, promise, time_ms);
  }

  /** Closes an export; where the thread is gone, so is the export. */
  closeExport(export_: number): void {
    this.#worker?.postMessage({ export: export_ } satisfies Message);
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
      this.closeExport(id);
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
    worker.on('error', (error) => this.#fail(worker, error as Error));
    worker.on('exit', () => this.#fail(worker, new Error('Another thread has ended amid its work.')));
    return worker;
  }

  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
