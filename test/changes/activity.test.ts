// What happened to the items of an account, on every store: what an entry says, pages, limits of tokens, and
// what is left after a list was replaced, the log was pruned or the database was copied or upgraded. That the
// events are right is in events.test.ts.

import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Client } from '@linecard/client';
import { importBody } from '../../server/import/import.ts';
import type { TokenLimits } from '../../server/store/access/token-scopes.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { copyStore } from '../../server/store/copy.ts';
import { openStore } from '../../server/store/open.ts';
import { tables } from '../../server/store/tables.ts';
import { type Activity, ActivityWorld, EVENT_NAMES } from '../kit/activity-model.ts';
import type { ModelRow } from '../kit/model.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import {
  databaseOf,
  load,
  type Method,
  openService,
  type Service,
  type ServiceAnswer,
  stores,
} from '../kit/service.ts';

const PATH = '/api/v1/activity';
/** An import that changes more than half of a list which is longer than this rebuilds it. */
const LARGE = 10_001;
const ACCOUNTS = ['C1', 'C2', 'other'];

const rows = (account_id: string, ids: readonly number[], more: Partial<ModelRow> = {}) =>
  ids.map((id) => numberRow(account_id, id, more));
const service_ = (account_id: string, id: number, more: Partial<ModelRow> = {}): ModelRow => ({
  account_id,
  id,
  title: 'VPN access',
  frequency: 'monthly',
  subscription_status: 'active',
  ...more,
});

function activityOf({ status, body }: ServiceAnswer): Activity {
  assert.equal(status, 200, body);
  return JSON.parse(body) as Activity;
}

/** Each entry without its time and ids. */
const brief = ({ data }: Activity) => data.map(({ list, event, count }) => `${list} ${event} ${count}`);

const withoutLabels = ({ data }: Pick<Activity, 'data'>) =>
  data.map((entry) => ({ ...entry, items: entry.items.map(({ id, from, to }) => ({ id, from, to })) }));

for (const kind of stores) {
  describe(`activity on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: ACCOUNTS, indexBytes: 0 });
    });
    after(async () => service.close());

    const ask = async (account_id: string, search = '') =>
      activityOf(await service.ask(account_id, PATH + search));

    async function faultsOf(account_id: string, search: string): Promise<string[]> {
      const { status, body } = await service.ask(account_id, PATH + search);
      assert.equal(status, 400, body);
      const { detail, errors = [] } = JSON.parse(body) as { detail: string; errors?: { detail: string }[] };
      return errors.length === 0 ? [detail] : errors.map((one) => one.detail);
    }

    async function removeAll(list: 'virtual_numbers' | 'additional_services', account_id: string) {
      await load(service.operator, list, [], [account_id]);
    }

    test('an entry says when, in which list, what, how many, and which', async () => {
      await load(service.operator, 'virtual_numbers', rows('C1', [1, 2, 3]));
      await load(service.operator, 'virtual_numbers', [
        ...rows('C1', [2], { is_spammed: true, status: 'blocked', monthly: 3 }),
        ...rows('C1', [7], { is_spammed: true }),
      ]);
      const { body } = await service.ask('C1', PATH);
      const { data } = JSON.parse(body) as Activity;
      const [at, filledAt] = [data[0]?.at, data.at(-1)?.at];
      const entry = (event: string, ids: number[], ofTwo = '') => {
        const items = ids.map((id) => `{"id":${id},"label":"+44207000000${id}"${id === 2 ? ofTwo : ''}}`);
        return `{"at":"${at}","list":"virtual_numbers","event":"${event}","count":${ids.length},"ids":[${ids}],"items":[${items}]}`;
      };
      const entries = [
        entry('added', [7]),
        entry('spam_flagged', [2, 7], ',"from":{"is_spammed":false},"to":{"is_spammed":true}'),
        entry('status_changed', [2], ',"from":{"status":"active"},"to":{"status":"blocked"}'),
        entry('charges_changed', [2], ',"from":{"monthly":0},"to":{"monthly":3}'),
        `{"at":"${filledAt}","list":"virtual_numbers","event":"replaced","count":4,"ids":[],"items":[]}`,
      ];
      const [[account]] = await service.operator.read({
        text: `select created_at from accounts where id = 'C1'`,
        values: [],
      });
      await setImmediate();
      assert.equal(body, `{"data":[${entries.join(',')}],"since":"${account?.[0]}"}`);
      assert.deepEqual(brief(await ask('C1', '?events=changed')), ['virtual_numbers changed 1']);
    });

    test('an account sees nothing of another, not even of an item that moves there', async () => {
      await load(service.operator, 'virtual_numbers', rows('C2', [100]));
      await load(service.operator, 'virtual_numbers', rows('C2', [1], { is_spammed: true }));
      assert.deepEqual(brief(await ask('C2')).slice(0, 2), [
        'virtual_numbers added 1',
        'virtual_numbers spam_flagged 1',
      ]);
      const [entry] = (await ask('C1')).data;
      assert.deepEqual([entry?.event, entry?.count, entry?.ids], ['removed', 1, [1]]);
      assert.deepEqual((await ask('other')).data, []);
    });

    test('an item that is hidden by its category is removed, and added when it is shown', async () => {
      const store = service.operator;
      await load(store, 'additional_services', [service_('C1', 1), service_('C1', 2)]);
      await load(store, 'additional_services', [service_('C1', 2, { category: 'core' })]);
      await load(store, 'additional_services', [service_('C1', 2, { category: 'additional' })]);
      const found = await ask('C1', '?lists=additional_services');
      assert.deepEqual(brief(found), [
        'additional_services added 1',
        'additional_services removed 1',
        'additional_services replaced 2',
      ]);
    });

    test('the log knows what an item that was removed was called', async () => {
      const [labels] = await service.operator.read({
        text: `select id, label from additional_services_changes where label is not null
          union all select id, label from virtual_numbers_changes where label is not null`,
        values: [],
      });
      await setImmediate();
      assert.deepEqual(
        labels.map(([id, label]) => [Number(id), label] as const).toSorted(([a], [b]) => a - b),
        [
          [1, '+442070000001'],
          [2, 'VPN access'],
        ],
      );
    });

    test('an entry names twenty items; with ids it names all of these, and of no others', async () => {
      const many = Array.from({ length: 60 }, (_, i) => 1_000 + i);
      await load(service.operator, 'virtual_numbers', rows('C1', many, { comment: 'new' }));
      const [entry] = (await ask('C1', '?events=added&lists=virtual_numbers')).data;
      assert.deepEqual([entry?.count, entry?.ids], [60, many.slice(0, 20)]);
      const some = many.slice(10, 45);
      const search = `?lists=virtual_numbers&events=added&ids=${[...some, 5_000].toReversed().join()}`;
      const [ofThese] = (await ask('C1', search)).data;
      assert.deepEqual([ofThese?.count, ofThese?.ids], [35, some]);
    });

    test('from and to choose imports by their time, a day as all of it', async () => {
      const all = (await ask('C1', '?page_size=100')).data;
      const at = all.at(-1)?.at ?? '';
      const search = (from: string, to: string) => `?page_size=100&from=${from}&to=${to}`;
      assert.deepEqual(
        (await ask('C1', search(at, at))).data,
        all.filter((entry) => entry.at === at),
      );
      const days = all.map((entry) => entry.at.slice(0, 'YYYY-MM-DD'.length)).toSorted();
      assert.deepEqual((await ask('C1', search(days[0] ?? '', days.at(-1) ?? ''))).data, all);
      assert.deepEqual((await ask('C1', '?to=2026-01-01')).data, []);
    });

    test('what cannot be is refused, with what to do', async () => {
      assert.match(String(await faultsOf('C1', '?events=spam_flaged')), /did you mean `spam_flagged`/);
      assert.match(String(await faultsOf('C1', '?lists=numbers')), /must be virtual_numbers or/);
      assert.match(String(await faultsOf('C1', '?ids=1')), /lists=virtual_numbers/);
      assert.match(
        String(await faultsOf('C1', '?ids=1&lists=virtual_numbers,additional_services')),
        /one list/,
      );
      const ids = Array.from({ length: 101 }, (_, i) => i + 1).join();
      assert.match(
        String(await faultsOf('C1', `?lists=virtual_numbers&ids=${ids}`)),
        /ids takes at most 100 values, but got 101/,
      );
      const outOfPlace = ['q=a', 'sort_by=at', 'sort_order=desc', 'page=2', 'fields=at'];
      assert.equal((await faultsOf('C1', `?${outOfPlace.join('&')}`)).length, outOfPlace.length);
      assert.match(String(await faultsOf('C1', '?since=yesterday')), /is not a parameter of activity/);
    });

    test('a cursor is good for its account and parameters alone', async () => {
      const { links } = await service.ask('C1', `${PATH}?page_size=1`);
      const next = links.get('next') ?? assert.fail();
      assert.equal((await service.ask('C1', next)).status, 200);
      assert.equal((await service.ask('C1', next.replace('page_size=1', 'page_size=2'))).status, 200);
      for (const [account_id, url] of [
        ['C2', next],
        ['C1', `${next}&events=added`],
        ['C1', next.replace('cursor=', 'cursor=x')],
      ] as const)
        assert.match((await service.ask(account_id, url)).body, /invalid-cursor/);
    });

    test('If-None-Match, HEAD and waiting work as everywhere', async () => {
      const first = await service.ask('C1', PATH);
      const etag = first.headers['etag'] ?? assert.fail();
      assert.equal((await service.ask('C1', PATH, { 'if-none-match': etag })).status, 304);
      const authorization = service.tokenOf('C1').token;
      const head = await service.send('HEAD', PATH, { authorization });
      assert.deepEqual([head.status, head.body, head.headers['etag']], [200, '', etag]);
      const wait = { 'if-none-match': etag, prefer: 'wait=55' };
      const waiting = service.ask('C1', PATH, wait);
      await load(service.operator, 'virtual_numbers', rows('C1', [2], { is_spammed: false }));
      assert.equal(activityOf(await waiting).data[0]?.event, 'spam_cleared');
    });

    test('the client walks over all of it, page by page', async () => {
      const url = `http://127.0.0.1:${await service.listen()}`;
      const client = new Client({ url, token: service.tokenOf('C1').token });
      const { data, since } = await ask('C1', '?page_size=100');
      const first = await client.activity({ page_size: 2 });
      assert.deepEqual([first.data, first.since], [data.slice(0, 2), since]);
      assert.ok(first.hasNextPage());
      assert.deepEqual((await first.nextPage())?.data, data.slice(2, 4));
      assert.deepEqual(await Array.fromAsync(client.activity({ page_size: 3 })), data);
      const spam = data.filter(({ event }) => event.startsWith('spam'));
      assert.deepEqual(
        await Array.fromAsync(client.activity({ events: ['spam_flagged', 'spam_cleared'] })),
        spam,
      );
      const whole = await client.activity();
      assert.deepEqual([whole.data, whole.hasNextPage(), await whole.nextPage()], [data, false, undefined]);
    });

    describe('with a token that has limits', () => {
      async function callerWith(limits: Partial<TokenLimits>) {
        const made = await createToken(service.operator, 'C1', 'limited', undefined, limits);
        const authorization = made?.token ?? assert.fail();
        return (search: string, headers = {}, method: Method = 'GET') =>
          service.send(method, PATH + search, { authorization, ...headers });
      }

      test('another list is left out, and forbidden where it is named', async () => {
        const get = await callerWith({ lists: ['additional_services'] });
        const all = await get('?page_size=100');
        const found = activityOf(all).data;
        assert.deepEqual(new Set(found.map(({ list }) => list)), new Set(['additional_services']));
        const full = await service.ask('C1', `${PATH}?page_size=100`);
        assert.notEqual(all.headers['etag'], full.headers['etag']);
        const refused = await get('?lists=virtual_numbers', { 'if-none-match': '*' });
        assert.equal(refused.status, 403);
        assert.match(refused.body, /"parameter":"lists"/);
        // Its ids can be of one list only.
        assert.deepEqual(brief(activityOf(await get('?ids=2&events=added'))), [
          'additional_services added 1',
        ]);
      });

      test('without charges nothing says that they changed', async () => {
        const get = await callerWith({ charges: false });
        const reported = (answer: ServiceAnswer) => activityOf(answer).data.map(({ event }) => event);
        const all = reported(await service.ask('C1', `${PATH}?page_size=100`));
        assert.ok(all.includes('charges_changed'));
        assert.deepEqual(
          reported(await get('?page_size=100')),
          all.filter((event) => event !== 'charges_changed'),
        );
        const refused = await get('?events=added,charges_changed');
        assert.equal(refused.status, 403);
        assert.match(refused.body, /"parameter":"events"/);
      });
    });

    test('a copy of the database tells the same', async () => {
      const copy = await databaseOf(kind);
      const target = await openStore(copy.url, 'write');
      await copyStore(service.operator, target, () => {});
      await target.close();
      const other = await openService({ ...kind, makeWithSchema: async () => copy }, { accounts: ACCOUNTS });
      try {
        const search = `${PATH}?page_size=100&events=${EVENT_NAMES.join()}`;
        for (const account_id of ACCOUNTS) {
          const { body } = await service.ask(account_id, search);
          assert.equal((await other.ask(account_id, search)).body, body);
        }
      } finally {
        await other.close();
      }
    });

    test('what is older than the retention is forgotten, and since says so', async () => {
      const before = await ask('C2', '?page_size=100');
      await setImmediate();
      await importBody(
        { store: service.operator, table: tables.virtual_numbers, format: 'ndjson', changes_kept: -1_000 },
        { bytes: Buffer.from(ndjson(rows('C2', [100], { comment: 'last' }))), isCompressed: false },
      );
      const { data, since } = await ask('C2', '?events=added,removed,changed,replaced');
      assert.deepEqual(
        data.map(({ event, ids }) => [event, ids]),
        [['changed', [100]]],
      );
      assert.ok(before.data.length > 1 && since > before.since);
      assert.equal(since, data[0]?.at);
    });

    test('a list that is filled again is reported once, since what came before is not known', async () => {
      await removeAll('virtual_numbers', 'C2');
      await load(service.operator, 'virtual_numbers', rows('C2', [200]));
      const { data, since } = await ask('C2');
      assert.deepEqual(
        data.map(({ event }) => event).filter((event) => event === 'replaced'),
        ['replaced'],
      );
      assert.ok(since <= (data[0]?.at ?? ''));
      // Who does not ask for that does not know what the list was filled with.
      const flagged = await ask('C2', '?events=spam_flagged');
      assert.ok(flagged.since >= (data[0]?.at ?? ''));
    });

    test('a large list of which most changes is replaced, and everything before is forgotten', async () => {
      const ids = Array.from({ length: LARGE }, (_, i) => 10_000 + i);
      await load(service.operator, 'virtual_numbers', rows('other', ids));
      await load(service.operator, 'virtual_numbers', rows('other', [10_000], { comment: 'one' }));
      await load(service.operator, 'virtual_numbers', rows('other', ids, { comment: 'all' }));
      const { data, since } = await ask('other', '?events=replaced,changed');
      assert.deepEqual(
        data.map(({ event, count, ids: named }) => [event, count, named]),
        [['replaced', LARGE, []]],
      );
      assert.equal(since, data[0]?.at);
    });
  });

  test(`pages stay right while imports go on, on ${kind.name}`, async () => {
    const world = await ActivityWorld.open(kind, Math.floor(Math.random() * 2 ** 20));
    try {
      for (let i = 0; i < 12; i++) await world.import();
      const request = { events: EVENT_NAMES.filter((name) => name !== 'replaced') };
      const before = world.expected('C1', request);
      const { data, pages } = await world.walk('C1', request, 2, () => world.import());
      // Items are called what they are called when a page is read.
      assert.deepEqual(withoutLabels({ data }), withoutLabels({ data: before }));
      assert.equal(pages, Math.max(1, Math.ceil(before.length / 2)));
    } finally {
      await world.service.close();
    }
  });
}
