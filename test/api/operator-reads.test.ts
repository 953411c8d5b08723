// An operator's token that may read: it sees what the token of the customer would, with the same limits, of
// every account that it is for; and nothing of any other.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { disableAccount, updateAccount } from '../../server/store/access/accounts.ts';
import { Readings } from '../../server/store/access/token-readings.ts';
import type { OperatorScope, TokenLimits } from '../../server/store/access/token-scopes.ts';
import { createOperatorToken, createToken, endToken, revokeToken } from '../../server/store/access/tokens.ts';
import { auditBatches } from '../../server/store/log/audit-reading.ts';
import type { Store } from '../../server/store/store.ts';
import {
  ADDRESSES,
  buildTree,
  childrenOf,
  plain,
  storesOfTree,
  TREE,
  treeRows,
} from '../kit/account-tree.ts';
import { hardQuery, queriesAtRandom } from '../kit/hard-queries.ts';
import { modelLists, virtual_numbers } from '../kit/model.ts';
import { openService, type Service, type ServiceAnswer } from '../kit/service.ts';
import { until } from '../kit/until.ts';

const RUNS = queriesAtRandom(40);
const PATH = '/api/v1/accounts';
const DISABLED = 'c2';
const ENABLED = TREE.filter((id) => id !== DISABLED).toSorted();
const NAMES: Readonly<Record<string, string>> = { a2: 'Straße & Söhne', rival: 'Söhne, Rivalen' };
const HERE = ['127.0.0.0/8'];
const ELSEWHERE = ['203.0.113.0/24'];

type Limits = Pick<TokenLimits, 'lists' | 'charges' | 'addresses'>;
type Bounds = OperatorScope['accounts'];

const limitsAtRandom: fc.Arbitrary<Limits> = fc.record({
  lists: fc.constantFrom(null, ...modelLists.map(({ name }) => [name])),
  charges: fc.boolean(),
  addresses: fc.constantFrom(null, HERE, HERE, ELSEWHERE),
});
const boundsAtRandom: fc.Arbitrary<Bounds> = fc.oneof(
  fc.constant(null),
  fc.subarray([...TREE, 'nobody'], { minLength: 1 }),
);
const addressAtRandom = fc.oneof(
  fc.constantFrom(...ADDRESSES, '/api/v1/account', '/api/v1/webhooks'),
  fc
    .constantFrom(...modelLists)
    .chain((list) =>
      fc
        .tuple(fc.constantFrom('', '/facets', '.csv', '.ndjson', '/changes'), hardQuery(list))
        .map(([end, query]) => `${list.path}${end}?${query}`),
    ),
);
const isWithin = (bounds: Bounds, id: string) => bounds?.includes(id) ?? true;

for (const kind of storesOfTree) {
  describe(`an operator who reads, on ${kind.name}`, () => {
    let service: Service;
    const made = new Map<string, string>();
    before(async () => {
      service = await openService(kind, { accounts: TREE, rows: treeRows, currency: 'EUR' });
      await buildTree(service.operator);
      for (const [id, name] of Object.entries(NAMES)) await updateAccount(service.operator, id, { name });
      await disableAccount(service.operator, DISABLED);
    });
    after(() => service.close());

    const once = async (key: string, make: () => Promise<{ token: string } | undefined>) => {
      const token = made.get(key) ?? (await make())?.token ?? assert.fail(key);
      made.set(key, token);
      return token;
    };
    const operators = (limits: Partial<Limits> = {}, accounts: Bounds = null) =>
      once(JSON.stringify([limits, accounts]), () =>
        createOperatorToken(service.operator, { name: 'support', may: ['read'], accounts, limits }),
      );
    const customers = (id: string, limits: Limits) =>
      once(JSON.stringify([limits, id, '']), () =>
        createToken(service.operator, id, 'own', undefined, { ...limits, reach: 'tree' }),
      );
    const send = (token: string, url: string, account?: string, more: Record<string, string> = {}) =>
      service.send('GET', url, {
        authorization: `Bearer ${token}`,
        ...(account !== undefined && { 'linecard-account': encodeURIComponent(account) }),
        ...more,
      });
    /** Without the token, which is another's; the tag is of the body. */
    const seen = (answer: ServiceAnswer, url: string) => {
      const { body, headers, status } = plain(answer);
      if (url !== '/api/v1/account' || status !== 200) return { body, headers, status };
      const { token: _, ...account } = JSON.parse(body);
      return { account, status, headers: { ...headers, etag: '', 'content-length': '' } };
    };

    test('sees of each account what its own token with these limits would, and no other account', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            limits: limitsAtRandom,
            bounds: boundsAtRandom,
            account: fc.constantFrom(...TREE, 'nobody'),
            url: addressAtRandom,
          }),
          async ({ limits, bounds, account, url }) => {
            const answer = await send(await operators(limits, bounds), url, account);
            if (limits.addresses !== ELSEWHERE && !(ENABLED.includes(account) && isWithin(bounds, account))) {
              const { lists } = limits;
              const isSeen =
                lists === null ||
                modelLists.every(({ path, name }) => lists.includes(name) || !url.startsWith(path));
              const detail = isSeen
                ? `This token may not read the account ${account}: it reads the enabled accounts that it was created for.`
                : undefined;
              assert.equal(answer.status, 403, answer.body);
              const problem = JSON.parse(answer.body);
              assert.equal(problem.detail, detail ?? problem.detail);
              assert.equal(answer.headers['etag'], undefined);
              return;
            }
            const id = ENABLED.includes(account) ? account : 'a2';
            const own = await send(await customers(id, limits), url);
            assert.deepEqual(seen(answer, url), seen(own, url));
          },
        ),
        { numRuns: RUNS },
      );
    });

    test('refuses alike an account that is not there, one that is disabled and one of others', async () => {
      const bound = await operators({}, ['a2']);
      const every = await operators();
      const refusal = async (token: string, id: string) => {
        const {
          date: _,
          'x-request-id': __,
          ...headers
        } = (await send(token, virtual_numbers.path, id)).headers;
        const { body, status } = await send(token, virtual_numbers.path, id);
        const text = body.replace(id, '…').replace(/"request_id":"[^"]*"/, '');
        return { status, text, headers: { ...headers, 'content-length': '' } };
      };
      const expected = await refusal(bound, 'nobody');
      assert.equal(expected.status, 403);
      for (const id of ['rival', DISABLED, 'nobody'])
        assert.deepEqual(await refusal(bound, id), expected, id);
      for (const id of [DISABLED, 'nobody']) assert.deepEqual(await refusal(every, id), expected, id);
      assert.equal((await send(bound, virtual_numbers.path, 'a2')).status, 200);
      assert.equal((await send(every, virtual_numbers.path, 'rival')).status, 200);
    });

    test('must say which account it reads, and lists every one that it may', async () => {
      await fc.assert(
        fc.asyncProperty(
          boundsAtRandom,
          fc.constantFrom(undefined, undefined, ...ENABLED),
          fc.constantFrom(undefined, 'SÖHNE', 'r', '%', ''),
          fc.integer({ min: 1, max: 3 }),
          fc.integer({ min: 1, max: 4 }),
          async (bounds, above, q, page, page_size) => {
            const token = await operators({}, bounds);
            const query = `page=${page}&page_size=${page_size}${q === undefined ? '' : `&q=${encodeURIComponent(q)}`}`;
            const answer = await send(token, `${PATH}?${query}`, above);
            if (above !== undefined && !isWithin(bounds, above)) return assert.equal(answer.status, 403);
            assert.equal(answer.status, 200, answer.body);
            const mine = (ids: readonly string[]) =>
              ids.filter((id) => ENABLED.includes(id) && isWithin(bounds, id)).toSorted();
            const found = mine(above === undefined ? TREE : childrenOf(above)).filter((id) =>
              [id, NAMES[id] ?? ''].some((text) => text.toLowerCase().includes((q ?? '').toLowerCase())),
            );
            const { data, total } = JSON.parse(answer.body);
            assert.equal(total, found.length);
            assert.deepEqual(
              data.map((one: Record<string, unknown>) => [one['id'], one['name'], one['accounts']]),
              found
                .slice((page - 1) * page_size, page * page_size)
                .map((id) => [id, NAMES[id] ?? '', mine(childrenOf(id)).length]),
            );
          },
        ),
        { numRuns: RUNS },
      );
      const without = await send(await operators(), virtual_numbers.path);
      assert.equal(without.status, 403);
      assert.match(
        without.body,
        /say which with the header Linecard-Account\. GET \/api\/v1\/accounts lists them/,
      );
    });

    test('is known by its own name, and not by that of a token of the account', async () => {
      const { body } = await send(
        await operators({ charges: false }, ['a2', 'rival']),
        '/api/v1/account',
        'a2',
      );
      const { id, token, currency } = JSON.parse(body);
      assert.partialDeepStrictEqual(token, {
        name: 'support',
        charges: false,
        reach: 'operator',
        expires_at: null,
      });
      assert.deepEqual([id, currency], ['a2', null]);
      const logged = service.log.findLast((line) => line.includes('answered'));
      assert.match(String(logged), new RegExp(`token_id: '${token.id}',\\s+account_id: 'a2'`));
    });

    test('reads with the tools of agents', async () => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
      const call = async (account?: string, given?: string) => {
        const { status, body } = await service.send(
          'POST',
          '/mcp',
          {
            authorization: `Bearer ${await operators({}, ['a2'])}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(account !== undefined && { 'linecard-account': account }),
          },
          JSON.stringify({ ...message, params: { name: 'account', arguments: { account: given } } }),
        );
        return { status, body };
      };
      const own = await call('a2');
      assert.equal(own.status, 200, own.body);
      assert.match(own.body, /Straße & Söhne/);
      assert.match((await call(undefined, 'a2')).body, /Straße & Söhne/);
      assert.match((await call()).body, /say which with the argument account/);
      for (const id of ['rival', DISABLED, 'nobody'])
        assert.match((await call('a2', id)).body, new RegExp(`may not read the account ${id}`));
      assert.equal((await call('rival')).status, 403);
    });

    test('without the right to read it is refused as one that is unknown, and writes nothing', async () => {
      const others = await Promise.all(
        (['import', 'tokens'] as const).map((may) =>
          createOperatorToken(service.operator, { name: '', may: [may] }),
        ),
      );
      const answers = [];
      for (const { token } of [...others, { token: `${others[0]?.token.slice(0, 4)}` }]) {
        const { status, body } = await send(token, virtual_numbers.path, 'a2');
        answers.push([status, body.replace(/"request_id":"[^"]*"/, '')]);
      }
      assert.deepEqual(answers[1], answers[0]);
      assert.deepEqual(answers[2], answers[0]);
      assert.equal(answers[0]?.[0], 401);
      const reads = await operators();
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
        for (const url of [virtual_numbers.path, PATH, '/api/v1/webhooks', '/api/v1/account']) {
          const headers = { authorization: `Bearer ${reads}`, 'linecard-account': 'a2' };
          const { status } = await service.send(method, url, headers);
          assert.ok([404, 405].includes(status), `${method} ${url}: ${status}`);
        }
    });

    test('ends within seconds when it is revoked or expires, as a customer’s', async () => {
      const ends = [
        (id: string) => revokeToken(service.operator, id),
        (id: string) => endToken(service.operator, id, Date.now()),
      ].map(async (end) => {
        const { id, token } = await createOperatorToken(service.operator, { name: '', may: ['read'] });
        const answer = () => send(token, virtual_numbers.path, 'a2');
        assert.equal((await answer()).status, 200);
        await end(id);
        await until('it ends', async () => (await answer()).status === 401);
        assert.match((await answer()).body, /is unknown, has expired or was revoked/);
      });
      await Promise.all(ends);
    });

    test('is in the audit log once a day for each account, whichever processes it was read through', async () => {
      const { id, token } = await createOperatorToken(service.operator, {
        name: 'night shift',
        may: ['read'],
      });
      assert.equal((await send(token, virtual_numbers.path, 'a2')).status, 200);
      // The list of all accounts is of none.
      assert.equal((await send(token, PATH)).status, 200);
      const writer = await service.openForTokenUses();
      const processes = [new Readings(), new Readings()];
      for (const one of [...processes, ...processes]) {
        one.uses.record(id);
        for (const account of ['a2', 'rival', 'a2']) one.record(id, account, '192.0.2.7');
        await one.writeUses(writer);
      }
      await service.readings.writeUses(writer);
      await writer.close();
      const actor = (account_id: string | null) => (account_id === null ? '127.0.0.1' : '192.0.2.7');
      assert.deepEqual(
        (await entriesOf(service.operator, id)).filter(({ event }) => event !== 'token created'),
        ['a2', null, 'rival'].map((account_id) => ({
          ...{ event: 'token read', account_id, token_id: id, origin: 'request', actor: actor(account_id) },
          details: { name: 'night shift' },
        })),
      );
      assert.deepEqual(
        (await entriesOf(service.operator, id, true)).filter(({ token_id }) => token_id === id),
        [],
      );
    });
  });
}

async function entriesOf(store: Store, id: string, isOfCustomers?: true) {
  const snapshot = await store.snapshot();
  const entries = [];
  for await (const batch of auditBatches(snapshot, isOfCustomers ? { isOfCustomers } : {}))
    entries.push(...batch);
  await snapshot.close();
  return entries
    .filter(({ token_id }) => token_id === id)
    .map(({ event, account_id, token_id, origin, actor, details }) => ({
      ...{ event, account_id, token_id, origin, actor, details },
    }))
    .toSorted((a, b) => String(a.account_id).localeCompare(String(b.account_id)));
}
