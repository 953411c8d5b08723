// Answers questions: from the cache, or computed on the thread where it delays nobody, and then cached.
// Everything cached belongs to one revision of an account. Each request looks up the current revision, so
// stale answers are never served and nothing has to be invalidated.

import type { ListIndex } from '../list-index/list-index.ts';
import { selectionOf } from '../lists/plan.ts';
import { headStatement, revisionStatement } from '../store/heads.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { type ListName, tables } from '../store/tables.ts';
import { type Answer, etagOf, isOfNow, type Validator } from './answer.ts';
import { bytesOfAnswer, cacheKey, type NamedStatistics, ValueCache } from './cache.ts';
import { inTime, timed, timeLeft, type WaitingClient } from './client.ts';
import { type Engine, type FoundPage, ifLong, tableOf } from './engine.ts';
import type { ListIndexes } from './indexes.ts';
import { isIndexed, threadFor } from './placement.ts';
import { knownRow, type Owner, type Question } from './question.ts';
import type { WorkerPool } from './threads/pool.ts';
import { type Kind, WORK, workOf } from './work.ts';

const MAX_SIZES_BYTES = 8_388_608;

interface Size {
  readonly revision: string;
  readonly rows: number;
}

export interface AnswersOptions extends Engine {
  readonly indexes: Pick<ListIndexes, 'find' | 'beingBuilt' | 'missed'>;
  readonly workers: Pick<WorkerPool, 'run'>;
  /** How long a client waits for the database, if there is a limit. */
  readonly deadlineMs?: number | undefined;
  /** Memory for the answers of each cached kind and list; 0 disables the cache. */
  readonly cacheBytes: number;
}

/** What an answer is cached by: the query as received, before it is parsed. */
export interface CacheName {
  readonly kind: Kind;
  readonly list?: ListName | undefined;
  readonly text: string;
}

function cachesOf(bytes: number): ReadonlyMap<string, ValueCache<Answer>> {
  const cached = Object.entries<(typeof WORK)[Kind]>(WORK).filter(([, work]) => 'cache' in work);
  return new Map(cached.map(([kind]) => [kind, new ValueCache(bytes)]));
}

/** No query string contains a space, and the body of a QUERY begins otherwise. */
const NO_CHARGES = 'without charges ';

function answerKey({ account_id, limits }: Owner, text: string): string {
  return cacheKey(account_id, limits.charges ? text : NO_CHARGES + text);
}

function isCurrent(answer: Answer, revision: string | undefined): boolean {
  return answer.revision === revision && isOfNow(answer);
}

export class Answers {
  readonly #options: AnswersOptions;
  readonly #engine: Engine;
  readonly #caches: ReadonlyMap<string, ReadonlyMap<string, ValueCache<Answer>>>;
  readonly #sizes = new ValueCache<Size>(MAX_SIZES_BYTES);

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#engine = { ...options, isRequestThread: true };
    this.#caches = new Map(Object.keys(tables).map((list) => [list, cachesOf(options.cacheBytes)]));
  }

  get statistics(): readonly NamedStatistics[] {
    return [
      ...[...this.#caches].flatMap(([list, caches]) =>
        Array.from(caches, ([kind, { statistics }]) => {
          return { cache: workOf({ kind } as Question).cache as string, list, ...statistics };
        }),
      ),
      { cache: 'sizes', list: '', ...this.#sizes.statistics },
    ];
  }

  /** The cached answer, if it is of the revision that looking up the token has read. */
  known(owner: Owner, { kind, list, text }: CacheName): Answer | undefined {
    if (owner.revision === undefined) return undefined;
    const cache = this.#cacheOf(kind, list);
    const cached = cache?.find(answerKey(owner, text));
    if (cached === undefined || !isCurrent(cached, owner.revision)) return undefined;
    cache?.count(true);
    return cached;
  }

  /**
   * The entity tag of the answer, if it follows from the revision that looking up the token has read.
   * @throws {Problem} if the answer would.
   */
  knownValidator(question: Question): Validator | undefined {
    const { owner, form, longBody } = question;
    const { check } = workOf(question);
    if (owner.revision === undefined || longBody !== undefined || check === undefined) return undefined;
    check(this.#engine, question);
    return { revision: owner.revision, etag: etagOf(owner.revision, form) };
  }

  /**
   * The entity tag of the answer, if possible without computing the answer.
   * @throws {Problem} if the answer would.
   */
  async validator(question: Question, client: WaitingClient): Promise<Validator | Answer> {
    const { kind, owner, form, longBody } = question;
    const { check } = workOf(question);
    if (longBody === undefined && kind === 'change_stream') return this.#firstChange(question, client);
    if (longBody !== undefined || check === undefined) return this.answer(question, client);
    check(this.#engine, question);
    const revision = await timed(client.stages, () => this.#revisionOf(owner));
    return { revision, etag: etagOf(revision, form) };
  }

  /** A stream of changes has the revision of its first page. */
  async #firstChange(question: Question, client: WaitingClient): Promise<Validator> {
    const { query, form } = question;
    const one = { ...question, kind: 'changes', format: undefined, query: { ...query, page_size: 1 } };
    const { revision, isEmpty = false } = await this.answer(one, client);
    return { revision, isEmpty, etag: etagOf(revision, form) };
  }

  /**
   * Answers a question. The answer is cached if `text` is given.
   * @throws {Problem}
   */
  async answer(question: Question, client: WaitingClient, text?: string): Promise<Answer> {
    const { kind, list, owner } = question;
    const cache = text === undefined ? undefined : this.#cacheOf(kind, list);
    const key = answerKey(owner, text ?? '');
    const cached = cache?.find(key);
    if (cached !== undefined && isCurrent(cached, await this.#revisionOf(owner))) {
      cache?.count(true);
      return cached;
    }
    const answer = await timed(client.stages, () => this.#compute(question, client));
    cache?.count(false);
    cache?.set(key, answer, bytesOfAnswer(answer, key));
    return answer;
  }

  #cacheOf(kind: string, list: ListName | undefined): ValueCache<Answer> | undefined {
    return list === undefined ? undefined : this.#caches.get(list)?.get(kind);
  }

  async #revisionOf({ account_id, revision }: Owner): Promise<string> {
    if (revision !== undefined) return revision;
    const { store } = this.#engine;
    const [[row]] = await store.read(revisionStatement(account_id));
    return knownRow(row)[0] as string;
  }

  #compute(question: Question, client: WaitingClient): Promise<Answer> {
    const { query, longBody } = question;
    if (longBody !== undefined) return this.#onThread(question, client) as Promise<Answer>;
    const reads = workOf(question).reads(question);
    return isIndexed(reads, query) ? this.#search(question, client) : this.#read(question, client);
  }

  async #search(question: Question, client: WaitingClient): Promise<Answer> {
    const { indexes } = this.#options;
    const list = [tableOf(question), question.owner] as const;
    const index = indexes.find(...list) ?? (await indexes.beingBuilt(...list));
    const indexed = index && (await this.#byIndex(question, client, index));
    if (indexed !== undefined) return indexed;
    const size = await inTime(this.#sizeOf(question), this.#options.deadlineMs, client);
    return this.#fullScan(question, size, index, () => this.#read(question, client, size.rows));
  }

  #read(question: Question, client: WaitingClient, rows?: number): Promise<Answer> {
    const { isRemote } = this.#engine.store;
    const reads = workOf(question).reads(question);
    const onThread = () => this.#onThread(question, client) as Promise<Answer>;
    if (threadFor(reads, question.query, { rows, isRemote }) === 'worker thread') return onThread();
    return this.#here(question, client).catch(ifLong(onThread)) as Promise<Answer>;
  }

  /** Answers from an index; `undefined` if it cannot answer the question or is outdated. */
  #byIndex(question: Question, client: WaitingClient, index: ListIndex): Promise<Answer | undefined> {
    const work = workOf(question);
    if (work.find === undefined) return this.#here(question, client, index);
    const onThread = async () => {
      const found = work.find?.(this.#engine, question, index);
      return found && this.#onThread(question, client, { ...found, revision: index.revision });
    };
    const reads = work.readsByIndex?.(this.#engine, question) ?? 'rows';
    const size = { rows: index.data.ids.length, isRemote: this.#engine.store.isRemote };
    if (threadFor(reads, question.query, size) === 'worker thread') return onThread();
    return this.#here(question, client, index).catch(ifLong(onThread));
  }

  #here(question: Question, client: WaitingClient, index?: ListIndex): Promise<Answer | undefined> {
    return inTime(workOf(question).answer(this.#engine, question, index), this.#options.deadlineMs, client);
  }

  #onThread(question: Question, client: WaitingClient, found?: FoundPage): Promise<Answer | undefined> {
    const timeMs = timeLeft(this.#options.deadlineMs, client);
    return this.#options.workers.run(question, { client, timeMs, found });
  }

  /**
   * The size of a list. If the revision is unknown, the size at an earlier one is used: only whether it
   * exceeds a threshold matters.
   */
  async #sizeOf(question: Question): Promise<Size> {
    const { account_id, revision } = question.owner;
    const { store } = this.#engine;
    const key = cacheKey(account_id, tableOf(question).name);
    const cached = this.#sizes.find(key);
    const isKnown = cached !== undefined && (revision ?? cached.revision) === cached.revision;
    this.#sizes.count(isKnown);
    if (isKnown) return cached;
    const all = selectionOf(tableOf(question), account_id, { filters: [] });
    const [[row]] = await store.read(headStatement(store.dialect, all));
    const [read, rows] = knownRow(row);
    const size = { revision: read as string, rows: Number(rows) };
    this.#sizes.set(key, size);
    return size;
  }

  /**
   * Records that the database had to scan a list. A scan that timed out counts as well: it needs an index
   * most.
   * @param index the index that could not answer; if it is current, another would not help either.
   */
  async #fullScan(
    question: Question,
    size: Size,
    index: ListIndex | undefined,
    read: () => Promise<Answer>,
  ): Promise<Answer> {
    const record = (revision: string) => {
      const [table, { account_id }] = [tableOf(question), question.owner];
      if (size.revision !== revision) this.#sizes.delete(cacheKey(account_id, table.name));
      else if (index?.revision !== revision)
        this.#options.indexes.missed(table, account_id, revision, size.rows);
    };
    try {
      const answer = await read();
      record(answer.revision);
      return answer;
    } catch (error) {
      if (error instanceof StoreUnavailable) record(size.revision);
      throw error;
    }
  }
}
