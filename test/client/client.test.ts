// What a customer's program gets from the client, on a real service: pages, walks, facets, exports, errors.

import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { Cache, Client, type ClientOptions, type Page, Problem, type VirtualNumber } from '@linecard/client';
import { listen } from '../kit/free-port.ts';
import { hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { additional_services, Model, type ModelRow, virtual_numbers } from '../kit/model.ts';
import { numberRow } from '../kit/rows.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';

const FLEET = 'fleet';
const FLEET_SIZE = 3_210;

/** A plain number, one of many. */
function numberOf(id: number, account_id: string): ModelRow {
  return numberRow(account_id, id, {
    comment: `Line ${id}`,
    country_code: id % 3 === 0 ? 'GB' : 'DE',
    provider: id % 2 === 0 ? 'Zed, Inc' : 'Thameswire',
    monthly: String(id % 7),
    is_spammed: id % 10 === 0,
  });
}

const fleet = Array.from({ length: FLEET_SIZE }, (_, i) => numberOf(100_000 + 2 * i, FLEET));
const model = new Model(hardRows);

async function idsOf(items: AsyncIterable<{ id: number }>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of items) ids.push(id);
  return ids;
}

/** `fetch` that notes what was requested and what came. */
function noting() {
  const notes: { method: string; url: string; status: number }[] = [];
  const noted: NonNullable<ClientOptions['fetch']> = async (url, init) => {
    const response = await fetch(url, init);
    notes.push({ method: String(init.method), url, status: response.status });
    return response;
  };
  return { notes, fetch: noted };
}

/** Never called: what must compile, and what must not. */
function compiles({ virtualNumbers, additionalServices }: Client, number: VirtualNumber) {
  const open: VirtualNumber['status'] = 'a status of tomorrow';
  return [
    open,
    virtualNumbers.list({ statuses: ['active', open], ids: [1], is_spammed: true, page: 2 }),
    virtualNumbers.iterate({ sort_by: 'spam_checked_at', providers: undefined }),
    // @ts-expect-error: a service has no country
    additionalServices.list({ country_codes: ['DE'] }),
    // @ts-expect-error: that is no sort key of services
    additionalServices.export({ sort_by: 'did' }),
    // @ts-expect-error: a walk has no pages to choose from
    virtualNumbers.iterate({ page: 2 }),
    // @ts-expect-error: facets have no order
    virtualNumbers.facets({ sort_by: 'did' }),
    // @ts-expect-error: a timestamp is a text
    virtualNumbers.list({ next_payment_before: new Date() }),
    // @ts-expect-error: a flag is true or false
    virtualNumbers.list({ is_spammed: 'true' }),
    virtualNumbers.get(1, {}, { signal: AbortSignal.timeout(1) }).then(({ monthly }) => monthly),
    // @ts-expect-error: the parameter is called `fields`
    virtualNumbers.get(1, { field: ['did'] }),
    // @ts-expect-error: a number has no title
    virtualNumbers.get(1, { fields: ['title'] }),
    // @ts-expect-error: a signal is an option, and stands behind the parameters
    virtualNumbers.get(1, { signal: AbortSignal.timeout(1) }),
    // @ts-expect-error: it may be null
    number.next_payment_at.length,
    // @ts-expect-error: services have no incoming charge
    additionalServices.facets().then(({ sums }) => sums.incoming),
    virtualNumbers.facets().then(({ facets, due }) => {
      const flags: readonly { value: boolean }[] = facets.is_spammed.values;
      // @ts-expect-error: ids are not counted
      return [flags, due[30].monthly, facets.ids];
    }),
  ];
}

test('what a program may send is typed from the contract', () => assert.equal(typeof compiles, 'function'));

describe('the client', () => {
  const [kind] = stores as [(typeof stores)[number]];
  let service: Service;
  let url: string;
  const clientOf = (account_id: string, options: Partial<ClientOptions> = {}) =>
    new Client({ url, token: service.tokenOf(account_id).token, ...options });
  const expected = (list: typeof virtual_numbers, selection: string) => {
    const whole = model.expect(list, LARGE_ACCOUNT, `${selection}&page_size=1000`);
    assert.ok(whole.status === 200);
    return whole;
  };

  before(async () => {
    service = await openService(kind, {
      rows: {
        virtual_numbers: [...hardRows.virtual_numbers, ...fleet],
        additional_services: hardRows.additional_services,
      },
    });
    url = `http://127.0.0.1:${await service.listen()}`;
  });
  after(() => service.close());

  test('a page is awaited, and is what the service answered', async () => {
    const page = await clientOf(LARGE_ACCOUNT).virtualNumbers.list({ sort_by: 'comment', page: 2 });
    const answer = await service.ask(LARGE_ACCOUNT, '/api/v1/did/me?sort_by=comment&page=2');
    assert.equal(JSON.stringify(page), answer.body);
    assert.ok(page.hasNextPage());
  });

  test('each page leads to the next one until there is none', async () => {
    const { additionalServices } = clientOf(LARGE_ACCOUNT);
    const { ids, total } = expected(additional_services, 'sort_by=title&sort_order=desc');
    let page: Page<{ id: number }> | undefined = await additionalServices.list({
      sort_by: 'title',
      sort_order: 'desc',
      page_size: 7,
    });
    const seen: number[] = [];
    for (let number = 1; page !== undefined; number++) {
      assert.equal(page.page, number);
      assert.equal(page.total, total);
      seen.push(...page.data.map(({ id }) => id));
      const more = page.hasNextPage();
      page = await page.nextPage();
      assert.equal(page !== undefined, more);
    }
    assert.deepEqual(seen, ids);
  });

  test('`for await` walks on from a page, from a page to come, and over everything', async () => {
    const { virtualNumbers } = clientOf(LARGE_ACCOUNT);
    const { ids } = expected(virtual_numbers, 'sort_by=provider');
    assert.deepEqual(await idsOf(virtualNumbers.list({ sort_by: 'provider', page_size: 9 })), ids);
    const third = await virtualNumbers.list({ sort_by: 'provider', page_size: 9, page: 3 });
    assert.deepEqual(await idsOf(third), ids.slice(18));
    assert.deepEqual(await idsOf(virtualNumbers.iterate({ sort_by: 'provider' })), ids);
    assert.deepEqual(await idsOf(virtualNumbers.list({ page: 1_000 })), []);
  });

  test('a walk reads pages as large as the deployment takes', async () => {
    const small = await openService(kind, { rows: { virtual_numbers: fleet }, maxPageSize: 300 });
    try {
      const { notes, fetch } = noting();
      const options = { url: `http://127.0.0.1:${await small.listen()}`, fetch };
      const { virtualNumbers } = new Client({ token: small.tokenOf(FLEET).token, ...options });
      for (let walk = 0; walk < 2 * kind.share; walk++) {
        assert.equal((await idsOf(virtualNumbers.iterate())).length, FLEET_SIZE);
      }
      assert.equal(notes.filter(({ status }) => status === 400).length, 2);
      assert.equal(notes.filter(({ status }) => status === 200).length, 2 * Math.ceil(FLEET_SIZE / 250));
      await assert.rejects(idsOf(virtualNumbers.iterate({ page_size: 500 })), {
        code: 'invalid-parameter',
      });
    } finally {
      await small.close();
    }
  });

  test('filters stay on in a walk, commas in their values included', async () => {
    const { virtualNumbers } = clientOf(FLEET);
    const wanted = fleet.filter((row) => row['provider'] === 'Zed, Inc' && row['country_code'] === 'GB');
    const seen = virtualNumbers.list({ providers: ['Zed, Inc'], country_codes: ['GB'], page_size: 50 });
    assert.deepEqual(
      await idsOf(seen),
      wanted.map(({ id }) => id),
    );
  });

  test('filters too long for a URL go by QUERY: pages, walks, exports and facets', async () => {
    const { notes, fetch } = noting();
    const { virtualNumbers } = clientOf(FLEET, { fetch });
    const ids = fleet.filter((_, i) => i % 2 === 0).map(({ id }) => id);
    assert.ok(ids.length > 1_000);
    const page = await virtualNumbers.list({ ids, page: 2, page_size: 100 });
    assert.deepEqual(
      page.data.map(({ id }) => id),
      ids.slice(100, 200),
    );
    assert.deepEqual(await idsOf(page), ids.slice(100));
    assert.deepEqual(await idsOf(virtualNumbers.iterate({ ids, page_size: 400 })), ids);
    assert.deepEqual(await idsOf(await virtualNumbers.export({ ids })), ids);
    assert.ok(notes.every(({ method, url }) => method === 'QUERY' && !url.includes('?')));
    assert.equal((await virtualNumbers.facets({ ids })).total, ids.length);
    assert.equal(notes.at(-1)?.method, 'QUERY');
  });

  test('facets are those of the service', async () => {
    const facets = await clientOf(FLEET).virtualNumbers.facets({ country_codes: ['GB'] });
    const answer = await service.ask(FLEET, '/api/v1/did/me/facets?country_codes=GB');
    assert.deepEqual(facets, JSON.parse(answer.body));
    assert.equal(facets.facets.is_spammed.values[0]?.value, false);
    assert.equal(facets.due[30].count, 0);
    assert.ok(facets.sums.monthly > 0);
  });

  test('an export is every match, by rows or as a file', async () => {
    const { virtualNumbers, additionalServices } = clientOf(LARGE_ACCOUNT);
    const { ids, total } = expected(virtual_numbers, 'sort_by=did');
    const rows = await virtualNumbers.export({ sort_by: 'did' });
    assert.equal(rows.total, total);
    assert.deepEqual(await idsOf(rows), ids);
    for (const format of ['csv', 'ndjson'] as const) {
      const file = await additionalServices.export({ q: 'a' }, { format });
      const text = await new Response(file.bytes()).text();
      const accept = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
      assert.equal(
        text,
        (await service.ask(LARGE_ACCOUNT, '/api/v1/services/additional?q=a', { accept })).body,
      );
    }
    const none = await virtualNumbers.export({ q: 'nobody has this' });
    assert.equal(none.total, 0);
    assert.deepEqual(await idsOf(none), []);
  });

  test('an export is read once, by rows only where it has rows, and can be left early', async () => {
    const { virtualNumbers } = clientOf(FLEET);
    const rows = await virtualNumbers.export();
    for await (const { id } of rows) if (id > 100_010) break;
    await assert.rejects(idsOf(rows), { code: 'invalid-option' });
    await assert.rejects(idsOf(await virtualNumbers.export({}, { format: 'csv' })), {
      code: 'invalid-option',
    });
    const unread = await virtualNumbers.export();
    unread.cancel();
    await assert.rejects(idsOf(unread), { code: 'broken-off' });
    await assert.rejects(virtualNumbers.export({}, { format: 'xml' as 'csv' }), { code: 'invalid-option' });
  });

  test('all faults of a request come as one problem, with the id of the request', async () => {
    const given = { country_codes: ['gb'], page_size: 0, sort_by: 'spam' as 'is_spam' };
    await assert.rejects(clientOf(FLEET).virtualNumbers.list(given), (error) => {
      assert.ok(error instanceof Problem);
      assert.equal(error.code, 'invalid-parameter');
      assert.equal(error.status, 400);
      assert.deepEqual(error.faults?.map(({ parameter }) => parameter).toSorted(), [
        'country_codes',
        'page_size',
        'sort_by',
      ]);
      assert.match(error.message, /3 faults/);
      assert.match(String(error.request_id), /^[\w-]{36}$/);
      return true;
    });
  });

  test('a token that is not valid is reported at once, and never shown', async () => {
    const token = `lc_${'x'.repeat(42)}`;
    const client = new Client({ url, token, retries: 9 });
    await assert.rejects(client.virtualNumbers.list(), (error) => {
      assert.ok(error instanceof Problem);
      assert.equal(error.code, 'unauthenticated');
      assert.equal(error.status, 401);
      assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(token));
      return true;
    });
    assert.ok(!inspect(client, { depth: 9, showHidden: true }).includes(token));
    assert.ok(!JSON.stringify(client).includes(token));
  });

  test('too many requests wait as long as the service says, or fail with how long that is', async () => {
    const strict = await openService(kind, { rows: { virtual_numbers: fleet }, rateLimit: 2 });
    try {
      const strictUrl = `http://127.0.0.1:${await strict.listen()}`;
      const { token } = strict.tokenOf(FLEET);
      const { virtualNumbers } = new Client({ url: strictUrl, token, max_wait_ms: 1_000 });
      await virtualNumbers.list();
      await virtualNumbers.list();
      await assert.rejects(virtualNumbers.list(), (error) => {
        assert.ok(error instanceof Problem);
        assert.equal(error.code, 'rate-limited');
        assert.ok(Number(error.retry_after) > 1);
        assert.match(error.message, /max_wait_ms/);
        return true;
      });
      const patient = new Client({ url: strictUrl, token });
      const aborted = new AbortController();
      const waiting = patient.virtualNumbers.list({}, { signal: aborted.signal });
      setTimeout(() => aborted.abort('enough'), 50);
      await assert.rejects(waiting, { code: 'aborted', cause: 'enough' });
    } finally {
      await strict.close();
    }
  });

  test('with a cache, a list that did not change is not sent again', async () => {
    const { notes, fetch } = noting();
    const cache = new Cache();
    const { virtualNumbers } = clientOf(FLEET, { fetch, cache });
    const first = await idsOf(virtualNumbers.iterate());
    const pages = notes.length;
    assert.deepEqual(await idsOf(virtualNumbers.iterate()), first);
    assert.deepEqual(
      notes.slice(pages).map(({ status }) => status),
      Array.from({ length: pages }, () => 304),
    );
    const other = clientOf(LARGE_ACCOUNT, { fetch, cache }).virtualNumbers;
    assert.deepEqual(await idsOf(other.iterate()), expected(virtual_numbers, '').ids);
    const page = await virtualNumbers.list();
    page.data.length = 0;
    assert.equal((await virtualNumbers.list()).data.length, 10);
    assert.equal(notes.at(-1)?.status, 304);

    await load(service.operator, 'virtual_numbers', [{ ...numberOf(100_000, FLEET), comment: 'Changed' }]);
    const changed = await virtualNumbers.list({ q: 'Changed' });
    assert.deepEqual(
      (await virtualNumbers.list()).data.map(({ comment }) => comment),
      ['Changed', ...fleet.slice(1, 10).map((row) => row['comment'])],
    );
    assert.equal(changed.total, 1);
    assert.equal(
      inspect(cache, { depth: 9, showHidden: true }).includes(service.tokenOf(FLEET).token),
      false,
    );
  });

  test('a cache holds no more than it may', async () => {
    const { notes, fetch } = noting();
    const { virtualNumbers } = clientOf(FLEET, { fetch, cache: new Cache({ max_characters: 20_000 }) });
    for (const page of [1, 1, 2, 3, 4, 5, 6, 7, 8, 1, 8]) await virtualNumbers.list({ page });
    assert.deepEqual(
      notes.map(({ status }) => status),
      [200, 304, 200, 200, 200, 200, 200, 200, 200, 200, 304],
    );
  });

  test('a deployment behind a path of a proxy is walked like any other', async () => {
    const requested: string[] = [];
    const proxy = createServer((incoming, outgoing) => {
      requested.push(String(incoming.url));
      if (!incoming.url?.startsWith('/voice/lines/api/')) return void outgoing.writeHead(404).end();
      const path = incoming.url.slice('/voice/lines'.length);
      const { method, headers } = incoming;
      const onward = request(`${url}${path}`, { method, headers }, (answer) => {
        outgoing.writeHead(Number(answer.statusCode), answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(onward);
    });
    const base = `http://127.0.0.1:${await listen(proxy)}/voice/lines/`;
    try {
      const { virtualNumbers } = clientOf(FLEET, { url: base });
      assert.equal((await idsOf(virtualNumbers.iterate({ page_size: 500 }))).length, FLEET_SIZE);
      assert.equal((await idsOf(await virtualNumbers.export())).length, FLEET_SIZE);
      assert.ok(requested.every((one) => one.startsWith('/voice/lines/api/v1/did/me')));
      await assert.rejects(clientOf(FLEET, { url: new URL('/elsewhere', base) }).virtualNumbers.list(), {
        code: 'not-found',
        status: 404,
      });
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });
});
