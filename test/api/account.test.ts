// Whose token this is: what an account tells of itself, on every store.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createToken } from '../../server/store/access/tokens.ts';
import { sql } from '../../server/store/sql.ts';
import { ACCOUNTS, EMPTY_ACCOUNT, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { modelLists, virtual_numbers } from '../kit/model.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';

const PATH = '/api/v1/account';

for (const kind of stores) {
  describe(`the account on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: ACCOUNTS, rows: hardRows, currency: 'EUR' });
    });
    after(async () => service.close());

    async function change(account_id: string, values: { name?: string; currency?: string }): Promise<void> {
      const { name = '', currency = null } = values;
      await service.operator.write(
        sql`update accounts set name = ${name}, currency = ${currency}, revision = ${crypto.randomUUID()}
          where id = ${account_id}`,
      );
    }

    test('it is exactly these fields, in this order', async () => {
      await change(LARGE_ACCOUNT, { name: 'Acme "Telephones" Ltd', currency: 'GBP' });
      const { status, body, headers } = await service.ask(LARGE_ACCOUNT, PATH);
      assert.equal(status, 200, body);
      assert.equal(headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(headers['cache-control'], 'private, no-cache');
      const { updated_at } = JSON.parse(body);
      assert.match(updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const own = (rows: readonly { account_id: string }[]) =>
        rows.filter(({ account_id }) => account_id === LARGE_ACCOUNT).length;
      const listed = hardRows.additional_services.filter((row) => row['category'] === 'additional');
      const expected = {
        id: LARGE_ACCOUNT,
        name: 'Acme "Telephones" Ltd',
        currency: 'GBP',
        virtual_numbers: own(hardRows.virtual_numbers),
        additional_services: own(listed),
        updated_at,
        token: {
          id: service.tokenOf(LARGE_ACCOUNT).id,
          name: 'test',
          expires_at: null,
          lists: ['virtual_numbers', 'additional_services'],
          charges: true,
          reach: 'account',
        },
      };
      assert.equal(body, JSON.stringify(expected));
    });

    test('every account sees itself, and the number of items that its lists have', async () => {
      for (const account_id of [EMPTY_ACCOUNT, ...ACCOUNTS.slice(0, 20)]) {
        const account = JSON.parse((await service.ask(account_id, PATH)).body);
        assert.equal(account.id, account_id);
        for (const list of modelLists) {
          const { total } = JSON.parse((await service.ask(account_id, list.path)).body);
          assert.equal(account[list.name], total);
        }
      }
    });

    test('the currency is its own, else that of the deployment', async () => {
      const currencyNow = async () => JSON.parse((await service.ask('customer-4', PATH)).body).currency;
      const inFacets = async () =>
        JSON.parse((await service.ask('customer-4', `${virtual_numbers.path}/facets`)).body).currency;
      assert.deepEqual([await currencyNow(), await inFacets()], ['EUR', 'EUR']);
      await change('customer-4', { currency: 'CHF' });
      // The second time by an index in memory, where there is one.
      assert.deepEqual([await currencyNow(), await inFacets(), await inFacets()], ['CHF', 'CHF', 'CHF']);
      await change('customer-4', {});
      assert.deepEqual([await currencyNow(), await inFacets()], ['EUR', 'EUR']);
    });

    test('without any currency it is null', async (t) => {
      const bare = await openService(kind, { accounts: ['a'] });
      t.after(async () => bare.close());
      assert.equal(JSON.parse((await bare.ask('a', PATH)).body).currency, null);
      assert.equal(JSON.parse((await bare.ask('a', `${virtual_numbers.path}/facets`)).body).currency, null);
    });

    test('it is 304 until something changes, and never for another token', async () => {
      const account_id = 'customer-6';
      const etagNow = async () => String((await service.ask(account_id, PATH)).headers['etag']);
      const etag = await etagNow();
      assert.match(etag, /^"[\x21\x23-\x7e]+"$/);
      assert.equal((await service.ask(account_id, PATH, { 'if-none-match': etag })).status, 304);
      const expires_at = Date.now() + 3_600_000;
      const made = await createToken(service.operator, account_id, 'second', expires_at);
      const sent = { authorization: String(made?.token), 'if-none-match': etag };
      const second = await service.send('GET', PATH, sent);
      assert.equal(second.status, 200);
      const { token } = JSON.parse(second.body);
      assert.deepEqual(
        [token.id, token.name, Date.parse(token.expires_at)],
        [made?.id, 'second', expires_at],
      );
      const [row] = hardRows.virtual_numbers;
      await load(service.operator, 'virtual_numbers', [{ ...row, id: 5_600_001, account_id }]);
      assert.notEqual(await etagNow(), etag);
      assert.equal((await service.ask(account_id, PATH, { 'if-none-match': etag })).status, 200);
    });

    test('it takes no parameters, and no token gets none', async () => {
      const { status, body } = await service.ask(LARGE_ACCOUNT, `${PATH}?page=1&fields=id&page=2&%zz=1`);
      assert.equal(status, 400, body);
      const named = JSON.parse(body).errors.map(({ parameter }: { parameter: string }) => parameter);
      assert.deepEqual(named, ['page', 'fields', '%zz']);
      assert.equal((await service.send('GET', PATH)).status, 401);
      assert.equal((await service.ask(LARGE_ACCOUNT, PATH, { accept: 'text/csv' })).status, 406);
      const { status: head, body: none } = await service.send('HEAD', PATH, {
        authorization: service.tokenOf(LARGE_ACCOUNT).token,
      });
      assert.deepEqual([head, none], [200, '']);
    });
  });
}
