// Answers questions: from the cache, or computed on the thread where it delays nobody, and then cached.
// Everything cached belongs to one revision of an account. Each request looks up the current revision, so
// stale answers are never served and nothing has to be invalidated.

import { storeFor } from '../store/access/callers.ts';
import { revisionStatement } from '../store/lists/heads.ts';
import { tables } from '../store/tables.ts';
import { type Answer, etagOf, isOfNow, type Validator } from './answer.ts';
import { bytesOfAnswer, cacheKey, type NamedStatistics, ValueCache } from './cache.ts';
import { inTime, timed, timeLeft, type WaitingClient } from './client.ts';
import { type Engine, type FoundPage, ifLong } from './engine.ts';
import { type ListMeans, ListSearch, type ListSearchOptions } from './list-search.ts';
import { isIndexed, threadFor } from './placement.ts';
import {
  isAboutList,
  type Kind,
  knownRow,
  type Owner,
  type Question,
  type StreamQuestion,
  type Subject,
} from './question.ts';
import type { WorkerPool } from './threads/pool.ts';
import { WORK, workOf } from './work.ts';

export interface AnswersOptions extends Engine, ListSearchOptions {
  readonly workers: Pick<WorkerPool, 'run'>;
  /** Memory for the answers of each cached kind and list; 0 disables the cache. */
  readonly cacheBytes: number;
}

function cachesOf(bytes: number): ReadonlyMap<Kind, ValueCache<Answer>> {
  const kinds = Object.keys(WORK) as Kind[];
  const cached = kinds.filter((kind) => workOf({ kind }).cache !== undefined);
  return new Map(cached.map((kind) => [kind, new ValueCache(bytes)]));
}

/** No query string contains a space, and the body of a QUERY begins otherwise. */
const NO_CHARGES = 'without charges ';

function answerKey({ account_id, limits }: Owner, subject: Subject, text: string): string {
  const own = 'own' in subject && subject.own !== undefined ? `fields ${subject.own.revision} ` : '';
  return cacheKey(account_id, own + (limits.charges ? text : NO_CHARGES + text));
}

function isCurrent(answer: Answer, revision: string | undefined): boolean {
  return answer.revision === revision && isOfNow(answer);
}

export class Answers {
  readonly #options: AnswersOptions;
  readonly #engine: Engine;
  readonly #caches: ReadonlyMap<string, ReadonlyMap<Kind, ValueCache<Answer>>>;
  readonly #lists: ListSearch;

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#engine = { ...options, isRequestThread: true };
    this.#caches = new Map(Object.keys(tables).map((list) => [list, cachesOf(options.cacheBytes)]));
    this.#lists = new ListSearch(options);
  }

  get statistics(): readonly NamedStatistics[] {
    return [
      ...[...this.#caches].flatMap(([list, caches]) =>
        Array.from(caches, ([kind, { statistics }]) => {
          return { cache: workOf({ kind }).cache as string, list, ...statistics };
        }),
      ),
      this.#lists.statistics,
    ];
  }

  /**
   * The cached answer, if it is of the revision that looking up the token has read.
   * @param text the query as received, before it is parsed: with the subject, the name of the answer.
   */
  known(owner: Owner, subject: Subject, text: string): Answer | undefined {
    if (owner.revision === undefined) return undefined;
    const cache = this.#cacheOf(subject);
    const cached = cache?.find(answerKey(owner, subject, text));
    if (cached === undefined || !isCurrent(cached, owner.revision)) return undefined;
    cache?.count(true);
    return cached;
  }

  /**
   * The entity tag of the answer, if it follows from the revision that looking up the token has read.
   * @throws {Problem} if the answer would.
   */
  knownValidator(question: Question): Validator | undefined {
    const { owner, form } = question;
    if (owner.revision === undefined || !this.#followsRevision(question)) return undefined;
    return { revision: owner.revision, etag: etagOf(owner.revision, form) };
  }

  /**
   * The entity tag of the answer, if possible without computing the answer.
   * @throws {Problem} if the answer would.
   */
  async validator(question: Question, client: WaitingClient): Promise<Validator | Answer> {
    const { kind, owner, form, longBody } = question;
    if (longBody === undefined && kind === 'change_stream') return this.#firstChange(question, client);
    if (!this.#followsRevision(question)) return this.answer(question, client);
    const revision = await timed(client.stages, () => this.#revisionOf(owner));
    return { revision, etag: etagOf(revision, form) };
  }

  /** Whether the entity tag depends on the revision alone. */
  #followsRevision(question: Question): boolean {
    const work = workOf(question);
    if (question.longBody !== undefined || work.check === undefined) return false;
    work.check(this.#engine, question);
    return true;
  }

  /** A stream of changes has the revision of its first page. */
  async #firstChange({ list, own, owner, query, form, isInBody }: StreamQuestion, client: WaitingClient) {
    const one = {
      list,
      own,
      owner,
      form,
      isInBody,
      query: { ...query, page_size: 1 },
      kind: 'changes',
    } as const;
    const { revision, isEmpty = false } = await this.answer(one, client);
    return { revision, isEmpty, etag: etagOf(revision, form) };
  }

  /**
   * Answers a question: from the cache, or by its work, on the thread where that delays nobody. The answer is
   * cached if `text` is given.
   * @throws {Problem}
   */
  async answer(question: Question, client: WaitingClient, text?: string): Promise<Answer> {
    const { owner } = question;
    const cache = text === undefined ? undefined : this.#cacheOf(question);
    const key = answerKey(owner, question, text ?? '');
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

  #cacheOf(subject: Subject): ValueCache<Answer> | undefined {
    return 'list' in subject ? this.#caches.get(subject.list)?.get(subject.kind) : undefined;
  }

  async #revisionOf(owner: Owner): Promise<string> {
    const { account_id, revision } = owner;
    if (revision !== undefined) return revision;
    const [[row]] = await storeFor(this.#engine.store, owner).read(revisionStatement(account_id));
    return knownRow(row)[0] as string;
  }

  #compute(question: Question, client: WaitingClient): Promise<Answer> {
    const { query, longBody } = question;
    if (longBody !== undefined) return this.#onThread(question, client) as Promise<Answer>;
    if (isAboutList(question) && isIndexed(workOf(question).reads(question), query))
      return this.#lists.answer(question, client, (means) => this.#read(question, client, means));
    return this.#read(question, client, {}) as Promise<Answer>;
  }

  /** Computes an answer on the thread that fits; with an index, `undefined` if that cannot answer. */
  #read(question: Question, client: WaitingClient, means: ListMeans): Promise<Answer | undefined> {
    const { index, rows = index?.data.ids.length } = means;
    const work = workOf(question);
    const engine = this.#engineFor(question.owner);
    const here = () => inTime(work.answer(engine, question, index), this.#options.deadlineMs, client);
    if (index !== undefined && work.find === undefined) return here();
    const onThread = async () => {
      if (index === undefined) return this.#onThread(question, client);
      // No index leaves this thread: the other gets what it has found.
      const found = await work.find?.(this.#engine, question, index);
      return found && this.#onThread(question, client, { ...found, revision: index.revision });
    };
    const reads =
      index === undefined ? work.reads(question) : (work.readsByIndex?.(this.#engine, question) ?? 'rows');
    const size = { rows, isRemote: this.#engine.store.isRemote };
    if (threadFor(reads, question.query, size) === 'worker thread') return onThread();
    return here().catch(ifLong(onThread));
  }

  #engineFor(owner: Owner): Engine {
    const store = storeFor(this.#engine.store, owner);
    return store === this.#engine.store ? this.#engine : { ...this.#engine, store };
  }

  #onThread(question: Question, client: WaitingClient, found?: FoundPage): Promise<Answer | undefined> {
    const timeMs = timeLeft(this.#options.deadlineMs, client);
    return this.#options.workers.run(question, { client, timeMs, found });
  }
}
