// An index of a list by itself: for every query it finds what a plain scan of the rows finds, and counts what
// the database counts.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Query } from '@linecard/client/contract/query';
import { QueryParser } from '@linecard/client/contract/query-parser';
import fc from 'fast-check';
import { readFacets } from '../../server/answers/kinds/facets.ts';
import { inStepsFromNow } from '../../server/limits/steps.ts';
import { buildIndex } from '../../server/list-index/build.ts';
import type { IndexData } from '../../server/list-index/index-data.ts';
import { ListIndex } from '../../server/list-index/list-index.ts';
import { facetsPlan, facetsText } from '../../server/lists/facets.ts';
import { facetsByIndex } from '../../server/lists/facets-by-index.ts';
import { planOf, selectionOf } from '../../server/lists/plan.ts';
import type { Plan } from '../../server/store/sql.ts';
import { type Table, tables } from '../../server/store/tables.ts';
import { withNumbersAsWritten } from '../kit/facet-questions.ts';
import { hardQuery, queriesAtRandom } from '../kit/hard-queries.ts';
import { HARD_TIMES, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { Model, type ModelRow, modelLists } from '../kit/model.ts';
import { ENGINE } from '../kit/questions.ts';
import { load, openService, type Service, type StoreKind, stores } from '../kit/service.ts';

const QUERIES = queriesAtRandom(120);
const FACETS = queriesAtRandom(100);
/** Around the counts at which a rank takes another byte: `null` ranks behind all values. */
const VALUES = [65_536, 65_535, 256, 255, 1, 0] as const;
const MILLISECONDS_A_DAY = 86_400_000;
const LAST_NOW = Date.parse('9998-01-01');

/** What an index finds, computed in steps as a service does. */
const foundBy = (index: ListIndex, plan: Plan, afterId?: number) =>
  inStepsFromNow(plan.account_id, index.find(plan, afterId));

const model = new Model(hardRows);
const queries = (list: (typeof modelLists)[number], count: number) =>
  fc.sample(hardQuery(list), { numRuns: count, seed: 7 });
const without = (names: RegExp, text: string) =>
  text
    .split('&')
    .filter((pair) => !names.test(pair))
    .join('&');

describe('an index of a list', () => {
  let service: Service;
  before(async () => {
    service = await openService(stores[0] as StoreKind, { rows: hardRows });
  });
  after(async () => service.close());

  async function indexOf(table: Table, account_id: string): Promise<IndexData> {
    const listed = selectionOf(table, account_id, { filters: [] });
    const data = await buildIndex(service.operator, table, listed, Number.POSITIVE_INFINITY);
    assert.ok(data !== undefined);
    return data;
  }

  for (const list of modelLists) {
    const table = tables[list.name];

    test(`${list.name}: finds the page of every random query, also behind any of its items`, async () => {
      const index = new ListIndex(await indexOf(table, LARGE_ACCOUNT));
      const parser = new QueryParser(table.list, 1_000, 'page');
      for (const text of queries(list, QUERIES)) {
        const expected = model.expect(list, LARGE_ACCOUNT, text);
        if (expected.status === 400) continue;
        const { ids, total, page_size } = expected;
        const query = parser.ofString(text);
        const plan = planOf(table, LARGE_ACCOUNT, query);
        const offset = Math.min((query.page - 1) * page_size, Number.MAX_SAFE_INTEGER);
        assert.deepEqual(await foundBy(index, { ...plan, limit: page_size, offset }), { ids, total }, text);
        for (const [i, id] of ids.entries()) {
          const rest = ids.slice(i + 1);
          assert.deepEqual(
            await foundBy(index, { ...plan, limit: rest.length }, id),
            { ids: rest, total },
            text,
          );
        }
      }
    });

    test(`${list.name}: takes no more memory than is estimated, whatever it is sorted and filtered by`, async () => {
      const index = new ListIndex(await indexOf(table, LARGE_ACCOUNT));
      const rows = index.data.ids.length;
      const parser = new QueryParser(table.list, 1_000, 'page');
      const find = (text: string) =>
        foundBy(index, { ...planOf(table, LARGE_ACCOUNT, parser.ofString(text)), limit: 3 });
      const sorts = Object.keys(table.list.sorts).map((name) => `sort_by=${name}`);
      const filters = Object.entries(table.list.filters).flatMap(([name, { test }]) =>
        test === 'any' && !['ids', 'dids', 'country_codes'].includes(name) ? [`${name}=active`] : [],
      );
      const first = await Promise.all(sorts.map(find));
      for (const text of [...filters, ...sorts]) {
        await find(text);
        assert.ok(index.derivedBytes > 0 && index.derivedBytes <= 16 * rows, `${index.derivedBytes} bytes`);
      }
      assert.ok(index.derivedBytes > 12 * rows, 'fewer arrays are cached than have room');
      assert.deepEqual(await Promise.all(sorts.map(find)), first);
    });

    test(`${list.name}: finds nothing behind an item that it does not have`, async () => {
      const index = new ListIndex(await indexOf(table, LARGE_ACCOUNT));
      const known = new Set(index.data.ids);
      const missing = [1, 2 ** 53 - 1, ...index.data.ids.map((id) => id + 1)].filter((id) => !known.has(id));
      const query = new QueryParser(table.list, 1_000, 'page').ofString('sort_by=comment');
      for (const id of missing) {
        assert.equal(await foundBy(index, planOf(table, LARGE_ACCOUNT, query), id), undefined);
      }
    });

    test(`${list.name}: counts facets as the database does, and both as the model, to the microsecond at which something falls due`, async () => {
      const store = service.operator;
      const data = await indexOf(table, LARGE_ACCOUNT);
      const parser = new QueryParser(table.list, 1_000, 'facets');
      const days = HARD_TIMES.flatMap((at) =>
        [7, 30].map((n) => Date.parse(at ?? '') - n * MILLISECONDS_A_DAY),
      );
      const times = days.filter((at) => at > 0);
      for (const [i, text] of queries(list, FACETS).entries()) {
        const filters = without(/^(page|sort_)/, text);
        if (model.expectFacets(list, LARGE_ACCOUNT, filters, 0n).status === 400) continue;
        const money = i % 2 === 0 ? '' : `&due_days=${1 + ((i * 37) % 366)}&charges=true`;
        const query: Query = parser.ofString(filters + money);
        const plan = facetsPlan(
          table,
          LARGE_ACCOUNT,
          query,
          { ...ENGINE, currency: 'EUR' },
          times[i % times.length],
        );
        const counted = facetsText(plan, await readFacets(store, plan), true);
        const byIndex = await inStepsFromNow(LARGE_ACCOUNT, facetsByIndex(data, plan));
        assert.deepEqual(facetsText(plan, byIndex, true), counted, filters);
        // No later day can be written.
        if (plan.now > LAST_NOW) continue;
        const { due_days } = query;
        const more = due_days === undefined ? {} : { due_days, charges: true };
        const now = BigInt(plan.now) * 1_000n;
        const expected = model.expectFacets(list, LARGE_ACCOUNT, filters, now, more) as { facets: object };
        assert.deepEqual(
          withNumbersAsWritten(counted.body),
          { ...expected.facets, currency: 'EUR' },
          `${filters}${money}`,
        );
      }
    });
  }

  test('keeps many different values apart, and fewer, with null behind them all', async () => {
    const [sample] = hardRows.virtual_numbers as [ModelRow, ...ModelRow[]];
    const [most] = VALUES;
    const account_id = 'values';
    const dateOf = (i: number) => `2026-01-01T00:00:00.${String(i).padStart(6, '0')}Z`;
    const without = most >> 1;
    const all = Array.from({ length: most + 1 }, (_, i) => ({
      ...sample,
      account_id,
      id: 1_000_000 + i,
      // The last value first, and the row without one among the others.
      next_payment_at: i === without ? null : dateOf(most - i),
    }));
    await load(service.operator, 'virtual_numbers', all);
    for (const count of VALUES) {
      const first = without - (count >> 1);
      const rows = all.slice(first, first + count + 1);
      const isAnother = `id < ${1_000_000 + first} or id > ${1_000_000 + first + count}`;
      await service.operator.write({
        text: `delete from virtual_numbers where account_id = '${account_id}' and (${isAnother})`,
        values: [],
      });
      const table = tables.virtual_numbers;
      const index = new ListIndex(await indexOf(table, account_id));
      const parser = new QueryParser(table.list, 1_000, 'page');
      const find = async (text: string) => foundBy(index, planOf(table, account_id, parser.ofString(text)));
      const idsOf = (some: readonly { id: number }[]) => some.map(({ id }) => id);
      const undated = idsOf(rows.filter((row) => row.next_payment_at === null));
      const dated = rows.filter((row) => row.next_payment_at !== null);
      assert.deepEqual((await find('sort_by=next_payment_at&sort_order=desc'))?.ids, [
        ...idsOf(dated),
        ...undated,
      ]);
      assert.deepEqual((await find('sort_by=next_payment_at'))?.ids, [
        ...idsOf(dated).toReversed(),
        ...undated,
      ]);
      const least = dated.at(-1)?.next_payment_at ?? dateOf(1);
      const later = dated.filter((row) => (row.next_payment_at ?? '') > least);
      assert.equal((await find(`next_payment_after=${least}`))?.total, later.length);
      assert.equal((await find('next_payment_before=9999-01-01T00:00:00Z'))?.total, count);
    }
  });
});
