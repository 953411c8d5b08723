// The numbers of an account as ranges: the same as a naive model computes from its list, on every store.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Client } from '../../api/index.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { type ModelRow, virtual_numbers } from '../kit/model.ts';
import { naiveRanges } from '../kit/naive-ranges.ts';
import { numberRow } from '../kit/rows.ts';
import { load, type Method, openService, type Service, stores } from '../kit/service.ts';

const ACCOUNT = 'acme';
const OTHER = 'other';
const PATH = `${virtual_numbers.path}/ranges`;
/** By then a list has an index. */
const MAX_REQUESTS = 500;
const SPLITS = ['country_code', 'provider', 'status', 'subscription_status', 'frequency'];

/** Numbers near each other, of many lengths and spellings. */
const did = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('', '+', '00'),
      fc.constantFrom(
        '4420794600',
        '0',
        '1',
        '12345678901234',
        '12345678901234567',
        '9'.repeat(17),
        '1'.repeat(29),
      ),
      fc.integer({ min: 0, max: 12 }),
    )
    .map(([sign, begin, number]) => `${sign}${begin}${number % 10}`),
  fc.integer({ min: 7, max: 12 }).map((number) => `+44 (0)20 7946 ${String(number).padStart(4, '0')}`),
  fc.integer({ min: 95, max: 104 }).map(String),
  fc.constantFrom('', 'anonymous', '=1+1', '007', '07', '7', '００44207946000５'),
);

const values = fc.record({
  did,
  country_code: fc.constantFrom('GB', 'GB', 'DE', ''),
  provider: fc.constantFrom('Thameswire', 'Nordlink'),
  status: fc.constantFrom('active', 'active', 'released'),
  subscription_status: fc.constantFrom('active', 'disabled'),
  frequency: fc.constantFrom('monthly', 'yearly'),
  monthly: fc.constantFrom('2.25', '0.1', '0.2', '0', '-1.000001', '999999999.999999'),
});

const rowsOf = (account_id: string, from: number, seed: number): ModelRow[] =>
  fc
    .sample(fc.array(values, { minLength: 70, maxLength: 70 }), { seed, numRuns: 1 })
    .flat()
    .map((row, i) => numberRow(account_id, from + i, row));

const own = rowsOf(ACCOUNT, 1, 46);

/** Queries and which rows they ask for. */
const QUERIES: readonly [query: string, matches: (row: ModelRow) => boolean][] = [
  ['', () => true],
  ['statuses=active', ({ status }) => status === 'active'],
  [
    'statuses_exclude=active&providers=Nordlink',
    (row) => row['status'] !== 'active' && row['provider'] === 'Nordlink',
  ],
  ['country_codes=DE', ({ country_code }) => country_code === 'DE'],
  ['frequencies=quarterly', () => false],
];

const CHOICES = [[], ...SPLITS.map((name) => [name]), SPLITS];
/** Each query, split and smallest size, with what the model makes of it. */
const EXPECTED = QUERIES.flatMap(([query, matches]) =>
  CHOICES.flatMap((splits) =>
    [1, 3].map((least) => ({
      params: `${query}&split_by=${splits.join(',')}&min_count=${least}`,
      all: naiveRanges(own.filter(matches), splits, least),
    })),
  ),
);

for (const kind of stores) {
  describe(`ranges on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      const rows = [...own, ...rowsOf(OTHER, 1_001, 47)];
      service = await openService(kind, {
        accounts: [ACCOUNT, OTHER],
        rows: { virtual_numbers: rows },
        currency: 'EUR',
      });
    });
    after(() => service.close());

    /** The service as it is reached over a network. */
    async function answerOf(url: string, { method = 'GET', headers, body: sent }: RequestInit) {
      const own = Object.fromEntries(new Headers(headers));
      const address = url.slice('http://linecard'.length);
      const text = typeof sent === 'string' ? sent : undefined;
      const { status, body, headers: got } = await service.send(method as Method, address, own, text);
      return new Response(body, { status, headers: got });
    }
    const ask = async (query: string) => JSON.parse((await service.ask(ACCOUNT, `${PATH}?${query}`)).body);

    /** Compares a page of each query, split and smallest size with that of the model; returns how many. */
    async function mustBeOfModel(page_size: number): Promise<number> {
      for (const { params, all } of EXPECTED) {
        const page = Math.max(1, Math.ceil(all.length / page_size));
        const { data, total } = await ask(`${params}&page_size=${page_size}&page=${page}`);
        assert.deepEqual(data, all.slice((page - 1) * page_size), params);
        assert.equal(total, all.length);
      }
      return EXPECTED.length;
    }

    test('they are what a naive model makes of the list, with any filter, split and smallest size', async () => {
      await mustBeOfModel(1_000);
    });

    test('an index in memory finds the same ranges, and reads no list', async () => {
      const scansOf = async (query: string) => {
        const { fullScans } = service;
        await ask(query);
        return service.fullScans - fullScans;
      };
      let count = 1;
      for (; (await scansOf(`did_from=${count}`)) > 0; count++) {
        assert.ok(count < MAX_REQUESTS, 'the list is still read');
        await sleep(10);
      }
      // An index is used in two of four questions: each of these comes once with it and once without.
      const { fullScans } = service;
      const each = await mustBeOfModel(7);
      assert.equal(each % 4, 2);
      await mustBeOfModel(6);
      assert.equal(service.fullScans - fullScans, each);
    });

    test('a page has exactly these members, links to the next, and past the end it is empty', async () => {
      const all = naiveRanges(own);
      const pages = Math.ceil(all.length / 4);
      const { body, links } = await service.ask(ACCOUNT, `${PATH}?page=2&page_size=4&split_by=`);
      const data = all.slice(4, 8);
      assert.equal(
        body,
        JSON.stringify({ data, page: 2, page_size: 4, total: all.length, total_pages: pages }),
      );
      assert.equal(links.get('next'), `${PATH}?page=3&page_size=4`);
      assert.equal(links.get('last'), `${PATH}?page=${pages}&page_size=4`);
      const beyond = await ask(`page=${pages + 1}&page_size=4`);
      assert.deepEqual([beyond.data, beyond.total], [[], all.length]);
      const split = await service.ask(ACCOUNT, `${PATH}?page_size=1&split_by=status,provider&min_count=2`);
      assert.equal(
        split.links.get('next'),
        `${PATH}?split_by=provider&split_by=status&min_count=2&page=2&page_size=1`,
      );
      const [range] = JSON.parse(split.body).data;
      const members = ['from', 'to', 'count', 'country_code', 'provider', 'status', 'monthly'];
      assert.deepEqual(Object.keys(range), members);
    });

    test('as CSV they are all of them, and no number is a formula', async () => {
      const { body, headers } = await service.ask(ACCOUNT, `${PATH}.csv?split_by=status`);
      const expected = naiveRanges(own, ['status']).map((range) => {
        const cells = Object.values(range).map((cell) => String(cell ?? ''));
        return cells
          .map((cell) => (cell === '=1+1' ? `'${cell}` : cell.startsWith('+44 ') ? `'${cell}` : cell))
          .join();
      });
      assert.equal(body, ['from,to,count,country_code,status,monthly', ...expected, ''].join('\r\n'));
      assert.equal(headers['x-total-count'], String(expected.length));
      assert.equal(headers['content-disposition'], 'attachment; filename="virtual-numbers-ranges.csv"');
      const accepted = await service.ask(ACCOUNT, `${PATH}?split_by=status`, { accept: 'text/csv' });
      assert.equal(accepted.body, body);
    });

    test('QUERY takes the same in its body, HEAD has the headers, and the ETag lasts until a change', async () => {
      const { token } = service.tokenOf(ACCOUNT);
      const json = { statuses: ['active'], split_by: ['status'], min_count: 2, page_size: 5 };
      const headers = { authorization: token, 'content-type': 'application/json' };
      const queried = await service.send('QUERY', PATH, headers, JSON.stringify(json));
      const { body, headers: got } = await service.ask(
        ACCOUNT,
        `${PATH}?statuses=active&split_by=status&min_count=2&page_size=5`,
      );
      assert.equal(queried.body, body);
      const etag = String(got['etag']);
      const head = await service.send('HEAD', PATH, { authorization: token });
      assert.deepEqual([head.status, head.body, head.headers['etag']], [200, '', etag]);
      const same = await service.ask(ACCOUNT, PATH, { 'if-none-match': etag });
      assert.equal(same.status, 304);
    });

    test('parameters of a list that ranges do not have are refused by name, and so is a split by a date', async () => {
      const { status, body } = await service.ask(
        ACCOUNT,
        `${PATH}?sort_by=did&fields=did&cursor=x&sort_order=asc&split_by=created_at&min_count=0`,
      );
      const names = JSON.parse(body).errors.map(({ parameter }: { parameter: string }) => parameter);
      assert.equal(status, 400);
      const refused = ['sort_by', 'fields', 'cursor', 'sort_order', 'split_by', 'min_count'];
      assert.deepEqual(names.toSorted(), refused.toSorted());
      const file = await service.ask(ACCOUNT, `${PATH}.csv?page=2`);
      assert.match(file.body, /page is not allowed here: a file of ranges holds every range/);
      const none = await service.ask(ACCOUNT, '/api/v1/services/me/ranges');
      assert.equal(none.status, 404);
    });

    test('a token without charges sees no sum, and its pages have tags of their own', async () => {
      const made = await createToken(service.operator, ACCOUNT, '', undefined, { charges: false });
      const authorization = String(made?.token);
      const hidden = await service.send('GET', PATH, { authorization });
      const shown = await service.ask(ACCOUNT, PATH);
      const { data } = JSON.parse(shown.body);
      for (const range of data) delete range.monthly;
      assert.deepEqual(JSON.parse(hidden.body).data, data);
      assert.notEqual(hidden.headers['etag'], shown.headers['etag']);
      const bound = await service.send('GET', `${PATH}?monthly_min=1`, { authorization });
      assert.equal(bound.status, 403);
      const file = await service.send('GET', `${PATH}.csv`, { authorization });
      assert.match(file.body, /^from,to,count,country_code\r\n/);
    });

    test('the client walks over all of them, page by page', async () => {
      const { token } = service.tokenOf(ACCOUNT);
      const client = new Client({ url: 'http://linecard', token, fetch: answerOf });
      const page = await client.virtualNumbers.ranges({ page_size: 3 });
      assert.equal(page.total, naiveRanges(own).length);
      assert.deepEqual(await client.virtualNumbers.ranges({ page_size: 3 }).toArray(), naiveRanges(own));
      const many = Array.from({ length: 3_000 }, (_, i) => i + 1);
      const found = await client.virtualNumbers.ranges({ ids: many, page_size: 9 }).toArray();
      assert.deepEqual(found, naiveRanges(own));
    });

    test('an import is in the next answer', async () => {
      const { headers } = await service.ask(OTHER, PATH);
      const row = numberRow(OTHER, 5_000, { did: '+19995550100' });
      await load(service.operator, 'virtual_numbers', [row]);
      const { status, body } = await service.ask(OTHER, `${PATH}?did_from=19995550100&did_to=19995550100`, {
        'if-none-match': String(headers['etag']),
      });
      assert.deepEqual([status, JSON.parse(body).data[0].from], [200, '+19995550100']);
    });
  });
}
