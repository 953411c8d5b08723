// What is said of a complete list, on every store, compared with the model: exports, facets, and pages for
// filters too long for a URL. Also accounts so large that their pages are computed on another thread.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { timestampOf } from '../../api/contract/timestamp.ts';
import {
  type Money,
  money,
  mustBeFacets,
  mustName,
  withoutOrder,
  withoutPaging,
} from '../kit/facet-questions.ts';
import { hardQuery, queriesAtRandom } from '../kit/hard-queries.ts';
import { ACCOUNTS, EMPTY_ACCOUNT, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { Model, type ModelList, type ModelRow, modelLists, virtual_numbers } from '../kit/model.ts';
import { tenThousandIds } from '../kit/rows.ts';
import { openService, type Service, type ServiceAnswer, stores } from '../kit/service.ts';

const QUERIES = queriesAtRandom(15);
/** More than are looked at on the thread that answers. */
const LARGE = 2_300;
const HUGE_ACCOUNT = 'huge';
const LARGE_QUERIES = 8;
const LONG_ACCOUNT = 'long';
const LONG = 300;
const MILLISECONDS_A_DAY = 86_400_000;
const START = Date.now();
const FREQUENCIES = ['monthly', 'quarterly', 'half_yearly', 'annual', 'weekly', 'Monthly', 'constructor'];
/** RFC 4180: cells between commas, in quotation marks where they need it, lines that end with CR LF. */
function cellsOf(csv: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/gy;
  while (cell.lastIndex < csv.length) {
    const at = cell.lastIndex;
    const [, text = '', end] = cell.exec(csv) ?? assert.fail(`no CSV: ${csv.slice(at, at + 80)}`);
    line.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  assert.deepEqual(line, [], 'the last line has no end');
  return lines;
}

/** Rows of one account with more values than facets list, with ties among them. */
function manyRows(): ModelRow[] {
  return Array.from({ length: LARGE }, (_, i) => ({
    ...(hardRows.virtual_numbers[i % hardRows.virtual_numbers.length] as ModelRow),
    id: 6_000_000 + i,
    account_id: HUGE_ACCOUNT,
    // Half a day from any time at which a test runs.
    next_payment_at: i % 3 === 0 ? null : timestampOf(START + (0.5 + (i % 801) - 400) * MILLISECONDS_A_DAY),
    frequency: FREQUENCIES[i % FREQUENCIES.length] as string,
    provider: `${['é', 'Z', 'a', '\u{10000}', '\uffee'][i % 5]}${(i * i) % 61}`,
    monthly: '999999999.999999',
    activation: i % 2 === 0 ? '-1000000000' : '0.000001',
  }));
}

/** So long that a page of them is computed on another thread; those of an odd id are short. */
function longRows(): ModelRow[] {
  return Array.from({ length: LONG }, (_, i) => ({
    ...(hardRows.virtual_numbers[i % hardRows.virtual_numbers.length] as ModelRow),
    id: 7_000_000 + i,
    account_id: LONG_ACCOUNT,
    ...(i % 2 === 0 ? { comment: `${'\u0001😀'.repeat(490)}${i}`, provider: '"\\ж'.repeat(300) } : {}),
  }));
}

const rows = { ...hardRows, virtual_numbers: [...hardRows.virtual_numbers, ...manyRows(), ...longRows()] };

for (const kind of stores) {
  describe(`whole lists on ${kind.name}`, () => {
    const model = new Model(rows);
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: ACCOUNTS, rows });
    });
    after(async () => service.close());

    async function mustExport(list: ModelList, account_id: string, query: string): Promise<void> {
      const expected = model.expectAll(list, account_id, query);
      for (const accept of ['application/x-ndjson', 'text/csv']) {
        const { status, body, headers } = await service.ask(account_id, `${list.path}?${query}`, { accept });
        assert.equal(status, expected.status, body);
        if (expected.status === 400) {
          mustName(body, expected.parameters);
          continue;
        }
        assert.equal(headers['x-total-count'], String(expected.items.length));
        assert.ok(headers['content-type']?.startsWith(accept));
        if (accept === 'text/csv') assert.deepEqual(cellsOf(body), expected.cells);
        else assert.equal(body, expected.items.map((item) => `${item}\n`).join(''));
      }
    }

    const mustCount = (list: ModelList, account_id: string, query: string, more: Money = {}) =>
      mustBeFacets(service, model, { list, account_id, query, money: more });

    async function mustPage(list: ModelList, account_id: string, query: string): Promise<void> {
      const expected = model.expect(list, account_id, query);
      const { status, body } = await service.ask(account_id, `${list.path}?${query}`);
      assert.equal(status, expected.status, body);
      if (expected.status === 200) assert.equal(body, expected.body);
      else mustName(body, expected.parameters);
    }

    async function query(
      list: ModelList,
      account_id: string,
      body: string | Buffer,
      headers: Record<string, string> = {},
      path = '',
    ) {
      const authorization = service.tokenOf(account_id).token;
      const sent = { authorization, 'content-type': 'application/json', ...headers };
      return service.send('QUERY', list.path + path, sent, body);
    }

    async function mustPageLong(list: ModelList, account_id: string, search: string): Promise<void> {
      const json = model.json(list, search);
      if (json === undefined) return;
      const expected = model.expect(list, account_id, search);
      assert.ok(expected.status === 200);
      const { status, body } = await query(list, account_id, json);
      assert.equal(status, 200, body);
      assert.equal(body, expected.body, json);
    }

    const account = fc.oneof(fc.constant(LARGE_ACCOUNT), fc.constantFrom(...ACCOUNTS));
    const unpaged = (list: ModelList) =>
      fc.tuple(hardQuery(list), fc.boolean()).map(([text, whole]) => (whole ? withoutPaging(text) : text));
    const unordered = (list: ModelList) =>
      fc.tuple(unpaged(list), fc.boolean()).map(([text, whole]) => (whole ? withoutOrder(text) : text));

    for (const list of modelLists) {
      const runs = { numRuns: QUERIES * kind.share };

      test(`${list.name}: ${runs.numRuns} exports at random hold every match in its order`, async () => {
        await fc.assert(
          fc.asyncProperty(account, unpaged(list), async (id, text) => mustExport(list, id, text)),
          runs,
        );
      });

      test(`${list.name}: ${runs.numRuns} facets at random count all matches`, async () => {
        await fc.assert(
          fc.asyncProperty(account, unordered(list), money, async (id, text, more) =>
            mustCount(list, id, text, more),
          ),
          runs,
        );
      });

      test(`${list.name}: ${runs.numRuns} pages at random are the same by QUERY`, async () => {
        await fc.assert(
          fc.asyncProperty(account, hardQuery(list), async (id, text) => mustPageLong(list, id, text)),
          runs,
        );
      });

      test(`${list.name}: an account without items has a header and no lines, no facets and no sums`, async () => {
        await mustExport(list, EMPTY_ACCOUNT, '');
        await mustCount(list, EMPTY_ACCOUNT, '');
      });
    }

    test('QUERY takes ten thousand ids, and finds those that are there', async () => {
      const own = rows.virtual_numbers
        .filter(({ account_id }) => account_id === LARGE_ACCOUNT)
        .map(({ id }) => id);
      const ids = tenThousandIds(own);
      const { status, body } = await query(
        virtual_numbers,
        LARGE_ACCOUNT,
        JSON.stringify({ ids, page_size: 1_000 }),
      );
      assert.equal(status, 200, body);
      assert.equal(
        body,
        (model.expect(virtual_numbers, LARGE_ACCOUNT, 'page_size=1000') as { body: string }).body,
      );
    });

    test('QUERY says what it cannot read: another type, too much, no JSON, a query string as well', async () => {
      for (const [status, body, headers] of [
        [415, 'page=1', { 'content-type': 'application/x-www-form-urlencoded' }],
        [415, '{}', { 'content-type': 'text/plain' }],
        [415, '{}', { 'content-type': 'application/json; charset="utf-16"' }],
        [415, gzipSync('{}'), { 'content-encoding': 'gzip' }],
        [400, Buffer.from('{"q":"\xff"}', 'latin1'), {}],
        [400, Buffer.from('{"providers":["\xed\xa0\x80"]}', 'latin1'), {}],
        [200, '{}', { 'content-type': 'application/json; charset=UTF-8', 'content-encoding': 'identity' }],
        [413, JSON.stringify({ q: 'x'.repeat(1_100_000) }), {}],
        [400, '{"page":', {}],
        [400, '[]', {}],
        [401, '{}', { authorization: 'lc_x' }],
        [406, '{}', { accept: 'text/html' }],
      ] as const) {
        const answer = await query(virtual_numbers, LARGE_ACCOUNT, body, headers);
        assert.equal(answer.status, status, answer.body);
        const type = status === 200 ? 'application/json; charset=utf-8' : 'application/problem+json';
        assert.equal(answer.headers['content-type'], type);
      }
      const { token } = service.tokenOf(LARGE_ACCOUNT);
      for (const body of ['{}', '']) {
        const unnamed = await service.send('QUERY', virtual_numbers.path, { authorization: token }, body);
        assert.equal(unnamed.status, 415, 'a body without a type');
        assert.match(unnamed.body, /must have the header Content-Type: application\/json/);
      }
      const { status } = await service.send(
        'QUERY',
        `${virtual_numbers.path}?page=1`,
        { authorization: token, 'content-type': 'application/json' },
        '{}',
      );
      assert.equal(status, 400);
      const { headers } = await service.ask(LARGE_ACCOUNT, virtual_numbers.path);
      assert.match(String(headers['accept-query']), /application\/json/);
    });

    test('QUERY exports as well', async () => {
      const expected = model.expectAll(virtual_numbers, LARGE_ACCOUNT, 'sort_by=comment&frequencies=monthly');
      const { body } = await query(
        virtual_numbers,
        LARGE_ACCOUNT,
        '{"sort_by":"comment","frequencies":["monthly"]}',
        { accept: 'application/x-ndjson' },
      );
      assert.ok(expected.status === 200 && expected.items.length > 5);
      assert.equal(body, expected.items.map((item) => `${item}\n`).join(''));
    });

    describe('a body of more than 64 KiB', () => {
      const LONG_BODY = ' '.repeat(70_000);
      const REQUESTS = [
        ['', '{"page_size":7,"sort_by":"did"}'],
        ['', '{"statuses":["active"],"q":"9"}'],
        ['/facets', '{"statuses":["active"]}'],
        ['/changes', '{}'],
        ['.csv', '{"sort_by":"did"}'],
      ] as const;
      const send = (path: string, body: string, headers: Record<string, string> = {}) =>
        query(virtual_numbers, LARGE_ACCOUNT, body, headers, path);

      test('is answered like the same parameters in a short one, and known by its ETag', async () => {
        for (const [path, short] of REQUESTS) {
          const long = short + LONG_BODY;
          const [expected, answer] = [await send(path, short), await send(path, long)];
          assert.deepEqual([answer.status, answer.body], [200, expected.body], path);
          const etag = String(answer.headers['etag']);
          assert.equal(etag, expected.headers['etag']);
          const known = await send(path, long, { 'if-none-match': etag });
          assert.deepEqual([known.status, known.body], [304, ''], path);
        }
        const etag = String((await send('', `{}${LONG_BODY}`)).headers['etag']);
        const waits = { prefer: 'wait=1', 'if-none-match': etag };
        assert.equal((await send('', `{}${LONG_BODY}`, waits)).status, 304);
      });

      test('with a fault is refused like a short one', async () => {
        for (const body of [
          '{"page_size":0,"statuses":[1],"colour":"red"}',
          '{"q":',
          '[]',
          '{"cursor":"x"}',
        ]) {
          const [short, long] = [await send('', body), await send('', body + LONG_BODY)];
          assert.equal(long.status, 400);
          const problemOf = ({ body: text }: ServiceAnswer) => ({ ...JSON.parse(text), request_id: '' });
          assert.deepEqual(problemOf(long), problemOf(short), body);
        }
      });
    });

    describe('of an account whose items are long', () => {
      for (const selection of ['', 'fields=id,comment&', 'sort_by=comment&', 'q=9&sort_by=created_at&']) {
        test(`pages of every size hold the same items: ${selection}`, async () => {
          // Twice, and then by an index.
          for (const page_size of [15, 40, 250, 250, 1_000, 1_000])
            await mustPage(virtual_numbers, LONG_ACCOUNT, `${selection}page_size=${page_size}&page=1`);
        });
      }

      test('a page of changes holds the same items as the list', async () => {
        const { path } = virtual_numbers;
        const list = JSON.parse((await service.ask(LONG_ACCOUNT, `${path}?page_size=1000`)).body);
        const changes = JSON.parse((await service.ask(LONG_ACCOUNT, `${path}/changes?page_size=1000`)).body);
        assert.equal(list.data.length, LONG);
        assert.deepEqual(
          changes.data.map(({ item }: { item: unknown }) => item),
          list.data,
        );
      });
    });

    describe('of an account of thousands', () => {
      test('pages, facets and exports at random are those of the model', async () => {
        const kinds = [mustPage, mustCount, mustExport, mustPageLong];
        await fc.assert(
          fc.asyncProperty(
            fc.constantFrom(...kinds),
            unordered(virtual_numbers),
            money,
            async (must, text, more) => must(virtual_numbers, HUGE_ACCOUNT, text, more),
          ),
          { numRuns: LARGE_QUERIES },
        );
      });

      test('facets list a hundred values and count the rest, and sums are exact', async () =>
        mustCount(virtual_numbers, HUGE_ACCOUNT, ''));

      test('payments are exact by day, also by an index', async () => {
        for (const due_days of [1, 84, 84, 366, 366]) {
          await mustCount(virtual_numbers, HUGE_ACCOUNT, '', { due_days, charges: true });
        }
      });

      test('a walk by cursor gives every item once', async () => {
        for (const selection of [
          'sort_by=provider&sort_order=desc',
          'sort_by=next_payment_at',
          'sort_by=id&statuses=active,disabled',
        ]) {
          const whole = model.expectAll(virtual_numbers, HUGE_ACCOUNT, selection);
          assert.ok(whole.status === 200);
          const seen: unknown[] = [];
          let url: string | undefined = `${virtual_numbers.path}?${selection}&page_size=400`;
          while (url !== undefined) {
            const answer: Awaited<ReturnType<Service['ask']>> = await service.ask(HUGE_ACCOUNT, url);
            seen.push(...JSON.parse(answer.body).data);
            url = answer.links.get('next');
          }
          assert.deepEqual(
            seen,
            whole.items.map((item) => JSON.parse(item)),
          );
        }
      });

      test('an altered cursor is refused on a worker thread as on the main thread', async () => {
        const { links } = await service.ask(HUGE_ACCOUNT, `${virtual_numbers.path}?sort_by=provider`);
        const { status, body } = await service.ask(
          HUGE_ACCOUNT,
          String(links.get('next')).replace('sort_by=provider', 'sort_by=did'),
        );
        assert.equal(status, 400);
        assert.equal(JSON.parse(body).type, 'urn:linecard:problem:invalid-cursor');
      });
    });
  });
}
