// The OpenAPI 3.1 document of the intake: its operations, imports and webhooks.

import { PROBLEM_TYPE, type ProblemCode, problems } from '@linecard/client/contract/problems';
import type { Schema } from '../operations/field.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { shapeSchema } from '../operations/shape.ts';
import type { Operation, ReferenceDocument, RequestBody } from '../reference/document.ts';
import { VERSION } from '../version.ts';
import { type Described, describedRoutes } from './described.ts';

const PATH = '/intake/v1';
const JSON_TYPE = 'application/json';
const PROBLEM = { type: 'application/problem+json', schema: { $ref: '#/components/schemas/Problem' } };
/** By what a token may: the part of the reference. */
const TAGS = {
  accounts: ['Accounts', 'The accounts of your customers, by your own customer ids.'],
  tokens: ['Tokens', 'Tokens with which customers and their programs read an account.'],
  'sign-in': ['Sign-ins', 'Links from your portal to the console.'],
  webhooks: ['Webhooks', 'What happens, sent to programs of customers.'],
  fields: ['Fields', 'Fields of your own, which the lists have in addition to those of the contract.'],
  import: ['Imports', 'Rows of the lists and of accounts, as CSV or NDJSON.'],
  audit: ['Audit log and runs', 'What was done, by whom, and how imports ended.'],
  read: ['Items', 'Which account has or had an item, and what happened to it.'],
} as const;

const ANY: readonly ProblemCode[] = [
  'bad-request',
  'unauthenticated',
  'forbidden',
  'rate-limited',
  'internal',
  'unavailable',
];
const OF_BODIES: readonly ProblemCode[] = ['content-too-large', 'unsupported-media-type', 'rejected'];

function codesOf({ id, rows, takes, route: { method, path } }: Described): ProblemCode[] {
  const isInQuery = method === 'GET' || method === 'DELETE';
  const names = Object.keys(takes);
  return [
    ...ANY,
    ...(isInQuery || rows !== undefined ? (['invalid-parameter'] as const) : []),
    ...(isInQuery ? [] : OF_BODIES),
    ...(id !== undefined || names.some((name) => name.startsWith('account')) ? (['not-found'] as const) : []),
    ...(path.startsWith('/accounts') && ['POST', 'PUT', 'DELETE'].includes(method)
      ? (['conflict'] as const)
      : []),
    ...(rows === undefined ? [] : (['out-of-order', 'request-timeout'] as const)),
  ];
}

const statusesOf = (codes: readonly ProblemCode[]) =>
  [...new Set(codes.map((code) => problems[code].status))].toSorted((a, b) => a - b);

const headersOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** An example of a schema, from those of its members. */
function exampleOf({ examples, properties, items, type }: Schema): unknown {
  if (examples !== undefined) return examples[0];
  if (items !== undefined) return [exampleOf(items)];
  if (properties === undefined) return [type].flat().includes('integer') ? 1 : {};
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, exampleOf(member)]));
}

const isInQuery = (method: string) => method === 'GET' || method === 'DELETE';

/** What the example of a request gives. */
const givenIn = ({ takes, shown = [] }: Described): Readonly<Record<string, unknown>> =>
  Object.fromEntries(shown.map((name) => [name, takes[name]?.example]));

function curl(one: Described): string {
  const { rows, id, route } = one;
  const hasJson = rows === undefined && bodyOf(one) !== undefined;
  const parameters = hasJson ? [] : Object.entries(givenIn(one));
  const query = parameters.map(([name, value]) => `?${name}=${encodeURIComponent(String(value))}`).join('');
  const path = route.path.replace(/\{id\}|\{list\}\/\{name\}/, String(id?.example)) + query;
  const method = route.method === 'GET' || (route.method === 'POST' && hasJson) ? '' : `-X ${route.method} `;
  const lines = [`curl ${method}"$INTAKE_URL${PATH}${path}"`, '-H "Authorization: Bearer $INTAKE_TOKEN"'];
  if (rows !== undefined) lines.push('-H "Content-Type: text/csv" --data-binary @rows.csv');
  if (hasJson) lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(givenIn(one))}'`);
  return lines.join(' \\\n  ');
}

function parametersOf({ id, takes, rows, route: { method, path } }: Described): Operation['parameters'] {
  const { properties = {}, required = [] } = shapeSchema(takes);
  const queried = Object.entries(properties).map(([name, { description = '', examples, ...schema }]) => ({
    ...{ name, in: 'query' as const, description, required: required.includes(name) || name === 'confirm' },
    ...{ schema, example: examples?.[0] as string },
  }));
  const examples = String(id?.example).split('/');
  const parts = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const inPath = parts.map((name, i) => ({
    ...{ name, in: 'path' as const, description: `${id?.about} Percent-encoded as UTF-8.` },
    ...{
      required: true,
      schema: id?.schema ?? {},
      example: parts.length === 1 ? String(id?.example) : String(examples[i]),
    },
  }));
  return [...inPath, ...(isInQuery(method) || rows !== undefined ? queried : [])];
}

function bodyOf(one: Described): RequestBody | undefined {
  const { takes, rows, route } = one;
  if (rows !== undefined) {
    const schema = { type: 'string', description: 'One row for each, with the columns of an import.' };
    const content = Object.fromEntries(rows.map((type) => [type, { schema, example: '' }]));
    return { required: true, content };
  }
  if (isInQuery(route.method) || Object.keys(takes).length === 0) return undefined;
  const json = { schema: shapeSchema(takes), example: givenIn(one) };
  return { required: json.schema.required !== undefined, content: { [JSON_TYPE]: json } };
}

/** A schema of the document by its title. */
const refTo = (schema: Schema): Schema =>
  schema.title === undefined ? schema : { $ref: `#/components/schemas/${schema.title}` };

function operationOf(one: Described): Operation {
  const { words, title, about, route } = one;
  const { answer, status, permission } = route;
  const headers = headersOf(['X-Request-Id', 'Cache-Control']);
  const body = bodyOf(one);
  const examples = { answer: { summary: title, value: exampleOf(answer?.schema ?? {}) } };
  const content = answer && { [JSON_TYPE]: { schema: refTo(answer.schema), examples } };
  const done = { description: answer?.about ?? 'It is done.', headers, ...(content && { content }) };
  const statuses = route.method === 'PUT' && one.rows === undefined ? [200, 201] : [status];
  return {
    operationId: words.replaceAll(/\W+/g, '_'),
    tags: [TAGS[permission][0]],
    summary: title,
    description: `${about} For a token that may \`${permission}\`.`,
    security: [{ bearer: [] }],
    parameters: parametersOf(one),
    ...(body && { requestBody: body }),
    responses: {
      ...Object.fromEntries(statuses.map((code) => [code, done])),
      ...Object.fromEntries(
        statusesOf(codesOf(one)).map((code) => [code, { $ref: `#/components/responses/Problem${code}` }]),
      ),
    },
    'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curl(one) }],
  };
}

/** Two of one path and method take bodies of other types: an account as JSON, and rows of accounts. */
function merged(first: Operation | undefined, second: Operation): Operation {
  if (first?.requestBody === undefined || second.requestBody === undefined) return second;
  const content = { ...first.requestBody.content, ...second.requestBody.content };
  return {
    ...first,
    description: `${first.description} ${second.summary} with a body of another type: ${second.description}`,
    parameters: [...first.parameters, ...second.parameters],
    requestBody: { required: true, content },
    responses: { ...second.responses, ...first.responses },
  };
}

function problemResponses(codes: readonly ProblemCode[]): ReferenceDocument['components']['responses'] {
  const byStatus = Map.groupBy(new Set(codes), (code) => problems[code].status);
  return Object.fromEntries(
    Array.from(byStatus, ([status, all]) => {
      const examples = all.map((code) => {
        const { title, about } = problems[code];
        const value = { type: PROBLEM_TYPE + code, title, status, detail: about.replaceAll('`', '') };
        return [code, { summary: title, value }] as const;
      });
      const description = all.map((code) => problems[code].about).join(' ');
      const content = { [PROBLEM.type]: { schema: PROBLEM.schema, examples: Object.fromEntries(examples) } };
      return [`Problem${status}`, { description, headers: headersOf(['X-Request-Id']), content }];
    }),
  );
}

const PROBLEM_SCHEMA: Schema = {
  title: 'Problem',
  type: 'object',
  properties: {
    type: { type: 'string', description: 'Which problem it is, for programs.' },
    title: { type: 'string', description: 'The same, for people.' },
    status: { type: 'integer', description: 'The status of the answer.' },
    detail: { type: 'string', description: 'What is wrong, and what to do.' },
    request_id: { type: 'string', description: 'The id of the request, as in the log.' },
    errors: {
      type: 'array',
      items: { type: 'object', additionalProperties: true },
      description: 'Every fault: its `member`, `parameter` or `line`, and its `detail`.',
    },
  },
  required: ['type', 'title', 'status', 'detail', 'request_id'],
};

const header = (description: string, example: string) => ({
  description,
  example,
  schema: { type: 'string' },
});

export function intakeDocument(operations: readonly AnyOperation[]): ReferenceDocument {
  const all: Described[] = [...operations, ...describedRoutes];
  const paths: Record<string, Record<string, Operation>> = {};
  for (const one of all) {
    const path = PATH + one.route.path;
    const method = one.route.method.toLowerCase();
    const methods = paths[path] ?? {};
    paths[path] = { ...methods, [method]: merged(methods[method], operationOf(one)) };
  }
  const schemas = all.flatMap(({ route: { answer } }) =>
    answer?.schema.title === undefined ? [] : [answer.schema],
  );
  return {
    openapi: '3.1.1',
    info: {
      title: 'Linecard intake',
      version: VERSION,
      summary:
        'Accounts, tokens, sign-ins, webhooks and imports, for the backend of a portal or a billing system.',
      description:
        'Send an operator token with each request. It does what it was created for, to the accounts that it was created for.',
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This intake' }],
    tags: Object.values(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'lco_…',
          description: '`Authorization: Bearer lco_…`',
        },
      },
      parameters: {},
      headers: {
        'X-Request-Id': header(
          'The id of this request, as in the log.',
          '0198d1f0-6f5b-7c3e-9a51-3b7e2f0c8d44',
        ),
        'Cache-Control': header('No answer may be stored.', 'no-store'),
      },
      responses: problemResponses(all.flatMap(codesOf)),
      schemas: Object.fromEntries(
        [...schemas, PROBLEM_SCHEMA].map((schema) => [String(schema.title), schema]),
      ),
    },
  };
}
