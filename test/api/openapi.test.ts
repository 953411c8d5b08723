// What the service answers is what its OpenAPI document says: statuses, media types, headers and bodies,
// requested over HTTP in every way that the document describes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { accounts } from '../../api/contract/accounts.ts';
import { activity } from '../../api/contract/activity.ts';
import { ACCOUNT_PATH, changesPath, itemPath } from '../../api/contract/addresses.ts';
import { lists } from '../../api/contract/contract.ts';
import { facetsPath } from '../../api/contract/facets.ts';
import type { Field, List } from '../../api/contract/list.ts';
import { WEBHOOKS_PATH } from '../../api/contract/webhooks.ts';
import { inPascalCase, itemName } from '../../api/contract/wording.ts';
import type { OpenApiDocument } from '../../api/openapi/openapi.ts';

import { fillDemo } from '../../server/demo/demo.ts';
import { resolve } from '../../server/reference/document.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { type Check, checkBy } from '../kit/document-checks.ts';
import { openService, type Service, stores } from '../kit/service.ts';

type Described = OpenApiDocument['components']['responses'][string];
type Parameter = OpenApiDocument['components']['parameters'][string];

/** Headers that HTTP itself puts there. */
const TRANSPORT = [
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-content-type-options',
];
const NDJSON = 'application/x-ndjson';
const PUBLISHED = join(import.meta.dirname, '..', '..', 'docs', 'generated', 'openapi.json');
const published = JSON.parse(readFileSync(PUBLISHED, 'utf8')) as OpenApiDocument;
const checkPublished = checkBy(published);

for (const kind of stores) {
  describe(`the answers are those of the OpenAPI document, on ${kind.name}`, () => {
    let service: Service;
    let token = '';
    let document: OpenApiDocument;
    let check: Check;
    let accountId = '';
    const firstIds = new Map<string, string>();

    before(async () => {
      service = await openService(kind, { maxPageSize: 200, rateLimit: 600 });
      const [account] = (await fillDemo(service.operator)) ?? [];
      token = (await createToken(service.operator, account?.id ?? '', 'test'))?.token ?? '';
      // The service reads one snapshot a turn, and so far everything was one turn.
      await nextTurn();
      document = JSON.parse((await service.send('GET', '/openapi.json')).body) as OpenApiDocument;
      check = checkBy(document);
      accountId = account?.id ?? '';
      for (const { name, path } of Object.values(lists)) {
        const { body } = await service.send('GET', `${path}?page_size=1`, { authorization: token });
        firstIds.set(name, String(JSON.parse(body).data[0].id));
      }
    });

    after(() => service.close());

    function assertFits(schema: object | undefined, value: unknown, by = check): void {
      assert.equal(by(schema, value), '');
    }

    /** Sends a request, and compares the whole answer with what the document says of its status. */
    async function ask(path: string, query = '', sent: Record<string, string> = {}, id = '{id}') {
      const url = `${path.replace('{id}', id)}${query}`;
      const { status, body, headers } = await service.send('GET', url, sent);
      const response = document.paths[path]?.get.responses[status];
      assert.ok(response, `${status} is not in the document: ${body}`);
      const { headers: described, content } = resolve<Described>(document, response);

      const known = [...TRANSPORT, ...Object.keys(described).map((name) => name.toLowerCase())];
      assert.deepEqual(
        Object.keys(headers).filter((name) => !known.includes(name)),
        [],
      );
      const mediaType = (headers['content-type'] ?? '').split(';')[0] ?? '';
      if (content === undefined) assert.equal(body, '');
      else if (!mediaType.endsWith('json') || mediaType === NDJSON) assert.ok(mediaType in content);
      else assertFits(content[mediaType]?.schema, JSON.parse(body));
      return { status, headers, body };
    }

    const authorized = (more: Record<string, string> = {}) => ({ authorization: token, ...more });

    for (const list of Object.values(lists)) {
      const { name, path } = list;
      test(`${name}: whole pages, and 304 while nothing changes`, async () => {
        const page = await ask(path, '?page_size=200', authorized());
        assert.equal(page.status, 200);
        const etag = page.headers['etag'] ?? '';
        assert.equal((await ask(path, '', authorized({ 'if-none-match': etag }))).status, 304);
      });

      test(`${name}: every parameter, as its example spells it`, async () => {
        const { parameters = [] } = document.paths[path]?.get ?? {};
        for (const item of parameters) {
          const { name: key, in: place, example } = resolve<Parameter>(document, item);
          if (place !== 'query' || key === 'cursor') continue;
          const values = [example].flat().map((value) => `${key}=${encodeURIComponent(String(value))}`);
          assert.equal((await ask(path, `?${values.join('&')}`, authorized())).status, 200, key);
        }
      });

      test(`${name}: chosen fields, as the example spells them, each as the whole item has it`, async () => {
        const { parameters = [] } = document.paths[path]?.get ?? {};
        const described = parameters.map((item) => resolve<Parameter>(document, item));
        const { example } = described.find(({ name: key }) => key === 'fields') ?? {};
        const chosen = [example].flat().map(String);
        const query = chosen.map((field) => `fields=${field}`).join('&');
        const { body } = await service.send('GET', `${path}?${query}`, authorized());
        const { properties = {} } = document.components.schemas[itemName(list)] ?? {};
        for (const item of (JSON.parse(body) as { data: Record<string, unknown>[] }).data) {
          assert.deepEqual(Object.keys(item), chosen);
          for (const [field, value] of Object.entries(item)) assertFits(properties[field], value);
        }
      });

      test(`${name}: exports`, async () => {
        const csv = await ask(`${path}.csv`, '?sort_by=comment', authorized());
        const ndjson = await ask(`${path}.ndjson`, '', authorized());
        assert.equal((await ask(`${path}.xlsx`, '', authorized())).status, 200);
        const items = ndjson.body.trimEnd().split('\n');
        assert.equal(String(items.length), ndjson.headers['x-total-count']);
        const page = document.components.schemas[`${inPascalCase(list.title)}Page`];
        for (const item of items) assertFits(page?.properties?.['data']?.items, JSON.parse(item));
        assert.deepEqual(
          csv.body.split('\r\n')[0]?.split(','),
          Object.keys(JSON.parse(items[0] ?? '') as object),
        );
      });

      test(`${name}: one item`, async () => {
        const { body } = await ask(path, '?page_size=1', authorized());
        const id = String((JSON.parse(body) as { data: { id: number }[] }).data[0]?.id);
        const item = itemPath(list);
        const { status, headers } = await ask(item, '', authorized(), id);
        assert.equal(status, 200);
        const sent = authorized({ 'if-none-match': headers['etag'] ?? '' });
        assert.equal((await ask(item, '', sent, id)).status, 304);
        assert.equal((await ask(item, '', authorized(), '4242424242')).status, 404);
        assert.equal((await ask(item, '?page=1', authorized(), id)).status, 400);
        assert.equal((await ask(item, '', {}, id)).status, 401);
        assert.equal((await ask(item, '', authorized({ accept: 'text/csv' }), id)).status, 406);
      });

      test(`${name}: facets`, async () => {
        const { status, headers } = await ask(facetsPath(list), '', authorized());
        assert.equal(status, 200);
        const sent = authorized({ 'if-none-match': headers['etag'] ?? '' });
        assert.equal((await ask(facetsPath(list), '', sent)).status, 304);
        assert.equal((await ask(facetsPath(list), '?page=1', authorized())).status, 400);
        assert.equal((await ask(facetsPath(list))).status, 401);
      });

      test(`${name}: errors`, async () => {
        assert.equal((await ask(path)).status, 401);
        assert.equal((await ask(path, '', { authorization: 'Bearer lc_nobody' })).status, 401);
        assert.equal((await ask(path, '?page_size=201&no_such=1', authorized())).status, 400);
        assert.equal((await ask(path, '?cursor=made_by_hand', authorized())).status, 400);
        assert.equal((await ask(path, '', authorized({ accept: 'image/png' }))).status, 406);
        assert.equal((await ask(path, `?ids=${'1'.repeat(66_000)}`, authorized())).status, 414);
      });
    }

    test('the account', async () => {
      const { status, headers } = await ask(ACCOUNT_PATH, '', authorized());
      assert.equal(status, 200);
      const sent = authorized({ 'if-none-match': headers['etag'] ?? '' });
      assert.equal((await ask(ACCOUNT_PATH, '', sent)).status, 304);
      assert.equal((await ask(ACCOUNT_PATH, '?page=1', authorized())).status, 400);
      assert.equal((await ask(ACCOUNT_PATH)).status, 401);
    });

    /** Everything of both lists that can leave something out, and the rest. */
    function sparseRequests(
      sees: (field: Field) => boolean,
    ): [path: string, query: string, id?: string | undefined][] {
      const ofLists = Object.values<List>(lists).flatMap(
        (list): [string, string, (string | undefined)?][] => {
          const seen = Object.keys(list.fields).filter((name) => sees(list.fields[name] as Field));
          const some = [
            '',
            ...seen.map((name) => `?fields=${name}`),
            `?fields=${seen.slice(2, 5).join(',')}`,
          ];
          const [changes, facets, item] = [changesPath(list), facetsPath(list), itemPath(list)];
          return [
            ...some.flatMap((fields): [string, string, (string | undefined)?][] => [
              [list.path, `${fields}${fields === '' ? '?' : '&'}page_size=200`],
              [item, fields, firstIds.get(list.name)],
              [changes, fields],
            ]),
            ...['', '?due_days=84', '?is_spammed=true', '?q=nothing-has-this'].flatMap(
              (query): [string, string][] =>
                query.includes('is_spammed') && list.filters['is_spammed'] === undefined
                  ? []
                  : [[facets, query]],
            ),
          ];
        },
      );
      return [...ofLists, [ACCOUNT_PATH, ''], [activity.path, ''], [WEBHOOKS_PATH, '']];
    }

    for (const [who, limits] of Object.entries({
      everything: {},
      'no charges': { charges: false },
      'the accounts below': { reach: 'tree' },
    } as const)) {
      test(`with chosen fields, of a token that sees ${who}: each is as the document of the reference says`, async () => {
        const made = await createToken(service.operator, accountId, 'test', undefined, limits);
        const sees = ({ kind: of }: Field) => !('charges' in limits) || of !== 'charge';
        const sent = { authorization: made?.token ?? '' };
        const requests = sparseRequests(sees);
        if ('reach' in limits) requests.push([accounts.path, '']);
        for (const [path, query, id = ''] of requests) {
          const { status, body } = await service.send('GET', `${path.replace('{id}', id)}${query}`, sent);
          assert.equal(status, 200, `${path}${query}: ${body}`);
          const { content } = resolve<Described>(
            published,
            published.paths[path]?.get.responses['200'] as Described,
          );
          assertFits(content?.['application/json']?.schema, JSON.parse(body), checkPublished);
        }
      });
    }

    test('one list alone, of a token that sees no other', async () => {
      const limits = { lists: ['additional_services'] } as const;
      const made = await createToken(service.operator, accountId, 'test', undefined, limits);
      for (const path of [ACCOUNT_PATH, activity.path, lists.additional_services.path])
        assert.equal((await ask(path, '', { authorization: made?.token ?? '' })).status, 200);
      assert.equal(
        (await ask(lists.virtual_numbers.path, '', { authorization: made?.token ?? '' })).status,
        403,
      );
    });

    test('the other operations', async () => {
      for (const path of Object.keys(document.paths)) {
        const { security } = document.paths[path]?.get ?? {};
        if (security?.length !== 0) continue;
        const { status, headers } = await ask(path);
        assert.equal(status, 200);
        const etag = headers['etag'];
        if (etag !== undefined) assert.equal((await ask(path, '', { 'if-none-match': etag })).status, 304);
      }
    });
  });
}
