// What a token with limits sees, on every store: no other list, no charges, nothing from another address.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { tools } from '../../api/agent/tools.ts';
import { MCP_PATH } from '../../api/contract/addresses.ts';
import type { TokenLimits } from '../../server/store/access/token-scopes.ts';
import { createToken, listTokens, succeedToken } from '../../server/store/access/tokens.ts';
import { ACCOUNTS, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { textOfSheet } from '../kit/isolation.ts';
import { type ModelList, modelLists, virtual_numbers } from '../kit/model.ts';
import { tenThousandIds } from '../kit/rows.ts';
import {
  load,
  type Method,
  openService,
  type Service,
  type ServiceAnswer,
  type StoreKind,
  stores,
} from '../kit/service.ts';

/** Of a search for a hidden price by halving an interval. */
const HALVINGS = Number(process.env['TEST_HALVINGS'] ?? 1);
const HIGHEST = 1_000;
/** Before each message of a stream of events. */
const DATA = 'data: ';

const FORBIDDEN = 'urn:linecard:problem:forbidden';
const ACCEPTS_LINES = { accept: 'application/x-ndjson, application/json;q=0.5' };
const JSON_TYPE = { 'content-type': 'application/json' };
/** The kinds of answers that take filters. */
const ANSWERS = ['', '.csv', '.ndjson', '.xlsx', '/facets', '/changes'];
const RANGES = ['/ranges', '/ranges.csv'];
const ADDRESSES = ['', '/1', '.csv', '.ndjson', '.xlsx', '/facets', '/changes', '/changes?since=now'];

interface ToolResult {
  readonly id: number;
  readonly result: { readonly isError?: boolean; readonly content: readonly [{ readonly text: string }] };
}

/** Prices, each half of the one before, in thousandths: a bound has at most six digits after the point. */
const halved = () =>
  Array.from({ length: HALVINGS }, (_, step) => Math.ceil((1_000 * HIGHEST) / 2 ** step) / 1_000);
/** The parameters that bound a charge. */
const boundsOf = ({ filters }: ModelList) =>
  Object.keys(filters).filter((name) => ['min', 'max'].includes(filters[name]?.[0] ?? ''));

for (const kind of stores) {
  describe(`the limits of a token on ${kind.name}`, () => {
    const read: string[] = [];
    let service: Service;
    before(async () => {
      service = await openService(kind, {
        accounts: ACCOUNTS,
        rows: hardRows,
        currency: 'EUR',
        trustProxy: ['127.0.0.1'],
        beforeReading: (text) => read.push(text),
      });
    });
    after(async () => service.close());

    async function tokenWith(limits: Partial<TokenLimits>): Promise<{ id: string; token: string }> {
      const made = await createToken(service.operator, LARGE_ACCOUNT, 'limited', undefined, limits);
      return made ?? assert.fail();
    }

    /** Sends requests with a token of these limits. */
    async function callerWith(limits: Partial<TokenLimits>) {
      const { token: authorization } = await tokenWith(limits);
      return {
        get: (url: string, headers: Record<string, string> = {}, method: Method = 'GET') =>
          service.send(method, url, { authorization, ...headers }),
        query: (url: string, body: object) =>
          service.send('QUERY', url, { authorization, ...JSON_TYPE }, JSON.stringify(body)),
      };
    }

    function mustBeForbidden({ status, body, headers }: ServiceAnswer, detail: RegExp): void {
      assert.equal(status, 403, body);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['etag'], undefined);
      const problem = JSON.parse(body);
      assert.equal(problem.type, FORBIDDEN);
      assert.match(problem.detail, detail);
    }

    for (const list of modelLists) {
      const other = modelLists.find((one) => one !== list) as ModelList;

      test(`${list.name} alone: every address of ${other.name} is forbidden, and nothing is read for it`, async () => {
        const { get, query } = await callerWith({ lists: [list.name] });
        assert.equal((await get(list.path)).status, 200);
        read.length = 0;
        for (const address of ADDRESSES) {
          for (const method of ['GET', 'HEAD'] as const) {
            const answer = await get(other.path + address, { 'if-none-match': '*' }, method);
            if (method === 'HEAD') assert.equal(answer.status, 403);
            else mustBeForbidden(answer, /may not see (?:virtual numbers|additional services)/);
          }
        }
        mustBeForbidden(await query(other.path, {}), /may not see/);
        mustBeForbidden(await query(`${other.path}/facets`, {}), /may not see/);
        mustBeForbidden(await get(other.path, { prefer: 'wait=50' }), /may not see/);
        const ofLists = read.filter((text) => text.includes(other.name));
        assert.deepEqual(ofLists, []);
      });

      test(`${list.name} alone: the account does not say how many ${other.name} there are`, async () => {
        const { get } = await callerWith({ lists: [list.name] });
        const { body, headers } = await get('/api/v1/account');
        const account = JSON.parse(body);
        assert.equal(account[other.name], null);
        assert.equal(account[list.name], JSON.parse((await get(list.path)).body).total);
        assert.partialDeepStrictEqual(account.token, { lists: [list.name], charges: true, reach: 'account' });
        const full = await service.ask(LARGE_ACCOUNT, '/api/v1/account');
        assert.notEqual(headers['etag'], full.headers['etag']);
      });

      test(`without charges: what names one in ${list.name} is forbidden by the parameter`, async () => {
        const { get, query } = await callerWith({ charges: false });
        const charges = Object.keys(list.fields).filter((field) => list.fields[field] === 'charge');
        const keys = Object.keys(list.sorts).filter((key) => charges.includes(list.sorts[key] ?? ''));
        assert.ok(keys.includes('amount_one_time') && keys.includes('amount_subscription'));
        const named = ({ body }: ServiceAnswer) =>
          JSON.parse(body).errors.map(({ parameter }: { parameter: string }) => parameter);
        for (const [parameter, values] of [
          ['fields', charges],
          ['sort_by', keys],
        ] as const) {
          for (const value of values) {
            const [id] = hardRows[list.name].filter((row) => row.account_id === LARGE_ACCOUNT);
            const ofItem = parameter === 'fields' ? [`/${id?.id}`, '/changes'] : [];
            for (const address of ['', '.csv', '.ndjson', '.xlsx', ...ofItem]) {
              for (const headers of [{}, { 'if-none-match': '*' }, { prefer: 'wait=50' }]) {
                const answer = await get(`${list.path}${address}?${parameter}=${value}`, headers);
                mustBeForbidden(answer, new RegExp(`any charge, and ${parameter} asks for one`));
                assert.deepEqual(named(answer), [parameter]);
              }
            }
            // A body long enough that a worker thread reads it.
            for (const ids of value === values[0] ? [[], tenThousandIds([])] : [[]]) {
              const body = { ids, [parameter]: parameter === 'fields' ? [value] : value };
              assert.deepEqual(named(await query(list.path, body)), [parameter]);
            }
          }
        }
        const every = Object.keys(list.fields).join();
        assert.deepEqual(named(await get(`${list.path}?fields=${every}&sort_by=monthly`)), [
          'fields',
          'sort_by',
        ]);
      });
    }

    for (const list of modelLists) {
      test(`without charges: no price in ${list.name} is found by halving, whatever the kind of answer`, async () => {
        const { get, query } = await callerWith({ charges: false });
        const bounds = boundsOf(list);
        assert.equal(bounds.length, 2 * Object.values(list.fields).filter((one) => one === 'charge').length);
        const named = ({ body }: ServiceAnswer) =>
          JSON.parse(body).errors.map(({ parameter }: { parameter: string }) => parameter);
        for (const bound of bounds) {
          for (const price of halved()) {
            const detail = new RegExp(`any charge, and ${bound} asks for one`);
            for (const address of [...ANSWERS, ...(list === virtual_numbers ? RANGES : [])]) {
              const url = `${list.path}${address}?${bound}=${price}`;
              for (const more of ['', '&since=now', '&due_days=7', '&page=2', '&q=x']) {
                const answer = await get(url + more);
                // Another kind of answer has no such parameter.
                if (answer.status !== 400) mustBeForbidden(answer, detail);
              }
              for (const headers of [{ 'if-none-match': '*' }, { prefer: 'wait=50' }, ACCEPTS_LINES])
                mustBeForbidden(await get(url, headers), detail);
              assert.equal((await get(url, {}, 'HEAD')).status, 403);
              // A body long enough that a worker thread reads it.
              for (const ids of price === HIGHEST && bound === bounds[0] ? [[], tenThousandIds([])] : [[]])
                for (const value of [price, String(price)]) {
                  const answer = await query(list.path + address, { ids, [bound]: value });
                  mustBeForbidden(answer, detail);
                  assert.deepEqual(named(answer), [bound]);
                }
            }
          }
        }
      });
    }

    test('without charges: no price is found by halving with the tools of agents either', async () => {
      const { token: authorization } = await tokenWith({ charges: false });
      const headers = { authorization, ...JSON_TYPE, accept: 'application/json, text/event-stream' };
      /** The answers of the tools, all called by one request; each must be an error. */
      async function errorsOf(calls: readonly (readonly [name: string, given: object])[]): Promise<string[]> {
        const message = calls.map(([name, given], id) => ({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name, arguments: given },
        }));
        const { status, body } = await service.send('POST', MCP_PATH, headers, JSON.stringify(message));
        assert.equal(status, 200, body);
        const answers = body.split('\n').filter((line) => line.startsWith(DATA));
        return answers
          .map((line): ToolResult => JSON.parse(line.slice(DATA.length)))
          .toSorted((a, b) => a.id - b.id)
          .map(({ result }) => (result.isError === true ? result.content[0].text : assert.fail(body)));
      }
      const numbers = hardRows.virtual_numbers
        .filter(({ account_id }) => account_id === LARGE_ACCOUNT)
        .map(({ did }) => String(did))
        .slice(0, 100);
      for (const list of modelLists) {
        const bounds = boundsOf(list);
        const taking = tools.filter(({ name }) => name.startsWith(`${list.name}_`));
        for (const price of halved()) {
          const calls = taking.flatMap(({ name }) =>
            bounds.flatMap((bound) => [
              [name, { [bound]: price }] as const,
              [name, { filters: { [bound]: String(price) } }] as const,
            ]),
          );
          const errors = await errorsOf(calls);
          for (const [nth, [name, given]] of calls.entries()) {
            const [bound = ''] = bounds.filter((one) => JSON.stringify(given).includes(`"${one}"`));
            const forbidden = new RegExp(`any charge, and ${bound} asks for one`);
            // What takes no such argument says so.
            const isTaken = 'filters' in given ? name.endsWith('_ranges') : /_(?:list|facets)$/.test(name);
            const expected = isTaken ? forbidden : new RegExp(`"(?:${bound}|filters)" is not an argument`);
            assert.match(errors[nth] ?? '', expected, `${name} ${JSON.stringify(given)}`);
          }
          const amounts = numbers.map(() => price);
          const [unchecked = ''] = await errorsOf([['virtual_numbers_check', { numbers, amounts }]]);
          assert.match(unchecked, /^This token sees no charges, so amounts cannot be compared/);
        }
      }
    });

    test('without charges: the account and the facets have no currency, and nothing is summed', async () => {
      const { get } = await callerWith({ charges: false });
      const account = JSON.parse((await get('/api/v1/account')).body);
      assert.equal(account.currency, null);
      assert.partialDeepStrictEqual(account.token, {
        lists: ['virtual_numbers', 'additional_services'],
        charges: false,
      });
      for (const list of modelLists) {
        // The second time by an index in memory, where there is one.
        for (const _ of [1, 2, 3]) {
          const { currency, sums, due } = JSON.parse((await get(`${list.path}/facets?q=a`)).body);
          assert.deepEqual([currency, sums], [null, {}]);
          assert.deepEqual([Object.keys(due[7]), Object.keys(due[30])], [['count'], ['count']]);
          const daily = JSON.parse((await get(`${list.path}/facets?due_days=366`)).body);
          assert.deepEqual(Object.keys(daily.overdue), ['count']);
          for (const day of daily.due_by_day) assert.deepEqual(Object.keys(day), ['day', 'count']);
        }
        mustBeForbidden(
          await get(`${list.path}/facets?charges=true`),
          /any charge, and charges asks for one/,
        );
      }
    });

    test('without charges: no answer that the document describes has one', async () => {
      const [charge, account_id] = ['7654321.25', 'charged'];
      for (const list of modelLists) {
        const charges = Object.keys(list.fields).filter((field) => list.fields[field] === 'charge');
        const [row] = hardRows[list.name].filter((one) => one.account_id === LARGE_ACCOUNT);
        const charged = Object.fromEntries(charges.map((field) => [field, charge]));
        await load(service.operator, list.name, [{ ...row, ...charged, id: 900_001, account_id }]);
      }
      const tokenOf = async (charges: boolean) =>
        (await createToken(service.operator, account_id, 'walk', undefined, { charges, reach: 'tree' }))
          ?.token ?? '';
      const tokens = { with: await tokenOf(true), without: await tokenOf(false) };
      const { paths } = JSON.parse((await service.send('GET', '/openapi.json', {})).body);
      let shown = 0;
      for (const [path, { get }] of Object.entries<{
        get: { responses: Record<string, { content?: object }> };
      }>(paths)) {
        if (!path.startsWith('/api/')) continue;
        const { content = {} } = get.responses['200'] ?? {};
        for (const accept of Object.keys(content)) {
          const of = async (authorization: string) => {
            const answer = await service.send('GET', path.replace('{id}', '900001'), {
              authorization,
              accept,
            });
            assert.equal(answer.status, path.includes('webhooks/') ? 404 : 200, `${path}: ${answer.body}`);
            return accept.includes('spreadsheet') ? textOfSheet(answer.bytes) : answer.body;
          };
          if ((await of(tokens.with)).includes('7654321')) shown += 1;
          const body = await of(tokens.without);
          assert.doesNotMatch(body, /7654321|monthly"?:|"activation|"incoming/, `${path} as ${accept}`);
        }
      }
      // A page, an item, facets, changes and three files of each list, at the least.
      assert.ok(shown >= 7 * modelLists.length, String(shown));
    });

    test('a cursor or a token of changes shows no more to a token that may see less', async () => {
      const full = (url: string) => service.ask(LARGE_ACCOUNT, url);
      const { get } = await callerWith({ charges: false });
      const noCharge = ({ status, body }: ServiceAnswer) => {
        assert.equal(status, 200, body);
        assert.doesNotMatch(body, /"(?:activation|monthly|incoming)":/);
      };
      const next = (await full(`${virtual_numbers.path}?page_size=3`)).links.get('next') ?? '';
      noCharge(await get(next));
      const byCharge = await full(`${virtual_numbers.path}?page_size=3&sort_by=monthly`);
      mustBeForbidden(await get(byCharge.links.get('next') ?? ''), /sort_by asks for one/);
      const cursor = new URL(byCharge.links.get('next') ?? '', 'http://x').searchParams.get('cursor');
      const reused = await get(`${virtual_numbers.path}?page_size=3&cursor=${cursor}`);
      assert.equal(JSON.parse(reused.body).type, 'urn:linecard:problem:invalid-cursor');
      const { since } = JSON.parse((await full(`${virtual_numbers.path}/changes?page_size=2`)).body);
      noCharge(await get(`${virtual_numbers.path}/changes?since=${since}&page_size=1000`));
      const without = JSON.parse((await get(`${virtual_numbers.path}/changes?page_size=2`)).body).since;
      const { body } = await full(`${virtual_numbers.path}/changes?since=${without}&page_size=1000`);
      assert.match(body, /"monthly":/);
    });

    test('without charges: a request that waits is answered without them', async () => {
      const { get } = await callerWith({ charges: false });
      const { etag = '' } = (await get(virtual_numbers.path)).headers;
      const waiting = get(virtual_numbers.path, { 'if-none-match': etag, prefer: 'wait=50' });
      const [row] = hardRows.virtual_numbers.filter((one) => one.account_id === LARGE_ACCOUNT);
      await load(service.operator, 'virtual_numbers', [
        { ...row, id: row?.id ?? 0, account_id: LARGE_ACCOUNT, monthly: '7.75' },
      ]);
      const { status, body } = await waiting;
      assert.equal(status, 200, body);
      assert.doesNotMatch(body, /"monthly":/);
      assert.match((await service.ask(LARGE_ACCOUNT, virtual_numbers.path)).body, /"monthly":7.75/);
    });

    test('a token is refused from other addresses than its own', async () => {
      const addresses = ['192.0.2.0/25', '198.51.100.7/32', '2001:db8::/32', '10.0.0.0/8'];
      const { token } = await tokenWith({ addresses });
      const from = (peer: string) =>
        service.send('GET', '/api/v1/account', { authorization: token, 'x-forwarded-for': peer });
      for (const peer of ['192.0.2.128', '198.51.100.8', '2001:db9::1', '::ffff:11.0.0.1', '203.0.113.1']) {
        const answer = await from(peer);
        mustBeForbidden(answer, /^This token may not be used from this address\.$/);
        assert.doesNotMatch(JSON.parse(answer.body).detail, /192|198|2001|10\./);
      }
      for (const peer of ['192.0.2.127', '198.51.100.7', '2001:db8::1', '::ffff:10.1.2.3', '::ffff:a01:203'])
        assert.equal((await from(peer)).status, 200, peer);
      const anywhere = await from('192.0.2.1, 203.0.113.1');
      assert.equal(anywhere.status, 403, 'what the trusted proxy says counts, and nothing before it');
    });

    test('they are listed, and a successor has the same', async () => {
      const limits: TokenLimits = {
        lists: ['additional_services'],
        charges: false,
        addresses: ['192.0.2.0/24'],
        rate_limit: 60,
        reach: 'tree',
      };
      const { id } = (await succeedToken(service.operator, (await tokenWith(limits)).id)) ?? assert.fail();
      const listed = (await listTokens(service.operator, 'customer', LARGE_ACCOUNT)).find(
        (one) => one.id === id,
      );
      assert.partialDeepStrictEqual(listed, limits);
    });
  });
}

describe('a token that was stolen', () => {
  let service: Service;
  before(async () => {
    service = await openService(stores[0] as StoreKind, {
      accounts: ['C1'],
      trustProxy: ['127.0.0.1'],
      rateLimit: 2,
      failureLimit: 5,
    });
  });
  after(async () => service.close());

  test('from elsewhere is counted against that address, and not against the token', async () => {
    const made = await createToken(service.operator, 'C1', '', undefined, { addresses: ['192.0.2.0/24'] });
    const authorization = made?.token ?? assert.fail();
    const from = async (peer: string) =>
      (await service.send('GET', '/api/v1/account', { authorization, 'x-forwarded-for': peer })).status;
    for (let i = 0; i < 5; i++) assert.equal(await from('203.0.113.1'), 403);
    assert.equal(await from('203.0.113.1'), 429);
    assert.equal(await from('203.0.113.2'), 403);
    assert.deepEqual(
      [await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1')],
      [200, 200, 429],
    );
  });
});
