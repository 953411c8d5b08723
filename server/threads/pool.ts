// The worker pool: what may take more than a few milliseconds is not worked out on the request thread, but on
// worker threads, each with a store of its own: pages of large accounts, facets, exports and indexes. Tasks
// wait in a fair queue, so that the accounts take turns. This side must not know how a task is worked out.

import type { FileFormat } from '@linecard/client/contract/addresses';
import type { IndexData } from '../list-index/index-data.ts';
import type { FacetsAnswer } from '../lists/facets.ts';
import type { Page } from '../lists/list.ts';
import type { FacetsBasis, IndexBuilder, ListQuery, ListWorkers, WorkerExport } from '../lists/workers.ts';
import { isPostgresUrl } from '../store/open.ts';
import { type StoreOptions, StoreUnavailable } from '../store/store.ts';
import { FairQueue } from './fair-queue.ts';
import type { ExportHead, SingleTask, WorkerSettings } from './messages.ts';
import { WorkerThread } from './thread.ts';

const INDEXER_IDLE_MILLISECONDS = 2_000;
/** An export comes in chunks of so many bytes, each in one of so many buffers, which are reused. */
const CHUNK_BYTES = 65_536;
const BUFFERS = 2;
/** How many tasks one thread runs at a time: with a file it does nothing else, with a server it waits. */
const [TASKS_OF_A_FILE, TASKS_OF_A_SERVER] = [1, 4];
/** A task that has waited so long in the queue, where nothing else limits it, is refused. */
const LONGEST_WAIT_MILLISECONDS = 10_000;

/**
 * The chunks of an export. Their buffers are transferred to the worker thread and come back filled: text in
 * buffers of its own would be garbage that the collector lets grow to 64 MiB.
 */
async function* chunksOf(
  thread: WorkerThread,
  exportId: number,
  close: () => void,
): AsyncGenerator<Uint8Array> {
  const next = (buffer: ArrayBuffer) => {
    const chunk = thread.send({
      id: thread.newId(),
      exportId,
      buffer,
    }) as Promise<Uint8Array<ArrayBuffer> | null>;
    // A failure is thrown where the chunk is taken.
    chunk.catch(() => {});
    return chunk;
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

function leastBusy(threads: readonly WorkerThread[]): WorkerThread {
  const isLess = (a: WorkerThread, b: WorkerThread) =>
    a.running < b.running || (a.running === b.running && a.load < b.load);
  return threads.reduce((best, thread) => (isLess(thread, best) ? thread : best));
}

/** A task that waits for a thread. */
interface QueuedTask {
  /** Begins it, unless nobody waits for it any more. */
  begin(thread: WorkerThread): void;
}

/**
 * Each task is scheduled to the thread with the fewest. Exports of a file, however many and slow, are limited
 * to half of the threads, so that they delay no page and take the memory of few threads.
 */
export class WorkerPool implements ListWorkers, IndexBuilder {
  readonly #threads: readonly WorkerThread[];
  readonly #exporters: readonly WorkerThread[];
  /** How many tasks one thread runs at a time. */
  readonly #concurrency: number;
  readonly #queue = new FairQueue<QueuedTask>();
  /**
   * Indexes are built on a thread of their own, of normal priority: the more the other threads have to do,
   * the more the indexes are needed.
   */
  readonly #indexer: WorkerThread;
  #indexerTimer: NodeJS.Timeout | undefined;

  constructor(databaseUrl: string, cursorKey: string, threads: number, options: StoreOptions = {}) {
    const settings: WorkerSettings = { databaseUrl, options, cursorKey, hasLowPriority: true };
    const isServer = isPostgresUrl(databaseUrl);
    this.#threads = Array.from({ length: threads }, () => new WorkerThread(settings));
    this.#concurrency = isServer ? (options.connections ?? TASKS_OF_A_SERVER) : TASKS_OF_A_FILE;
    // On a server each export holds a connection, of which a thread has few.
    this.#exporters = this.#threads.slice(0, isServer ? threads : Math.ceil(threads / 2));
    this.#indexer = new WorkerThread({ ...settings, hasLowPriority: false });
  }

  /** `isGone`: whether the client has disconnected; then the task is not begun. */
  page(request: ListQuery, isGone: () => boolean): Promise<Page> {
    return this.#schedule({ kind: 'page', ...request }, isGone) as Promise<Page>;
  }

  facets(request: ListQuery, isGone: () => boolean, basis: FacetsBasis): Promise<FacetsAnswer> {
    return this.#schedule({ kind: 'facets', ...request, ...basis }, isGone) as Promise<FacetsAnswer>;
  }

  /**
   * The index of an account's list as it is now; `undefined` where it would take more bytes. The thread ends
   * soon after, to give back the memory that building takes.
   */
  async index(list: ListQuery['list'], account_id: string, maxBytes: number): Promise<IndexData | undefined> {
    clearTimeout(this.#indexerTimer);
    const indexer = this.#indexer;
    try {
      const index = await indexer.run({ kind: 'index', list, account_id, maxBytes });
      return index as IndexData | undefined;
    } finally {
      clearTimeout(this.#indexerTimer);
      const end = () => indexer.load === 0 && void indexer.close();
      this.#indexerTimer = setTimeout(end, INDEXER_IDLE_MILLISECONDS).unref();
    }
  }

  /** Begins an export, at once; it is worked out no further ahead than its buffers hold. */
  async export(request: ListQuery, format: FileFormat): Promise<WorkerExport> {
    const thread = leastBusy(this.#exporters);
    const id = thread.newId();
    const head = (await thread.send({ id, task: { kind: 'export', format, ...request } })) as ExportHead;
    const close = () => thread.closeExport(id);
    return { ...head, chunks: chunksOf(thread, id, close), close };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads, this.#indexer].map((thread) => thread.close()));
  }

  /** Runs a task as soon as it is its account's turn and a thread is free. */
  #schedule(task: SingleTask, isGone: () => boolean): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const start = performance.now();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new StoreUnavailable('There is more to do than the worker threads can do in time.'));
    }, task.timeMs ?? LONGEST_WAIT_MILLISECONDS);
    this.#queue.push(task.account_id, {
      begin(thread) {
        if (isLate) return;
        clearTimeout(timer);
        if (isGone()) return reject(new StoreUnavailable('The client has disconnected.'));
        const left = task.timeMs && Math.max(1, task.timeMs - (performance.now() - start));
        thread.run({ ...task, timeMs: left }).then(resolve, reject);
      },
    });
    this.#dispatch();
    return promise.finally(() => this.#dispatch());
  }

  /** Gives queued tasks to threads until either runs out. */
  #dispatch(): void {
    for (;;) {
      const thread = leastBusy(this.#threads);
      if (thread.running >= this.#concurrency) return;
      const next = this.#queue.take();
      if (next === undefined) return;
      next.begin(thread);
    }
  }
}
