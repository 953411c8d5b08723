// The worker pool: what may take more than a few milliseconds is not computed on the request thread, but on
// worker threads, each with a store of its own. Questions wait in a fair queue, round robin by account.

import { limits, onThisMachine } from '../../limits/limits.ts';
import { Semaphore } from '../../limits/semaphore.ts';
import { TaskScheduler } from '../../limits/task-scheduler.ts';
import { isPostgresUrl } from '../../store/open.ts';
import type { StoreOptions } from '../../store/store.ts';
import { StoreUnavailable } from '../../store/store-errors.ts';
import type { Answer } from '../answer.ts';
import type { WaitingClient } from '../client.ts';
import type { EngineSettings, FoundPage } from '../engine.ts';
import type { IndexBuilder } from '../indexes.ts';
import type { Question } from '../question.ts';
import { WorkerThread } from './thread.ts';

const INDEXER_IDLE_MILLISECONDS = 2_000;
/** How many tasks one thread runs at a time: with a file it does nothing else, with a server it waits. */
const [TASKS_OF_A_FILE, TASKS_OF_A_SERVER] = [1, 4];
/** The share of the connections for streams that those of one account may have. */
const SHARE = 0.5;
/**
 * The part of all concurrent tasks that the long ones of one account may be. Those of a server share its
 * processors with the quick reads of everybody.
 */
const [LONG_SHARE_OF_A_FILE, LONG_SHARE_OF_A_SERVER] = [0.5, 0.125];

/** A question for a worker thread. */
export interface Task {
  readonly client: WaitingClient;
  /** How long its client waits for the answer or, of a stream, its head; absent where there is no limit. */
  readonly timeMs: number | undefined;
  /** What an index has found for it. */
  readonly found?: FoundPage | undefined;
}

export interface WorkerStatistics {
  /** Tasks that wait for a thread. */
  readonly waiting: number;
  /** Tasks in progress, without streams. */
  readonly running: number;
  readonly exports: number;
  /** How many threads there may be for them. */
  readonly threads: number;
}

export interface WorkerPoolOptions extends EngineSettings {
  readonly databaseUrl: string;
  readonly threads: number;
  readonly store?: StoreOptions;
  /** How many streams of an account may be open. */
  readonly maxExports?: number;
  /** The same for all accounts together. */
  readonly maxInAll?: number;
}

/**
 * Streams from a file are on half of the threads, so that they delay no page and take the memory of few
 * threads. Beginning one may take long, since it may sort a list, so the accounts take turns at that too, and
 * one that finds those threads beginning others is begun on another. The limit of an account leaves others a
 * thread, and on a server a connection.
 */
export class WorkerPool implements IndexBuilder {
  readonly #threads: readonly WorkerThread[];
  readonly #tasks: TaskScheduler<WorkerThread>;
  /** What begins streams. */
  readonly #beginnings: TaskScheduler<WorkerThread>;
  readonly #streams: Semaphore;
  /**
   * Indexes are built on a thread of their own, of normal priority: the more the other threads have to do,
   * the more the indexes are needed.
   */
  readonly #indexer: WorkerThread;
  #indexerTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    const { databaseUrl, threads, cursorKey, basePath, currency, store = {} } = options;
    const { each, total } = onThisMachine(limits.exports);
    const { maxExports = each, maxInAll = total } = options;
    const settings = { databaseUrl, options: store, cursorKey, basePath, currency, hasLowPriority: true };
    const isServer = isPostgresUrl(databaseUrl);
    this.#threads = Array.from({ length: threads }, () => new WorkerThread(settings));
    const connections = store.connections ?? TASKS_OF_A_SERVER;
    const concurrency = isServer ? connections : TASKS_OF_A_FILE;
    const longShare = isServer ? LONG_SHARE_OF_A_SERVER : LONG_SHARE_OF_A_FILE;
    const unavailable = (why: string) => new StoreUnavailable(why);
    const scheduling = { slots: this.#threads, concurrency, longShare, unavailable };
    this.#tasks = new TaskScheduler({ ...scheduling, rank: ({ load }) => load });
    // On a server each stream holds a connection, of which a thread has few.
    const streamers = new Set(this.#threads.slice(0, isServer ? threads : Math.ceil(threads / 2)));
    const rank = (thread: WorkerThread) =>
      streamers.has(thread) ? thread.streams : Number.POSITIVE_INFINITY;
    this.#beginnings = new TaskScheduler({ ...scheduling, rank });
    const share = isServer ? Math.max(1, Math.floor(connections * threads * SHARE)) : maxExports;
    this.#streams = new Semaphore({
      ...limits.exports,
      each: Math.min(maxExports, share),
      total: maxInAll,
    });
    this.#indexer = new WorkerThread({ ...settings, hasLowPriority: false });
  }

  /**
   * The answer to a question, computed on a thread; `undefined` where what an index has found is no longer
   * true. It is not begun for a client that has disconnected. A stream is computed no further ahead than its
   * buffers hold.
   * @throws {Problem} `rate-limited` where the account has the maximum of streams, `unavailable` where there
   * is the maximum of all.
   * @throws {StoreUnavailable} where it cannot be computed in time.
   */
  async run(question: Question, { client, timeMs, found }: Task): Promise<Answer | undefined> {
    const { account_id } = question.owner;
    const demand = { account_id, timeMs, isDisconnected: client.isDisconnected, stages: client.stages };
    if (question.format === undefined)
      return this.#tasks.run(demand, (thread, left) => thread.answer({ question, found, timeMs: left }));
    const release = this.#streams.mustTake(account_id);
    try {
      return await this.#beginnings.run(demand, (thread, left) =>
        thread.stream({ question, timeMs: left }, release),
      );
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * The index of an account's list as it is now; `undefined` where it would take more bytes, or the pool is
   * closed meanwhile. The thread ends soon after, to give back the memory that building takes.
   */
  async index(...[list, account_id, maxBytes]: Parameters<IndexBuilder['index']>) {
    clearTimeout(this.#indexerTimer);
    const indexer = this.#indexer;
    try {
      return await indexer.index({ list, account_id, maxBytes });
    } catch (error) {
      if (this.#isClosed) return undefined;
      throw error;
    } finally {
      clearTimeout(this.#indexerTimer);
      const end = () => indexer.load === 0 && void indexer.close();
      this.#indexerTimer = setTimeout(end, INDEXER_IDLE_MILLISECONDS).unref();
    }
  }

  /** Ends the threads; what they work on fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads, this.#indexer].map((thread) => thread.close()));
  }

  /** What waits and runs now: tasks of one answer, and streams, of which some have not begun. */
  get statistics(): WorkerStatistics {
    const [tasks, beginnings] = [this.#tasks.statistics, this.#beginnings.statistics];
    return {
      waiting: tasks.waiting + beginnings.waiting,
      running: tasks.running,
      exports: this.#threads.reduce((sum, { streams }) => sum + streams, 0),
      threads: this.#threads.length,
    };
  }
}
