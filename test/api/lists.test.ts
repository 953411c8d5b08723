// The two lists over HTTP, on every store, compared with the model: every answer is the model's,
// byte for byte.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  hardQuery,
  LARGEST,
  NOT_INTEGERS,
  NOT_PARAMETERS,
  NOT_TEXTS,
  NOT_TIMESTAMPS,
  queriesAtRandom,
} from '../kit/hard-queries.ts';
import { ACCOUNTS, hardRows, LARGE_ACCOUNT } from '../kit/hard-rows.ts';
import {
  additional_services,
  Model,
  type ModelList,
  type ModelRow,
  modelLists,
  virtual_numbers,
} from '../kit/model.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';

/** Random queries a list. */
const QUERIES = queriesAtRandom(120);
const PROPERTY_RUNS = 10;
const LONGER_THAN_ANY = 'x'.repeat(2_001);
/** From this number of characters on, links may be left out. */
const LONG_LINKS = 8_000;

interface NamedFault {
  parameter: string;
  detail: string;
  value?: string;
}

/** An account with no rows but those of one test. */
const GREECE = 'greece';

const model = new Model(hardRows);

const own = (list: ModelList) =>
  model.rows[list.name].filter(({ account_id }) => account_id === LARGE_ACCOUNT);
const numbers = own(virtual_numbers);
const [a, b, c] = numbers.map(({ id }) => id);

/** Two query strings that must be answered alike. */
const SAME_NUMBERS = [
  ['ids[]=A&ids[]=B', 'ids=A&ids=B'],
  ['ids%5B%5D=A&ids%5b%5d=B', 'ids=A&ids=B'],
  ['ids[0]=A&ids[1]=B', 'ids=A&ids=B'],
  ['ids[7]=A&ids[7]=B', 'ids=A&ids=B'],
  ['ids[1]=B&ids[0]=A', 'ids=A&ids=B'],
  ['ids=A,B', 'ids=A&ids=B'],
  ['ids=A%2CB', 'ids=A&ids=B'],
  ['ids=A%2cB', 'ids=A&ids=B'],
  ['ids=A&ids[]=B&ids[0]=C', 'ids=A,B,C'],
  ['ids=A,B&ids[4]=C', 'ids=A,B,C'],
  ['ids=A&ids=A&ids=A', 'ids=A'],
  ['ids=,A,,B,', 'ids=A,B'],
  ['ids=&ids=A', 'ids=A'],
  ['ids=', ''],
  ['ids', ''],
  ['ids[]=', ''],
  ['ids[0]=&ids=,', ''],
  ['statuses=&providers[]=&country_codes=', ''],
  ['q=', ''],
  ['q=%20%20', ''],
  ['q=+++', ''],
  ['&&page=2&', 'page=2'],
  ['statuses[]=a%2Cb', 'statuses[]=a,b'],
  ['providers=Zed%2C%20Inc', 'providers[]=Zed&providers[]=%20Inc'],
  ['is_spammed=%74rue', 'is_spammed=true'],
  ['activated_after=2026-01-01T01:00:00+01:00', 'activated_after=2026-01-01T00:00:00.000000Z'],
  ['activated_after=2026-01-01T01:00:00%2B01:00', 'activated_after=2026-01-01T00:00:00Z'],
  ['activated_after=2026-01-01T01:00:00%2001:00', 'activated_after=2026-01-01t00:00:00.0z'],
  ['activated_after=2026-01-01', 'activated_from=2026-01-02T00:00:00Z'],
  ['activated_before=2026-01-01', 'activated_before=2026-01-01T00:00:00Z'],
  ['activated_from=2026-01-01', 'activated_from=2026-01-01T00:00:00Z'],
  ['activated_to=2025-12-31', 'activated_before=2026-01-01T00:00:00Z'],
  ['activated_to=2026-01-01T00:00:00Z', 'activated_before=2026-01-01T00:00:00.000001Z'],
  ['dids=%2B44%20(0)20%207946%200018', 'dids=00442079460018'],
  ['dids[]=%2B442079460018&dids[]=442079460018', 'dids=44-20-7946-0018'],
  ['dids=', ''],
  ['q=%2B442079', 'q=00442079'],
  ['fields=did,id', 'fields[]=id&fields[]=did&fields[]=id'],
  ['fields=', ''],
  ['sort_by=is_spam', 'sort_by=is_spammed'],
  ['sort_by=_default', ''],
  ['sort_by=id&sort_order=asc', ''],
  ['sort_by=billing_period', 'sort_by=frequency'],
  ['sort_by=amount_one_time', 'sort_by=activation'],
  ['sort_by=amount_subscription&sort_order=desc', 'sort_by=monthly&sort_order=desc'],
  ['page=1&page_size=10', ''],
] as const;

/** What a query string with a fault must name, and words that its answer must hold. */
const FAULTS: readonly [list: ModelList, query: string, parameter: string, ...words: string[]][] = [
  [virtual_numbers, 'status=active', 'status', 'statuses'],
  [virtual_numbers, 'id=1', 'id', 'ids'],
  [virtual_numbers, 'country_code=GB', 'country_code', 'country_codes'],
  [virtual_numbers, 'country=GB', 'country', 'country_codes'],
  [virtual_numbers, 'provider=Zed', 'provider', 'providers'],
  [virtual_numbers, 'pagesize=1', 'pagesize', 'page_size'],
  [virtual_numbers, 'Page=1', 'Page', '`page`'],
  [virtual_numbers, 'is_spam=true', 'is_spam', 'is_spammed'],
  [virtual_numbers, 'sortby=id', 'sortby', 'sort_by'],
  [virtual_numbers, 'activated-after=2026-01-01T00:00:00Z', 'activated-after', 'activated_after'],
  [virtual_numbers, 'country_codes=gb', 'country_codes', '`GB`'],
  [virtual_numbers, 'country_codes=GB,fr', 'country_codes', '`FR`'],
  [virtual_numbers, 'country_codes=UK', 'country_codes', '`GB`'],
  [virtual_numbers, 'sort_by=countrycode', 'sort_by', '`country_code`'],
  [virtual_numbers, 'sort_order=DESC', 'sort_order', '`desc`'],
  [virtual_numbers, 'is_spammed=True', 'is_spammed', '`true`'],
  [virtual_numbers, 'page_size=1001', 'page_size', '1000', '1001'],
  [virtual_numbers, 'page_size=0', 'page_size', 'from 1', '"0"'],
  [virtual_numbers, 'activated_after=2026-02-29', 'activated_after', 'RFC 3339', '2026-02-29', 'a day'],
  [virtual_numbers, 'dids=alice', 'dids', 'digits', '"alice"'],
  [virtual_numbers, 'dids=00', 'dids', 'digits', '"00"'],
  [virtual_numbers, 'dids=442079460018.0', 'dids', 'looks like a decimal', '"442079460018.0"'],
  [virtual_numbers, 'dids=4.42E%2B11', 'dids', 'shortened the number', '"4.42E+11"'],
  [virtual_numbers, 'dids=442079460018-442079460027', 'dids', 'looks like a range'],
  [virtual_numbers, 'dids=1234567890123456', 'dids', '16 digits', 'at most 15'],
  [virtual_numbers, 'fields=id,didd', 'fields', '`did`', 'one of id, did, comment'],
  [additional_services, 'fields=did', 'fields', 'one of id, title'],
  [virtual_numbers, 'limit=5', 'limit', '`page_size`'],
  [virtual_numbers, 'per_page=5', 'per_page', '`page_size`'],
  [virtual_numbers, 'search=x', 'search', '`q`'],
  [virtual_numbers, 'format=csv', 'format', '/api/v1/did/me.csv'],
  [virtual_numbers, 'order=asc', 'order', '`sort_order`'],
  [virtual_numbers, 'offset=10', 'offset', '`page`'],
  [virtual_numbers, 'size=10', 'size', '`page_size`'],
  [virtual_numbers, 'sort=did', 'sort', '`sort_by`'],
  [virtual_numbers, 'query=x', 'query', '`q`'],
  [virtual_numbers, 'type=x', 'type', '`statuses` or `subscription_statuses`'],
  [virtual_numbers, 'from=2026-01-01', 'from', '`activated_from`, `next_payment_from` or `created_from`'],
  [virtual_numbers, 'to=2026-01-01', 'to', '`activated_to`, `next_payment_to` or `created_to`'],
  [additional_services, 'since=2026-01-01', 'since', '`activated_from`'],
  [virtual_numbers, 'phone=020', 'phone', '`dids`'],
  [virtual_numbers, 'token=lc_x', 'token', 'Authorization'],
  [virtual_numbers, 'account_id=acme', 'account_id', 'API token'],
  [virtual_numbers, 'page=1&page=1', 'page', 'once'],
  [virtual_numbers, 'q=a&q=a', 'q', 'once'],
  [virtual_numbers, 'q=&q=', 'q', 'once'],
  [virtual_numbers, 'page=', 'page', 'empty'],
  [virtual_numbers, 'page', 'page', 'empty'],
  [virtual_numbers, 'sort_by=', 'sort_by', 'empty'],
  [virtual_numbers, 'is_spammed=', 'is_spammed', 'empty'],
  [virtual_numbers, 'cursor=', 'cursor', 'empty'],
  [additional_services, 'country_codes=GB', 'country_codes'],
  [virtual_numbers, 'country_codes=ZZ', 'country_codes'],
  [additional_services, 'statuses=active', 'statuses', 'subscription_statuses'],
  [additional_services, 'is_spammed=true', 'is_spammed'],
  [additional_services, 'category=core', 'category'],
  [additional_services, 'sort_by=category', 'sort_by'],
  [additional_services, 'sort_by=did', 'sort_by'],
];

/** What was written, with the ids of three rows in place of A, B and C. */
const withIds = (query: string) =>
  query.replace(/\b[ABC]\b|(?<=%2[Cc])[ABC]/g, (letter) => String({ A: a, B: b, C: c }[letter]));

for (const kind of stores) {
  const queries = QUERIES * kind.share;
  describe(`the lists on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: [...ACCOUNTS, GREECE], rows: hardRows });
    });
    after(async () => service.close());

    const ask = async (list: ModelList, query: string) => service.ask(LARGE_ACCOUNT, `${list.path}?${query}`);

    async function idsOf(list: ModelList, query: string): Promise<number[]> {
      const { status, body } = await ask(list, `${query}&page_size=1000&fields=id`);
      assert.equal(status, 200, body);
      return JSON.parse(body).data.map(({ id }: { id: number }) => id);
    }

    async function faultsOf(list: ModelList, query: string): Promise<NamedFault[]> {
      const { status, body } = await ask(list, query);
      assert.equal(status, 400, `${query.slice(0, 200)}\n${body.slice(0, 1_000)}`);
      return JSON.parse(body).errors;
    }

    /** Asks, and compares status, body and links with the model. */
    async function mustAnswer(
      list: ModelList,
      account_id: string,
      query: string,
      of = model,
      from = service,
    ): Promise<void> {
      const expected = of.expect(list, account_id, query);
      const answer = await from.ask(account_id, `${list.path}?${query}`);
      assert.equal(answer.status, expected.status, `${query}\n${answer.body}`);
      if (expected.status === 400) {
        const { type, errors } = JSON.parse(answer.body);
        assert.equal(type, 'urn:linecard:problem:invalid-parameter');
        const named = errors.map(({ parameter }: NamedFault) =>
          parameter.replace(/(?<=^[a-z_]+)\[\d*\]$/, ''),
        );
        assert.deepEqual(new Set(named), expected.parameters);
        return;
      }
      assert.equal(answer.body, expected.body);
      const links = new Map(answer.links);
      const monitor = links.get('monitor');
      links.delete('monitor');
      if (4 * query.length < LONG_LINKS) assert.match(monitor ?? '', /\/changes\?.*since=/);
      // Four links of a long query would make a header that no client takes: then some are left out.
      const rels = [...expected.links.keys()].filter(
        (rel) => 4 * query.length < LONG_LINKS || links.has(rel),
      );
      assert.deepEqual([...links.keys()].sort(), rels.sort());
      for (const [rel, target] of links) {
        const page = of.expect(list, account_id, query, expected.links.get(rel));
        assert.ok(page.status === 200 && target.startsWith(`${list.path}?`), target);
        if (rel === 'next') assert.equal((await from.ask(account_id, target)).body, page.body, target);
        else assert.deepEqual(of.expect(list, account_id, target.slice(list.path.length + 1)), page, target);
      }
    }

    for (const list of modelLists) {
      describe(list.name, () => {
        test(`${queries} queries at random are answered as the contract says`, async () => {
          const account = fc.oneof(fc.constant(LARGE_ACCOUNT), fc.constantFrom(...ACCOUNTS));
          await fc.assert(
            fc.asyncProperty(account, hardQuery(list), async (id, query) => mustAnswer(list, id, query)),
            { numRuns: queries },
          );
        });

        test('every account sees its own, all of it, letter by letter', async () => {
          for (const account_id of ACCOUNTS) await mustAnswer(list, account_id, 'page_size=1000');
        });

        test('one more filter never adds an item', async () => {
          await fc.assert(
            fc.asyncProperty(hardQuery(list), hardQuery(list), async (one, other) => {
              const all = model.expect(list, LARGE_ACCOUNT, one, 1);
              const fewer = model.expect(list, LARGE_ACCOUNT, `${one}&${other}`, 1);
              fc.pre(all.status === 200 && fewer.status === 200);
              // Two values of the same list are alternatives, and add.
              const names = (query: string) =>
                query.split('&').map((pair) => pair.replace(/(?:\[|%5b|=).*/i, ''));
              fc.pre(!names(one).some((name) => names(other).includes(name)));
              const strip = (query: string) => query.replace(/(?:^|&)page(?:_size)?=[^&]*/g, '');
              const whole = new Set(await idsOf(list, strip(one)));
              for (const id of await idsOf(list, strip(`${one}&${other}`))) assert.ok(whole.has(id));
            }),
            { numRuns: PROPERTY_RUNS * kind.share },
          );
        });

        test('descending is ascending reversed, but what has no value stays last', async () => {
          for (const [key, field] of Object.entries(list.sorts)) {
            const without = new Set(own(list).flatMap((row) => (row[field] === null ? [row.id] : [])));
            const reversed = (ids: number[]) => {
              const backwards = ids.toReversed();
              return [
                ...backwards.filter((id) => !without.has(id)),
                ...backwards.filter((id) => without.has(id)),
              ];
            };
            const ascending = await idsOf(list, `sort_by=${key}`);
            assert.deepEqual(await idsOf(list, `sort_by=${key}&sort_order=desc`), reversed(ascending), key);
          }
        });

        test('a page past the last is empty and its totals are true', async () => {
          const { body } = await ask(list, 'page_size=1000');
          const { total } = JSON.parse(body);
          for (const [page, page_size] of [
            [2, 1_000],
            [total + 1, 1],
            [LARGEST, 1_000],
            [LARGEST, 1],
            [LARGEST, 7],
          ]) {
            const answer = await ask(list, `page=${page}&page_size=${page_size}`);
            const total_pages = Math.ceil(total / Number(page_size));
            const expected = `{"data":[],"page":${page},"page_size":${page_size},"total":${total},"total_pages":${total_pages}}`;
            assert.equal(answer.body, expected);
            assert.equal(answer.links.has('next'), false);
          }
        });

        for (const parameter of ['page', 'page_size', 'ids', 'ids[]', 'ids[0]']) {
          test(`${parameter} takes integers as they are written, and nothing that only looks like one`, async () => {
            for (const text of NOT_INTEGERS) {
              const faults = await faultsOf(list, `${parameter}=${text}`);
              assert.deepEqual(
                faults.map((fault) => fault.parameter),
                [parameter.replace(/\[.*/, '')],
                text,
              );
            }
          });
        }

        for (const parameter of [
          'q',
          'sort_by',
          'frequencies',
          'subscription_statuses[]',
          'activated_after',
          'cursor',
        ]) {
          test(`${parameter} takes text, and no bytes that are none`, async () => {
            for (const text of NOT_TEXTS) {
              const faults = await faultsOf(list, `${parameter}=${text}`);
              assert.deepEqual(
                faults.map((fault) => fault.parameter),
                [parameter.replace(/\[.*/, '')],
                text,
              );
            }
          });
        }

        test('activated_before takes timestamps as RFC 3339 writes them, and no others', async () => {
          for (const text of NOT_TIMESTAMPS) {
            const faults = await faultsOf(list, `activated_before=${text}`);
            assert.deepEqual(
              faults.map((fault) => fault.parameter),
              ['activated_before'],
              text,
            );
          }
        });

        test('a name that is no parameter is named, were it one that every object has', async () => {
          for (const name of NOT_PARAMETERS) {
            const faults = await faultsOf(list, `${name}=1`);
            assert.deepEqual(
              faults.map((fault) => fault.parameter),
              [decodeURIComponent(name)],
            );
          }
        });

        test('a name that is no text is a fault, not a crash', async () => {
          for (const name of NOT_TEXTS) assert.equal((await faultsOf(list, `${name}=1`)).length, 1, name);
        });

        test('what every object has is no sort key', async () => {
          for (const key of [
            '__proto__',
            'constructor',
            'toString',
            'hasOwnProperty',
            'category',
            'account_id',
            'item',
          ]) {
            const faults = await faultsOf(list, `sort_by=${key}`);
            assert.deepEqual(
              faults.map((fault) => fault.parameter),
              ['sort_by'],
              key,
            );
          }
        });
      });
    }

    describe('a list can be spelled in every way in use', () => {
      for (const [spelled, means] of SAME_NUMBERS) {
        test(`${spelled} means ${means || 'nothing'}`, async () => {
          const [one, other] = [
            await ask(virtual_numbers, withIds(spelled)),
            await ask(virtual_numbers, withIds(means)),
          ];
          assert.equal(one.status, 200, one.body);
          assert.equal(one.body, other.body);
        });
      }

      test('in brackets a comma is part of the value, and outside it parts two', async () => {
        for (const [name, field, value] of [
          ['statuses', 'status', 'a,b'],
          ['frequencies', 'frequency', 'every 3, 6'],
        ] as const) {
          const theirs = numbers.filter((row) => row[field] === value).map(({ id }) => id);
          assert.ok(theirs.length > 0);
          const text = encodeURIComponent(value);
          assert.deepEqual(
            await idsOf(virtual_numbers, `${name}[]=${text}`),
            theirs.sort((x, y) => x - y),
          );
          assert.deepEqual(await idsOf(virtual_numbers, `${name}=${text}`), []);
        }
      });

      const many = (count: number) => Array.from({ length: count }, (_, i) => String(Number(LARGEST) - i));
      test('a thousand of the longest ids fit into a request of the built-in fetch', async () => {
        const port = await service.listen();
        const authorization = service.tokenOf(LARGE_ACCOUNT).token;
        const ids = [...many(990), ...numbers.slice(0, 10).map((row) => String(row.id))];
        const url = `http://127.0.0.1:${port}${virtual_numbers.path}?${ids.map((id) => `ids=${id}`).join('&')}&page_size=3&page=2`;
        const answer = await fetch(url, { headers: { authorization } });
        const expected = model.expect(virtual_numbers, LARGE_ACCOUNT, url.slice(url.indexOf('?') + 1));
        assert.ok(expected.status === 200 && expected.total >= 10);
        assert.equal(await answer.text(), expected.body);
      });

      for (const [spelling, write] of Object.entries({
        'ids=1&ids=2': (texts: string[]) => texts.map((text) => `ids=${text}`).join('&'),
        'ids[]=1&ids[]=2': (texts: string[]) => texts.map((text) => `ids[]=${text}`).join('&'),
        'ids[0]=1&ids[1]=2': (texts: string[]) => texts.map((text, i) => `ids[${i}]=${text}`).join('&'),
        'ids=1,2': (texts: string[]) => `ids=${texts.join(',')}`,
        'ids=1%2C2': (texts: string[]) => `ids=${texts.join('%2C')}`,
      })) {
        test(`a thousand values spelled ${spelling} are taken, one more is refused`, async () => {
          const [first] = numbers.map(({ id }) => String(id));
          const thousand = [...many(999), String(first)];
          assert.ok((await idsOf(virtual_numbers, write(thousand))).includes(Number(first)));
          assert.ok((await idsOf(virtual_numbers, write([...thousand, '', '']))).includes(Number(first)));
          const [fault, ...others] = await faultsOf(virtual_numbers, write([...many(1_000), '1']));
          assert.equal(fault?.parameter, 'ids');
          assert.match(String(fault?.detail), /1,?000/);
          assert.deepEqual(others, []);
        });
      }
    });

    describe('a number is found as people write it', () => {
      const WAYS = [
        '+442079460018', '00442079460018', '442079460018', '+44 (0)20 7946 0018', '0044 (0)20 7946 0018', '020 7946 0018',
        '(020) 7946-0018', '020/7946.0018', '+44.20.7946.0018', '7946 0018', '＋４４ ２０ ７９４６ ００１８',
      ]; // biome-ignore format: a table
      const STORED = ['+442079460018', '00442079460018', '+44 (20) 7946-0018', '+44 (0)20 7946 0018'];
      const OTHER_COUNTRY = '+49 30 442079460018';
      const idsWith = (...dids: string[]) =>
        numbers.filter((row) => dids.includes(String(row['did']))).map(({ id }) => id);
      const found = (name: string, text: string) =>
        idsOf(virtual_numbers, `${name}=${encodeURIComponent(text)}`);

      for (const way of WAYS) {
        test(`q=${way}`, async () => {
          const ids = new Set(await found('q', way));
          assert.ok(idsWith(...STORED).length > 0);
          for (const id of idsWith(...STORED)) assert.ok(ids.has(id), `${id} is not found`);
          const isInternational = /^(?:[+＋]|00)/.test(way);
          for (const id of idsWith(OTHER_COUNTRY)) assert.equal(ids.has(id), !isInternational);
        });
      }

      test('dids takes whole numbers only, in every international spelling', async () => {
        const whole = await found('dids', '442079460018');
        for (const id of idsWith(...STORED)) assert.ok(whole.includes(id));
        assert.deepEqual(await found('dids', '+44 (0)20 7946 0018'), whole);
        assert.deepEqual(await found('dids', '00442079460018'), whole);
        assert.equal(
          (await found('dids', '44207946')).some((id) => whole.includes(id)),
          false,
        );
        for (const id of idsWith(OTHER_COUNTRY)) assert.equal(whole.includes(id), false);
      });

      test('each stored number is found by its own text', async () => {
        for (const { id, did } of numbers) {
          const text = String(did);
          if (!/[1-9]/.test(text.normalize('NFKC'))) continue;
          // One of the past that has more digits than a number may have is found by a search alone.
          const name = text.replaceAll(/\D/g, '').length > 15 ? 'q' : 'dids';
          assert.ok((await found(name, text)).includes(id), text);
        }
      });
    });

    describe('a wrong request gets every fault at once', () => {
      for (const [list, query, parameter, ...words] of FAULTS) {
        test(`${list.name}?${query}`, async () => {
          const faults = await faultsOf(list, query);
          assert.deepEqual(
            faults.map((fault) => fault.parameter),
            [parameter],
          );
          for (const word of words)
            assert.ok(faults[0]?.detail.includes(word), `${faults[0]?.detail} has no ${word}`);
        });
      }

      test('nine faults in one request are nine entries', async () => {
        const query =
          'page=0&page_size=5000&sort_by=price&sort_order=up&ids=1,x,y&country_codes=uk&is_spammed=maybe&limit=5';
        const faults = await faultsOf(virtual_numbers, query);
        const named = [
          'page',
          'page_size',
          'sort_by',
          'sort_order',
          'ids',
          'ids',
          'country_codes',
          'is_spammed',
          'limit',
        ];
        assert.deepEqual(faults.map(({ parameter }) => parameter).sort(), named.sort());
        const x = faults.find(({ value }) => value === 'x');
        assert.ok(x?.detail.includes('"x"') && x.parameter === 'ids');
      });

      test('a q of 200 characters is taken, also of characters beyond U+FFFF, and one more is refused', async () => {
        for (const character of ['x', '%F0%9F%98%80', '%EF%AC%81']) {
          assert.deepEqual(await idsOf(virtual_numbers, `q=${character.repeat(200)}`), []);
          const [fault] = await faultsOf(virtual_numbers, `q=${character.repeat(201)}`);
          assert.ok(fault?.parameter === 'q' && fault.detail.includes('200'));
        }
      });

      test('a URL full of faults is not answered with megabytes', async () => {
        for (const pair of ['x', 'ids=x', 'page', '%zz', `ids=${'x,'.repeat(30_000)}`]) {
          const query = Array(Math.ceil(60_000 / (pair.length + 1)))
            .fill(pair)
            .join('&');
          const { status, body } = await ask(virtual_numbers, query);
          assert.equal(status, 400);
          assert.ok(body.length < 1_000_000, `${pair.slice(0, 10)}…: ${body.length} bytes`);
        }
      });

      test('a fault shows what was sent, but never all of a long value', async () => {
        for (const fault of await faultsOf(
          virtual_numbers,
          `page=${'9'.repeat(5_000)}&${'n'.repeat(5_000)}=1`,
        )) {
          assert.ok(JSON.stringify(fault).length < 2_000);
        }
      });
    });

    test('a flag that is true and the same that is false make the whole', async () => {
      await fc.assert(
        fc.asyncProperty(
          hardQuery(virtual_numbers),
          fc.constantFrom('is_spammed', 'is_active_spam_check'),
          async (query, flag) => {
            const rest = query.replace(/(?:^|&)page(?:_size)?=[^&]*/g, '');
            fc.pre(!rest.includes(flag) && model.expect(virtual_numbers, LARGE_ACCOUNT, rest).status === 200);
            const [yes, no] = [
              await idsOf(virtual_numbers, `${rest}&${flag}=true`),
              await idsOf(virtual_numbers, `${rest}&${flag}=false`),
            ];
            const whole = await idsOf(virtual_numbers, rest);
            assert.deepEqual(new Set([...yes, ...no]), new Set(whole));
            assert.equal(yes.length + no.length, whole.length);
          },
        ),
        { numRuns: PROPERTY_RUNS * kind.share },
      );
    });

    test('after every import each list, its total and its pages are those of the rows that are there now', async (t) => {
      const accounts = ['first', 'second', 'third'];
      const changing = await openService(kind, { accounts });
      t.after(async () => changing.close());
      const id = fc.integer({ min: 1, max: 9 });
      const account_id = fc.constantFrom(...accounts);
      const run = fc.record({
        rows: fc.uniqueArray(fc.record({ id, account_id, place: fc.nat(500) }), {
          maxLength: 6,
          selector: (row) => row.id,
        }),
        replaces: fc.option(fc.uniqueArray(account_id), { nil: undefined }),
      });
      const runs = fc.array(run, { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...modelLists), runs, async (list, imports) => {
          await load(changing.operator, list.name, [], accounts);
          let here: ModelRow[] = [];
          for (const { rows, replaces } of imports) {
            const come = rows.map(({ place, ...row }) => ({
              ...(hardRows[list.name][place] as ModelRow),
              ...row,
            }));
            await load(changing.operator, list.name, come, replaces);
            const ids = new Set(come.map((row) => row.id));
            const named = new Set([...(replaces ?? []), ...come.map((row) => row.account_id)]);
            const stays = (row: ModelRow) =>
              !ids.has(row.id) && !(replaces !== undefined && named.has(row.account_id));
            here = [...here.filter(stays), ...come];
            const now = new Model({ virtual_numbers: [], additional_services: [], [list.name]: here });
            for (const account of accounts) {
              for (const query of [
                '',
                'page_size=2&page=2&sort_by=comment&sort_order=desc',
                'frequencies=monthly',
              ]) {
                await mustAnswer(list, account, query, now, changing);
              }
            }
          }
        }),
        { numRuns: PROPERTY_RUNS * kind.share, endOnFailure: true },
      );
    });

    test('what means something to a database is searched and filtered as it stands', async () => {
      // Every other time by the index in memory.
      for (const text of [
        '100%',
        '1_0',
        'st*r',
        'back\\slash',
        '"quoted"',
        "it's",
        'null',
        'a]b',
        '%',
        '_',
        '{}',
      ]) {
        for (const list of modelLists) {
          const statuses = `subscription_statuses[]=${encodeURIComponent(text)}&subscription_statuses[]=active`;
          for (const query of [`q=${encodeURIComponent(text)}`, statuses])
            for (let n = 0; n < 2; n++) await mustAnswer(list, LARGE_ACCOUNT, query);
        }
        const providers = `providers[]=${encodeURIComponent(text)}&providers[]=Zed`;
        for (let n = 0; n < 2; n++) await mustAnswer(virtual_numbers, LARGE_ACCOUNT, providers);
      }
    });

    test('a word in Greek is found in any case, wherever it ends', async () => {
      const comments = ['ΟΔΟΣΑ', 'ΟΔΟΣ', 'οδος 7', 'οδοσ', 'Οδος', 'xΟΔΟΣ', 'ΟΔΟ'];
      const [row] = numbers as [ModelRow];
      const rows = comments.map((comment, i) => ({ ...row, id: 30_001 + i, account_id: GREECE, comment }));
      await load(service.operator, 'virtual_numbers', rows);
      const greece = new Model({ virtual_numbers: rows, additional_services: [] });
      for (const word of ['ΟΔΟΣ', 'οδος', 'οδοσ', 'Οδοσ', 'ΔΟΣ', 'δος']) {
        const query = `q=${encodeURIComponent(word)}`;
        // Every other time by the index in memory.
        for (let n = 0; n < 4; n++) await mustAnswer(virtual_numbers, GREECE, `${query}&page=1`, greece);
        const { body } = await service.ask(GREECE, `${virtual_numbers.path}?${query}`);
        assert.equal(JSON.parse(body).total, comments.length - 1, word);
      }
      for (const order of ['asc', 'desc'])
        await mustAnswer(virtual_numbers, GREECE, `sort_by=comment&sort_order=${order}&page_size=3`, greece);
    });

    test('a filter is answered all of whose values are longer than any stored text', async () => {
      const filters = modelLists.flatMap((list) =>
        Object.entries(list.filters).flatMap(([name, [how]]) =>
          how === 'texts' || how === 'not texts' ? [[list, `${name}=${LONGER_THAN_ANY}`] as const] : [],
        ),
      );
      assert.ok(filters.length > 5);
      for (const [list, query] of filters) {
        for (let n = 0; n < 2; n++) await mustAnswer(list, LARGE_ACCOUNT, query);
        for (const address of ['/facets', '/changes', '.ndjson', '.csv']) {
          const { status, body } = await service.ask(LARGE_ACCOUNT, `${list.path}${address}?${query}`);
          assert.equal(status, 200, body);
        }
      }
    });

    test('a hidden service is never listed, whatever the query', async () => {
      const hidden = own(additional_services).filter((row) => row['category'] !== 'additional');
      assert.ok(hidden.length > 20);
      assert.deepEqual(await idsOf(additional_services, hidden.map(({ id }) => `ids=${id}`).join('&')), []);
      const shown = await idsOf(additional_services, '');
      assert.equal(shown.length + hidden.length, own(additional_services).length);
      assert.equal((await ask(additional_services, 'page_size=1000')).body.includes('category'), false);
    });
  });
}
