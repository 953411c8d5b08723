// Caches stay within their memory, and answers are computed on the right thread.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Query } from '@linecard/client/contract/query';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { ENGINE } from '../../test/kit/questions.ts';
import { oneStep } from '../limits/steps.ts';
import type { ListIndex } from '../list-index/list-index.ts';
import { NO_LIMITS } from '../store/access/token-scopes.ts';
import { sqlite } from '../store/dialects.ts';
import type { Statement } from '../store/sql.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { tables } from '../store/tables.ts';
import { VERSION } from '../version.ts';
import type { Answer } from './answer.ts';
import { Answers, type AnswersOptions } from './answers.ts';
import { countFacets } from './kinds/facets.ts';
import type { ListQuestion } from './question.ts';

const { list } = tables.virtual_numbers;
const OWNER = { account_id: 'acme', token_id: 't', revision: 'one', limits: NO_LIMITS };
const CLIENT = { waitedMs: () => 0, isDisconnected: () => false };
const CACHE_BYTES = 200_000;
const DAY = 86_400_000;
const ANSWER: Answer = { revision: OWNER.revision, etag: '"one"', headers: {}, body: '{}' };

interface Given extends Partial<AnswersOptions> {
  /** What every read returns. */
  readonly rows: unknown;
  readonly isRemote?: boolean;
}

function answersWith({ rows, isRemote = false, ...options }: Given): Answers {
  return new Answers({
    store: { dialect: sqlite, isRemote, read: () => rows } as unknown as Store,
    cursorKey: 'key',
    ...ENGINE,
    indexes: { find: () => undefined, beingBuilt: async () => undefined, missed: () => {} },
    workers: { run: async () => ANSWER },
    cacheBytes: 0,
    ...options,
  });
}

type Kind = ListQuestion['kind'];

const questionOf = (kind: Kind, query: Query): ListQuestion => ({
  kind,
  owner: OWNER,
  list: 'virtual_numbers',
  query,
  form: '',
  isInBody: false,
});

const parsed = (text: string) => new QueryParser(list, 1_000, 'page').ofString(text);

test('the cache of facets counts the bytes of the queries as well', async () => {
  let counted = 0;
  const answers = answersWith({
    rows: [[[OWNER.revision, 1]]],
    cacheBytes: CACHE_BYTES,
    workers: {
      async run() {
        counted += 1;
        return ANSWER;
      },
    },
  });
  /** A query of 1,000 ids, which are 17,000 characters. */
  const textOf = (n: number) =>
    `ids=${Array.from({ length: 1_000 }, (_, i) => 10 ** 15 + 1_000 * n + i).join(',')}`;
  const texts = Array.from({ length: 20 }, (_, n) => textOf(n));
  const questions = texts.map((text) => questionOf('facets', parsed(text)));
  const facets = async (n: number) => {
    const [question, text] = [questions[n], texts[n]];
    assert.ok(question && text);
    await answers.answer(question, CLIENT, text);
  };

  await facets(0);
  await facets(0);
  assert.equal(counted, 1, 'it was not cached at all');
  for (let n = 1; n < 20; n++) await facets(n);
  counted = 0;
  for (let n = 0; n < 20; n++) await facets(n);
  assert.ok(counted > 10, `${20 - counted} answers to 17,000 characters each are in ${CACHE_BYTES} bytes`);
});

test('facets that were counted by a clock that has been set back since are counted again', async (context) => {
  let counted = 0;
  const rows = [[[OWNER.revision, null]], [[0]]];
  const store = { dialect: sqlite, isRemote: false, read: () => rows } as unknown as Store;
  const answers = answersWith({
    rows: [[[OWNER.revision, 1]]],
    cacheBytes: CACHE_BYTES,
    workers: {
      run(question) {
        counted += 1;
        return countFacets({ ...ENGINE, cursorKey: 'key', store }, question as ListQuestion);
      },
    },
  });
  const now = Date.now();
  /** How often they were counted after two questions at a time. */
  const countedAt = async (time: number) => {
    context.mock.timers.enable({ apis: ['Date'], now: time });
    const facets = () => answers.answer(questionOf('facets', parsed('')), CLIENT, '');
    await facets();
    await facets();
    context.mock.timers.reset();
    return counted;
  };
  assert.equal(await countedAt(now + DAY), 1);
  assert.equal(await countedAt(now + 2 * DAY), 1, 'nothing falls due');
  assert.equal(await countedAt(now), 2);
});

test('the cache of pages counts the bytes of the keys as well', async () => {
  const answers = answersWith({ rows: [[[OWNER.revision, 0, 1]], []], cacheBytes: CACHE_BYTES });
  const name = 'x'.repeat(20_000);
  for (let n = 0; n < 50; n++) await answers.answer(questionOf('page', parsed('')), CLIENT, `${name}${n}`);
  const { entries = 0, evictions = 0 } =
    answers.statistics.find((one) => one.cache === 'pages' && one.list === 'virtual_numbers') ?? {};
  assert.ok(entries > 0 && entries <= CACHE_BYTES / (2 * name.length), `${entries} names are cached`);
  assert.equal(entries + evictions, 50);
});

test('a walk with filters over a large list is left to a worker thread, also with an index; changes of it are not', async () => {
  const tasks: string[] = [];
  const answersOf = (rows: number) =>
    answersWith({
      rows: [[[OWNER.revision, 0, 1, null, null, null, null, null, null]], []],
      indexes: {
        find: () =>
          ({
            revision: OWNER.revision,
            data: { ids: { length: rows } },
            find: () => oneStep({ revision: OWNER.revision, total: 0, ids: [] }),
          }) as unknown as ListIndex,
        beingBuilt: async () => undefined,
        missed: () => {},
      },
      workers: {
        async run({ query: { since } }) {
          tasks.push(`${rows} rows since ${since}`);
          return ANSWER;
        },
      },
    });
  for (const rows of [2_000, 2_001])
    for (const since of [undefined, 'now'])
      await answersOf(rows).answer(
        questionOf('changes', { ...parsed('q=x'), ...(since === undefined ? {} : { since }) }),
        CLIENT,
      );
  assert.deepEqual(tasks, ['2001 rows since undefined']);
});

const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `Carrier ${i}`);

test('large pages from a database server and queries with thousands of values are computed on worker threads', async () => {
  const tasks: string[] = [];
  const found = { revision: OWNER.revision, total: 1, ids: [7] };
  let isIndexTrue = true;
  const on = (isRemote: boolean) =>
    answersWith({
      rows: [[[OWNER.revision, 0, 1, null, null, null, null, null, null]], []],
      isRemote,
      indexes: {
        find: () =>
          ({
            revision: OWNER.revision,
            data: { ids: { length: 3 } },
            find: () => oneStep(found),
          }) as unknown as ListIndex,
        beingBuilt: async () => undefined,
        missed: () => {},
      },
      workers: {
        async run({ kind, query }, { found: hint }) {
          tasks.push(`${kind} of ${query.page_size}${hint === undefined ? '' : ` of ${hint.ids}`}`);
          return hint === undefined || isIndexTrue ? ANSWER : undefined;
        },
      },
    });
  const [server, file] = [on(true), on(false)];
  const ask = (answers: Answers, kind: Kind, query: Query) => answers.answer(questionOf(kind, query), CLIENT);
  for (const answers of [server, file]) {
    for (const text of ['page_size=200', 'page_size=201']) await ask(answers, 'page', parsed(text));
    await ask(answers, 'changes', parsed('page_size=200'));
  }
  await ask(file, 'changes', parsed('page_size=201'));
  assert.deepEqual(tasks.splice(0), ['page of 201']);

  await ask(server, 'changes', parsed('page_size=201'));
  await ask(server, 'page', parsed('page_size=201&sort_by=provider'));
  isIndexTrue = false;
  await ask(server, 'page', parsed('page_size=202&sort_by=provider'));
  assert.deepEqual(tasks, ['changes of 201', 'page of 201 of 7', 'page of 202 of 7', 'page of 202']);

  // More values than fit in a URL, for a small page of a small list.
  const long = (values: number) =>
    new QueryParser(list).ofJson(
      JSON.stringify({
        ids: Array.from({ length: values / 2 }, (_, i) => 1 + i),
        providers: namesOf(values / 2),
      }),
    );
  tasks.length = 0;
  for (const answers of [server, file]) {
    for (const values of [1_000, 1_002]) {
      await ask(answers, 'page', long(values));
      await ask(answers, 'changes', long(values));
    }
  }
  assert.deepEqual(tasks, ['page of 10', 'changes of 10', 'page of 10', 'changes of 10']);
});

test('a full scan that times out is recorded, so that the list gets an index', async () => {
  const missed: string[] = [];
  const answers = answersWith({
    rows: [[[OWNER.revision, 200_000, 1]]],
    indexes: {
      find: () => undefined,
      beingBuilt: async () => undefined,
      missed: ({ name }, account_id, revision, rows) =>
        void missed.push(`${name} of ${account_id} at ${revision}: ${rows}`),
    },
    workers: {
      async run() {
        throw new StoreUnavailable('The database did not answer in time.');
      },
    },
  });
  const query = parsed('statuses=active');
  for (const kind of ['page', 'changes', 'facets'] as const)
    await assert.rejects(answers.answer(questionOf(kind, query), CLIENT), StoreUnavailable);
  assert.deepEqual(missed, Array(3).fill('virtual_numbers of acme at one: 200000'));
});

test('the entity tag of a page follows from a known revision, without a read; faults are found all the same', () => {
  const store = { dialect: sqlite, read: () => assert.fail('It has read.') } as unknown as Store;
  const answers = answersWith({ rows: [], store });
  const question = questionOf('page', parsed(''));
  assert.equal(answers.knownValidator(question)?.etag, `"${VERSION}-one"`);
  const unknown = { ...question, owner: { ...OWNER, revision: undefined } };
  assert.equal(answers.knownValidator(unknown), undefined);
  assert.equal(answers.knownValidator({ ...question, kind: 'account' }), undefined);
  const altered = { ...question, query: { ...question.query, cursor: 'altered' } };
  assert.throws(() => answers.knownValidator(altered), { code: 'invalid-cursor' });
});

test('each read from PostgreSQL says the token that reads many accounts, and no other', async () => {
  const tokens: (string | undefined)[] = [];
  const read = (...statements: Statement[]) => {
    tokens.push(...statements.map(({ token }) => token));
    return statements.map(() => [[OWNER.revision, 1, 1]]);
  };
  const store = { dialect: sqlite, isRemote: true, read } as unknown as Store;
  const answers = answersWith({ rows: [], store });
  for (const reach of ['account', 'tree'] as const) {
    const owner = { ...OWNER, revision: undefined, limits: { ...NO_LIMITS, reach } };
    const question = { ...questionOf('page', parsed('')), owner };
    await answers.validator(question, CLIENT);
    await answers.answer(question, CLIENT).catch(() => {});
    assert.deepEqual([...new Set(tokens.splice(0))], reach === 'tree' ? [OWNER.token_id] : [undefined]);
  }
});
