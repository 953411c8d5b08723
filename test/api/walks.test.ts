// Walking a list to its end, by page number and by the cursor of `Link: next`, on every store: every item
// once, in the order of a plain sort, also while other items come and go.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { additionalService, hardRows, LARGE_ACCOUNT, virtualNumber } from '../kit/hard-rows.ts';
import type { HotWriter } from '../kit/hot-writer.ts';
import {
  additional_services,
  Model,
  type ModelList,
  type ModelRow,
  modelLists,
  virtual_numbers,
} from '../kit/model.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';

const PAGE_SIZE = 37;
/** For walks one item at a time. */
const FEW = 5;
const CHANGING_WALKS = 10;
const WALKER = 'walker';
/** How many states of a list that is written all the time must have been seen, and when to give up. */
const SEEN_STATES = 20;
const MOST_REQUESTS = 100_000;

const items = { virtual_numbers: virtualNumber, additional_services: additionalService } as const;

interface Step {
  readonly ids: readonly number[];
  readonly page: number;
  readonly total: number;
  readonly total_pages: number;
}

/** How the list of the walker changes between two pages. */
const change = (list: ModelList) =>
  fc.record({
    kind: fc.constantFrom('insert', 'insert', 'remove', 'remove_last_seen', 'update', 'nothing'),
    place: fc.nat(1_000),
    fields: items[list.name] as fc.Arbitrary<Record<string, ModelRow[string]>>,
  });

for (const kind of stores) {
  describe(`walks on ${kind.name}`, () => {
    const model = new Model({
      virtual_numbers: few(virtual_numbers),
      additional_services: few(additional_services),
    });
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: [WALKER], rows: model.rows });
    });
    after(async () => service.close());

    /**
     * The rows of the large account, some of them again on a small one, and one many times on an
     * account that has nothing but ties.
     */
    function few(list: ModelList): ModelRow[] {
      const rows = hardRows[list.name].filter(({ account_id }) => account_id === LARGE_ACCOUNT);
      const small = rows
        .slice(0, FEW)
        .map((row) => ({ ...row, account_id: 'small', id: 20_000 + (row.id % 10_000) }));
      const ties = rows
        .slice(0, 1)
        .flatMap((row) =>
          Array.from({ length: FEW }, (_, i) => ({ ...row, account_id: 'ties', id: 40_000 + i })),
        );
      return [...rows, ...small, ...ties];
    }

    async function step(account_id: string, url: string): Promise<Step & { next: string | undefined }> {
      const answer = await service.ask(account_id, url);
      assert.equal(answer.status, 200, answer.body);
      const { data, ...page } = JSON.parse(answer.body);
      return { ids: data.map(({ id }: { id: number }) => id), ...page, next: answer.links.get('next') };
    }

    /** Walks by number and by cursor at once, and compares both with the model on every page. */
    async function mustWalk(
      list: ModelList,
      account_id: string,
      selection: string,
      page_size: number,
    ): Promise<void> {
      const whole = model.expect(list, account_id, `${selection}&page_size=1000`);
      assert.ok(whole.status === 200);
      const { ids, total } = whole;
      const total_pages = Math.ceil(total / page_size);
      let next: string | undefined = `${list.path}?${selection}&page_size=${page_size}`;
      for (let page = 1; page <= Math.max(total_pages, 1); page++) {
        const expected = {
          ids: ids.slice((page - 1) * page_size, page * page_size),
          page,
          page_size,
          total,
          total_pages,
        };
        assert.ok(next !== undefined, `no way on from page ${page - 1} of ${selection}`);
        const { next: after, ...by_cursor } = await step(account_id, next);
        assert.deepEqual(by_cursor, expected, `${next} is not page ${page} of ${selection}`);
        const numbered = `${list.path}?${selection}&page_size=${page_size}&page=${page}`;
        const { next: _, ...by_number } = await step(account_id, numbered);
        assert.deepEqual(by_number, expected, numbered);
        next = after;
      }
      assert.equal(next, undefined, `there is no page after the last of ${selection}`);
    }

    for (const list of modelLists) {
      for (const key of Object.keys(list.sorts)) {
        for (const order of ['asc', 'desc']) {
          test(`${list.name} by ${key} ${order}: every item once, by number and by cursor`, async () => {
            const selection = `sort_by=${key}&sort_order=${order}`;
            await mustWalk(list, LARGE_ACCOUNT, selection, PAGE_SIZE);
            await mustWalk(list, 'small', selection, 1);
            await mustWalk(list, 'ties', selection, 1);
          });
        }
      }

      test(`${list.name}: filters and search stay on all the way`, async () => {
        for (const selection of [
          'q=a&sort_by=comment',
          'subscription_statuses[]=a%2Cb&subscription_statuses[]=active&sort_by=next_payment_at&sort_order=desc',
          'activated_before=2026-01-01T00:00:00.000001Z&sort_by=activated_at',
          'frequencies=monthly,Monthly&q=&sort_by=monthly',
        ]) {
          await mustWalk(list, LARGE_ACCOUNT, selection, 7);
        }
      });

      test(`${list.name}: what did not change is neither skipped nor repeated while other items come and go`, async () => {
        const walk = fc.record({
          rows: fc.array(items[list.name] as fc.Arbitrary<Record<string, ModelRow[string]>>, {
            minLength: 3,
            maxLength: 14,
          }),
          changes: fc.array(change(list), { minLength: 4, maxLength: 12 }),
          key: fc.constantFrom(...Object.keys(list.sorts)),
          order: fc.constantFrom('asc', 'desc'),
          page_size: fc.integer({ min: 1, max: 4 }),
        });
        await fc.assert(
          fc.asyncProperty(walk, async ({ rows, changes, key, order, page_size }) => {
            let here: ModelRow[] = rows.map((fields, i) => ({
              ...fields,
              id: 1_000_000 + 7 * i,
              account_id: WALKER,
            }));
            const before_walk = new Model({
              virtual_numbers: [],
              additional_services: [],
              [list.name]: here,
            });
            const put = async () => load(service.operator, list.name, here, [WALKER]);
            await put();
            const selection = `sort_by=${key}&sort_order=${order}`;
            const order_before = before_walk.expect(list, WALKER, `${selection}&page_size=1000`);
            assert.ok(order_before.status === 200);
            const changed = new Set<number>();
            const seen: number[] = [];
            let next: string | undefined = `${list.path}?${selection}&page_size=${page_size}`;
            for (let page = 1; next !== undefined; page++) {
              const now = await step(WALKER, next);
              assert.equal(now.page, page);
              seen.push(...now.ids);
              next = now.next;
              const {
                kind: how,
                place,
                fields,
              } = changes[page - 1] ?? { kind: 'nothing', place: 0, fields: {} };
              const chosen =
                how === 'remove_last_seen'
                  ? here.findIndex(({ id }) => id === seen.at(-1))
                  : place % (here.length + 1);
              const row = here[chosen];
              if (how === 'insert')
                here = [
                  ...here,
                  { ...fields, id: 1_000_001 + (page % 6) + 7 * (place % 14), account_id: WALKER },
                ];
              else if (row !== undefined && how.startsWith('remove'))
                here = here.filter(({ id }) => id !== row.id);
              else if (row !== undefined && how === 'update') here = here.with(chosen, { ...row, ...fields });
              here = [...new Map(here.map((one) => [one.id, one])).values()];
              if (how !== 'insert' && how !== 'nothing' && row !== undefined) changed.add(row.id);
              await put();
            }
            const unchanged = (ids: readonly number[]) =>
              ids.filter((id) => (id - 1_000_000) % 7 === 0 && !changed.has(id));
            assert.deepEqual(unchanged(seen), unchanged(order_before.ids));
          }),
          { numRuns: CHANGING_WALKS * kind.share, endOnFailure: true },
        );
      });
    }

    test('texts that fold to eighteen times their length can be walked by', async () => {
      const [row] = model.rows.virtual_numbers;
      const rows = [1, 2, 3].map((i) => ({
        ...row,
        id: 3_000_000 + i,
        account_id: WALKER,
        comment: 'ﷺ'.repeat(999) + i,
      }));
      await load(service.operator, 'virtual_numbers', rows, [WALKER]);
      let url: string | undefined = `${virtual_numbers.path}?sort_by=comment&sort_order=desc&page_size=1`;
      const seen: number[] = [];
      while (url !== undefined) {
        assert.ok(url.length < 8_000, `a link of ${url.length} characters passes no proxy`);
        const now: Awaited<ReturnType<typeof step>> = await step(WALKER, url);
        seen.push(...now.ids);
        url = now.next;
      }
      assert.deepEqual(seen, [3_000_003, 3_000_002, 3_000_001]);
    });

    test('a walk continues when the item of its cursor is gone, however long its text', async () => {
      const [row] = model.rows.virtual_numbers;
      for (const length of [1, 199, 201, 1_000]) {
        const comment = 'x'.repeat(length);
        const rows = [1, 2, 3].map((i) => ({ ...row, id: 3_100_000 + i, account_id: WALKER, comment }));
        await load(service.operator, 'virtual_numbers', rows, [WALKER]);
        const { next } = await step(WALKER, `${virtual_numbers.path}?sort_by=comment&page_size=1`);
        await load(service.operator, 'virtual_numbers', rows.slice(1), [WALKER]);
        assert.deepEqual((await step(WALKER, String(next))).ids, [3_100_002], `${length} characters`);
      }
    });

    test('a cursor from before Σ was folded as σ at the end of a word too is refused, and one of the same walk goes on', async () => {
      const [row] = model.rows.virtual_numbers;
      const rows = [1, 2, 3].map((i) => ({ ...row, id: 3_200_000 + i, account_id: WALKER, comment: 'ΟΔΟΣ' }));
      await load(service.operator, 'virtual_numbers', rows, [WALKER]);
      const pages = `${virtual_numbers.path}?sort_by=comment&page_size=`;
      const foldedAs = (text: string) =>
        service.operator.write({
          text: 'update virtual_numbers set comment_folded = $1 where account_id = $2',
          values: [text, WALKER],
        });
      await foldedAs('οδος');
      const { next: old } = await step(WALKER, `${pages}1`);
      await foldedAs('οδοσ');
      const { status, body } = await service.ask(WALKER, String(old));
      assert.equal(status, 400, body);
      assert.match(body, /urn:linecard:problem:invalid-cursor.*Start again from the first page/);
      const { next } = await step(WALKER, `${pages}2`);
      assert.deepEqual((await step(WALKER, String(next))).ids, [3_200_003]);
    });

    test('page, total and ETag are of one snapshot, whatever is written meanwhile', async () => {
      const list = virtual_numbers;
      const mine = model.rows[list.name]
        .slice(0, 9)
        .map((row, i) => ({ ...row, id: 2_000_000 + i, account_id: WALKER }));
      const states = [mine.slice(0, 3), mine, mine.slice(4), []];
      const task: HotWriter = {
        database_url: service.database_url,
        account_id: WALKER,
        name: list.name,
        states,
      };
      await using writer = new Worker(new URL('../kit/hot-writer.ts', import.meta.url), { workerData: task });
      const ended = once(writer, 'exit');
      const bodies = new Map<string, string>();
      for (let i = 0; i < MOST_REQUESTS && bodies.size < SEEN_STATES; i++) {
        const order = i % 3 === 0 ? 'id' : 'did';
        const { body, headers } = await service.ask(WALKER, `${list.path}?page_size=1000&sort_by=${order}`);
        const { data, total } = JSON.parse(body);
        assert.equal(data.length, total);
        const state = `${order} ${headers['etag']}`;
        assert.equal(bodies.get(state) ?? body, body);
        bodies.set(state, body);
      }
      writer.postMessage('stop');
      assert.deepEqual(await ended, [0]);
      assert.equal(bodies.size, SEEN_STATES);
    });
  });
}
