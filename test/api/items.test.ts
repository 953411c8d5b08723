// One item by its id: the same text as in the list, and nothing that tells an id of another account from one
// that nobody has.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ACCOUNTS, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { additional_services, type ModelList, modelLists, virtual_numbers } from '../kit/model.ts';
import { load, openService, type Service, type ServiceAnswer, stores } from '../kit/service.ts';

const STRANGER = 'customer-3';
const LISTED = {
  virtual_numbers: hardRows.virtual_numbers,
  additional_services: hardRows.additional_services.filter((row) => row['category'] === 'additional'),
} as const;

/** Texts that are no id, though some of them are nearly the one of an item. */
const NO_IDS = (id: number): readonly string[] => [
  ...['0', '-1', '%2B1', '1.0', '1e3', '0x10', '١', '%31%00', 'null', 'NaN', '__proto__', 'constructor'],
  ...[`0${id}`, `${id}.0`, `${id}%20`, `%20${id}`, `${id}n`, `+${id}`, `${id},${id}`, `${id};a=b`],
  ...["1'--", '1%20or%201=1', '..%2f..%2faccount', '%2F', '9'.repeat(3_000), 'x'.repeat(20_000)],
  ...['9007199254740992', '9007199254740993', '18446744073709551617', '%F0%9F%93%9E'],
];

/** What an answer looks like, but for what is another in every answer. */
function looksOf({ status, body, headers }: ServiceAnswer): object {
  const { 'x-request-id': id, date: _date, ...rest } = headers;
  return { status, body: body.replaceAll(String(id), ''), headers: rest };
}

for (const kind of stores) {
  describe(`one item on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: ACCOUNTS, rows: hardRows });
    });
    after(async () => service.close());

    const itemsOf = async (list: ModelList, account_id: string): Promise<string[]> =>
      (await service.ask(account_id, `${list.path}.ndjson`)).body.trimEnd().split('\n');

    for (const list of modelLists) {
      test(`${list.name}: it is the text that stands in the list, byte for byte`, async () => {
        const items = await itemsOf(list, LARGE_ACCOUNT);
        assert.ok(items.length > 30);
        for (const item of items.slice(0, 60)) {
          const { id } = JSON.parse(item);
          const { status, body, headers } = await service.ask(LARGE_ACCOUNT, `${list.path}/${id}`);
          assert.equal(status, 200, body);
          assert.equal(body, item);
          assert.equal(headers['content-type'], 'application/json; charset=utf-8');
          assert.equal(headers['cache-control'], 'private, no-cache');
          assert.equal(headers['link'], undefined);
        }
      });

      test(`${list.name}: an id of another account looks exactly like one that nobody has, and like none`, async () => {
        const none = looksOf(await service.ask(STRANGER, `${list.path}/4242424`));
        assert.deepEqual((none as { status: number }).status, 404);
        const others = LISTED[list.name].filter(({ account_id }) => account_id !== STRANGER);
        const ids = others.slice(0, 40).map(({ id }) => String(id));
        for (const id of [...ids, ...NO_IDS(others[0]?.id ?? 1)]) {
          assert.deepEqual(looksOf(await service.ask(STRANGER, `${list.path}/${id}`)), none, id.slice(0, 40));
        }
      });

      test(`${list.name}: every account has its own items, and no others`, async () => {
        for (const { id, account_id } of LISTED[list.name].slice(0, 80)) {
          const statuses = [account_id, STRANGER].map(async (caller) => {
            return (await service.ask(caller, `${list.path}/${id}`)).status;
          });
          assert.deepEqual(await Promise.all(statuses), [200, account_id === STRANGER ? 200 : 404]);
        }
      });

      test(`${list.name}: it has only the fields that are requested, in the order of the list`, async () => {
        for (const item of (await itemsOf(list, LARGE_ACCOUNT)).slice(0, 30)) {
          const { id, comment, monthly } = JSON.parse(item);
          const url = `${list.path}/${id}?fields=monthly,comment&fields=id`;
          const { status, body } = await service.ask(LARGE_ACCOUNT, url);
          assert.deepEqual([status, body], [200, JSON.stringify({ id, comment, monthly })]);
        }
        const refused = await service.ask(LARGE_ACCOUNT, `${list.path}/1?fields=colour`);
        assert.equal(refused.status, 400);
      });

      test(`${list.name}: HEAD, 304 and a missing token are those of the list`, async () => {
        const [item] = await itemsOf(list, LARGE_ACCOUNT);
        const path = `${list.path}/${JSON.parse(String(item)).id}`;
        const { token } = service.tokenOf(LARGE_ACCOUNT);
        const { headers } = await service.ask(LARGE_ACCOUNT, path);
        const etag = String(headers['etag']);
        assert.equal((await service.ask(LARGE_ACCOUNT, list.path)).headers['etag'], etag);
        const again = await service.ask(LARGE_ACCOUNT, path, { 'if-none-match': etag });
        assert.deepEqual([again.status, again.body, again.headers['etag']], [304, '', etag]);
        const head = await service.send('HEAD', path, { authorization: token });
        assert.deepEqual([head.status, head.body, head.headers['etag']], [200, '', etag]);
        assert.equal((await service.send('GET', path)).status, 401);
        assert.equal((await service.ask(LARGE_ACCOUNT, path, { accept: 'text/csv' })).status, 406);
      });

      test(`${list.name}: nothing has not changed where there is nothing`, async () => {
        const etag = String((await service.ask(STRANGER, list.path)).headers['etag']);
        for (const tag of [etag, '*']) {
          const { status, headers } = await service.ask(STRANGER, `${list.path}/4242424`, {
            'if-none-match': tag,
          });
          assert.equal(status, 404);
          assert.equal(headers['cache-control'], 'no-store');
          assert.equal(headers['etag'], undefined);
        }
      });

      test(`${list.name}: it takes no filter, no order and no page, and says so of each of them`, async () => {
        const [item] = await itemsOf(list, LARGE_ACCOUNT);
        const path = `${list.path}/${JSON.parse(String(item)).id}`;
        const query = '?ids=1&q=x&sort_by=id&page=1&cursor=x&colour=red';
        for (const url of [path + query, `${list.path}/4242424${query}`]) {
          const { status, body } = await service.ask(LARGE_ACCOUNT, url);
          assert.equal(status, 400, body);
          const named = JSON.parse(body).errors.map(({ parameter }: { parameter: string }) => parameter);
          assert.deepEqual(named.toSorted(), ['colour', 'cursor', 'ids', 'page', 'q', 'sort_by']);
          assert.match(body, / The only parameter here is fields\./);
        }
      });
    }

    test('a service that is not additional is no item', async () => {
      for (const { id, account_id } of hardRows.additional_services.slice(0, 60)) {
        const isListed = LISTED.additional_services.some((row) => row.id === id);
        const { status } = await service.ask(account_id, `${additional_services.path}/${id}`);
        assert.equal(status, isListed ? 200 : 404);
      }
    });

    test('only GET and HEAD, whatever the id', async () => {
      for (const id of ['1', 'x', 'facet']) {
        for (const method of ['POST', 'DELETE', 'QUERY'] as const) {
          const { status, headers } = await service.send(method, `${virtual_numbers.path}/${id}`);
          assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD']);
        }
      }
    });

    test('it is gone, or another, as soon as an import says so', async () => {
      const row = { ...hardRows.virtual_numbers[0], id: 5_500_001, account_id: 'customer-5', comment: 'one' };
      const path = `${virtual_numbers.path}/${row.id}`;
      const commentNow = async () => {
        const { status, body } = await service.ask('customer-5', path);
        return status === 200 ? JSON.parse(body).comment : status;
      };
      assert.equal(await commentNow(), 404);
      await load(service.operator, 'virtual_numbers', [row]);
      assert.equal(await commentNow(), 'one');
      const changed = { ...row, comment: 'two' };
      await load(service.operator, 'virtual_numbers', [changed]);
      assert.equal(await commentNow(), 'two');
      await load(service.operator, 'virtual_numbers', [{ ...changed, account_id: STRANGER }]);
      assert.equal(await commentNow(), 404);
      assert.equal((await service.ask(STRANGER, path)).status, 200);
    });
  });
}
