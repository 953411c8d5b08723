// What the service answers is what its OpenAPI document says: statuses, media types, headers and bodies,
// requested over HTTP in every way that the document describes.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { lists } from '../api/contract/contract.ts';
import { facetsPath } from '../api/contract/facets.ts';
import type { OpenApiDocument } from '../api/openapi/openapi.ts';
import { pageName } from '../api/openapi/schemas.ts';
import { fillDemo } from '../server/demo/demo.ts';
import { resolve } from '../server/reference/schema-words.ts';
import { createToken } from '../server/store/tokens.ts';
import { openService, type Service, stores } from './service.ts';

type Described = OpenApiDocument['components']['responses'][string];
type Parameter = OpenApiDocument['components']['parameters'][string];

/** Headers that HTTP itself puts there. */
const TRANSPORT = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'];
const NDJSON = 'application/x-ndjson';

for (const kind of stores) {
  describe(`the answers are those of the OpenAPI document, on ${kind.name}`, () => {
    let service: Service;
    let token = '';
    let document: OpenApiDocument;
    let ajv: Ajv2020;

    before(async () => {
      service = await openService(kind, { max_page_size: 200, rate_limit: 600 });
      const [account] = (await fillDemo(service.operator)) ?? [];
      token = (await createToken(service.operator, account?.id ?? '', 'test'))?.token ?? '';
      // The service reads one snapshot a turn, and so far everything was one turn.
      await nextTurn();
      document = JSON.parse((await service.send('GET', '/openapi.json')).body) as OpenApiDocument;
      ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, keywords: ['components'] });
      addFormats.default(ajv);
      ajv.addSchema({ $id: 'document', components: document.components });
    });

    after(() => service.close());

    function assertFits(schema: object | undefined, value: unknown): void {
      const local = JSON.stringify(schema).replaceAll('"#/', '"document#/');
      const validate = ajv.compile(JSON.parse(local) as object);
      assert.ok(validate(value), ajv.errorsText(validate.errors));
    }

    /** Sends a request, and compares the whole answer with what the document says of its status. */
    async function ask(path: string, query = '', sent: Record<string, string> = {}) {
      const { status, body, headers } = await service.send('GET', `${path}${query}`, sent);
      const response = document.paths[path]?.get.responses[status];
      assert.ok(response, `${status} is not in the document: ${body}`);
      const { headers: described, content } = resolve<Described>(document, response);

      const known = [...TRANSPORT, ...Object.keys(described).map((name) => name.toLowerCase())];
      assert.deepEqual(
        Object.keys(headers).filter((name) => !known.includes(name)),
        [],
      );
      const media_type = (headers['content-type'] ?? '').split(';')[0] ?? '';
      if (content === undefined) assert.equal(body, '');
      else if (media_type === 'text/csv') assert.equal(typeof body, 'string');
      else if (media_type !== NDJSON) assertFits(content[media_type]?.schema, JSON.parse(body));
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
          // Items with chosen fields are not whole, as the schema has them.
          if (place !== 'query' || key === 'cursor' || key === 'fields') continue;
          const values = [example].flat().map((value) => `${key}=${encodeURIComponent(String(value))}`);
          assert.equal((await ask(path, `?${values.join('&')}`, authorized())).status, 200, key);
        }
      });

      test(`${name}: exports`, async () => {
        const csv = await ask(path, '?sort_by=comment', authorized({ accept: 'text/csv' }));
        const ndjson = await ask(path, '', authorized({ accept: NDJSON }));
        const items = ndjson.body.trimEnd().split('\n');
        assert.equal(String(items.length), ndjson.headers['x-total-count']);
        const page = document.components.schemas[pageName(list)];
        for (const item of items) assertFits(page?.properties?.['data']?.items, JSON.parse(item));
        assert.deepEqual(
          csv.body.split('\r\n')[0]?.split(','),
          Object.keys(JSON.parse(items[0] ?? '') as object),
        );
      });

      test(`${name}: facets`, async () => {
        assert.equal((await ask(facetsPath(list), '', authorized())).status, 200);
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

    test('what stands beside the lists', async () => {
      for (const path of Object.keys(document.paths)) {
        const { security } = document.paths[path]?.get ?? {};
        if (security?.length === 0) assert.equal((await ask(path)).status, 200);
      }
    });
  });
}
