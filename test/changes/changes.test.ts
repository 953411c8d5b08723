// What has changed in a list, as a customer's program asks for it: tokens and what is wrong with them, links,
// waiting, what is not told because it never was listed, and what cannot be told any more.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { additional_services as services } from '@linecard/client/contract/additional-services';
import { changesPath } from '@linecard/client/contract/addresses';
import { timestampOf } from '@linecard/client/contract/timestamp';
import { virtual_numbers as numbers } from '@linecard/client/contract/virtual-numbers';
import { deleteAccount, updateAccount } from '../../server/store/access/accounts.ts';
import { LOG_TABLES, rebuildStatements } from '../../server/store/log/change-log.ts';
import type { CommitOptions } from '../../server/store/store.ts';
import { storedRow, tables } from '../../server/store/tables.ts';
import { openService, type Service, type ServiceAnswer, stores } from '../kit/service.ts';

const PATH = changesPath(numbers);
const ACCOUNTS = Array.from({ length: 16 }, (_, i) => `customer-${i}`);
const NDJSON = { accept: 'application/x-ndjson' };
const A_MINUTE_MS = 60_000;

interface Reported {
  readonly data: readonly { id: number; item: { id: number; comment?: string } | null }[];
  readonly since: string;
  readonly more: boolean;
  readonly total: number;
}

const reported = ({ status, body }: ServiceAnswer): Reported => {
  assert.equal(status, 200, body);
  return JSON.parse(body) as Reported;
};

const common = {
  frequency: 'monthly',
  subscription_status: 'active',
  activation: 0,
  monthly: 0,
  activated_at: null,
  next_payment_at: null,
};

function numberRow(account_id: string, id: number, comment = '') {
  return storedRow(tables.virtual_numbers, account_id, {
    ...common,
    id,
    did: `+4420${id}`,
    comment,
    country: '',
    country_code: id % 2 === 0 ? 'GB' : 'DE',
    provider: '',
    status: 'active',
    incoming: 0,
    created_at: '2026-01-02T03:04:05.678901Z',
    is_active_spam_check: false,
    is_spammed: false,
    spam_checked_at: null,
  });
}

function serviceRow(account_id: string, id: number, category: string) {
  const texts = { title: 'VPN', service_name: 'vpn', comment: '', category };
  return storedRow(tables.additional_services, account_id, { ...common, id, ...texts });
}

for (const kind of stores) {
  describe(`changes on ${kind.name}`, () => {
    const unused = [...ACCOUNTS];
    let lastId = 0;
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: ACCOUNTS });
    });
    after(() => service.close());

    /** An account of its own for each test. */
    const anAccount = () => unused.shift() ?? assert.fail('there are too few accounts');
    const newIds = (count: number) => Array.from({ length: count }, () => ++lastId);

    async function put(
      name: keyof typeof tables,
      rows: readonly (string | number | null)[][],
      options: CommitOptions = {},
    ): Promise<void> {
      await setImmediate();
      const load = await service.operator.load(tables[name]);
      await load.add(
        rows,
        rows.map((_, i) => i),
      );
      await load.commit(options);
    }
    const putNumbers = (of: string, ids: readonly number[], comment = '', options: CommitOptions = {}) =>
      put(
        'virtual_numbers',
        ids.map((id) => numberRow(of, id, comment)),
        options,
      );
    const ask = (of: string, query = '', headers: Record<string, string> = {}) =>
      service.ask(of, `${PATH}${query}`, headers);
    const now = async (of: string, filters = '') => reported(await ask(of, `?since=now${filters}`)).since;

    test('the first number of an account that had none is reported, as one by one', async () => {
      const account = anAccount();
      const since = await now(account);
      const ids = newIds(3);
      await putNumbers(account, ids);
      const { data, more, total } = reported(await ask(account, `?since=${since}`));
      assert.deepEqual(
        data.map(({ id }) => id),
        ids,
      );
      assert.deepEqual({ more, total }, { more: false, total: 3 });
    });

    test('what changes, goes and comes is reported, and nothing else', async () => {
      const account = anAccount();
      const [one = 0, two = 0, three = 0, four = 0] = newIds(4);
      await putNumbers(account, [one, two, three]);
      const since = await now(account);
      assert.deepEqual(reported(await ask(account, `?since=${since}`)).data, []);
      await put('virtual_numbers', [
        numberRow(account, one, 'new'),
        [two, account],
        numberRow(account, four),
        numberRow(account, three),
      ]);
      const { data, total } = reported(await ask(account, `?since=${since}`));
      const lines = data.map(({ id, item }) => [id, item?.comment]);
      assert.deepEqual(lines, [
        [one, 'new'],
        [two, undefined],
        [four, ''],
      ]);
      assert.equal(total, 3);
      const item = await service.ask(account, `${numbers.path}/${one}`);
      assert.equal(JSON.stringify(data[0]?.item), item.body);
    });

    test('an item that moves is gone for one account and there for the other', async () => {
      const [from, to] = [anAccount(), anAccount()];
      const [moves = 0, stays = 0, other = 0] = newIds(3);
      await putNumbers(from, [moves, stays]);
      await putNumbers(to, [other]);
      const [sinceFrom, sinceTo] = [await now(from), await now(to)];
      await putNumbers(to, [moves]);
      assert.deepEqual(reported(await ask(from, `?since=${sinceFrom}`)).data, [{ id: moves, item: null }]);
      assert.equal(reported(await ask(to, `?since=${sinceTo}`)).data[0]?.item?.id, moves);
    });

    test('what is never listed is never reported', async () => {
      const account = anAccount();
      const [core = 0, listed = 0] = newIds(2);
      const of = (query: string) => service.ask(account, `${changesPath(services)}${query}`);
      await put('additional_services', [
        serviceRow(account, listed, 'additional'),
        serviceRow(account, core, 'core'),
      ]);
      const { data, since } = reported(await of(''));
      assert.deepEqual(
        data.map(({ id }) => id),
        [listed],
      );
      await put('additional_services', [serviceRow(account, core, 'lead')]);
      await put('additional_services', [[core, account]]);
      assert.deepEqual(reported(await of(`?since=${since}`)).data, []);
      await put('additional_services', [serviceRow(account, listed, 'reputation')]);
      assert.deepEqual(reported(await of(`?since=${since}`)).data, [{ id: listed, item: null }]);
    });

    test('a stream ends with the token, also compressed, and says nothing to HEAD', async () => {
      const account = anAccount();
      await putNumbers(account, newIds(3));
      const { body, headers } = await ask(account, '', NDJSON);
      assert.equal(headers['content-type'], 'application/x-ndjson; charset=utf-8');
      const lines = body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(Object.keys(lines.pop()), ['since', 'total']);
      assert.equal(lines.length, 3);
      const packed = await ask(account, '', { ...NDJSON, 'accept-encoding': 'gzip' });
      assert.equal(gunzipSync(packed.bytes).toString(), body);
      const authorization = `Bearer ${service.tokenOf(account).token}`;
      for (const more of [{}, NDJSON]) {
        const head = await service.send('HEAD', PATH, { authorization, ...more });
        assert.deepEqual([head.status, head.body], [200, '']);
      }
    });

    test('a token that was altered or belongs to another list, account or filter is refused', async () => {
      const [account, other] = [anAccount(), anAccount()];
      await putNumbers(account, newIds(1));
      const since = await now(account);
      const cursor =
        (await service.ask(account, `${numbers.path}?page_size=1`)).links.get('next') ?? 'cursor=abc';
      for (const [of, path, query] of [
        [account, PATH, `?since=${since}A`],
        [account, PATH, `?since=${since.startsWith('A') ? 'B' : 'A'}${since.slice(1)}`],
        [account, PATH, `?since=${since}&country_codes=GB`],
        [account, PATH, `?since=${new URLSearchParams(cursor.split('?')[1]).get('cursor') ?? 'abc'}`],
        [account, changesPath(services), `?since=${since}`],
        [other, PATH, `?since=${since}`],
      ] as const) {
        const { status, body } = await service.ask(of, path + query);
        assert.equal(status, 400, query);
        assert.match(body, /invalid-cursor.*without since/);
      }
      // Which fields are shown may change from page to page, as with cursors.
      assert.equal((await ask(account, `?since=${since}&fields=id`)).status, 200);
      for (const query of ['sort_by=did', 'page=2', 'cursor=x']) {
        assert.match((await ask(account, `?${query}`)).body, /invalid-parameter/);
      }
      assert.equal((await ask(account, '', { accept: 'text/csv' })).status, 406);
    });

    test('a body of QUERY takes the same parameters', async () => {
      const account = anAccount();
      const ids = newIds(2);
      await putNumbers(account, ids);
      const authorization = `Bearer ${service.tokenOf(account).token}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await service.send(
        'QUERY',
        PATH,
        headers,
        JSON.stringify({ ids: [ids[0]], page_size: 5 }),
      );
      assert.deepEqual(
        reported(answer).data.map(({ id }) => id),
        [ids[0]],
      );
    });

    test('a rebuilt list of over 10,000, and what is more than is retained, are gone with a way out', async () => {
      const account = anAccount();
      const ids = newIds(11_000);
      await putNumbers(account, ids);
      const first = await now(account, '&country_codes=DE');
      // Less than half each time, and in the end more than the list.
      for (let i = 0; i < 5; i++) await putNumbers(account, ids.slice(0, 5_200), `${i}`);
      const [[row]] = await service.operator.read({
        text: `select entries, (select count(*) from virtual_numbers_changes where account_id = '${account}')
          from change_logs where account_id = '${account}' and list = 'virtual_numbers'`,
        values: [],
      });
      await setImmediate();
      assert.equal(Number(row?.[0]), Number(row?.[1]));
      assert.ok(Number(row?.[0]) <= 11_000, `${row?.[0]} entries`);
      const old = await ask(account, `?since=${first}&country_codes=DE`);
      assert.equal(old.status, 410);
      assert.match(old.body, /changes-gone.*older than the changes that are retained/);
      assert.equal(old.links.get('collection'), `${numbers.path}?country_codes=DE`);
      const since = await now(account);
      await putNumbers(account, ids.slice(0, 5_600), 'rebuilt');
      for (const headers of [{}, NDJSON]) {
        const { status, body } = await ask(account, `?since=${since}`, headers);
        assert.equal(status, 410);
        assert.match(body, /rebuilt at once/);
      }
      assert.equal(reported(await ask(account, `?since=${await now(account)}`)).total, 11_000);
    });

    test('what is older than is retained is gone, but for the newest', async () => {
      const account = anAccount();
      const ids = newIds(2);
      await putNumbers(account, ids);
      const old = await now(account);
      await putNumbers(account, ids, 'one');
      const late = await now(account);
      await putNumbers(account, ids, 'two', { retentionMs: -A_MINUTE_MS });
      assert.equal((await ask(account, `?since=${old}`)).status, 410);
      assert.equal(reported(await ask(account, `?since=${late}`)).data.length, 2);
    });

    test('a migration that rewrites a list ends its tokens, and those of no other list', async () => {
      const account = anAccount();
      await putNumbers(account, newIds(1));
      const since = await now(account);
      const other = reported(await service.ask(account, `${changesPath(services)}?since=now`)).since;
      await setImmediate();
      const { operator } = service;
      await operator.write(
        ...rebuildStatements(operator.dialect, 'virtual_numbers', timestampOf(), [account]),
      );
      assert.match((await ask(account, `?since=${since}`)).body, /rebuilt at once/);
      assert.deepEqual(
        reported(await service.ask(account, `${changesPath(services)}?since=${other}`)).data,
        [],
      );
    });

    test('is waited for: until there is something, not for what concerns another list', async () => {
      const account = anAccount();
      const [id = 0] = newIds(1);
      await putNumbers(account, [id]);
      const since = await now(account);
      const waiting = ask(account, `?since=${since}`, { prefer: 'wait=30' });
      await sleep(300);
      await updateAccount(service.operator, account, { name: 'Renamed' });
      await sleep(700);
      await putNumbers(account, [id], 'at last');
      const answer = await waiting;
      assert.equal(answer.headers['preference-applied'], 'wait=30');
      assert.equal(reported(answer).data[0]?.item?.comment, 'at last');
      const nothing = await ask(account, `?since=${reported(answer).since}`, { prefer: 'wait=1', ...NDJSON });
      assert.equal(nothing.body.split('\n').length, 2);
      const etag = answer.headers['etag'] ?? '';
      const same = await ask(account, `?since=${since}`, { prefer: 'wait=1', 'if-none-match': etag });
      assert.equal(same.status, 304);
    });

    test('goes with its account, log and all', async () => {
      const account = anAccount();
      await putNumbers(account, newIds(1));
      await putNumbers(account, [lastId], 'changed');
      await setImmediate();
      await deleteAccount(service.operator, account);
      const rows = await service.operator.read(
        ...LOG_TABLES.map((name) => ({
          text: `select 1 from ${name} where account_id = '${account}'`,
          values: [],
        })),
      );
      await setImmediate();
      assert.deepEqual(rows.flat(), []);
    });
  });
}
