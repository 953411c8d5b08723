// The client follows what changes in a list, and a copy that it brings up to date is the list, whatever
// happens on the way.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { ChangesPage, Client, Copy, CopyUpdate, VirtualNumber } from '@linecard/client';
import fc from 'fast-check';
import type { VirtualNumbersFilters } from '../../api/lists/virtual-numbers.ts';
import { Feed } from '../kit/changes-feed.ts';
import { number } from '../kit/customer.ts';
import { cutJson, drop, Faulty, halfBody, JSON_HEADERS, mustFail, problem, status } from '../kit/faulty.ts';
import type { ModelRow } from '../kit/model.ts';
import { until } from '../kit/until.ts';

/** What a sync may fail with: the store, a fourth fault in a row, or a list that is always being rebuilt. */
const EXPECTED = /disk is full|since this token|broke off|No answer|Said by the server/;
/** How many steps a random history has. */
const STEPS = 4 * Number(process.env['TEST_HISTORIES'] ?? 10);

const row = (id: number, values: Partial<ModelRow> = {}) => number(id, `+4420794${id}`, values);
const many = (count: number) => Array.from({ length: count }, (_, i) => row(10_000 + i));

/** A copy in memory that holds its caller to the promise, and can fail at any step as a store does. */
class Memory implements Copy<VirtualNumber> {
  items = new Map<number, VirtualNumber>();
  token: string | undefined;
  steps: string[] = [];
  failing = '';
  /** How many items the next step loses. */
  loses = 0;

  load() {
    return this.token ?? null;
  }

  count() {
    return this.items.size;
  }

  replace(update: CopyUpdate<VirtualNumber>) {
    this.#step('replace', new Map(), update);
  }

  apply(update: CopyUpdate<VirtualNumber>) {
    this.#step('apply', new Map(this.items), update);
  }

  #step(name: string, items: Map<number, VirtualNumber>, update: CopyUpdate<VirtualNumber>) {
    const { changes, since, before, more } = update;
    assert.equal(new Set(changes.map(({ id }) => id)).size, changes.length, 'an id came twice');
    if (before !== this.token) throw new Error('Somebody else has written to the copy.');
    for (const { id, item } of changes) {
      if (item === null) items.delete(id);
      else items.set(id, item);
    }
    if (this.failing === name) throw new Error('The disk is full.');
    for (const id of [...items.keys()].slice(0, this.loses)) items.delete(id);
    this.loses = 0;
    [this.items, this.token] = [items, since];
    this.steps.push(`${name} ${changes.length}${more ? ' …' : ''}`);
  }
}

describe('changes', () => {
  let feed: Feed;
  let copy: Memory;
  let client: Client;
  const server = new Faulty();
  before(async () => {
    feed = await Feed.open();
    await server.open();
    client = server.client({ token: feed.token });
  });
  after(async () => {
    server.close();
    await feed.close();
  });
  beforeEach(async () => {
    copy = new Memory();
    await feed.set([row(1), row(2), row(3), row(4), row(5)]);
    server.answers(feed.answer);
  });

  /** The copy must be what the list is now. */
  async function isTheList(filters: VirtualNumbersFilters = {}) {
    const exported = [];
    for await (const item of await client.virtualNumbers.export(filters)) exported.push(item);
    const held = [...copy.items.values()].toSorted((a, b) => a.id - b.id);
    assert.equal(JSON.stringify(held), JSON.stringify(exported));
  }

  /** How pages were requested: by their paths without the tokens. */
  const requested = () => server.requests.map((one) => one.replace(/since=[^&]*/, 'since=…'));

  test('one page at a time, from nothing, from a token, and from now', async () => {
    const first = await client.virtualNumbers.changes({ page_size: 3 });
    assert.deepEqual([first.data.map(({ id }) => id), first.more, first.total], [[1, 2, 3], true, 5]);
    const second = await client.virtualNumbers.changes({ page_size: 3, since: first.since });
    assert.deepEqual([second.data.map(({ id }) => id), second.more], [[4, 5], false]);
    const now = await client.virtualNumbers.changes({ since: 'now' });
    assert.deepEqual([now.data, now.more, now.total], [[], false, 5]);
    await feed.set([row(1), row(2, { comment: 'Desk' }), row(4), row(5), row(6)]);
    for (const { since } of [second, now]) {
      const { data } = await client.virtualNumbers.changes({ since });
      const changes = data.toSorted((a, b) => a.id - b.id);
      assert.deepEqual(
        changes.map(({ id, item }) => [id, item?.comment]),
        [
          [2, 'Desk'],
          [3, undefined],
          [6, ''],
        ],
      );
    }
  });

  test('a copy is made, and brought up to date; nothing is written where nothing changed', async () => {
    const made = await client.virtualNumbers.sync(copy);
    assert.deepEqual([made.total, made.changes, made.isRebuilt], [5, 5, true]);
    await isTheList();
    await feed.set([row(1), row(3, { comment: 'Desk' }), row(4), row(6)]);
    const synced = await client.virtualNumbers.sync(copy);
    assert.deepEqual([synced.total, synced.changes, synced.isRebuilt], [4, 4, false]);
    assert.equal(synced.since, copy.token);
    await isTheList();
    await client.virtualNumbers.sync(copy);
    assert.deepEqual(copy.steps, ['replace 5', 'apply 4']);
  });

  test('an empty list has an empty copy', async () => {
    await feed.set([]);
    assert.equal((await client.virtualNumbers.sync(copy)).total, 0);
    assert.equal((await client.virtualNumbers.sync(copy)).isRebuilt, false);
    await feed.set([row(1)]);
    await client.virtualNumbers.sync(copy);
    await isTheList();
  });

  test('what a filter lets through no more leaves the copy', async () => {
    const filters = { country_codes: ['GB'] };
    await feed.set([row(1), row(2), row(3, { country_code: 'DE' })]);
    await client.virtualNumbers.sync(copy, filters);
    await feed.set([row(1), row(2, { country_code: 'DE' }), row(3)]);
    await client.virtualNumbers.sync(copy, filters);
    await isTheList(filters);
    await mustFail(client.virtualNumbers.sync(copy), 'invalid-cursor');
    await isTheList(filters);
  });

  test('many changes come in few updates, each id once, and a crash between them harms nothing', async () => {
    await feed.set(many(24));
    copy.failing = 'apply';
    await assert.rejects(client.virtualNumbers.sync(copy, { page_size: 2 }), /The disk is full/);
    assert.deepEqual(copy.steps, ['replace 20 …']);
    await feed.set(many(25).slice(2));
    copy.failing = '';
    const { isRebuilt } = await client.virtualNumbers.sync(copy);
    assert.equal(isRebuilt, false);
    assert.ok(copy.steps.at(-1)?.startsWith('apply '));
    await isTheList();
  });

  test('a store that fails leaves the copy that was, and the next time succeeds', async () => {
    copy.failing = 'replace';
    await assert.rejects(client.virtualNumbers.sync(copy), /The disk is full/);
    assert.deepEqual([copy.items.size, copy.token], [0, undefined]);
    copy.failing = '';
    await client.virtualNumbers.sync(copy);
    await feed.set([row(1)]);
    copy.failing = 'apply';
    await assert.rejects(client.virtualNumbers.sync(copy), /The disk is full/);
    assert.equal(copy.items.size, 5);
    copy.failing = '';
    await client.virtualNumbers.sync(copy);
    await isTheList();
  });

  test('pages that break off, 429 and 503 cost time and no change', async () => {
    server.answers(
      drop,
      feed.answer,
      halfBody,
      cutJson,
      feed.answer,
      problem(429, 'rate-limited', { 'retry-after': '0' }),
      problem(503, 'unavailable', { 'retry-after': '0' }),
      feed.answer,
    );
    // Random: where no connection was ever made, it is given up soon.
    const { total } = await client.virtualNumbers.sync(copy, { page_size: 2 });
    assert.equal(total, 5);
    await isTheList();
  });

  test('a copy whose changes can no longer be reported is rebuilt, also halfway', async () => {
    const gone = problem(410, 'changes-gone', {}, 'The list was rebuilt at once since this token.');
    await client.virtualNumbers.sync(copy);
    await feed.set([row(7), row(8)]);
    server.answers(gone, feed.answer);
    const synced = await client.virtualNumbers.sync(copy);
    assert.deepEqual([synced.isRebuilt, synced.total], [true, 2]);
    await isTheList();
    await feed.set(many(22));
    server.answers(...Array<typeof gone>(10).fill(feed.answer), gone, feed.answer);
    await client.virtualNumbers.sync(copy, { page_size: 2 });
    assert.deepEqual(copy.steps.slice(-3), ['apply 20 …', 'replace 20 …', 'apply 2']);
    await isTheList();
    server.answers(gone);
    await mustFail(client.virtualNumbers.sync(copy), 'changes-gone');
    server.answers(feed.answer);
    await isTheList();
  });

  test('a caller that follows gets an error where it cannot go on, with the way out', async () => {
    const detail = 'The token is older than what is kept of the changes.';
    server.answers(problem(410, 'changes-gone', {}, detail));
    const error = await mustFail(client.virtualNumbers.follow({ since: 'x' }).next(), 'changes-gone');
    assert.equal(error.status, 410);
    assert.equal(error.message, `${detail} Start again without \`since\`, with an empty copy.`);
  });

  test('two programs with one copy cannot make it wrong', async () => {
    await client.virtualNumbers.sync(copy);
    await feed.set([row(1), row(2)]);
    const other: Copy<VirtualNumber> = {
      load: () => copy.load(),
      count: () => copy.count(),
      replace: (update) => copy.replace(update),
      async apply(update) {
        await client.virtualNumbers.sync(copy);
        copy.apply(update);
      },
    };
    await assert.rejects(client.virtualNumbers.sync(other), /Somebody else has written/);
    await isTheList();
  });

  test('a copy that lost something is found by its count, and rebuilt', async () => {
    copy.loses = 1;
    const { total, isRebuilt } = await client.virtualNumbers.sync(copy);
    assert.deepEqual([total, isRebuilt], [5, true]);
    assert.deepEqual(copy.steps, ['replace 5', 'replace 5']);
    await isTheList();
    copy.items.delete(3);
    await client.virtualNumbers.sync(copy);
    await isTheList();
  });

  test('follows: what there is at first, and then each change as it comes', async () => {
    const stop = new AbortController();
    const seen: (readonly [number[], boolean, number])[] = [];
    const following = (async () => {
      for await (const { data, more, total } of client.virtualNumbers.follow(
        { page_size: 3 },
        { signal: stop.signal },
      )) {
        seen.push([data.map(({ id }) => id), more, total]);
      }
    })();
    await until('two are seen', () => seen.length === 2);
    await feed.set([row(1), row(2)]);
    await until('three are seen', () => seen.length === 3);
    stop.abort();
    await mustFail(following, 'aborted');
    assert.deepEqual(seen[0], [[1, 2, 3], true, 5]);
    assert.deepEqual(seen[1], [[4, 5], false, 5]);
    assert.deepEqual([seen[2]?.[0].toSorted(), seen[2]?.[1], seen[2]?.[2]], [[3, 4, 5], false, 2]);
    assert.deepEqual(requested().slice(0, 3), [
      'GET /api/v1/did/me/changes?page_size=3',
      'GET /api/v1/did/me/changes?page_size=3&since=…',
      'GET /api/v1/did/me/changes?page_size=3&since=…',
    ]);
  });

  test('random changes, faults and crashes: each copy that is said to be the list is', async () => {
    const seed = Math.floor(performance.now() * 1_000) % 2 ** 31;
    const gone = problem(410, 'changes-gone', {}, 'The list was rebuilt at once since this token.');
    const busy = problem(503, 'unavailable', { 'retry-after': '0' });
    const ids = Array.from({ length: 9 }, (_, i) => i + 1);
    const values: fc.Arbitrary<Partial<ModelRow>> = fc.record({
      comment: fc.constantFrom('', 'Desk', 'Fax'),
      country_code: fc.constantFrom('GB', 'DE'),
    });
    const step = fc.record({
      stay: fc.subarray(ids),
      values: fc.array(values, { minLength: 9, maxLength: 9 }),
      page_size: fc.integer({ min: 1, max: 4 }),
      failing: fc.constantFrom('', '', 'apply', 'replace'),
      faults: fc.array(fc.constantFrom('', '', '', 'drop', 'cut', 'busy', 'gone'), { maxLength: 6 }),
    });
    const handlers = { '': feed.answer, drop, cut: halfBody, busy, gone } as const;
    const filters = { country_codes: ['DE'] };
    let synced = 0;
    for (const [i, one] of fc.sample(step, { seed, numRuns: STEPS }).entries()) {
      await feed.set(one.stay.map((id) => row(id, one.values[id - 1])));
      copy.failing = one.failing;
      server.answers(...one.faults.map((name) => handlers[name]), feed.answer);
      const said = `seed ${seed}, step ${i}: ${JSON.stringify(one)}`;
      const result = await client.virtualNumbers
        .sync(copy, { ...filters, page_size: one.page_size })
        .catch((error: unknown) => assert.match(String(error), EXPECTED, said));
      server.answers(feed.answer);
      if (result === undefined) continue;
      synced += 1;
      assert.equal(result.total, copy.items.size, said);
      await isTheList(filters);
    }
    assert.ok(synced > STEPS / 4, `seed ${seed}: ${synced}`);
  });

  test('an export goes on as a copy', async () => {
    const rows = await client.virtualNumbers.export();
    for await (const item of rows) copy.items.set(item.id, item);
    copy.token = rows.since;
    await feed.set([row(1), row(9)]);
    const { isRebuilt } = await client.virtualNumbers.sync(copy);
    assert.equal(isRebuilt, false);
    await isTheList();
  });
});

describe('changes of a server that is not to be trusted', () => {
  let feed: Feed;
  const server = new Faulty();
  const client = (options: Parameters<typeof server.client>[0] = {}) =>
    server.client({ token: feed.token, ...options });
  before(() => server.open());
  after(() => server.close());
  beforeEach(async () => {
    feed = await Feed.open();
    await feed.set([row(1), row(2)]);
    server.answers(feed.answer);
  });
  afterEach(() => feed.close());

  const page = (values: Partial<ChangesPage<object>>) => ({
    data: [],
    since: 'x',
    more: false,
    total: 0,
    ...values,
  });
  const tell = (body: unknown) => status(200, JSON_HEADERS, JSON.stringify(body));

  test('one that lies about the total makes no copy', async () => {
    feed.totalOff = 1;
    const copy = new Memory();
    const error = await mustFail(client().virtualNumbers.sync(copy), 'copy-differs');
    assert.match(error.message, /it holds 2 items and the list has 3\.$/);
    assert.deepEqual(copy.steps, ['replace 2', 'replace 2', 'replace 2']);
  });

  test('a store that counts in something else than numbers, as drivers do, is refused at once', async () => {
    for (const counted of ['2', 2n, undefined]) {
      const copy = new Memory();
      copy.count = () => counted as never;
      const error = await mustFail(client().virtualNumbers.sync(copy), 'invalid-option');
      assert.match(
        error.message,
        new RegExp(`must return a number, but returned a ${typeof counted}: convert it`),
      );
      assert.deepEqual(copy.steps, ['replace 2']);
    }
  });

  test('a token that leads to itself is an error', async () => {
    for (const values of [{ more: true }, { data: [{ id: 1, item: null }] }]) {
      server.answers(tell(page(values)));
      const pages = client().virtualNumbers.follow({ since: 'x' });
      await mustFail(pages.next(), 'endless-list');
    }
  });

  test('an answer that is no page of changes is refused', async () => {
    const wrong = [
      {},
      [],
      page({ since: '' }),
      { ...page({}), more: 'no' },
      { ...page({}), total: -1 },
      { ...page({}), data: [{ id: '1', item: null }] },
      { ...page({}), data: [{ id: 1 }] },
      { ...page({}), data: [{ id: 1, item: { id: 2 } }] },
    ];
    for (const body of wrong) {
      server.answers(tell(body));
      await mustFail(client().virtualNumbers.changes(), 'unexpected-answer');
    }
  });

  test('one that does not wait is not polled without end', async () => {
    const { since } = await client().virtualNumbers.changes();
    server.answers(tell(page({ since })));
    const stop = new AbortController();
    const pages = client().virtualNumbers.follow({ since }, { signal: stop.signal });
    assert.deepEqual((await pages.next()).value?.data, []);
    const next = pages.next();
    await until('it asks again', () => server.requests.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(server.requests.length, 2);
    stop.abort();
    await mustFail(next, 'aborted');
  });

  test('waits with `Prefer`, for longer than the time limit of other answers, and past the cache', async () => {
    const waited: (string | undefined)[] = [];
    server.answers((response, request, nth) => {
      waited.push(request.headers['prefer'] as string | undefined, request.headers['if-none-match']);
      return feed.answer(response, request, nth);
    });
    const impatient = client({ timeout_ms: 2_000, cache: true });
    const pages = impatient.virtualNumbers.follow({ since: 'now' });
    await pages.next();
    const next = pages.next();
    await until('it waits', () => feed.waiting === 1);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await feed.set([row(1)]);
    assert.deepEqual((await next).value?.data, [{ id: 2, item: null }]);
    assert.deepEqual(waited, [undefined, undefined, 'wait=25', undefined]);
  });

  test('a smaller limit of the deployment is found out', async () => {
    const refused = status(
      400,
      { 'content-type': 'application/problem+json' },
      JSON.stringify({
        type: 'urn:linecard:problem:invalid-parameter',
        title: '',
        status: 400,
        detail: 'page_size',
        request_id: 'r',
        errors: [{ parameter: 'page_size', detail: 'page_size' }],
      }),
    );
    server.answers(refused, feed.answer);
    await client().virtualNumbers.changes();
    assert.deepEqual(server.requests, [
      'GET /api/v1/did/me/changes?page_size=1000',
      'GET /api/v1/did/me/changes?page_size=500',
    ]);
  });
});
