// A list as a file by its address: CSV, NDJSON and XLSX, with the same filters and the same errors as the
// list, on every store.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { strFromU8, unzipSync } from 'fflate';
import { createToken } from '../../server/store/access/tokens.ts';
import { sql } from '../../server/store/sql.ts';
import { ACCOUNTS, EMPTY_ACCOUNT, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import { Model, type ModelList, modelLists, virtual_numbers } from '../kit/model.ts';
import { tenThousandIds } from '../kit/rows.ts';
import { openService, type Service, type ServiceAnswer, stores } from '../kit/service.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const FORMATS = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
  xlsx: XLSX,
} as const;
type Format = keyof typeof FORMATS;
const formats = Object.keys(FORMATS) as Format[];
const STRANGER = 'customer-3';
const MAX_SHEET_ITEMS = 1_048_575;

/** The ids in the first column of a sheet, in its order. */
function idsIn(file: Uint8Array): string[] {
  const sheet = strFromU8(unzipSync(file)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  return [...sheet.matchAll(/<c r="A(?!1")\d+"[^>]*>(?:<v>|<is><t>)(\d+)</g)].map(([, id]) => String(id));
}

for (const kind of stores) {
  describe(`files on ${kind.name}`, () => {
    const model = new Model(hardRows);
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: ACCOUNTS, rows: hardRows });
    });
    after(async () => service.close());

    const askFor = (list: ModelList, format: Format, query = '', headers: Record<string, string> = {}) =>
      service.ask(LARGE_ACCOUNT, `${list.path}.${format}${query}`, headers);
    const send = (url: string, body: object, headers: Record<string, string> = {}) => {
      const authorization = service.tokenOf(LARGE_ACCOUNT).token;
      const sent = { authorization, 'content-type': 'application/json', ...headers };
      return service.send('QUERY', url, sent, JSON.stringify(body));
    };
    const named = ({ body }: ServiceAnswer): string[] =>
      JSON.parse(body)
        .errors.map(({ parameter }: { parameter: string }) => parameter)
        .toSorted();

    for (const list of modelLists) {
      for (const format of formats) {
        test(`${list.name}.${format} is what Accept gets on the list, under a name of its own`, async () => {
          const query = '?sort_by=comment&sort_order=desc&frequencies=monthly';
          const file = await askFor(list, format, query);
          assert.equal(file.status, 200, file.body);
          const accept = FORMATS[format].split(';')[0] ?? '';
          const negotiated = await service.ask(LARGE_ACCOUNT, list.path + query, { accept });
          assert.deepEqual(Buffer.from(file.bytes), Buffer.from(negotiated.bytes));
          assert.equal(file.headers['content-type'], FORMATS[format]);
          assert.equal(negotiated.headers['content-type'], FORMATS[format]);
          const name = `${list.name.replace('_', '-')}.${format}`;
          assert.equal(file.headers['content-disposition'], `attachment; filename="${name}"`);
          const expected = model.expectAll(list, LARGE_ACCOUNT, query.slice(1));
          assert.ok(expected.status === 200 && expected.items.length > 3);
          assert.equal(file.headers['x-total-count'], String(expected.items.length));
          assert.equal(file.headers['cache-control'], 'private, no-cache');
          assert.deepEqual([...file.links.keys()], ['monitor']);
        });

        test(`${list.name}.${format} comes whatever a browser or a library writes into Accept`, async () => {
          const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
          for (const accept of [
            browser,
            '*/*',
            'application/json',
            'text/html',
            'application/json, text/plain',
          ]) {
            const { status, headers } = await askFor(list, format, '?ids=1', { accept });
            assert.deepEqual([status, headers['content-type']], [200, FORMATS[format]], accept);
          }
        });
      }

      test(`${list.name}: a workbook has every match in its order, and nobody else's`, async () => {
        for (const [account_id, query] of [
          [LARGE_ACCOUNT, 'sort_by=comment'],
          [LARGE_ACCOUNT, 'sort_by=monthly&sort_order=desc&subscription_statuses=active'],
          [STRANGER, ''],
          [EMPTY_ACCOUNT, ''],
        ] as const) {
          const expected = model.expectAll(list, account_id, query);
          assert.ok(expected.status === 200);
          const { status, bytes, headers } = await service.ask(account_id, `${list.path}.xlsx?${query}`);
          assert.equal(status, 200);
          assert.deepEqual(
            idsIn(bytes),
            expected.items.map((item) => String(JSON.parse(item).id)),
          );
          assert.equal(headers['x-total-count'], String(expected.items.length));
        }
      });
    }

    test('a file has only the columns that are requested, in the order of the list', async () => {
      const query = '?fields=monthly,comment,id&sort_by=comment';
      const expected = model.expectAll(virtual_numbers, LARGE_ACCOUNT, query.slice(1));
      assert.ok(expected.status === 200);
      const ndjson = await askFor(virtual_numbers, 'ndjson', query);
      assert.equal(ndjson.body, expected.items.map((item) => `${item}\n`).join(''));
      assert.deepEqual(Object.keys(JSON.parse(expected.items[0] ?? '')), ['id', 'comment', 'monthly']);
      const csv = await askFor(virtual_numbers, 'csv', query);
      assert.ok(csv.body.startsWith('id,comment,monthly\r\n'));
      const { bytes } = await askFor(virtual_numbers, 'xlsx', query);
      const sheet = strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
      const columns = new Set([...sheet.matchAll(/<c r="([A-Z]+)\d+"/g)].map(([, letter]) => letter));
      assert.deepEqual(columns, new Set(['A', 'B', 'C']));
      assert.deepEqual(
        idsIn(bytes),
        expected.items.map((item) => String(JSON.parse(item).id)),
      );
      assert.equal((await askFor(virtual_numbers, 'xlsx', '?fields=colour')).status, 400);
    });

    test('a workbook for people adds up to what facets say, without a currency for a token without charges', async () => {
      const query = '?headings=de&country_codes=GB';
      const { status, bytes, body } = await askFor(virtual_numbers, 'xlsx', query);
      assert.equal(status, 200, body);
      const sheetOf = (file: Uint8Array) =>
        strFromU8(unzipSync(file)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
      const facets = await service.ask(LARGE_ACCOUNT, `${virtual_numbers.path}/facets?country_codes=GB`);
      const { sums, total } = JSON.parse(facets.body);
      const row = total + 3;
      const sumIn = (letter: string) =>
        new RegExp(`<c r="${letter}${row}" s="6"><v>(.+?)</v>`).exec(sheetOf(bytes))?.[1];
      assert.deepEqual(
        [sumIn('J'), sumIn('K'), sumIn('L')],
        [String(sums.activation), String(sums.monthly), undefined],
      );
      assert.match(sheetOf(bytes), />Rufnummer</);

      const { operator } = service;
      const desk = await createToken(operator, LARGE_ACCOUNT, 'desk', undefined, { charges: false });
      const authorization = desk?.token ?? '';
      const without = await service.send('GET', `${virtual_numbers.path}.xlsx${query}`, { authorization });
      const styles = strFromU8(unzipSync(without.bytes)['xl/styles.xml'] ?? new Uint8Array());
      assert.doesNotMatch(styles, /\[\$/);
      assert.doesNotMatch(sheetOf(without.bytes), / s="6"/);
    });

    test('headings are for workbooks: any other file, a page, and an unknown language are refused', async () => {
      for (const [query, said] of [
        ['.csv?headings=en', /headings is for \.xlsx/],
        ['.ndjson?headings=en', /headings is for \.xlsx/],
        ['.xlsx?headings=xx', /headings must be one of en, de, es, fr or pt-BR/],
        ['?headings=en', /"headings" is not a parameter/],
      ] as const) {
        const { status, body } = await service.ask(LARGE_ACCOUNT, virtual_numbers.path + query);
        assert.equal(status, 400, query);
        assert.match(body.replaceAll('\\"', '"'), said);
      }
    });

    for (const format of formats) {
      test(`.${format}: a page of a file is refused, with all that is wrong`, async () => {
        const answer = await askFor(virtual_numbers, format, '?page=1&page_size=10&cursor=x&colour=red');
        assert.equal(answer.status, 400, answer.body);
        assert.deepEqual(named(answer), ['colour', 'cursor', 'page', 'page_size']);
        const body = await send(`${virtual_numbers.path}.${format}`, { page: 1, colour: 'red' });
        assert.deepEqual([body.status, named(body)], [400, ['colour', 'page']]);
      });

      test(`.${format}: no file without a token`, async () => {
        const { status } = await service.send('GET', `${virtual_numbers.path}.${format}`);
        assert.equal(status, 401);
      });

      test(`.${format}: HEAD says how many, and 304 that nothing changed`, async () => {
        const { headers } = await askFor(virtual_numbers, format);
        const etag = String(headers['etag']);
        const again = await askFor(virtual_numbers, format, '', { 'if-none-match': etag });
        assert.deepEqual([again.status, again.body], [304, '']);
        const sent = { authorization: service.tokenOf(LARGE_ACCOUNT).token };
        const head = await service.send('HEAD', `${virtual_numbers.path}.${format}`, sent);
        assert.deepEqual([head.status, head.body], [200, '']);
        for (const name of ['etag', 'x-total-count', 'content-type', 'content-disposition']) {
          assert.equal(head.headers[name], headers[name]);
        }
      });

      test(`.${format}: QUERY takes ten thousand ids, and gets the same file`, async () => {
        const own = hardRows.virtual_numbers
          .filter(({ account_id }) => account_id === LARGE_ACCOUNT)
          .map(({ id }) => id);
        const ids = tenThousandIds(own);
        const url = `${virtual_numbers.path}.${format}`;
        const { status, bytes, headers } = await send(url, { ids, sort_by: 'did' });
        assert.equal(status, 200);
        assert.equal(headers['link'], undefined);
        const expected = await askFor(virtual_numbers, format, '?sort_by=did');
        assert.deepEqual(Buffer.from(bytes), Buffer.from(expected.bytes));
        assert.equal(headers['accept-query'], 'application/json');
      });
    }

    test('a file has an ETag of its own in each format', async () => {
      const answers = await Promise.all(formats.map((format) => askFor(virtual_numbers, format)));
      const list = await service.ask(LARGE_ACCOUNT, virtual_numbers.path);
      assert.equal(new Set([...answers, list].map(({ headers }) => headers['etag'])).size, 4);
    });

    test('text is compressed for those who accept it; a workbook is compressed as it is', async () => {
      const gzip = { 'accept-encoding': 'gzip, br' };
      for (const format of ['csv', 'ndjson'] as const) {
        const plain = await askFor(virtual_numbers, format);
        const packed = await askFor(virtual_numbers, format, '', gzip);
        assert.equal(packed.headers['content-encoding'], 'gzip');
        assert.equal(gunzipSync(packed.bytes).toString(), plain.body);
        assert.match(String(packed.headers['vary']), /\bAccept-Encoding\b/);
      }
      const plain = await askFor(virtual_numbers, 'xlsx');
      const same = await askFor(virtual_numbers, 'xlsx', '', gzip);
      assert.equal(same.headers['content-encoding'], undefined);
      assert.deepEqual(Buffer.from(same.bytes), Buffer.from(plain.bytes));
      assert.equal(same.headers['etag'], plain.headers['etag']);
    });

    test('more items than a sheet has rows are refused, and CSV is named', async () => {
      const account_id = 'customer-9';
      const pretend = (total: number) =>
        service.operator.write(
          sql`update accounts set virtual_numbers = ${total}, revision = ${crypto.randomUUID()} where id = ${account_id}`,
        );
      await pretend(MAX_SHEET_ITEMS);
      const url = `${virtual_numbers.path}.xlsx`;
      assert.equal((await service.ask(account_id, url)).status, 200);
      await pretend(MAX_SHEET_ITEMS + 1);
      for (const answer of [
        await service.ask(account_id, url),
        await service.ask(account_id, virtual_numbers.path, { accept: XLSX }),
      ]) {
        assert.equal(answer.status, 400);
        const { type, detail, errors } = JSON.parse(answer.body);
        assert.equal(type, 'urn:linecard:problem:invalid-parameter');
        assert.match(detail, /1,048,575.*1,048,576.*CSV/);
        assert.deepEqual(errors, [{ parameter: '', detail }]);
      }
      assert.equal((await service.ask(account_id, `${virtual_numbers.path}.csv`)).status, 200);
    });

    test('a file whose first rows cannot be read is 503 and says when to try again', async () => {
      const rename = (from: string, to: string) =>
        service.operator.write({ text: `alter table ${from} rename to ${to}`, values: [] });
      await rename('virtual_numbers', 'moved_away');
      try {
        for (const format of formats) {
          const { status, headers, body } = await askFor(virtual_numbers, format);
          assert.equal(status, 503, body);
          assert.equal(headers['retry-after'], '1');
          assert.equal(headers['content-type'], 'application/problem+json');
          assert.equal(headers['link'], '</docs#problem-unavailable>; rel="help"');
          for (const name of ['content-disposition', 'etag', 'x-total-count'])
            assert.equal(headers[name], undefined, name);
        }
      } finally {
        await rename('moved_away', 'virtual_numbers');
      }
      assert.equal((await askFor(virtual_numbers, 'csv')).status, 200);
    });
  });
}
