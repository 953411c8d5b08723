// `GET /api/v1/accounts`: the accounts directly below the one that is read.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { disableAccount, enableAccount, updateAccount } from '../../server/store/access/accounts.ts';
import type { TokenLimits } from '../../server/store/access/token-scopes.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { buildTree, childrenOf, storesOfTree, TREE, treeRows } from '../kit/account-tree.ts';
import { type Method, openService, type Service } from '../kit/service.ts';

const PATH = '/api/v1/accounts';
const totalOf = (list: keyof typeof treeRows, id: string) =>
  treeRows[list].filter(({ account_id }) => account_id === id).length;

for (const kind of storesOfTree) {
  describe(`the accounts below one on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: TREE, rows: treeRows, currency: 'EUR' });
      await buildTree(service.operator);
      await updateAccount(service.operator, 'a2', { name: 'Straße & Söhne', currency: 'USD' });
    });
    after(() => service.close());

    async function callerOf(id: string, limits: Partial<TokenLimits> = {}) {
      const made = await createToken(service.operator, id, 'tree', undefined, { reach: 'tree', ...limits });
      const authorization = `Bearer ${made?.token}`;
      return (query = '', headers: Record<string, string> = {}, method: Method = 'GET') =>
        service.send(method, PATH + query, { authorization, ...headers });
    }
    const idsOf = (body: string) => JSON.parse(body).data.map(({ id }: { id: string }) => id);

    test('they come by id, with what each has, for each caller of the line', async () => {
      const root = await callerOf('reseller');
      for (const id of TREE) {
        const own = await (await callerOf(id))();
        assert.equal(own.status, 200, own.body);
        const { data, ...page } = JSON.parse(own.body);
        const ids = childrenOf(id);
        assert.deepEqual(page, {
          page: 1,
          page_size: 10,
          total: ids.length,
          total_pages: Math.min(1, ids.length),
        });
        assert.deepEqual(
          data.map((account: object) => ({ ...account, updated_at: undefined })),
          ids.map((child) => ({
            id: child,
            name: child === 'a2' ? 'Straße & Söhne' : '',
            currency: child === 'a2' ? 'USD' : 'EUR',
            virtual_numbers: totalOf('virtual_numbers', child),
            additional_services: totalOf('additional_services', child),
            accounts: childrenOf(child).length,
            updated_at: undefined,
          })),
        );
        for (const { updated_at } of data) assert.match(updated_at, /Z$/);
        if (id.startsWith('rival')) continue;
        const header = encodeURIComponent(id);
        const read = await root('', { 'linecard-account': header });
        assert.equal(read.body, own.body);
        assert.equal(read.headers['etag'], own.headers['etag']);
        assert.equal(read.headers['linecard-account'], header);
      }
    });

    test('pages lead to each other, and one past the last is empty', async () => {
      const get = await callerOf('reseller');
      const first = await get('?page_size=1');
      assert.deepEqual([...first.links.keys()], ['first', 'next', 'last']);
      assert.equal(first.links.get('next'), `${PATH}?page=2&page_size=1`);
      const second = await get('?page=2&page_size=1');
      assert.deepEqual([...idsOf(first.body), ...idsOf(second.body)], childrenOf('reseller'));
      assert.equal(second.links.get('next'), undefined);
      assert.equal(second.links.get('prev'), `${PATH}?page=1&page_size=1`);
      const past = JSON.parse((await get('?page=9')).body);
      assert.deepEqual(past, { data: [], page: 9, page_size: 10, total: 2, total_pages: 1 });
    });

    test('q finds a part of an id or of a name, whatever the case', async () => {
      const get = await callerOf('reseller');
      for (const [q, ids] of Object.entries({
        KÖLN: ['Köln, 100 %'],
        '100 %': ['Köln, 100 %'],
        söhne: ['a2'],
        '２': ['a2'],
        '%': ['Köln, 100 %'],
        _: [],
        reseller: [],
        '': childrenOf('reseller'),
      })) {
        const { status, body } = await get(`?q=${encodeURIComponent(q)}`);
        assert.equal(status, 200, body);
        assert.deepEqual(idsOf(body), ids, q);
        assert.equal(JSON.parse(body).total, ids.length);
      }
      assert.deepEqual(idsOf((await get('?q=n&page_size=1&page=2')).body), ['a2']);
      assert.equal((await get('?q=n&page_size=1')).links.get('next'), `${PATH}?q=n&page=2&page_size=1`);
    });

    test('q finds a name in Greek in any case, wherever its word ends', async () => {
      await updateAccount(service.operator, 'a2', { name: 'Οδός ΑΘΗΝΑΣ, ΟΔΟΣΑ' });
      const direct = await callerOf('reseller');
      for (const q of ['ΑΘΗΝΑΣ', 'αθηνας', 'αθηνασ', 'ΟΔΟΣ', 'οδοσ', 'οδος', 'ΟΔΌΣ', 'οδόσ'])
        assert.deepEqual(idsOf((await direct(`?q=${encodeURIComponent(q)}`)).body), ['a2'], q);
      await updateAccount(service.operator, 'a2', { name: 'Straße & Söhne' });
    });

    test('an ETag holds until an account below changes, HEAD has no body, and nothing is waited for', async () => {
      const get = await callerOf('Köln, 100 %');
      const first = await get();
      const conditional = { 'if-none-match': String(first.headers['etag']), prefer: 'wait=50' };
      const unchanged = await get('', conditional);
      assert.equal(unchanged.status, 304);
      assert.equal(unchanged.headers['preference-applied'], undefined);
      const head = await get('', {}, 'HEAD');
      assert.equal(head.headers['etag'], first.headers['etag']);
      assert.equal(head.body, '');
      await updateAccount(service.operator, 'a1/b1', { name: 'another' });
      assert.equal((await get('', conditional)).status, 200);
      await updateAccount(service.operator, 'a1/b1', { name: '' });
    });

    test('disabled accounts are left out, also where they are counted', async () => {
      const get = await callerOf('Köln, 100 %');
      await disableAccount(service.operator, 'c2');
      assert.equal(JSON.parse((await get()).body).data[0].accounts, 1);
      assert.deepEqual(idsOf((await get('', { 'linecard-account': 'a1%2Fb1' })).body), ['c 1']);
      await enableAccount(service.operator, 'c2');
    });

    test('the limits of the token hold for each account', async () => {
      const get = await callerOf('reseller', { charges: false, lists: ['additional_services'] });
      const { body, headers } = await get();
      for (const account of JSON.parse(body).data) {
        assert.partialDeepStrictEqual(account, { currency: null, virtual_numbers: null });
        assert.equal(account.additional_services, 1);
      }
      assert.match(String(headers['etag']), /no-charges/);
    });

    test('a token with the reach account is refused, and so are other parameters', async () => {
      const refused = await service.ask('reseller', PATH);
      assert.equal(refused.status, 403);
      assert.match(JSON.parse(refused.body).detail, /reach is not tree/);
      const get = await callerOf('reseller');
      for (const query of [
        'cursor=x',
        'sort_by=id',
        'fields=id',
        'ids=1',
        'page=0',
        'page_size=1001',
        'q=%00',
      ]) {
        const answer = await get(`?${query}`);
        assert.equal(answer.status, 400, query);
        assert.equal(JSON.parse(answer.body).errors[0].parameter, query.split('=')[0]);
      }
      assert.equal((await service.send('GET', PATH)).status, 401);
      assert.equal((await get('', {}, 'POST')).status, 405);
    });
  });
}
