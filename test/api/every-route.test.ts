// Every route of the API, walked as data: each is in the OpenAPI document and answers with the media type
// that it offers, and no answer to a token without charges has one.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Kind } from '../../server/answers/question.ts';
import { WORK } from '../../server/answers/work.ts';
import { routes } from '../../server/http/routes.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { textOfSheet } from '../kit/isolation.ts';
import { type ModelRow, modelLists } from '../kit/model.ts';
import { REQUIRED_VALUES } from '../kit/rows.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { Webhooks } from '../kit/webhooks.ts';

const ACCOUNT = 'acme';
const MAX_PAGE_SIZE = 1_000;
/** The charges of each item; nothing else of an account has these digits. */
const CHARGE = /7350[1-9]/;
/** A route that answers with items or sums of them, and so with charges where the token may see them. */
const CHARGED: readonly Kind[] = [
  'page',
  'item',
  'facets',
  'ranges',
  'ranges_file',
  'changes',
  'change_stream',
  'export',
  'workbook',
];
const WEBHOOKS = { maxWebhooks: 5, allow: [], keys: () => [Buffer.alloc(32)] };
const ID = 1;
const ALL = routes(MAX_PAGE_SIZE);

/** Routes with what each may answer with. */
const OFFERS = ALL.flatMap(({ path, offers, list }) => offers.map((offer) => ({ path, list, ...offer })));

/** An item whose every charge has a number of its own. */
function rowOf({ fields, only }: (typeof modelLists)[number]): ModelRow {
  const charges = Object.keys(fields).filter((field) => fields[field] === 'charge');
  const amounts = charges.map((field, i) => [field, `7350${i + 1}`]);
  const names = Object.keys(fields);
  const required = Object.entries({ ...REQUIRED_VALUES, name: 'Voicemail' });
  return {
    account_id: ACCOUNT,
    id: ID,
    ...Object.fromEntries(required.filter(([field]) => names.includes(field))),
    ...only,
    ...Object.fromEntries(amounts),
  } as ModelRow;
}

/** The paths of a tree of routes, of which each level is indented by four characters. */
function pathsOf(tree: string): string[] {
  const levels: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods] = /^([│ ]*)[├└]── (\S+)( \(.*\))?/.exec(line) ?? [];
    const level = indent.length / 4;
    levels[level] = (levels[level - 1] ?? '') + part;
    return methods === undefined ? [] : [levels[level]];
  });
}

test('every kind of answer has a route', () => {
  assert.deepEqual([...new Set(OFFERS.map(({ kind }) => kind))].toSorted(), Object.keys(WORK).toSorted());
});

for (const kind of stores) {
  describe(`every route on ${kind.name}`, () => {
    let service: Service;
    let webhook = '';
    const tokens = { with: '', without: '' };
    before(async () => {
      const rows = Object.fromEntries(modelLists.map((list) => [list.name, [rowOf(list)]]));
      service = await openService(kind, { rows, maxPageSize: MAX_PAGE_SIZE });
      const tokenWith = async (charges: boolean) =>
        (await createToken(service.operator, ACCOUNT, '', undefined, { charges, reach: 'tree' }))?.token ??
        '';
      Object.assign(tokens, { with: await tokenWith(true), without: await tokenWith(false) });
      const webhooks = new Webhooks(service.operator, WEBHOOKS, { origin: 'command', actor: 'me' });
      ({ id: webhook } = await webhooks.create(ACCOUNT, { url: 'https://crm.example.com/', charges: true }));
    });
    after(() => service.close());

    /** The answer of an offer as text. */
    async function ask(offer: (typeof OFFERS)[number], authorization: string) {
      const url = offer.path.replace(':id', offer.list === undefined ? webhook : String(ID));
      const sent = { authorization, accept: offer.type };
      const { status, bytes, body, headers } = await service.send('GET', url, sent);
      const what = `${offer.path} as ${offer.type}`;
      assert.equal(status, 200, `${what}: ${body}`);
      const type = headers['content-type']?.split(';')[0];
      return { what, type, text: offer.type.includes('sheet') ? textOfSheet(bytes) : body };
    }

    test('is an operation of the OpenAPI document', async () => {
      const { paths } = JSON.parse((await service.send('GET', '/openapi.json')).body);
      const served = pathsOf(service.routes()).map((path) => path.replaceAll(':id', '{id}'));
      const api = served.filter((path) => path.startsWith('/api/'));
      assert.deepEqual(api.toSorted(), ALL.map(({ path }) => path.replaceAll(':id', '{id}')).toSorted());
      for (const path of api) assert.ok(paths[path]?.get, `${path} is not in the document`);
      for (const { path, offers } of ALL) {
        const { content } = paths[path.replaceAll(':id', '{id}')].get.responses[200];
        assert.ok(
          content[offers[0].type],
          `${path} answers with ${offers[0].type}, and the document does not`,
        );
      }
    });

    test('answers with the media type that it offers, and without charges for a token without them', async () => {
      for (const offer of OFFERS) {
        const [shown, hidden] = [await ask(offer, tokens.with), await ask(offer, tokens.without)];
        for (const { type, what } of [shown, hidden]) assert.equal(type, offer.type, what);
        assert.equal(CHARGE.test(shown.text), CHARGED.includes(offer.kind), shown.what);
        assert.doesNotMatch(hidden.text, CHARGE, hidden.what);
      }
    });
  });
}
