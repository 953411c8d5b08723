// The worker pool: computes what may take more than a few milliseconds on worker threads, each with a store
// of its own. Questions wait in a fair queue, round robin among accounts.

import { limits, onThisMachine } from '../../limits/limits.ts';
import { Semaphore } from '../../limits/semaphore.ts';
import { TaskScheduler } from '../../limits/task-scheduler.ts';
import type { ImportState } from '../../store/imports/import-state.ts';
import { isPostgresUrl } from '../../store/open.ts';
import type { StoreOptions } from '../../store/store.ts';
import { StoreUnavailable } from '../../store/store-errors.ts';
import type { ListName } from '../../store/tables.ts';
import type { Answer } from '../answer.ts';
import type { WaitingClient } from '../client.ts';
import type { EngineSettings, FoundPage } from '../engine.ts';
import type { IndexBuilder } from '../indexes.ts';
import { isStreamed, type Question } from '../question.ts';
import { WorkerThread } from './thread.ts';

const INDEXER_IDLE_MILLISECONDS = 2_000;
/** Concurrent tasks per thread: with SQLite a task is CPU-bound, with PostgreSQL it mostly waits. */
const [SQLITE_TASKS, POSTGRES_TASKS] = [1, 4];
/** The fraction of connections for streams that one account may use. */
const STREAM_FRACTION = 0.5;
/**
 * The fraction of all concurrent tasks that the long tasks of one account may take. On PostgreSQL they
 * compete for its processors with the quick reads of everyone.
 */
const [SQLITE_LONG_FRACTION, POSTGRES_LONG_FRACTION] = [0.5, 0.125];

export interface Task {
  readonly client: WaitingClient;
  /** How long the client waits for the answer, or for the first part of a stream; absent if unlimited. */
  readonly timeMs: number | undefined;
  readonly found?: FoundPage | undefined;
}

export interface WorkerPoolOptions extends EngineSettings {
  readonly databaseUrl: string;
  readonly threads: number;
  readonly store?: StoreOptions;
  readonly maxExports?: number;
  readonly maxTotal?: number;
}

/**
 * With SQLite, streams run on half of the threads, so that they delay no page and use the memory of few
 * threads. Starting a stream may take long, because the list may have to be sorted, so starts are scheduled
 * round robin as well, and use another thread if those are busy starting others. The limit per account leaves
 * a thread, and on PostgreSQL a connection, to others.
 */
export class WorkerPool implements IndexBuilder {
  readonly #threads: readonly WorkerThread[];
  readonly #tasks: TaskScheduler<WorkerThread>;
  readonly #starts: TaskScheduler<WorkerThread>;
  readonly #streams: Semaphore;
  /**
   * Indexes are built on a separate thread of normal priority: the busier the other threads are, the more the
   * indexes are needed.
   */
  readonly #indexer: WorkerThread;
  #indexerTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    const { each, total } = onThisMachine(limits.exports);
    const { databaseUrl, threads, store = {}, maxExports = each, maxTotal = total, ...engine } = options;
    const settings = { ...engine, databaseUrl, options: store, hasLowPriority: true };
    const isServer = isPostgresUrl(databaseUrl);
    this.#threads = Array.from({ length: threads }, () => new WorkerThread(settings));
    const connections = store.connections ?? POSTGRES_TASKS;
    const concurrency = isServer ? connections : SQLITE_TASKS;
    const longShare = isServer ? POSTGRES_LONG_FRACTION : SQLITE_LONG_FRACTION;
    const unavailable = (why: string) => new StoreUnavailable(why);
    const scheduling = { slots: this.#threads, concurrency, longShare, unavailable };
    this.#tasks = new TaskScheduler({ ...scheduling, rank: ({ load }) => load });
    // On PostgreSQL each stream holds a connection, of which a thread has few.
    const streamers = new Set(this.#threads.slice(0, isServer ? threads : Math.ceil(threads / 2)));
    const rank = (thread: WorkerThread) =>
      streamers.has(thread) ? thread.streams : Number.POSITIVE_INFINITY;
    this.#starts = new TaskScheduler({ ...scheduling, rank });
    const quota = isServer ? Math.max(1, Math.floor(connections * threads * STREAM_FRACTION)) : maxExports;
    this.#streams = new Semaphore({
      ...limits.exports,
      each: Math.min(maxExports, quota),
      total: maxTotal,
    });
    this.#indexer = new WorkerThread({ ...settings, hasLowPriority: false });
  }

  /**
   * Answers a question on a thread; `undefined` if the rows found by an index are outdated. It is not started
   * if the client has disconnected. Streams are computed only as far ahead as their buffers allow.
   * @throws {Problem} `rate-limited` or `unavailable` if a limit of streams is reached.
   * @throws {StoreUnavailable} if it cannot be computed in time.
   */
  async run(question: Question, { client, timeMs, found }: Task): Promise<Answer | undefined> {
    const { account_id, token_id } = question.owner;
    const { isDisconnected, stages } = client;
    const demand = { account_id, token_id, timeMs, isDisconnected, stages };
    if (!isStreamed(question))
      return this.#tasks.run(demand, (thread, left) => thread.answer({ question, found, timeMs: left }));
    const release = this.#streams.mustTake(account_id, 1, token_id);
    try {
      return await this.#starts.run(demand, (thread, left) =>
        thread.stream({ question, timeMs: left }, release),
      );
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Reads what the metrics of imports are computed from, round robin with the questions of accounts.
   * @throws {StoreUnavailable} if it takes longer than `timeMs`.
   */
  importState(timeMs: number): Promise<ImportState> {
    const demand = { account_id: '', timeMs, isDisconnected: () => false };
    return this.#tasks.run(demand, (thread) => thread.importState(timeMs));
  }

  /**
   * The index of an account's list at the current revision; `undefined` if it would exceed `maxBytes` or the
   * pool is closed meanwhile. The thread exits soon after, to free the memory that building takes.
   */
  async index(...[table, account_id, maxBytes]: Parameters<IndexBuilder['index']>) {
    clearTimeout(this.#indexerTimer);
    const indexer = this.#indexer;
    try {
      return await indexer.index({ list: table.name as ListName, own: table.own, account_id, maxBytes });
    } catch (error) {
      if (this.#isClosed) return undefined;
      throw error;
    } finally {
      clearTimeout(this.#indexerTimer);
      const end = () => indexer.load === 0 && void indexer.close();
      this.#indexerTimer = setTimeout(end, INDEXER_IDLE_MILLISECONDS).unref();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads, this.#indexer].map((thread) => thread.close()));
  }

  /** Tasks that run are without streams. */
  get statistics() {
    const [tasks, starts] = [this.#tasks.statistics, this.#starts.statistics];
    return {
      waiting: tasks.waiting + starts.waiting,
      running: tasks.running,
      exports: this.#threads.reduce((sum, { streams }) => sum + streams, 0),
    };
  }
}
