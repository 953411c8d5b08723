// The worker pool: what may take more than a few milliseconds is not worked out on the request thread, but on
// worker threads, each with a store of its own: pages of large accounts, facets, exports and indexes. Tasks
// wait in a fair queue, so that the accounts take turns.

import { limits, onThisMachine } from '../limits/limits.ts';
import { Semaphore } from '../limits/semaphore.ts';
import { TaskScheduler } from '../limits/task-scheduler.ts';
import type { IndexData } from '../list-index/index-data.ts';
import type { ChangesPage, KnownTotal } from '../lists/changes.ts';
import type { Stages } from '../lists/deadline.ts';
import type { FacetsAnswer } from '../lists/facets.ts';
import type { FoundPage } from '../lists/list.ts';
import type { Page } from '../lists/page.ts';
import type {
  FacetsBasis,
  IndexBuilder,
  ListQuery,
  ListWorkers,
  StreamFormat,
  WorkerExport,
} from '../lists/workers.ts';
import { isPostgresUrl } from '../store/open.ts';
import type { StoreOptions } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { SingleTask, WorkerSettings } from './messages.ts';
import { beginExport } from './running-export.ts';
import { WorkerThread } from './thread.ts';

const INDEXER_IDLE_MILLISECONDS = 2_000;
/** How many tasks one thread runs at a time: with a file it does nothing else, with a server it waits. */
const [TASKS_OF_A_FILE, TASKS_OF_A_SERVER] = [1, 4];
/** The share of the connections for exports that those of one account may have. */
const SHARE = 0.5;
/**
 * The part of all tasks at once that the long ones of one account may be. Those of a server share its
 * processors with the quick reads of everybody.
 */
const [LONG_SHARE_OF_A_FILE, LONG_SHARE_OF_A_SERVER] = [0.5, 0.125];

export interface WorkerFigures {
  /** Tasks that wait for a thread. */
  readonly waiting: number;
  /** Tasks that are being worked on, exports apart. */
  readonly running: number;
  readonly exports: number;
  /** How many threads there may be for them. */
  readonly threads: number;
}

/**
 * Exports of a file are on half of the threads, so that they delay no page and take the memory of few
 * threads. Beginning one may take long, since it may sort a list, so the accounts take turns at that too, and
 * one that finds those threads beginning others is begun on another. So many of an account are open at once
 * that others find a thread, and on a server a connection.
 */
export class WorkerPool implements ListWorkers, IndexBuilder {
  readonly #threads: readonly WorkerThread[];
  readonly #tasks: TaskScheduler<WorkerThread>;
  /** What begins exports. */
  readonly #beginnings: TaskScheduler<WorkerThread>;
  readonly #exports: Semaphore;
  /**
   * Indexes are built on a thread of their own, of normal priority: the more the other threads have to do,
   * the more the indexes are needed.
   */
  readonly #indexer: WorkerThread;
  #indexerTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    databaseUrl: string,
    cursorKey: string,
    threads: number,
    options: StoreOptions = {},
    /** How many exports an account may have running. */
    maxExports: number = limits.exports.each,
    /** The same for all accounts. */
    maxInAll: number = onThisMachine(limits.exports).total,
  ) {
    const settings: WorkerSettings = { databaseUrl, options, cursorKey, hasLowPriority: true };
    const isServer = isPostgresUrl(databaseUrl);
    this.#threads = Array.from({ length: threads }, () => new WorkerThread(settings));
    const connections = options.connections ?? TASKS_OF_A_SERVER;
    const concurrency = isServer ? connections : TASKS_OF_A_FILE;
    const longShare = isServer ? LONG_SHARE_OF_A_SERVER : LONG_SHARE_OF_A_FILE;
    const unavailable = (why: string) => new StoreUnavailable(why);
    const scheduling = { slots: this.#threads, concurrency, longShare, unavailable };
    this.#tasks = new TaskScheduler({ ...scheduling, rank: ({ load }) => load });
    // On a server each export holds a connection, of which a thread has few.
    const exporters = new Set(this.#threads.slice(0, isServer ? threads : Math.ceil(threads / 2)));
    const rank = (thread: WorkerThread) =>
      exporters.has(thread) ? thread.exports : Number.POSITIVE_INFINITY;
    this.#beginnings = new TaskScheduler({ ...scheduling, rank });
    const share = isServer ? Math.max(1, Math.floor(connections * threads * SHARE)) : maxExports;
    this.#exports = new Semaphore({
      ...limits.exports,
      each: Math.min(maxExports, share),
      total: maxInAll,
    });
    this.#indexer = new WorkerThread({ ...settings, hasLowPriority: false });
  }

  /** `isGone`: whether the client has disconnected; then the task is not begun. */
  page(request: ListQuery, isGone: () => boolean, stages?: Stages): Promise<Page> {
    return this.#run({ kind: 'page', ...request }, isGone, stages) as Promise<Page>;
  }

  pageOfFound(
    request: ListQuery,
    found: FoundPage,
    isGone: () => boolean,
    stages?: Stages,
  ): Promise<Page | undefined> {
    return this.#run({ kind: 'page', found, ...request }, isGone, stages) as Promise<Page | undefined>;
  }

  changes(
    request: ListQuery,
    isGone: () => boolean,
    stages?: Stages,
    known?: KnownTotal,
  ): Promise<ChangesPage | undefined> {
    const task = { kind: 'changes', known, ...request } as const;
    return this.#run(task, isGone, stages) as Promise<ChangesPage | undefined>;
  }

  facets(
    request: ListQuery,
    isGone: () => boolean,
    basis: FacetsBasis,
    stages?: Stages,
  ): Promise<FacetsAnswer> {
    return this.#run({ kind: 'facets', ...request, ...basis }, isGone, stages) as Promise<FacetsAnswer>;
  }

  /**
   * The index of an account's list as it is now; `undefined` where it would take more bytes, or the pool is
   * closed meanwhile. The thread ends soon after, to give back the memory that building takes.
   */
  async index(list: ListQuery['list'], account_id: string, maxBytes: number): Promise<IndexData | undefined> {
    clearTimeout(this.#indexerTimer);
    const indexer = this.#indexer;
    try {
      const index = await indexer.run({ kind: 'index', list, account_id, maxBytes });
      return index as IndexData | undefined;
    } catch (error) {
      if (this.#isClosed) return undefined;
      throw error;
    } finally {
      clearTimeout(this.#indexerTimer);
      const end = () => indexer.load === 0 && void indexer.close();
      this.#indexerTimer = setTimeout(end, INDEXER_IDLE_MILLISECONDS).unref();
    }
  }

  /**
   * Begins an export; it is worked out no further ahead than its buffers hold.
   * @throws {Problem} `rate-limited` where as many of its account are open as may be, `unavailable` where as
   * many of all are.
   */
  async export(
    request: ListQuery,
    format: StreamFormat,
    isGone: () => boolean = () => false,
    stages?: Stages,
  ): Promise<WorkerExport> {
    const free = this.#exports.mustTake(request.account_id);
    try {
      return await this.#beginnings.run({ ...request, isGone, stages }, (thread, timeMs) =>
        beginExport(thread, { kind: 'export', format, ...request, timeMs }, free),
      );
    } catch (error) {
      free();
      throw error;
    }
  }

  /** Ends the threads; what they work on fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads, this.#indexer].map((thread) => thread.close()));
  }

  /** What waits and runs now: tasks of one answer, and exports, of which some have not begun. */
  get figures(): WorkerFigures {
    const [tasks, beginnings] = [this.#tasks.figures, this.#beginnings.figures];
    return {
      waiting: tasks.waiting + beginnings.waiting,
      running: tasks.running,
      exports: this.#threads.reduce((sum, { exports }) => sum + exports, 0),
      threads: this.#threads.length,
    };
  }

  #run(task: SingleTask, isGone: () => boolean, stages: Stages | undefined): Promise<unknown> {
    const isComputing = task.kind === 'facets' && task.index !== undefined;
    return this.#tasks.run({ ...task, isGone, stages, isComputing }, (thread, timeMs) =>
      thread.run({ ...task, timeMs }),
    );
  }
}
