// No account sees what belongs to another: not by naming it, not by a cursor or an ETag of the other's.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { hardQuery, queriesAtRandom } from '../kit/hard-queries.ts';
import { ACCOUNTS, EMPTY_ACCOUNT, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { additional_services, type ModelList, modelLists, virtual_numbers } from '../kit/model.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const RANDOM_QUERIES = queriesAtRandom(80);
const STRANGER = 'customer-3';

const owners = {
  virtual_numbers: new Map(hardRows.virtual_numbers.map(({ id, account_id }) => [id, account_id])),
  additional_services: new Map(hardRows.additional_services.map(({ id, account_id }) => [id, account_id])),
} as const;

const idsIn = (body: string): number[] => JSON.parse(body).data.map(({ id }: { id: number }) => id);

for (const kind of stores) {
  describe(`accounts on ${kind.name} do not see each other`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: ACCOUNTS, rows: hardRows });
    });
    after(async () => service.close());

    const totalOf = async (list: ModelList, account_id: string, query: string): Promise<number> => {
      const { status, body } = await service.ask(account_id, `${list.path}?${query}`);
      assert.equal(status, 200, body);
      return JSON.parse(body).total;
    };

    for (const list of modelLists) {
      const others = (account_id: string) =>
        [...owners[list.name]].flatMap(([id, owner]) => (owner === account_id ? [] : [id]));

      test(`${list.name}: naming the ids of all other accounts finds nothing`, async () => {
        for (const account_id of ACCOUNTS) {
          assert.equal(await totalOf(list, account_id, `ids=${others(account_id).join(',')}`), 0, account_id);
        }
      });

      test(`${list.name}: an id of another account looks exactly like one that does not exist`, async () => {
        const missing = 4_242_424;
        for (const id of others(STRANGER).slice(0, 10)) {
          for (const rest of ['', '&page=2', '&page_size=1&sort_by=monthly&sort_order=desc']) {
            const [theirs, none] = [
              await service.ask(STRANGER, `${list.path}?ids=${id}${rest}`),
              await service.ask(STRANGER, `${list.path}?ids=${missing}${rest}`),
            ];
            assert.equal(theirs.body, none.body);
            const { 'x-request-id': _one, date: _date, link: link_to_theirs, ...headers } = theirs.headers;
            const { 'x-request-id': _other, date: _again, link, ...expected } = none.headers;
            assert.deepEqual(headers, expected);
            // A token is sealed together with its filters.
            const plain = (text?: string) => text?.replaceAll(/since=[\w-]+/g, 'since=…');
            assert.equal(plain(link_to_theirs)?.replaceAll(`ids=${id}&`, `ids=${missing}&`), plain(link));
          }
        }
      });

      test(`${list.name}: ${RANDOM_QUERIES * kind.share} queries at random return no item of another account`, async () => {
        const foreignIds = fc.array(fc.constantFrom(...owners[list.name].keys()), { maxLength: 30 });
        await fc.assert(
          fc.asyncProperty(
            fc.constantFrom(...ACCOUNTS),
            hardQuery(list),
            foreignIds,
            async (account_id, query, ids) => {
              const { status, body } = await service.ask(
                account_id,
                `${list.path}?${query}&ids[]=&ids=${ids.join(',')}&fields=id`,
              );
              if (status === 400) return;
              assert.equal(status, 200, body);
              for (const id of idsIn(body)) assert.equal(owners[list.name].get(id), account_id);
            },
          ),
          { numRuns: RANDOM_QUERIES * kind.share },
        );
      });

      test(`${list.name}: an account without items sees an empty list`, async () => {
        const { body } = await service.ask(EMPTY_ACCOUNT, list.path);
        assert.equal(body, '{"data":[],"page":1,"page_size":10,"total":0,"total_pages":0}');
      });
    }

    test('services that are not additional are never listed', async () => {
      const hidden = hardRows.additional_services.filter((row) => row['category'] !== 'additional');
      const ids = hidden.map(({ id }) => id).join(',');
      let total = 0;
      for (const account_id of ACCOUNTS) {
        assert.equal(await totalOf(additional_services, account_id, `ids=${ids}`), 0);
        total += await totalOf(additional_services, account_id, '');
      }
      assert.equal(total, hardRows.additional_services.length - hidden.length);
    });

    test('the account comes from the token and from nowhere else', async () => {
      const { body } = await service.ask(STRANGER, virtual_numbers.path);
      const headers = {
        'x-account-id': LARGE_ACCOUNT,
        account: LARGE_ACCOUNT,
        cookie: `account_id=${LARGE_ACCOUNT}`,
      };
      assert.equal((await service.ask(STRANGER, virtual_numbers.path, headers)).body, body);
      for (const name of ['account_id', 'account', 'accounts', 'account_ids', 'customer_id']) {
        assert.equal(
          (await service.ask(STRANGER, `${virtual_numbers.path}?${name}=${LARGE_ACCOUNT}`)).status,
          400,
        );
      }
    });

    test("another account's ETag never means that nothing changed", async () => {
      const etags = new Set<string>();
      for (const account_id of ACCOUNTS) {
        const { headers } = await service.ask(account_id, virtual_numbers.path);
        etags.add(String(headers['etag']));
      }
      assert.equal(etags.size, ACCOUNTS.length);
      const { headers } = await service.ask(LARGE_ACCOUNT, virtual_numbers.path);
      const sent = { 'if-none-match': String(headers['etag']) };
      assert.equal((await service.ask(LARGE_ACCOUNT, virtual_numbers.path, sent)).status, 304);
      assert.equal((await service.ask(STRANGER, virtual_numbers.path, sent)).status, 200);
    });

    describe('a cursor continues a walk and does nothing else', () => {
      const query = 'page_size=3&sort_by=monthly&is_spammed=false';
      let next: string;
      before(async () => {
        next = String(
          (await service.ask(LARGE_ACCOUNT, `${virtual_numbers.path}?${query}`)).links.get('next'),
        );
      });

      async function mustBeRefused(account_id: string, url: string): Promise<void> {
        const { status, body } = await service.ask(account_id, url);
        assert.equal(status, 400, url);
        const { type, detail, ...rest } = JSON.parse(body);
        assert.equal(type, 'urn:linecard:problem:invalid-cursor', url);
        assert.equal('errors' in rest, false);
        assert.match(detail, /first page/);
      }

      test('it continues the walk, again and again', async () => {
        const [once, again] = [
          await service.ask(LARGE_ACCOUNT, next),
          await service.ask(LARGE_ACCOUNT, next),
        ];
        assert.equal(once.status, 200);
        assert.equal(once.body, again.body);
      });

      test('another account cannot use it', async () => mustBeRefused(STRANGER, next));

      const others = {
        'under other filters': (url: string) => url.replace('is_spammed=false', 'is_spammed=true'),
        'with a filter more': (url: string) => `${url}&statuses=active`,
        'without its filter': (url: string) => url.replace('is_spammed=false', ''),
        'with a search': (url: string) => `${url}&q=a`,
        'under another order': (url: string) => `${url}&sort_order=desc`,
        'by another key': (url: string) => url.replace('sort_by=monthly', 'sort_by=activation'),
      };
      for (const [how, change] of Object.entries(others)) {
        test(`${how} it is refused`, async () => mustBeRefused(LARGE_ACCOUNT, change(next)));
      }

      test('on the other list it is refused', async () => {
        const { links } = await service.ask(LARGE_ACCOUNT, `${virtual_numbers.path}?page_size=3`);
        const url = String(links.get('next')).replace(virtual_numbers.path, additional_services.path);
        await mustBeRefused(LARGE_ACCOUNT, url);
      });

      test('altered in any character it is refused', async () => {
        const cursor = /cursor=([^&]*)/.exec(next)?.[1] ?? '';
        assert.ok(cursor.length > 20);
        for (let i = 0; i < cursor.length; i++) {
          for (const character of ['A', 'B', '_', '9']) {
            if (cursor[i] === character) continue;
            const altered = cursor.slice(0, i) + character + cursor.slice(i + 1);
            await mustBeRefused(LARGE_ACCOUNT, next.replace(cursor, altered));
          }
        }
        for (const altered of [
          cursor.slice(1),
          cursor.slice(0, -1),
          `${cursor}A`,
          `${cursor}%3D`,
          cursor + cursor,
          'x',
          '-',
          '0',
        ]) {
          await mustBeRefused(LARGE_ACCOUNT, next.replace(cursor, altered));
        }
      });

      test('made by hand it is refused', async () => {
        for (const made of [
          '{"id":1}',
          '[2,1,1]',
          '1',
          'null',
          '\0'.repeat(64),
          `${'\0'.repeat(16)}[1,1,1]`,
        ]) {
          const cursor = Buffer.from(made).toString('base64url');
          await mustBeRefused(LARGE_ACCOUNT, `${virtual_numbers.path}?cursor=${cursor}`);
        }
      });

      test('it does not reveal its account', () => {
        const cursor = /cursor=([^&]*)/.exec(next)?.[1] ?? '';
        assert.equal(Buffer.from(cursor, 'base64url').includes(LARGE_ACCOUNT), false);
      });
    });
  });
}
