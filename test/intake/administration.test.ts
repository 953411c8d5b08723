// Administration over HTTP: which accounts and tokens an operator token may write and see, pages, the audit
// log, runs of imports, and what happens when two do something to one account.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findCaller } from '../../server/store/access/callers.ts';
import type { Operation } from '../../server/store/access/token-scopes.ts';
import { createOperatorToken } from '../../server/store/access/tokens.ts';
import { openStore } from '../../server/store/open.ts';
import { tables } from '../../server/store/tables.ts';
import { type Answered, CSV, type Intake, openIntake } from '../kit/intake-server.ts';
import { stores } from '../kit/service.ts';

const ALL = ['accounts', 'tokens', 'audit', 'import'] as const;

for (const kind of stores) {
  describe(`administration over HTTP, on ${kind.name}`, () => {
    let intake: Intake;
    /** Of all accounts, and of C1 and C2 alone. */
    let portal: { readonly id: string; readonly token: string };
    let bound: { readonly id: string; readonly token: string };
    before(async () => {
      intake = await openIntake(kind, { importTimeoutMs: 1_500 });
      portal = await createOperatorToken(intake.operator, { name: 'portal', may: ALL });
      bound = await createOperatorToken(intake.operator, { name: 'bound', may: ALL, accounts: ['C1', 'C2'] });
      for (const id of ['C1', 'C2', 'C3']) assert.equal((await send('POST', 'accounts', { id })).status, 201);
    });
    after(() => intake.close());

    function send(
      method: string,
      path: string,
      body?: object | string,
      token = portal.token,
    ): Promise<Answered> {
      const text = typeof body === 'object' ? JSON.stringify(body) : body;
      return intake.sendWith(method, path, text, {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      });
    }
    const asBound = (method: string, path: string, body?: object) => send(method, path, body, bound.token);
    async function mayOnly(...may: Operation[]): Promise<string> {
      return (await createOperatorToken(intake.operator, { name: may.join(), may })).token;
    }

    test('is for tokens that may, and for nothing else that they may not', async () => {
      const requests = [
        ['accounts', 'GET', 'accounts'],
        ['accounts', 'POST', 'accounts', { id: 'X' }],
        ['accounts', 'DELETE', 'accounts/C3?confirm=C3'],
        ['tokens', 'GET', 'tokens'],
        ['tokens', 'POST', 'tokens', { account_id: 'C3' }],
        ['audit', 'GET', 'audit'],
        ['audit', 'GET', 'runs'],
      ] as const;
      for (const [operation, method, path, body] of requests) {
        const others = ALL.filter((one) => one !== operation);
        const { status, json } = await send(method, path, body, await mayOnly(...others));
        assert.equal(status, 403, path);
        assert.ok(json.detail.includes(`--may ${operation}`), json.detail);
      }
      assert.equal((await send('GET', 'tokens', undefined, await mayOnly('tokens'))).status, 200);
    });

    test('names every fault of a body', async () => {
      const body = {
        nmae: 'x',
        account_id: 1,
        charges: 'no',
        lists: ['numbers'],
        reach: 'far',
        expires_in: 90,
      };
      const { status, json } = await send('POST', 'tokens', body);
      assert.equal(status, 422);
      assert.deepEqual(
        json.errors.map(({ member }: { member: string }) => member),
        ['account_id', 'expires_in', 'lists', 'charges', 'reach', 'nmae'],
      );
      assert.match(json.errors[5].detail, /^nmae is not a member of a token\. Did you mean name\?$/);
      const twice = await send('POST', 'accounts', '{"id":"A","id":"B"}');
      assert.deepEqual([twice.status, twice.json.errors[0].detail], [422, 'id is there twice.']);
      const wrong = await send('GET', 'accounts?page=0&page_size=1001&parnt=C1');
      assert.equal(wrong.status, 400);
      const numbers = await send('GET', 'accounts?page=0&page_size=1001');
      assert.deepEqual(
        numbers.json.errors.map(({ parameter }: { parameter: string }) => parameter),
        ['page', 'page_size'],
      );
    });

    test('ends at the accounts of the token', async () => {
      for (const [method, path, body] of [
        ['GET', 'accounts/C3'],
        ['GET', 'accounts/nobody'],
        ['PATCH', 'accounts/C3', { name: 'x' }],
        ['PUT', 'accounts/C4', {}],
        ['POST', 'accounts', { id: 'C4' }],
        ['POST', 'accounts/C3/disable'],
        ['POST', 'accounts/C3/enable'],
        ['DELETE', 'accounts/C3?confirm=C3'],
        ['POST', 'tokens', { account_id: 'C3' }],
        ['GET', 'tokens?account=C3'],
        ['GET', 'audit?account=C3'],
        ['PATCH', 'accounts/C1', { parent_id: 'C3' }],
      ] as const)
        assert.equal((await asBound(method, path, body)).status, 403, `${method} ${path}`);
      const { json: other } = await send('POST', 'tokens', { account_id: 'C3' });
      for (const [method, path] of [
        ['GET', `tokens/${other.id}`],
        ['POST', `tokens/${other.id}/rotate`],
        ['DELETE', `tokens/${other.id}`],
      ] as const)
        assert.equal((await asBound(method, path)).status, 404, `${method} ${path}`);
      const { json: accounts } = await asBound('GET', 'accounts');
      assert.deepEqual(
        [accounts.total, accounts.data.map(({ id }: { id: string }) => id)],
        [2, ['C1', 'C2']],
      );
      assert.equal((await asBound('GET', 'accounts?q=C3')).json.total, 0);
      assert.equal((await asBound('GET', 'tokens')).json.total, 0);
      const { json: entries } = await asBound('GET', 'audit');
      const seen = new Set(entries.data.map(({ account_id }: { account_id: string }) => account_id));
      assert.deepEqual(seen, new Set(['C1', 'C2']));
    });

    test('gives no token that reads more than its maker may write', async () => {
      const tree = { account_id: 'C1', reach: 'tree' };
      assert.equal((await asBound('POST', 'tokens', tree)).status, 403);
      const { json: made } = await send('POST', 'tokens', tree);
      assert.equal((await asBound('POST', `tokens/${made.id}/rotate`)).status, 403);
      assert.equal((await asBound('DELETE', `tokens/${made.id}`)).status, 204);
      const { status, json } = await asBound('POST', 'tokens', { account_id: 'C1' });
      assert.equal(status, 201);
      assert.equal((await findCaller(intake.operator, json.token))?.account_id, 'C1');
    });

    test('neither shows nor changes tokens of operators', async () => {
      for (const [method, path] of [
        ['GET', `tokens/${portal.id}`],
        ['POST', `tokens/${portal.id}/rotate`],
        ['DELETE', `tokens/${bound.id}`],
      ] as const)
        assert.equal((await send(method, path)).status, 404, `${method} ${path}`);
      const { json } = await send('GET', 'audit?page_size=1000');
      const shown = json.data.filter(({ token_id }: { token_id: string }) =>
        [portal.id, bound.id].includes(token_id),
      );
      assert.deepEqual(shown, []);
      assert.equal((await asBound('GET', 'tokens')).status, 200);
    });

    test('creates or changes an account by PUT, which can be repeated', async () => {
      const put = (body: object) => send('PUT', 'accounts/%C3%BC%2F1', body);
      const first = await put({ name: 'One', currency: 'EUR' });
      assert.deepEqual(
        [first.status, first.headers.get('location')],
        [201, '/intake/v1/accounts/%C3%BC%2F1'],
      );
      const second = await put({ name: 'Two' });
      assert.deepEqual([second.status, second.json.name, second.json.currency], [200, 'Two', 'EUR']);
      assert.deepEqual((await send('GET', 'accounts/%C3%BC%2F1')).json, second.json);
    });

    test('keeps both of two members that are changed at the same time', async () => {
      await Promise.all([
        send('PATCH', 'accounts/C3', { name: 'Three' }),
        send('PATCH', 'accounts/C3', { currency: 'GBP' }),
      ]);
      const { json } = await send('GET', 'accounts/C3');
      assert.deepEqual([json.name, json.currency], ['Three', 'GBP']);
    });

    test('creates an account once, whatever arrives at the same time', async () => {
      const all = await Promise.all(
        Array.from({ length: 5 }, () => send('POST', 'accounts', { id: 'once' })),
      );
      assert.deepEqual(
        all.map(({ status }) => status).toSorted((a, b) => a - b),
        [201, 409, 409, 409, 409],
      );
    });

    test('deletes an account whose id is said twice', async () => {
      await send('POST', 'accounts', { id: 'away' });
      for (const query of ['', '?confirm=C1']) {
        const { status, json } = await send('DELETE', `accounts/away${query}`);
        assert.equal(status, 400);
        assert.match(json.detail, /^confirm must be the id of the account/);
      }
      assert.equal((await send('DELETE', 'accounts/away?confirm=away')).status, 204);
      assert.equal((await send('DELETE', 'accounts/away?confirm=away')).status, 404);
    });

    test('finds accounts by a part of id or name, and pages through them', async () => {
      await send('POST', 'accounts', { id: 'R1', name: 'Größe GmbH' });
      for (const id of ['R2', 'R3']) await send('POST', 'accounts', { id, parent_id: 'R1' });
      const idsOf = async (query: string) =>
        (await send('GET', `accounts?${query}`)).json.data.map(({ id }: { id: string }) => id);
      assert.deepEqual(await idsOf('q=GR%C3%96SSE'), []);
      assert.deepEqual(await idsOf('q=gr%C3%B6%C3%9Fe'), ['R1']);
      assert.deepEqual(await idsOf('parent=R1'), ['R2', 'R3']);
      const pages = await Promise.all([1, 2, 3, 4, 5, 6].map((page) => idsOf(`page=${page}&page_size=2`)));
      const { total } = (await send('GET', 'accounts')).json;
      assert.deepEqual(pages.flat(), await idsOf('page_size=1000'));
      assert.equal(pages.flat().length, total);
      assert.deepEqual(await idsOf('q=r&page=2&page_size=2'), ['R2', 'R3']);
    });

    test('pages through the audit log in its order', async () => {
      const { json: all } = await send('GET', 'audit?page_size=1000');
      const pages = [];
      for (let page = 1; page <= Math.ceil(all.total / 7); page++)
        pages.push(...(await send('GET', `audit?page=${page}&page_size=7`)).json.data);
      assert.deepEqual(pages, all.data);
      assert.equal(all.data.length, all.total);
      assert.equal((await send('GET', 'audit?account=never-was')).status, 404);
      const deleted = await send('GET', 'audit?account=away');
      assert.deepEqual(
        deleted.json.data.map(({ event, actor }: { event: string; actor: string }) => [event, actor]),
        [
          ['account created', portal.id],
          ['account deleted', portal.id],
        ],
      );
    });

    test('shows imports, to a token that is bound to accounts its own', async () => {
      const head = 'account_id,id,did,status,frequency,subscription_status,created_at\n';
      const row = 'C1,1,+442079460018,active,monthly,active,2026-01-01T00:00:00Z\n';
      const importBy = (token: string, body: string) =>
        intake.sendWith('POST', 'virtual-numbers', body, {
          authorization: `Bearer ${token}`,
          ...CSV,
          'linecard-feed': 'billing',
        });
      assert.equal((await importBy(portal.token, head + row)).status, 200);
      assert.equal((await importBy(bound.token, `${head}C1,2\n`)).status, 422);
      const { json } = await send('GET', 'runs?feed=billing');
      assert.deepEqual(
        json.data.map(({ outcome, actor }: { outcome: string; actor: string }) => [outcome, actor]),
        [
          ['refused', bound.id],
          ['done', portal.id],
        ],
      );
      assert.equal((await send('GET', 'runs?feed=billing&failed=true')).json.total, 1);
      const own = (await asBound('GET', 'runs')).json;
      assert.deepEqual([own.total, own.data[0].actor], [1, bound.id]);
      const [refused, done] = json.data;
      assert.deepEqual((await asBound('GET', `runs/${refused.id}`)).json, refused);
      assert.equal((await asBound('GET', `runs/${done.id}`)).status, 404);
      assert.deepEqual((await send('GET', `runs/${done.id}`)).json, done);
    });

    test('creates a token, and disables an account, while an import runs', async () => {
      await send('POST', 'accounts', { id: 'busy' });
      const writer = await openStore(intake.database_url, 'change');
      const load = await writer.load(tables.virtual_numbers);
      try {
        const { status, json } = await send('POST', 'tokens', { account_id: 'busy' });
        assert.equal(status, 201, JSON.stringify(json));
        const disabled = await send('POST', 'accounts/busy/disable');
        assert.ok([200, 503].includes(disabled.status), disabled.text);
        if (disabled.status === 503) {
          assert.match(disabled.json.detail, /The tokens of busy are refused, but busy is not yet shown/);
          assert.equal(disabled.headers.get('retry-after'), '5');
        }
        assert.equal(await findCaller(intake.operator, json.token), undefined);
      } finally {
        await load.rollback();
        await writer.close();
      }
      assert.equal((await send('POST', 'accounts/busy/disable')).json.disabled, true);
    });

    test('takes rows of accounts where it takes one as JSON', async () => {
      const rows = await intake.sendWith('POST', 'accounts', 'account_id,name\nC9,Nine\n', {
        authorization: `Bearer ${portal.token}`,
        ...CSV,
      });
      assert.deepEqual([rows.status, rows.json.inserted], [200, 1]);
      assert.equal((await send('GET', 'accounts/C9')).json.name, 'Nine');
    });

    test('reads an id in a path as it was encoded, whatever characters it has', async () => {
      const ids = [
        'a/b',
        '50%',
        '%2F',
        '%252F',
        'what?',
        'two words',
        'ü',
        'a+b',
        'a#b',
        ':id',
        '/'.repeat(100),
      ];
      for (const id of [...ids, 'ü'.repeat(100)]) {
        const path = `accounts/${encodeURIComponent(id)}`;
        const created = await send('POST', 'accounts', { id });
        assert.equal(created.headers.get('location'), `/intake/v1/${path}`);
        assert.deepEqual((await send('GET', path)).json, created.json, id);
        assert.equal((await send('PATCH', path, { name: 'x' })).json.id, id);
        assert.equal((await send('POST', `${path}/disable`)).json.id, id);
        assert.equal((await send('DELETE', `${path}?confirm=${encodeURIComponent(id)}`)).status, 204);
        assert.equal((await send('GET', path)).status, 404);
      }
      for (const path of ['%', '%zz', '%ff', '%00'])
        assert.ok([400, 404].includes((await send('GET', `accounts/${path}`)).status), path);
    });

    test('names the faults of an id and of a body in one answer', async () => {
      const { status, json } = await send('PUT', 'accounts/%20x', { currency: 'XXX', name: 1, nmae: 'x' });
      assert.equal(status, 422);
      assert.deepEqual(
        json.errors.map(({ member }: { member: string }) => member),
        ['id', 'name', 'currency', 'nmae'],
      );
    });

    test('refuses a body that is too long, and one that is no object', async () => {
      const long = await send('POST', 'accounts', { id: 'long', name: 'x'.repeat(100_000) });
      assert.equal(long.status, 413, long.text);
      for (const body of ['null', '1', '"C1"', '{', '{"id":"a"} {"id":"b"}']) {
        const { status, json } = await send('POST', 'accounts', body);
        assert.deepEqual([status, json.errors.length, json.errors[0].member], [422, 1, null], body);
      }
      const { json: rows } = await send('POST', 'accounts', '[{"account_id":"long"}]');
      assert.match(
        rows.detail,
        /must be a JSON object. To import rows, send text\/csv or application\/x-ndjson\./,
      );
      const { json: other } = await send('POST', 'tokens', '[]');
      assert.equal(other.detail, 'The body must be a JSON object. Nothing was changed.');
      assert.equal((await send('GET', 'accounts/long')).status, 404);
    });

    test('answers 503 and when to retry where an import runs for long', async () => {
      const writer = await openStore(intake.database_url, 'change');
      const load = await writer.load(tables.virtual_numbers);
      try {
        const { status, json, headers } = await send('POST', 'accounts', { id: 'later', parent_id: 'C1' });
        assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
        assert.match(json.detail, /import|has been writing/);
      } finally {
        await load.rollback();
        await writer.close();
      }
      assert.equal((await send('GET', 'accounts/later')).status, 404);
    });
  });
}
