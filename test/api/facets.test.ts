// Facets as answers: their form, when they are new, and by QUERY. What they count is in whole-lists.test.ts.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { timestampOf } from '../../api/contract/timestamp.ts';
import { readFacets } from '../../server/answers/kinds/facets.ts';
import { facetsPlan, facetsText } from '../../server/lists/facets.ts';
import { tables } from '../../server/store/tables.ts';
import { ACCOUNTS, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { additional_services, modelLists, virtual_numbers } from '../kit/model.ts';
import { ENGINE } from '../kit/questions.ts';
import { tenThousandIds } from '../kit/rows.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';

const MILLISECONDS_A_DAY = 86_400_000;
const PATH = `${virtual_numbers.path}/facets`;

for (const kind of stores) {
  describe(`facets on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: ACCOUNTS, rows: hardRows, currency: 'EUR' });
    });
    after(async () => service.close());

    test('they are exactly these members, in this order; what incoming traffic costs adds up to nothing', async () => {
      const { body } = await service.ask(LARGE_ACCOUNT, PATH);
      const { sums, due, facets, ...rest } = JSON.parse(body);
      assert.match(body, /^\{"total":\d+,"currency":"EUR","sums":\{"activation":/);
      assert.deepEqual(Object.keys(rest), ['total', 'currency']);
      assert.deepEqual(Object.keys(sums), ['activation', 'monthly']);
      assert.deepEqual(Object.keys(due), ['7', '30']);
      assert.deepEqual(Object.keys(facets).toSorted(), [
        'country_codes',
        'frequencies',
        'is_active_spam_check',
        'is_spammed',
        'providers',
        'statuses',
        'subscription_statuses',
      ]);
      const services = await service.ask(LARGE_ACCOUNT, `${additional_services.path}/facets`);
      assert.deepEqual(Object.keys(JSON.parse(services.body).facets), [
        'frequencies',
        'subscription_statuses',
      ]);
    });

    test('they are 304 until the account changes, with an ETag of their own for each query', async () => {
      const account_id = 'customer-7';
      const askFor = (query: string, headers = {}) => service.ask(account_id, `${PATH}?${query}`, headers);
      const { headers } = await askFor('');
      const etag = String(headers['etag']);
      assert.match(etag, /^"[\x21\x23-\x7e]+"$/);
      assert.equal(headers['cache-control'], 'private, no-cache');
      for (let times = 0; times < 3; times++) {
        const again = await askFor('', { 'if-none-match': etag });
        assert.deepEqual([again.status, again.body, again.headers['etag']], [304, '', etag]);
      }
      const row = { ...hardRows.virtual_numbers[0], id: 5_700_001, account_id };
      await load(service.operator, 'virtual_numbers', [row]);
      const changed = await askFor('', { 'if-none-match': etag });
      assert.equal(changed.status, 200);
      assert.notEqual(changed.headers['etag'], etag);
      assert.equal((await askFor('page=1', { 'if-none-match': '*' })).status, 400);
    });

    test('with due_days they have what is overdue and what falls due each day, times the months of a frequency', async () => {
      const account_id = 'customer-9';
      const row = hardRows.virtual_numbers[0] as (typeof hardRows.virtual_numbers)[number];
      const today = Math.floor(Date.now() / MILLISECONDS_A_DAY) * MILLISECONDS_A_DAY;
      const at = (days: number) => timestampOf(today + days * MILLISECONDS_A_DAY);
      const dayOf = (days: number) => at(days).slice(0, 10);
      const payments = [
        [at(-10), 'monthly', '1.1'],
        // Upper and lower case of a frequency is one.
        [at(-0.000_001), 'Quarterly', '0.000001'],
        [at(0), 'MONTHLY', '2'],
        [at(0.999_999), 'ｙearly', '1.05'],
        [at(2), 'one_time', '7'],
        [at(2), 'monthly', '-0.5'],
        [at(3), 'monthly', '1'],
        [null, 'monthly', '5'],
      ] as const;
      const rows = payments.map(([next_payment_at, frequency, monthly], i) => {
        return {
          ...row,
          id: 5_900_001 + i,
          account_id,
          next_payment_at,
          frequency,
          monthly,
          country_code: 'DE',
        };
      });
      await load(service.operator, 'virtual_numbers', rows);
      const query = `ids=${rows.map(({ id }) => id).join()}`;
      const { body } = await service.ask(account_id, `${PATH}?${query}&due_days=3&charges=true`);
      const { overdue, due_by_day, facets } = JSON.parse(body);
      assert.deepEqual(overdue, { count: 2, amount: 1.100003, unknown: 0 });
      assert.deepEqual(due_by_day, [
        { day: dayOf(0), count: 2, amount: 14.6, unknown: 0 },
        { day: dayOf(2), count: 2, amount: -0.5, unknown: 1 },
      ]);
      assert.deepEqual(facets.country_codes.values, [{ value: 'DE', count: 8, monthly: 16.650001 }]);
      const without = JSON.parse((await service.ask(account_id, `${PATH}?${query}&charges=false`)).body);
      assert.deepEqual(Object.keys(without), ['total', 'currency', 'sums', 'due', 'facets']);
      assert.deepEqual(without.facets.country_codes.values, [{ value: 'DE', count: 8 }]);
    });

    test('with due_days they have every payment of the days: 31 January, 28 February, 31 March, and what has been overdue since 1990', async () => {
      const account_id = 'customer-10';
      const [row] = hardRows.virtual_numbers;
      const payments = [
        ['2027-01-31T00:00:00.000000Z', 'monthly', '2'],
        ['2027-01-31T23:59:59.999999Z', 'monthly', '0.5'],
        ['1990-08-31T12:00:00.000000Z', 'quarterly', '10'],
        ['2024-02-29T00:00:00.000000Z', 'yearly', '100'],
        ['2027-01-30T23:59:59.999999Z', 'monthly', '-0.000001'],
        ['2027-02-10T06:00:00.000000Z', 'one_time', '7'],
        ['2020-02-10T06:00:00.000000Z', 'one_time', '7'],
        ['2027-05-01T00:00:00.000000Z', 'monthly', '7'],
      ] as const;
      const rows = payments.map(([next_payment_at, frequency, monthly], i) => {
        return { ...row, id: 5_910_001 + i, account_id, next_payment_at, frequency, monthly };
      });
      await load(service.operator, 'virtual_numbers', rows);
      const parser = new QueryParser(tables.virtual_numbers.list, 1_000, 'facets');
      const query = parser.ofString(`ids=${rows.map(({ id }) => id).join()}&due_days=90`);
      const now = Date.parse('2027-01-31T18:00:00Z');
      const plan = facetsPlan(tables.virtual_numbers, account_id, query, ENGINE, now);
      const { overdue, due_by_day } = JSON.parse(
        facetsText(plan, await readFacets(service.operator, plan), true).body,
      );
      assert.deepEqual(overdue, { count: 4, amount: 1_229.999999, unknown: 1 });
      assert.deepEqual(due_by_day, [
        { day: '2027-01-31', count: 2, amount: 2.5, unknown: 0 },
        { day: '2027-02-10', count: 1, amount: 0, unknown: 1 },
        { day: '2027-02-28', count: 5, amount: 1_232.499999, unknown: 0 },
        { day: '2027-03-30', count: 1, amount: -0.000001, unknown: 0 },
        { day: '2027-03-31', count: 2, amount: 2.5, unknown: 0 },
        { day: '2027-04-30', count: 3, amount: 2.499999, unknown: 0 },
      ]);
    });

    test('due_days and charges are refused where they are no such values, and on a page', async () => {
      for (const query of ['due_days=0', 'due_days=367', 'due_days=', 'charges=1', 'due_days=7&due_days=8']) {
        const { status, body } = await service.ask('customer-9', `${PATH}?${query}`);
        assert.equal(status, 400, query);
        assert.equal(JSON.parse(body).errors.length, 1);
      }
      const page = await service.ask('customer-9', `${virtual_numbers.path}?due_days=7`);
      assert.equal(page.status, 400);
      assert.match(page.body, /"due_days\\" is not a parameter/);
    });

    test('as soon as something falls due they are new, though nothing of the account has changed', async () => {
      const account_id = 'customer-8';
      const row = hardRows.virtual_numbers[0] as (typeof hardRows.virtual_numbers)[number];
      const now = Date.now();
      const dates = [timestampOf(now + 7 * MILLISECONDS_A_DAY + 2_500), null];
      await load(
        service.operator,
        'virtual_numbers',
        dates.map((next_payment_at, i) => ({ ...row, id: 5_800_001 + i, account_id, next_payment_at })),
      );
      const url = `${PATH}?ids=5800001,5800002`;
      const first = await service.ask(account_id, url);
      assert.equal(JSON.parse(first.body).due['7'].count, 0);
      const sent = { 'if-none-match': String(first.headers['etag']) };
      assert.equal((await service.ask(account_id, url, sent)).status, 304);
      await sleep(now + 2_600 - Date.now());
      const second = await service.ask(account_id, url, sent);
      assert.equal(second.status, 200);
      assert.deepEqual(
        [JSON.parse(second.body).due['7'].count, JSON.parse(second.body).due['30'].count],
        [1, 1],
      );
    });

    for (const list of modelLists) {
      test(`${list.name}: QUERY counts the same, also by ten thousand ids`, async () => {
        const url = `${list.path}/facets`;
        const authorization = service.tokenOf(LARGE_ACCOUNT).token;
        const sent = { authorization, 'content-type': 'application/json' };
        const query = (body: object) => service.send('QUERY', url, sent, JSON.stringify(body));
        const own = hardRows[list.name]
          .filter(({ account_id }) => account_id === LARGE_ACCOUNT)
          .map(({ id }) => id);
        const ids = tenThousandIds(own);
        const { body: whole, headers } = await service.ask(LARGE_ACCOUNT, url);
        assert.equal(headers['accept-query'], 'application/json');
        for (const body of [{}, { ids }]) {
          const answer = await query(body);
          assert.deepEqual([answer.status, answer.body], [200, whole]);
        }
        const filtered = await service.ask(LARGE_ACCOUNT, `${url}?frequencies=monthly`);
        assert.equal((await query({ frequencies: ['monthly'] })).body, filtered.body);
        assert.equal((await query({ sort_by: 'id' })).status, 400);
        assert.equal((await query({ ids: [...ids, 1] })).status, 400);
      });

      test(`${list.name}: a walk by QUERY goes on by Next-Cursor, and has no Link, also by ten thousand ids`, async () => {
        const whole = await service.ask(LARGE_ACCOUNT, `${list.path}?sort_by=comment&page_size=1000`);
        assert.equal(whole.headers['next-cursor'], undefined);
        const own: number[] = JSON.parse(whole.body).data.map(({ id }: { id: number }) => id);
        const ids = tenThousandIds(own);
        const headers = {
          authorization: service.tokenOf(LARGE_ACCOUNT).token,
          'content-type': 'application/json',
        };
        for (const filter of [{}, { ids }]) {
          const seen: number[] = [];
          let cursor: string | undefined;
          do {
            const body = { ...filter, sort_by: 'comment', page_size: 40, ...(cursor && { cursor }) };
            const answer = await service.send('QUERY', list.path, headers, JSON.stringify(body));
            assert.equal(answer.status, 200, answer.body);
            assert.equal(answer.headers['link'], undefined);
            seen.push(...JSON.parse(answer.body).data.map(({ id }: { id: number }) => id));
            cursor = answer.headers['next-cursor'];
          } while (cursor !== undefined);
          assert.deepEqual(seen, own);
        }
        const text = JSON.stringify({ ids, page_size: 1_000 });
        const { body } = await service.send('QUERY', `${list.path}/changes`, headers, text);
        const { data, total } = JSON.parse(body);
        assert.equal(total, own.length);
        assert.deepEqual(
          data.map(({ id }: { id: number }) => id),
          own.toSorted((one, other) => one - other),
        );
      });
    }
  });
}
