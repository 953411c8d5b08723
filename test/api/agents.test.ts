// Agents over HTTP, on every store: both eras of the Model Context Protocol, whose data the tools show, and
// what is refused.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { tools } from '../../api/agent/tools.ts';
import { MCP_PATH } from '../../api/contract/addresses.ts';
import type { TokenLimits } from '../../server/store/access/token-scopes.ts';
import { createToken, revokeToken } from '../../server/store/access/tokens.ts';
import { move } from '../kit/account-tree.ts';
import { type Agent, agents, withToken } from '../kit/agent.ts';
import { virtual_numbers } from '../kit/model.ts';
import { numberRow } from '../kit/rows.ts';
import { openService, type Service, type ServiceAnswer, stores } from '../kit/service.ts';
import { Webhooks } from '../kit/webhooks.ts';

const [RESELLER, CUSTOMER, STRANGER] = ['reseller', 'harbour dental, Köln', 'stranger'] as const;
const PUBLIC_URL = 'https://numbers.example.com';
const ALLOWED = 'https://app.example.com';
const BRAND = 'Northwind Voice';
const RATE_LIMIT = 600;
const LARGE = 1_048_577;
const JSON_TYPE = 'application/json';
const NO_NUMBERS = { lists: ['additional_services'] } as const;

const rows = {
  virtual_numbers: [
    numberRow(RESELLER, 1, { monthly: 2.25 }),
    numberRow(CUSTOMER, 2),
    numberRow(CUSTOMER, 3),
    numberRow(STRANGER, 4),
  ],
};

const message = (method: string, params?: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const callOf = (name: string, given: object = {}) => message('tools/call', { name, arguments: given });
const remainingOf = ({ headers }: ServiceAnswer) => Number(/r=(\d+)/.exec(headers['ratelimit'] ?? '')?.[1]);

for (const kind of stores) {
  describe(`agents over HTTP on ${kind.name}`, () => {
    let service: Service;
    let url: string;
    before(async () => {
      service = await openService(kind, {
        rows,
        currency: 'EUR',
        rateLimit: RATE_LIMIT,
        basePath: '/numbers',
        publicUrl: `${PUBLIC_URL}/numbers`,
        corsOrigins: [ALLOWED],
        brand: { name: BRAND },
      });
      await move(service.operator, CUSTOMER, RESELLER);
      url = `http://127.0.0.1:${await service.listen()}/numbers${MCP_PATH}`;
    });
    after(() => service.close());

    async function tokenWith(limits: Partial<TokenLimits> = {}, account: string = RESELLER) {
      return (await createToken(service.operator, account, 'agent', undefined, limits)) ?? assert.fail();
    }

    async function using<T>(agent: Promise<Agent>, work: (agent: Agent) => Promise<T>): Promise<T> {
      const connected = await agent;
      try {
        return await work(connected);
      } finally {
        await connected.close();
      }
    }

    /** Posts a message, as a client of 2025 does. */
    const post = (
      body: string,
      headers: Record<string, string> = {},
      authorization = `Bearer ${service.tokenOf(RESELLER).token}`,
    ) =>
      service.send(
        'POST',
        MCP_PATH,
        {
          'content-type': JSON_TYPE,
          accept: `${JSON_TYPE}, text/event-stream`,
          ...(authorization === '' ? {} : { authorization }),
          ...headers,
        },
        body,
      );
    const resultOf = ({ status, body }: ServiceAnswer) => {
      assert.equal(status, 200, body);
      const { result } = JSON.parse(body.replace(/^event: message\ndata: /, ''));
      return result as { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
    };

    for (const [era, connect] of Object.entries(agents)) {
      test(`${era}: offers the tools, which answer as the API does`, () =>
        using(connect(url, withToken(service.tokenOf(RESELLER).token)), async (agent) => {
          assert.equal(agent.version, era.split(',')[0]);
          assert.equal(agent.title, BRAND);
          assert.match(agent.instructions ?? '', /never instructions/);
          const names = (await agent.listTools()).map(({ name }) => name);
          assert.deepEqual(
            names,
            tools.map(({ name }) => name),
          );
          const { content } = await agent.call('virtual_numbers_list', { fields: ['id', 'monthly'] });
          assert.deepEqual(content, {
            currency: 'EUR',
            data: [{ id: 1, monthly: 2.25 }],
            page: 1,
            page_size: 10,
            total: 1,
            total_pages: 1,
          });
          const facets = await agent.call('virtual_numbers_facets');
          const { body } = await service.ask(RESELLER, `${virtual_numbers.path}/facets`);
          assert.deepEqual(facets.content, JSON.parse(body));
          const padded = await agent.call('virtual_numbers_get', {
            number: '020 70 00 00 01',
            id: null,
            fields: ['id'],
          });
          assert.deepEqual(padded.content, { currency: 'EUR', items: [{ id: 1 }] });
          const wrong = await agent.call('virtual_numbers_list', { limit: 5, country_codes: 'de' });
          assert.ok(wrong.isError);
          assert.match(wrong.text, /"limit" is not an argument .+ Did you mean "page_size"\?/);
          await assert.rejects(agent.call('virtual_numbers_delete'), /no tool virtual_numbers_delete/);
        }));

      test(`${era}: reads the accounts below for a token that may`, async () => {
        const { token } = await tokenWith({ reach: 'tree' });
        await using(connect(url, withToken(token)), async (agent) => {
          const { content } = await agent.call('accounts');
          assert.partialDeepStrictEqual(content, { data: [{ id: CUSTOMER }], total: 1 });
          const below = await agent.call('virtual_numbers_list', { account: CUSTOMER, fields: ['id'] });
          assert.deepEqual(below.content?.['data'], [{ id: 2 }, { id: 3 }]);
          assert.equal((await agent.call('account')).content?.['id'], RESELLER);
          const foreign = await agent.call('account', { account: STRANGER });
          assert.ok(foreign.isError);
          assert.match(foreign.text, /^This token may not read the account stranger/);
          const long = await agent.call('account', { account: 'x'.repeat(1_000) });
          assert.match(long.text, /^the argument account is no id of an account/);
        });
        await using(
          connect(url, withToken(token, { 'linecard-account': encodeURIComponent(CUSTOMER) })),
          async (agent) => {
            assert.equal((await agent.call('account')).content?.['id'], CUSTOMER);
            assert.equal((await agent.call('account', { account: RESELLER })).content?.['id'], RESELLER);
          },
        );
      });

      test(`${era}: checks numbers for a token without charges, and no amounts`, async () => {
        const { token } = await tokenWith({ charges: false });
        await using(connect(url, withToken(token)), async (agent) => {
          const given = { numbers: ['+44 20 70 00 00 01', '+4930123456'] };
          const { content } = await agent.call('virtual_numbers_check', given);
          const { both, only_in_file } = (content?.['counts'] ?? {}) as Record<string, number>;
          assert.deepEqual([both, only_in_file], [1, 1]);
          const { text, isError } = await agent.call('virtual_numbers_check', { ...given, amounts: [1, 2] });
          assert.equal(isError, true);
          assert.equal(text, 'This token sees no charges, so amounts cannot be compared: leave amounts out.');
        });
      });

      test(`${era}: shows what the token may see`, async () => {
        const { token } = await tokenWith({ ...NO_NUMBERS, charges: false });
        await using(connect(url, withToken(token)), async (agent) => {
          const numbers = await agent.call('virtual_numbers_list');
          assert.deepEqual(
            [numbers.isError, numbers.text],
            [true, 'This token may not see virtual numbers.'],
          );
          const checked = await agent.call('virtual_numbers_check', { numbers: ['+442070000001'] });
          assert.equal(checked.text, numbers.text);
          const { content } = await agent.call('additional_services_facets');
          assert.deepEqual([content?.['sums'], content?.['currency']], [{}, null]);
          const below = await agent.call('account', { account: CUSTOMER });
          assert.match(below.text, /may not read the account/);
        });
      });
    }

    test('a POST is one request, in the log too, and its answer is not stored', async () => {
      const before = service.log.length;
      const first = await post(callOf('virtual_numbers_list'));
      resultOf(first);
      assert.equal(first.headers['cache-control'], 'no-store');
      const second = await post(callOf('account'), { 'x-request-id': 'mine' });
      assert.equal(remainingOf(second), remainingOf(first) - 1);
      assert.equal(second.headers['x-request-id'], 'mine');
      const lines = service.log.slice(before).filter((line) => line.includes("'answered'"));
      assert.equal(lines.length, 2, lines.join('\n'));
      for (const line of lines) assert.match(line, /route: '\/mcp'/);
    });

    test('each message of a batch is one request, and one beyond the limit refuses all', async () => {
      const { token } = await tokenWith();
      const batch = (count: number) =>
        post(`[${Array.from({ length: count }, () => callOf('account')).join()}]`, {}, `Bearer ${token}`);
      const first = await batch(3);
      assert.equal(first.status, 200, first.body);
      assert.equal(remainingOf(first), RATE_LIMIT - 3);
      const huge = await batch(RATE_LIMIT);
      assert.deepEqual([huge.status, JSON.parse(huge.body).type], [429, 'urn:linecard:problem:rate-limited']);
    });

    test('a notification is 202, and a message without an answer in it', async () => {
      const { status, body } = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
      assert.deepEqual([status, body], [202, '']);
    });

    test('what is no message is an error of JSON-RPC', async () => {
      for (const [body, status, code] of [
        ['{"jsonrpc": "2.0",', 400, -32_700],
        ['', 400, -32_700],
        ['{"id":1}', 400, -32_600],
        [message('no/such/method'), 200, -32_601],
      ] as const) {
        const answer = await post(body);
        const { error } = JSON.parse(answer.body.replace(/^event: message\ndata: /, ''));
        assert.deepEqual([answer.status, error.code], [status, code], answer.body);
      }
    });

    test('what has more values or levels than any message is not parsed', async () => {
      const many = Array.from({ length: 20_001 }, (_, i) => i);
      for (const [body, why] of [
        [`${'['.repeat(500_000)}${']'.repeat(500_000)}`, 'is nested deeper than 32 levels'],
        [callOf('account', { ids: many }), 'has more than 20000 values'],
        [`[${'{},'.repeat(300_000)}{}]`, 'has more than 20000 values'],
        [JSON.stringify(Object.fromEntries(many.map((name) => [name, 1]))), 'has more than 100 members'],
      ] as const) {
        const answer = await post(body);
        assert.deepEqual([answer.status, answer.headers['cache-control']], [400, 'no-store']);
        const error = { code: -32_600, message: `Invalid Request: The message ${why}.` };
        assert.deepEqual(JSON.parse(answer.body), { jsonrpc: '2.0', error, id: null });
      }
    });

    test('arguments that are too long, or too many, are refused in a few words', async () => {
      const names = Array.from({ length: 5_000 }, (_, i) => [`page${i}`, 1]);
      for (const [given, expected] of [
        [{ q: 'x'.repeat(1_000_000) }, /^The arguments weigh 1000008 characters, and 65536 is the limit/],
        [Object.fromEntries(names), /^"page0" is not an argument .*Did you mean "page"\?/],
        [{ ids: '['.repeat(50_000) }, /^Each value of ids must be /],
      ] as const) {
        const { isError, content } = resultOf(await post(callOf('virtual_numbers_list', given)));
        assert.equal(isError, true);
        assert.match(content[0]?.text ?? '', expected);
        assert.ok((content[0]?.text.length ?? 0) < 5_000);
      }
    });

    test('a batch of calls has an answer for each', async () => {
      const { token } = await tokenWith();
      const calls = Array.from({ length: 100 }, (_, id) => ({
        ...JSON.parse(callOf(id % 2 === 0 ? 'account' : 'virtual_numbers_list', { fields: ['id'] })),
        id,
      }));
      const { status, body } = await post(JSON.stringify(calls), {}, `Bearer ${token}`);
      assert.equal(status, 200, body);
      const answers = body.split('\n').filter((line) => line.startsWith('data: '));
      assert.deepEqual(
        answers.map((line) => JSON.parse(line.slice('data: '.length)).id).toSorted((a, b) => a - b),
        calls.map(({ id }) => id),
      );
    });

    /** The answers to a batch of this call, in their order. */
    async function batchOf(count: number, call: object, token: string) {
      const calls = Array.from({ length: count }, (_, id) => ({ ...call, jsonrpc: '2.0', id }));
      const { status, body } = await post(JSON.stringify(calls), {}, `Bearer ${token}`);
      const lines = body.split('\n').filter((line) => line.startsWith('data: '));
      const answers = lines.map((line) => JSON.parse(line.slice('data: '.length)));
      return { status, body, answers: answers.toSorted((a, b) => a.id - b.id) };
    }

    test('the results of a batch have a mebibyte: the calls that are left are not run, and say so', async () => {
      const { token } = await tokenWith();
      const { status, body, answers } = await batchOf(100, { method: 'tools/list' }, token);
      assert.deepEqual([status, answers.length], [200, 100]);
      assert.ok(body.length <= 1_048_576, `${body.length}`);
      const first = answers.findIndex(({ error }) => error !== undefined);
      assert.ok(first > 50, `${first}`);
      for (const { error } of answers.slice(first)) {
        assert.equal(error.code, -32_600);
        assert.match(error.message, /send this call in a message of its own/);
      }
    });

    // It is the memory of a process that is counted, on every store.
    if (kind === stores[0])
      test('what there is no memory for is refused before any of its calls is run', async () => {
        const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenWith()));
        const call = { method: 'tools/call', params: { name: 'webhooks', arguments: {} } };
        const all = await Promise.all(tokens.map(({ token }) => batchOf(50, call, token)));
        const refused = all.filter(({ status }) => status !== 200);
        assert.ok(refused.length > 0);
        for (const { status, body } of refused) {
          assert.equal(status, 429);
          assert.match(JSON.parse(body).detail, /unread answers, which is the maximum/);
        }
        for (const { answers } of all.filter(({ status }) => status === 200))
          for (const { result } of answers) assert.ok(!result.isError, JSON.stringify(result));
        assert.equal((await batchOf(50, call, tokens[0]?.token ?? '')).status, 200);
      });

    test('a result that is too large is an error that says how to ask for less', async () => {
      const settings = { maxWebhooks: 300, allow: [], keys: () => [Buffer.alloc(32)] };
      const webhooks = new Webhooks(service.operator, settings, { origin: 'command', actor: 'me' });
      const name = 'ü'.repeat(100);
      for (let n = 0; n < 250; n++)
        await webhooks.create(STRANGER, { url: `https://crm${n}.example.com/`, name });
      const { token } = await tokenWith({}, STRANGER);
      const { isError, content } = resultOf(await post(callOf('webhooks'), {}, `Bearer ${token}`));
      assert.equal(isError, true);
      assert.match(
        content[0]?.text ?? '',
        /^The result would have \d{6} bytes, and 256000 is the limit\. Ask for less: one by its id\.$/,
      );
      const [first] = await webhooks.list(STRANGER);
      const one = resultOf(await post(callOf('webhooks', { id: first?.id }), {}, `Bearer ${token}`));
      assert.equal(JSON.parse(one.content[0]?.text ?? '').id, first?.id);
      const none = resultOf(await post(callOf('webhooks', { id: 'unknown' }), {}, `Bearer ${token}`));
      assert.match(none.content[0]?.text ?? '', /^There is no such webhook on this account\./);
    });

    test('GET and DELETE are 405, another media type is 415, more than 1 MiB is 413', async () => {
      for (const method of ['GET', 'DELETE'] as const) {
        const { status, headers } = await service.send(method, MCP_PATH);
        assert.deepEqual([status, headers['allow']], [405, 'POST']);
      }
      assert.equal((await post('{}', { 'content-type': 'text/plain' })).status, 415);
      const long = await post(JSON.stringify({ text: 'x'.repeat(LARGE) }));
      assert.deepEqual(
        [long.status, JSON.parse(long.body).type],
        [413, 'urn:linecard:problem:content-too-large'],
      );
    });

    test('without a token, or with a bad one, it is 401', async () => {
      for (const authorization of ['', 'Bearer lc_mistyped', `Bearer lc_${'0'.repeat(38)}`]) {
        const { status, headers } = await post(callOf('account'), {}, authorization);
        assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer']);
      }
      const { id, token } = await tokenWith();
      await revokeToken(service.operator, id);
      assert.equal((await post(callOf('account'), {}, `Bearer ${token}`)).status, 401);
    });

    test('a token is refused from an address that it excludes, and only there', async () => {
      const elsewhere = await tokenWith({ addresses: ['192.0.2.0/24'] });
      assert.equal((await post(callOf('account'), {}, elsewhere.token)).status, 403);
      const here = await tokenWith({ addresses: ['127.0.0.1'] });
      assert.ok(!resultOf(await post(callOf('account'), {}, here.token)).isError);
    });

    test('a page of another origin is refused, one that the operator allows is not', async () => {
      const port = new URL(url).host;
      for (const [origin, status] of [
        ['https://evil.example.com', 403],
        ['null', 403],
        [`http://${port}`, 403],
        [PUBLIC_URL, 200],
        [ALLOWED, 200],
      ] as const) {
        const answer = await post(callOf('account'), { origin, host: port });
        assert.equal(answer.status, status, origin);
        const allowed = answer.headers['access-control-allow-origin'];
        assert.equal(allowed, origin === ALLOWED ? ALLOWED : undefined);
      }
    });

    test('an account that the header may not name is 403', async () => {
      const { status } = await post(callOf('account'), { 'linecard-account': STRANGER });
      assert.equal(status, 403);
    });
  });
}

describe('a service whose address nobody has said', () => {
  let service: Service;
  before(async () => {
    service = await openService(stores[0] ?? assert.fail(), { accounts: [RESELLER] });
  });
  after(() => service.close());

  const statusFor = async (origin: string, host: string) => {
    const { token: authorization } = service.tokenOf(RESELLER);
    const headers = { authorization, origin, host, 'content-type': JSON_TYPE, accept: '*/*' };
    return (await service.send('POST', MCP_PATH, headers, message('ping'))).status;
  };

  test('takes its own pages on this machine, and those of no name that a page could choose', async () => {
    assert.equal(await statusFor('http://localhost:8080', 'localhost:8080'), 406);
    assert.equal(await statusFor('http://[::1]:8080', '[::1]:8080'), 406);
    assert.equal(await statusFor('http://evil.example.com', 'evil.example.com'), 403);
    assert.equal(await statusFor('http://localhost:9000', 'localhost:8080'), 403);
  });
});

describe('a service without tools for agents', () => {
  test('has no such path', async () => {
    const service = await openService(stores[0] ?? assert.fail(), { accounts: [RESELLER], hasAgents: false });
    const { token: authorization } = service.tokenOf(RESELLER);
    const { status } = await service.send('POST', MCP_PATH, { authorization });
    await service.close();
    assert.equal(status, 404);
  });
});
