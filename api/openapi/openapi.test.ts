// The OpenAPI document against the contract it is made from and the parser that decides: nothing is missing,
// every example fits, every limit is the real one.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resolve } from '../../server/reference/document.ts';
import { checkBy } from '../../test/kit/document-checks.ts';
import { changesPath } from '../contract/addresses.ts';
import { changesEnvelope } from '../contract/changes.ts';
import { DEFAULT_MAX_PAGE_SIZE, envelope, lists } from '../contract/contract.ts';
import { facetFilters, facetsPath, summedFields } from '../contract/facets.ts';
import { eventsOf, type List } from '../contract/list.ts';
import { PROBLEM_TYPE, Problem, problems } from '../contract/problems.ts';
import { QueryParser } from '../contract/query-parser.ts';
import type { Use } from '../contract/rules.ts';
import { timestampOf } from '../contract/timestamp.ts';
import { inPascalCase, itemName } from '../contract/wording.ts';
import { type OpenApiDocument, openapi } from './openapi.ts';
import { itemExample } from './schemas.ts';

type Parameter = OpenApiDocument['components']['parameters'][string];
type Schema = OpenApiDocument['components']['schemas'][string];
type Described = OpenApiDocument['components']['responses'][string];

const document = openapi({ version: '1.2.3', max_page_size: DEFAULT_MAX_PAGE_SIZE });
const text = JSON.stringify(document);
const everyList: readonly List[] = Object.values(lists);
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

const faults = checkBy(document);

function queryParameters({ path }: Pick<List, 'path'>): Parameter[] {
  const { parameters = [] } = document.paths[path]?.get ?? {};
  return parameters.map((one) => resolve<Parameter>(document, one)).filter((one) => one.in === 'query');
}

/** A schema with what it refers to. */
const complete = (schema: Schema | undefined): Schema => ({
  ...resolve<Schema>(document, schema ?? {}),
  ...schema,
});

/** A parameter as a client that knows OpenAPI would write it: style form, exploded. */
function spelled(name: string, value: unknown): string {
  const values = [value].flat();
  return values.map((one) => `${name}=${encodeURIComponent(String(one))}`).join('&');
}

function accepts(list: List, query: string): boolean {
  try {
    new QueryParser(list).ofString(query);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** The names that the parser knows, from what it says to one that it does not. */
function knownToParser(list: List, use: Use = 'page'): string[] {
  try {
    new QueryParser(list, DEFAULT_MAX_PAGE_SIZE, use).ofString('no_such_parameter=1');
  } catch (error) {
    const [, known = ''] = /Known parameters are (.*)\./.exec((error as Problem).message) ?? [];
    return known.split(/, | and /);
  }
  return [];
}

/** Values at the edge of a parameter's schema, and whether they are inside. */
function edges({ schema, example }: Parameter): [unknown, boolean][] {
  const { type, minimum, maximum, maxLength, maxItems, enum: choices = [] } = complete(schema);
  const list = (length: number) => Array<unknown>(length).fill([example].flat()[0]);
  const cases: [unknown, boolean][] = [];
  if (type === 'integer') cases.push([minimum, true], [Number(minimum) - 1, false]);
  if (maximum !== undefined) cases.push([maximum, true], [BigInt(maximum) + 1n, false]);
  if (maxLength !== undefined) cases.push(['é'.repeat(maxLength), true], ['é'.repeat(maxLength + 1), false]);
  if (maxItems !== undefined) cases.push([list(maxItems), true], [list(maxItems + 1), false]);
  for (const choice of choices) cases.push([choice, true], [`${String(choice)}_`, false]);
  return cases;
}

describe('everything of the contract is in the document', () => {
  for (const list of everyList) {
    test(`${list.name}: the parameters are those that the parser takes`, () => {
      assert.deepEqual(
        queryParameters(list).map(({ name }) => name),
        knownToParser(list),
      );
    });

    test(`${list.name}: every filter and sort key`, () => {
      const names = queryParameters(list).map(({ name }) => name);
      assert.deepEqual(
        Object.keys(list.filters).filter((name) => !names.includes(name)),
        [],
      );
      const sort_by = queryParameters(list).find(({ name }) => name === 'sort_by');
      assert.deepEqual(complete(sort_by?.schema).enum, Object.keys(list.sorts));
    });

    test(`${list.name}: items and pages have exactly their fields, in order`, () => {
      const expected = { [itemName(list)]: list.fields, [`${inPascalCase(list.title)}Page`]: envelope };
      for (const [name, members] of Object.entries(expected)) {
        const schema = document.components.schemas[name];
        assert.deepEqual(Object.keys(schema?.properties ?? {}), Object.keys(members));
        // What `fields` and tokens without charges leave out is not required: any field of an item.
        assert.deepEqual(schema?.required, members === envelope ? Object.keys(members) : undefined);
        assert.equal(schema?.additionalProperties, undefined);
      }
    });

    test(`${list.name}: facets take the filters and the search, and count every filter that has values`, () => {
      const names = queryParameters({ path: facetsPath(list) }).map(({ name }) => name);
      assert.deepEqual(names, knownToParser(list, 'facets'));
      const { sums, facets } =
        document.components.schemas[`${inPascalCase(list.title)}Facets`]?.properties ?? {};
      assert.deepEqual(
        [Object.keys(complete(sums).properties ?? {}), complete(sums).required],
        [summedFields(list), undefined],
      );
      assert.deepEqual(complete(facets).required, facetFilters(list));
    });

    test(`${list.name}: changes take what the parser takes for them, and a page has exactly its members`, () => {
      const names = queryParameters({ path: changesPath(list) }).map(({ name }) => name);
      assert.deepEqual(names, knownToParser(list, 'changes'));
      assert.deepEqual(
        names.filter((name) => name !== 'page_size'),
        knownToParser(list, 'change_stream'),
      );
      const { required } = document.components.schemas[`${inPascalCase(list.title)}Changes`] ?? {};
      assert.deepEqual(required, Object.keys(changesEnvelope));
    });

    test(`${list.name}: open sets are open, with known values as examples`, () => {
      for (const [name, field] of Object.entries(list.fields)) {
        const schema = document.components.schemas[itemName(list)]?.properties?.[name];
        assert.equal(schema?.enum, undefined, name);
        if (field.known !== undefined) assert.deepEqual(schema?.examples, field.known);
      }
    });
  }

  test('every problem', () => {
    for (const code of Object.keys(problems)) {
      assert.ok(
        document.components.schemas['Problem']?.properties?.['type']?.examples?.includes(PROBLEM_TYPE + code),
      );
    }
  });

  test('every message of webhooks, by its type', () => {
    const types = everyList.flatMap((list) =>
      [...eventsOf(list), 'replaced', 'payments_due'].map((name) => `${list.name}.${name}`),
    );
    assert.deepEqual(Object.keys(document.webhooks), [...types, 'webhook.test']);
  });

  test('every operation has its own id, and every reference leads somewhere', () => {
    const received = Object.values(document.webhooks).map(({ post }) => post);
    const ids = [...operations, ...received].map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const [, path = ''] of text.matchAll(/"\$ref":"#\/(.*?)"/g)) {
      const found = path
        .split('/')
        .reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], document);
      assert.ok(found, path);
    }
  });
});

/** Every schema within a part of the document, with where it is. */
function* schemasWithin(part: unknown, path = '#'): Generator<[string, Schema]> {
  if (typeof part !== 'object' || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    const at = `${path}/${name}`;
    if (name === 'example' || name === 'examples' || name === 'default') continue;
    const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isSchema && ('type' in value || 'anyOf' in value)) yield [at, value as Schema];
    yield* schemasWithin(value, at);
  }
}

const within = [...schemasWithin(JSON.parse(text))];

describe('generators make types of it that programs can name', () => {
  const isComponent = (path: string) => /^#\/components\/schemas\/[^/]+$/.test(path);

  test('every object of an answer and every set of values has a name, and is there once', () => {
    const nameless = within.filter(
      ([path, { properties, enum: values }]) =>
        (properties !== undefined || values !== undefined) &&
        !isComponent(path) &&
        !/^#\/paths\/~?[^ ]*(?:healthz|readyz)/.test(path),
    );
    assert.deepEqual(
      nameless.map(([path]) => path),
      [],
    );
    const sets = within.flatMap(([, { enum: values }]) =>
      values === undefined ? [] : [JSON.stringify(values)],
    );
    assert.equal(new Set(sets).size, sets.length);
  });

  test('every parameter is there once', () => {
    const inline = Object.entries(document.paths).flatMap(([path, { get }]) =>
      get.parameters.flatMap((one) => ('in' in one ? [`${path} ${one.name}`] : [])),
    );
    assert.deepEqual(inline, []);
  });

  test('every array has a limit, and every integer a format', () => {
    const vague = within.filter(([, schema]) => {
      const types = [schema.type].flat();
      return (
        (types.includes('array') && schema.maxItems === undefined) ||
        (types.includes('integer') && schema.format === undefined)
      );
    });
    assert.deepEqual(
      vague.map(([path]) => path),
      [],
    );
  });

  test('no object refuses members of a later version', () => {
    const open = checkBy(document, false);
    const item = { ...itemExample(lists.virtual_numbers), member_of_a_later_version: 1 };
    assert.equal(open({ $ref: '#/components/schemas/VirtualNumber' }, item), '');
    assert.deepEqual(
      within.filter(([, schema]) => schema.additionalProperties === false),
      [],
    );
  });

  test('each successful answer has one media type', () => {
    for (const { responses } of operations)
      assert.ok(
        Object.keys(resolve<Described>(document, responses['200'] ?? { $ref: '' }).content ?? {}).length ===
          1,
      );
  });

  test('its introduction is a few lines: the guide is in /docs', () => {
    assert.ok(document.info.description.length < 1_000);
    assert.equal(document.externalDocs.url, '/docs');
  });
});

describe('the document is true', () => {
  for (const list of everyList) {
    for (const parameter of queryParameters(list)) {
      const { name, schema, example } = parameter;
      test(`${list.name}: ${name}`, () => {
        assert.equal(faults(schema, example), '');
        assert.ok(accepts(list, spelled(name, example)), 'the example is refused');
        for (const [value, inside] of edges(parameter)) {
          assert.equal(accepts(list, spelled(name, value)), inside, `${String(value).slice(0, 40)}`);
        }
        const defaults: Record<string, unknown> = { ...new QueryParser(list).ofString('') };
        assert.equal(schema.default, name in list.filters ? undefined : defaults[name]);
      });
    }
  }

  test('all schemas compile', () => {
    for (const name of Object.keys(document.components.schemas)) {
      assert.notEqual(faults({ $ref: `#/components/schemas/${name}` }, undefined), '', name);
    }
  });

  test('the examples of all answers fit their schemas', () => {
    const answers = [
      ...operations.flatMap(({ responses }) => Object.values(responses)),
      ...Object.values(document.components.responses),
    ];
    const contents = answers.flatMap((answer) =>
      'content' in answer ? Object.values(answer.content ?? {}) : [],
    );
    contents.push(
      ...Object.values(document.webhooks).flatMap(({ post }) => Object.values(post.requestBody.content)),
    );
    assert.ok(contents.length > 0);
    for (const { schema, examples } of contents) {
      assert.equal(Object.keys(examples).length === 0, schema.format === 'binary');
      for (const [name, { value }] of Object.entries(examples)) assert.equal(faults(schema, value), '', name);
    }
  });

  test('the examples of all headers and fields fit their schemas', () => {
    const { headers, parameters, schemas } = document.components;
    for (const { schema, example } of [...Object.values(headers), ...Object.values(parameters)]) {
      assert.equal(faults(schema, example), '');
    }
    for (const { properties = {} } of Object.values(schemas)) {
      for (const [name, member] of Object.entries(properties)) {
        for (const example of member.examples ?? []) assert.equal(faults(member, example), '', name);
      }
    }
  });

  test('a timestamp of an answer fits, one with three digits does not', () => {
    const schema = document.components.schemas['VirtualNumber']?.properties?.['created_at'] ?? {};
    assert.equal(faults(schema, timestampOf()), '');
    assert.notEqual(faults(schema, '2026-11-20T09:30:00.123Z'), '');
  });

  test('the document of a deployment has its own limits and address', () => {
    const own = openapi({ version: '9.8.7', max_page_size: 5, serverUrl: 'https://linecard.example.com' });
    assert.partialDeepStrictEqual(own.components.parameters['PageSizeParameter'], {
      schema: { maximum: 5, default: 5 },
    });
    assert.partialDeepStrictEqual(own, {
      info: { version: '9.8.7' },
      servers: [{ url: 'https://linecard.example.com' }],
    });
  });
});
