// The operator's own fields in the answers of the API: random declarations and values, compared with what a
// naive reading of docs/how-to/add-a-field.md makes of the same rows. OWN_FIELDS_RUNS sets how many.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as fc from 'fast-check';
import { strFromU8, unzipSync } from 'fflate';
import { Client } from '../../api/client/client.ts';
import { changesPath, MCP_PATH } from '../../api/contract/addresses.ts';
import type { OwnField } from '../../api/contract/list.ts';
import { OWN_FIELD, ownFilters, ownNameFault } from '../../api/contract/own-fields.ts';
import type { OpenApiDocument } from '../../api/openapi/openapi.ts';
import { listFieldsOperation } from '../../server/operations/fields.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { declaredTable } from '../../server/store/lists/own-fields.ts';
import { itemWithOwn } from '../../server/store/own-columns.ts';
import { statement } from '../../server/store/sql.ts';
import { storedColumns, storedRow } from '../../server/store/tables.ts';
import { anyCharacter } from '../kit/characters.ts';
import { Deliveries } from '../kit/deliveries.ts';
import { checkBy } from '../kit/document-checks.ts';
import { declareField, removeField, updateNumbers } from '../kit/own-fields.ts';
import { numberRow } from '../kit/rows.ts';
import { openService, type Service, stores } from '../kit/service.ts';

const RUNS = Number(process.env['OWN_FIELDS_RUNS'] ?? 2);
const PATH = '/api/v1/did/me';
const ACCOUNT = 'C1';
const ROWS = 30;
const BY = { origin: 'command', actor: 'test' } as const;

type Kind = OwnField['kind'];
type Value = string | number | boolean | null;
type Item = Readonly<Record<string, Value>>;

const DEFAULTS: Readonly<Record<Kind, Value>> = {
  text: '',
  timestamp: null,
  charge: 0,
  flag: false,
  integer: null,
};
const TEXTS = ['Basel', 'basel', 'Zürich', 'a "quoted" \\ one', 'x, y', '=1+1', '😀', 'İ'];
const TIMES = ['2026-01-01T00:00:00.000000Z', '2026-05-05T12:00:00.000001Z', '2026-11-23T23:59:59.999999Z'];
const VALUES: Readonly<Record<Kind, readonly Value[]>> = {
  text: TEXTS,
  timestamp: TIMES,
  charge: [1.5, 0.000001, -2, 1_000_000_000, 12],
  flag: [true, false],
  integer: [-9_007_199_254_740_991, -1, 0, 7, 9_007_199_254_740_991],
};

const names = fc
  .stringMatching(/^x_[a-z][a-z0-9_]{0,12}$/)
  .filter((name) => ownNameFault(name) === undefined);
const declared = fc.uniqueArray(
  fc.record({
    name: names,
    kind: fc.constantFrom<Kind>('text', 'timestamp', 'charge', 'flag', 'integer'),
    search: fc.boolean(),
  }),
  { selector: ({ name }) => name, minLength: 1, maxLength: 6 },
);

/** Signs that JSON escapes, that only some write as they are, or that end a member. */
const SIGNS = Array.from('"\\/\b\t\n\f\r\x01\x0b\x1f\x7f\x85\u2028\u2029\ufeff\ufffd{}[],:\'é');
/** A value of each kind as an import stores it; no store takes U+0000. */
const stored = fc.record({
  x_text: fc.string({
    unit: fc.oneof(
      fc.constantFrom(...SIGNS),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }).filter((sign) => sign !== '\0'),
    ),
  }),
  x_time: fc.option(
    fc
      .date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().replace('Z', '042Z')),
  ),
  x_charge: fc.oneof(fc.constantFrom(0, 1, -1, 10, 1e15, -1e15), fc.integer({ min: -1e15, max: 1e15 })),
  x_flag: fc.boolean(),
  x_integer: fc.option(fc.oneof(fc.constant(-0), fc.maxSafeInteger())),
});
const OF_EACH_KIND = [
  ['x_text', 'text'],
  ['x_time', 'timestamp'],
  ['x_charge', 'charge'],
  ['x_flag', 'flag'],
  ['x_integer', 'integer'],
] as const;

const declare = ({ operator }: Pick<Service, 'operator'>, given: Readonly<Record<string, unknown>>) =>
  declareField(operator, given);
const remove = ({ operator }: Service, name: string) => removeField(operator, name);

async function removeAll(service: Service): Promise<void> {
  const { data } = await listFieldsOperation.run(
    { store: service.operator, by: BY },
    { list: undefined },
    '',
  );
  for (const { name } of data) await remove(service, name);
  // As if the columns of what was removed had rested.
  await service.operator.write({ text: 'delete from own_fields', values: [] });
  await service.refresh();
}

const importing = ({ operator }: Pick<Service, 'operator'>, rows: readonly Item[]) =>
  updateNumbers(
    operator,
    rows.map((row) => ({ account_id: ACCOUNT, ...row })),
  );

async function all(service: Service, query = ''): Promise<Item[]> {
  const { body, status } = await service.ask(ACCOUNT, `${PATH}?page_size=1000&${query}`);
  assert.equal(status, 200, `${query}: ${body}`);
  return JSON.parse(body).data;
}

/** Page by page, each by the link of the one before. */
async function walk(service: Service, query: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let url: string | undefined = `${PATH}?page_size=7&${query}`; url !== undefined; ) {
    const { body, status, links } = await service.ask(ACCOUNT, url);
    assert.equal(status, 200, `${url}: ${body}`);
    items.push(...JSON.parse(body).data);
    url = links.get('next');
  }
  return items;
}

const folded = (value: Value) => String(value).normalize('NFKC').toLowerCase();
const byCode = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function sorted(
  items: readonly Item[],
  { name, kind }: Pick<OwnField, 'name' | 'kind'>,
  isDescending: boolean,
) {
  const compare = (a: Value, b: Value): number => {
    if (a === null || b === null) return 0;
    return kind === 'text' || kind === 'timestamp'
      ? byCode(kind === 'text' ? folded(a) : String(a), kind === 'text' ? folded(b) : String(b))
      : Number(a) - Number(b);
  };
  const direction = isDescending ? -1 : 1;
  return items.toSorted((a, b) => {
    const [one, other] = [a[name] as Value, b[name] as Value];
    if ((one === null) !== (other === null)) return one === null ? 1 : -1;
    return direction * (compare(one, other) || Number(a['id']) - Number(b['id']));
  });
}

/** Each filter of a field with a value, and what it lets through. */
function filtersOf(
  { name, kind }: Pick<OwnField, 'name' | 'kind'>,
  value: Value,
): [string, (value: Value) => boolean][] {
  const written = encodeURIComponent(String(value));
  const compare = (of: Value) =>
    kind === 'timestamp' ? byCode(String(of), String(value)) : Number(of) - Number(value);
  const bound = (suffix: string, isIn: (order: number) => boolean): [string, (of: Value) => boolean] => [
    `${name}_${suffix}=${written}`,
    (of) => of !== null && isIn(compare(of)),
  ];
  const some: [string, (of: Value) => boolean][] = [
    [`${name}[]=${written}`, (of) => of === value],
    [`${name}_exclude[]=${written}`, (of) => of !== value],
  ];
  const bounds = [bound('min', (order) => order >= 0), bound('max', (order) => order <= 0)];
  switch (kind) {
    case 'text':
      return some;
    case 'integer':
      return [...some, ...bounds];
    case 'charge':
      return bounds;
    case 'flag':
      return [[`${name}=${written}`, (of) => of === value]];
    case 'timestamp':
      return [
        [`has_${name}=true`, (of) => of !== null],
        [`has_${name}=false`, (of) => of === null],
        bound('after', (order) => order > 0),
        bound('before', (order) => order < 0),
        bound('from', (order) => order >= 0),
        bound('to', (order) => order <= 0),
      ];
  }
}

for (const kind of stores) {
  describe(`own fields on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      const rows = Array.from({ length: ROWS }, (_, i) => numberRow(ACCOUNT, i + 1));
      service = await openService(kind, {
        accounts: [ACCOUNT],
        rows: { virtual_numbers: rows },
        currency: 'EUR',
      });
    });
    after(async () => service.close());

    test('a declared field is in items, filters, orders, facets, files and the search, and nowhere once it is removed', async () => {
      const plain = await all(service);
      await fc.assert(
        fc.asyncProperty(declared, fc.infiniteStream(fc.nat()), async (fields, numbers) => {
          await removeAll(service);
          for (const { name, kind: of, search } of fields)
            await declare(service, { name, kind: of, search: search && of === 'text' });
          await service.refresh();
          const next = (below: number) => (numbers.next().value as number) % below;
          const values = plain.map(({ id }) => {
            const given = fields.flatMap(({ name, kind: of }): [string, Value][] =>
              next(3) === 0 ? [] : [[name, VALUES[of][next(VALUES[of].length)] as Value]],
            );
            return { id: id as number, ...Object.fromEntries(given) };
          });
          const changesOf = async (since: string) =>
            JSON.parse(
              (await service.ask(ACCOUNT, `${changesPath({ path: PATH })}?page_size=100&since=${since}`))
                .body,
            );
          const { since } = await changesOf('now');
          await importing(
            service,
            values.filter((row) => Object.keys(row).length > 1),
          );
          const defaults = Object.fromEntries(fields.map(({ name, kind: of }) => [name, DEFAULTS[of]]));
          const expected = plain.map((item, i): Item => ({ ...item, ...defaults, ...(values[i] as Item) }));
          assert.deepEqual(await all(service), expected);
          const changed = expected.filter((item) => fields.some(({ name }) => item[name] !== defaults[name]));
          const { data: entries } = await changesOf(since);
          assert.deepEqual(
            entries
              .map((one: { item: Item }) => one.item)
              .toSorted((a: Item, b: Item) => Number(a['id']) - Number(b['id'])),
            changed,
          );
          for (const field of fields) {
            for (const direction of ['asc', 'desc'])
              assert.deepEqual(
                await all(service, `sort_by=${field.name}&sort_order=${direction}`),
                sorted(expected, field, direction === 'desc'),
                `${field.kind} ${direction}`,
              );
            for (const [query, isIn] of filtersOf(
              field,
              VALUES[field.kind][next(VALUES[field.kind].length)] as Value,
            ))
              assert.deepEqual(
                await all(service, query),
                expected.filter((item) => isIn(item[field.name] as Value)),
                query,
              );
          }
          const [one, other] = [fields[next(fields.length)], fields[next(fields.length)]];
          if (one !== undefined && other !== undefined) {
            const some = filtersOf(one, VALUES[one.kind][next(VALUES[one.kind].length)] as Value);
            const [query, isIn] = some[next(some.length)] ?? assert.fail();
            assert.deepEqual(
              await walk(service, `${query}&sort_by=${other.name}&sort_order=desc`),
              sorted(expected, other, true).filter((item) => isIn(item[one.name] as Value)),
              `${query} by ${other.name}`,
            );
          }
          const searched = fields.filter(({ search, kind: of }) => search && of === 'text');
          const found = await all(service, `q=${encodeURIComponent('BASEL')}`);
          assert.deepEqual(
            found,
            expected.filter((item) =>
              searched.some(({ name }) => folded(item[name] as Value).includes('basel')),
            ),
          );
          const lines = (await service.ask(ACCOUNT, `${PATH}.ndjson`)).body.trimEnd().split('\n');
          assert.deepEqual(
            lines.map((line) => JSON.parse(line)),
            expected,
          );
          const { body: csv } = await service.ask(ACCOUNT, `${PATH}.csv`);
          assert.ok(csv.split(/\r?\n/)[0]?.endsWith(fields.map(({ name }) => name).join(',')));
          const { facets, sums } = JSON.parse((await service.ask(ACCOUNT, `${PATH}/facets`)).body);
          for (const { name, kind: of } of fields) {
            if (of === 'charge') {
              const millionths = expected.reduce(
                (sum, item) => sum + BigInt(Math.round(Number(item[name]) * 1e6)),
                0n,
              );
              assert.equal(sums[name], Number(`${millionths}e-6`));
            }
            assert.equal(name in facets, of === 'text' || of === 'flag');
            if (!(name in facets)) continue;
            const counted = new Map<Value, number>();
            for (const item of expected)
              counted.set(item[name] as Value, (counted.get(item[name] as Value) ?? 0) + 1);
            assert.deepEqual(
              new Map(
                facets[name].values.map((one: { value: Value; count: number }) => [one.value, one.count]),
              ),
              counted,
            );
          }
          await removeAll(service);
          assert.deepEqual(await all(service), plain);
        }),
        { numRuns: RUNS },
      );
    });

    test('they are appended to an item that ends in braces, quotes or signs of several bytes', async () => {
      const store = service.operator;
      for (const last of ['', '}', '}}', '"}', '\\}', '😀}', null, 0, true]) {
        const item = JSON.stringify({ first: '{}}', last });
        const end = store.dialect.joined([`',"x_one":'`, `'"}"'`, `'}'`]);
        const text = store.dialect.withEnd(`'${item}'`, end);
        const [[row]] = await store.read(statement(`select ${text}`));
        assert.deepEqual(row, [`${item.slice(0, -1)},"x_one":"}"}`]);
      }
    });

    test('they are the same byte for byte, whether an import has written their text or a statement makes it of the columns', async () => {
      const store = service.operator;
      for (const [name, kind] of OF_EACH_KIND) await declare(service, { name, kind });
      const table = await declaredTable(store, 'virtual_numbers');
      const columns = storedColumns(table);
      const sets = columns.flatMap((column, i) => (column.startsWith('own_') ? [{ column, i }] : []));
      const set = sets.map(({ column }, i) => `${column} = $${i + 2}`).join(', ');
      const { own } = table;
      assert.ok(own);
      const ofColumns = itemWithOwn({ ...own, shape: 'AAAAAAAA' }, store.dialect);
      await fc.assert(
        fc.asyncProperty(fc.array(stored, { minLength: ROWS, maxLength: ROWS }), async (rows) => {
          await store.write(
            ...rows.map((row, i) => {
              const values = storedRow(table, ACCOUNT, { ...numberRow(ACCOUNT, i + 1), ...row });
              const text = `update virtual_numbers set ${set} where id = $1`;
              return { text, values: [i + 1, ...sets.map((one) => values[one.i] ?? null)] };
            }),
          );
          const [found] = await store.read(
            statement(`select item, own_text, ${ofColumns} from virtual_numbers order by id`),
          );
          for (const [i, [item, text, made]] of found.entries()) {
            assert.equal(made, String(item).slice(0, -1) + text);
            const row = rows[i] as (typeof rows)[number];
            // Through JSON, which has one zero.
            const expected = JSON.stringify({ ...row, x_charge: row.x_charge / 1e6 });
            assert.partialDeepStrictEqual(JSON.parse(String(made)), JSON.parse(expected));
          }
        }),
        { numRuns: 5 * RUNS },
      );
      await removeAll(service);
    });

    test('the OpenAPI document and the guide have them as served, and are byte for byte as before once they are removed', async () => {
      const addresses = ['/openapi.json', '/docs', '/docs.md', '/llms.txt'];
      const texts = async () => {
        const answers = await Promise.all(addresses.map((address) => service.send('GET', address)));
        return answers.map(({ body, headers }) => ({ body, etag: headers['etag'] }));
      };
      await removeAll(service);
      const before = await texts();
      const kinds = ['text', 'timestamp', 'charge', 'flag', 'integer'] as const;
      for (const of of kinds)
        await declare(service, {
          name: `x_a__${of}`,
          kind: of,
          title: `Own ${of}`,
          titles: { de: `Eigenes ${of}` },
          search: of === 'text',
        });
      await service.refresh();
      const after = await texts();
      const document = JSON.parse(after[0]?.body ?? '') as OpenApiDocument;
      const { properties = {} } = document.components.schemas['VirtualNumber'] ?? {};
      for (const of of kinds) {
        const name = `x_a__${of}`;
        assert.deepEqual(properties[name]?.[OWN_FIELD], {
          name,
          kind: of,
          title: `Own ${of}`,
          titles: { en: `Own ${of}`, de: `Eigenes ${of}` },
          search: of === 'text',
          shown: false,
        });
        for (const [i, { body, etag }] of after.entries()) {
          assert.notEqual(etag, before[i]?.etag);
          assert.ok(body.includes(name) && body.includes(`Own ${of}`), `${addresses[i]} has ${name}`);
          for (const filter of ownFilters({ name, kind: of }))
            assert.ok(body.includes(filter), `${addresses[i]} has ${filter}`);
        }
      }
      const keys = [document.components.parameters, document.components.schemas].flatMap(Object.keys);
      assert.deepEqual(
        keys.filter((key) => !/^[\w.-]+$/.test(key)),
        [],
      );
      const page = JSON.parse((await service.ask(ACCOUNT, PATH)).body);
      assert.equal(checkBy(document)(document.components.schemas['VirtualNumbersPage'], page), '');
      const facets = JSON.parse((await service.ask(ACCOUNT, `${PATH}/facets`)).body);
      assert.equal(checkBy(document)(document.components.schemas['VirtualNumbersFacets'], facets), '');
      await removeAll(service);
      assert.deepEqual(await texts(), before);
    });

    test('a workbook for people has their titles in its language, and sums up their charges', async () => {
      await removeAll(service);
      await declare(service, {
        name: 'x_site',
        kind: 'text',
        title: 'Site',
        titles: { de: 'Standort & Büro' },
      });
      await declare(service, { name: 'x_last_call', kind: 'timestamp' });
      await declare(service, { name: 'x_cost', kind: 'charge', titles: { fr: 'Coût' } });
      await service.refresh();
      await importing(service, [
        { id: 1, x_site: 'Basel', x_cost: 1.5, x_last_call: TIMES[0] ?? null },
        { id: 2, x_cost: 2.000001 },
      ]);
      const query = 'fields=id,x_site,x_last_call,x_cost';
      const textsOf = async (headings: string) => {
        const { status, bytes } = await service.ask(ACCOUNT, `${PATH}.xlsx?${query}${headings}`);
        assert.equal(status, 200);
        const sheet = strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
        const row = (number: number) =>
          [
            ...sheet.matchAll(new RegExp(`<c r="[A-Z]+${number}"[^>]*>(?:<is><t[^>]*>|<v>)([^<]*)<`, 'g')),
          ].map(([, text]) => text);
        return [row(1), row(ROWS + 3)];
      };
      const time = 'Last call (UTC)';
      assert.deepEqual(await textsOf(''), [query.slice('fields='.length).split(','), []]);
      assert.deepEqual(await textsOf('&headings=de'), [
        ['ID', 'Standort &amp; Büro', time, 'Cost'],
        ['Summe', '3.500001'],
      ]);
      assert.deepEqual((await textsOf('&headings=fr'))[0], ['ID', 'Site', time, 'Coût']);
    });

    test('followers of changes read the list again once after each, and equal it', async () => {
      await removeAll(service);
      const changes = changesPath({ path: PATH });
      const now = async () => JSON.parse((await service.ask(ACCOUNT, `${changes}?since=now`)).body).since;
      const copy = new Map<Value | undefined, Item>();
      let since = await now();
      for (const item of await all(service)) copy.set(item['id'], item);
      /** How often the list was read again. */
      const follow = async () => {
        let times = 0;
        for (let more = true; more; ) {
          const { status, body } = await service.ask(ACCOUNT, `${changes}?since=${since}`);
          if (status === 410) {
            assert.match(body, /The fields of the list have changed since this token/);
            times += 1;
            since = await now();
            copy.clear();
            for (const item of await all(service)) copy.set(item['id'], item);
            continue;
          }
          assert.equal(status, 200, body);
          const page = JSON.parse(body);
          for (const { id, item } of page.data)
            if (item === null) copy.delete(id);
            else copy.set(id, item);
          ({ more, since } = page);
        }
        assert.deepEqual([...copy.values()], await all(service));
        return times;
      };
      assert.equal(await follow(), 0);
      const acts: readonly (readonly [work: () => Promise<unknown>, times: number])[] = [
        [() => declare(service, { name: 'x_site', kind: 'text' }), 1],
        [() => importing(service, [{ id: 1, x_site: 'Basel' }]), 0],
        [() => declare(service, { name: 'x_cost', kind: 'charge' }), 1],
        [
          () =>
            importing(service, [
              { id: 1, x_cost: 2 },
              { id: 2, x_site: 'Bern' },
            ]),
          0,
        ],
        [() => remove(service, 'x_site'), 1],
        [() => importing(service, [{ id: 2, x_cost: 3 }]), 0],
        [() => remove(service, 'x_cost'), 1],
      ];
      for (const [work, times] of acts) {
        await work();
        await service.refresh();
        assert.equal(await follow(), times);
      }
    });

    test('the tools of an agent describe, filter, sort and return them, and refuse a charge to a token without charges', async () => {
      const post = async (method: string, params: object, token = service.tokenOf(ACCOUNT).token) => {
        const headers = {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
        };
        const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
        const { status, body } = await service.send('POST', MCP_PATH, headers, message);
        assert.equal(status, 200, body);
        return JSON.parse(body.replace(/^event: message\ndata: /, '')).result;
      };
      const call = (name: string, given: object, token?: string) =>
        post('tools/call', { name, arguments: given }, token);
      await removeAll(service);
      const plain = await post('tools/list', {});
      await declare(service, { name: 'x_site', kind: 'text', title: 'Where it rings' });
      await declare(service, { name: 'x_cost', kind: 'charge' });
      await declare(service, { name: 'x_last_call', kind: 'timestamp' });
      await service.refresh();
      await importing(service, [
        { id: 1, x_site: 'Basel', x_cost: 1.5, x_last_call: '2026-05-05T12:00:00Z' },
        { id: 2, x_site: 'Basel', x_cost: 4, x_last_call: '2026-05-06T12:00:00Z' },
        { id: 3, x_site: 'Bern', x_cost: 9 },
      ]);
      const { tools } = await post('tools/list', {});
      const { properties } = tools.find(({ name }: Item) => name === 'virtual_numbers_list').inputSchema;
      for (const name of ['x_site', 'x_site_exclude', 'x_cost_min', 'x_last_call', 'has_x_last_call'])
        assert.ok(name in properties, name);
      assert.match(properties.fields.description, /x_site is Where it rings/);
      const given = { x_site: 'Basel', x_last_call: '2026-05', sort_by: 'x_cost', sort_order: 'desc' };
      const fields = ['id', 'x_site', 'x_cost'];
      const found = await call('virtual_numbers_list', { ...given, fields });
      assert.deepEqual(found.structuredContent?.data, [
        { id: 2, x_site: 'Basel', x_cost: 4 },
        { id: 1, x_site: 'Basel', x_cost: 1.5 },
      ]);
      const one = await call('virtual_numbers_get', { id: 3 });
      assert.equal(one.structuredContent?.item.x_cost, 9);
      const ranges = await call('virtual_numbers_ranges', { filters: { x_site: ['Bern'] } });
      assert.equal(ranges.structuredContent?.total, 1);
      const facets = await call('virtual_numbers_facets', { x_cost_min: 4 });
      assert.equal(facets.structuredContent?.sums.x_cost, 13);

      const made = await createToken(service.operator, ACCOUNT, 'agent', undefined, { charges: false });
      const { token } = made ?? assert.fail();
      const seen = await call('virtual_numbers_get', { id: 3 }, token);
      assert.equal(seen.structuredContent?.item.x_site, 'Bern');
      assert.equal('x_cost' in seen.structuredContent.item, false);
      for (const hidden of [{ fields }, { x_cost_min: 4 }, { sort_by: 'x_cost' }]) {
        const refused = await call('virtual_numbers_list', hidden, token);
        assert.equal(refused.isError, true);
        assert.match(refused.content[0].text, /^This token may not see any charge/);
      }
      await removeAll(service);
      assert.deepEqual(await post('tools/list', {}), plain);
      const gone = await call('virtual_numbers_list', { x_site: 'Basel' });
      assert.match(gone.content[0].text, /"x_site" is not an argument/);
    });

    test('a client says which there are, and takes and gives them, with the types that a program knows', async () => {
      await removeAll(service);
      const url = `http://127.0.0.1:${await service.listen()}`;
      const client = new Client<{ x_site: string; x_cost: number }>({
        url,
        token: service.tokenOf(ACCOUNT).token,
        account: ACCOUNT,
      });
      assert.deepEqual(await client.virtualNumbers.fields(), []);
      await declare(service, { name: 'x_site', kind: 'text', titles: { de: 'Standort' }, search: true });
      await declare(service, { name: 'x_cost', kind: 'charge', shown: true });
      await service.refresh();
      await importing(service, [{ id: 1, x_site: 'Basel', x_cost: 1.5 }]);
      assert.deepEqual(await client.virtualNumbers.fields(), [
        {
          name: 'x_site',
          kind: 'text',
          title: 'Site',
          titles: { de: 'Standort' },
          search: true,
          shown: false,
        },
        { name: 'x_cost', kind: 'charge', title: 'Cost', titles: {}, search: false, shown: true },
      ]);
      assert.deepEqual(await client.additionalServices.fields(), []);
      const { data } = await client.virtualNumbers.list({
        x_site: ['Basel'],
        x_cost_min: 1,
        sort_by: 'x_cost',
        fields: ['id', 'x_site', 'x_cost'],
      });
      const [first] = data;
      const site: string | undefined = first?.x_site;
      const cost: number | undefined = first?.x_cost;
      assert.deepEqual([data.length, site, cost], [1, 'Basel', 1.5]);
      const { facets, sums } = await client.virtualNumbers.facets({ x_site: ['Basel'] });
      assert.ok(facets['x_site']?.values.some(({ value, count }) => value === 'Basel' && count === 1));
      assert.equal(sums['x_cost'], 1.5);
      await removeAll(service);
    });

    test('webhooks have them as answers do, without charges where their endpoint has none', async (t) => {
      const chosen = { fields: ['did', 'x_site'] };
      const scopes = { whole: {}, uncharged: { charges: false }, chosen };
      const desk = await Deliveries.open(kind, Object.keys(scopes));
      t.after(() => desk.close());
      const own = { operator: desk.store };
      await declare(own, { name: 'x_site', kind: 'text' });
      await declare(own, { name: 'x_cost', kind: 'charge' });
      const got = new Map<string, Item>();
      for (const [i, [account_id, scope]] of Object.entries(scopes).entries()) {
        await desk.load('virtual_numbers', [numberRow(account_id, i + 1)]);
        await desk.endpoint(account_id, { events: ['changed'], ...scope });
        await importing(own, [{ account_id, id: i + 1, x_site: 'Zürich', x_cost: 1.5 }]);
        const [sent] = await desk.deliver();
        got.set(account_id, (sent?.data['items'] as { item: Item }[] | undefined)?.[0]?.item ?? {});
      }
      const [whole, uncharged, few] = [...got.values()];
      assert.deepEqual([whole?.['x_site'], whole?.['x_cost']], ['Zürich', 1.5]);
      assert.deepEqual(Object.keys(whole ?? {}).slice(-2), ['x_site', 'x_cost']);
      assert.equal(uncharged?.['x_site'], 'Zürich');
      assert.equal('x_cost' in (uncharged ?? {}), false);
      assert.deepEqual(Object.keys(few ?? {}), ['id', 'did', 'x_site']);

      await removeField(desk.store, 'x_site');
      await desk.deliver();
      await importing(own, [{ account_id: 'chosen', id: 3, comment: 'changed' }]);
      const after = (await desk.deliver()).find(({ type }) => type === 'virtual_numbers.changed');
      const [left] = (after?.data['items'] as { item: Item }[] | undefined) ?? [];
      assert.deepEqual(Object.keys(left?.item ?? {}), ['id', 'did']);
    });
  });
}
