// Every operation of the HTTP API: one for each list, and what stands beside them. Another way to read
// a list is another entry in `operations`.

import { lists } from '../contract/contract.ts';
import { facetsPath } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import type { ProblemCode } from '../contract/problems.ts';
import { type Answer, facetsAnswers, listAnswers } from './answers.ts';
import { type CodeSample, codeSamples, sampleParameters } from './code-samples.ts';
import { ANY_REQUEST, FACETS_REQUEST, failures, LIST_REQUEST } from './failures.ts';
import { etagExample, headerReferences, REQUEST_ID, type Reference } from './headers.ts';
import { type Parameter, parametersOf } from './parameters.ts';
import type { Schema } from './schemas.ts';

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly description: string;
  readonly required: false;
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly schema: Schema;
  readonly example: Parameter['example'];
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (OpenApiParameter | Reference)[];
  readonly responses: Readonly<Record<string, Answer | Reference>>;
  readonly 'x-codeSamples': readonly CodeSample[];
}

export const OPERATION_TAG = 'Operation';

export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'lc_…',
    description: '`Authorization: Bearer lc_…`, the scheme in any case.',
  },
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`Authorization: lc_…`: the token alone means the same.',
  },
} as const;

const ACCOUNT_TOKEN: Operation['security'] = Object.keys(securitySchemes).map((name) => ({ [name]: [] }));

export function headerParameters(version: string): Record<string, OpenApiParameter> {
  const header = { in: 'header', required: false, schema: { type: 'string' } } as const;
  return {
    'If-None-Match': {
      name: 'If-None-Match',
      ...header,
      description: 'An `ETag` that you were given: the answer is `304` while it still holds.',
      example: etagExample(version),
    },
    'X-Request-Id': {
      name: 'X-Request-Id',
      ...header,
      description:
        'Your own id for this request: up to 128 letters, digits and `. _ - : + / = @`. Any other is replaced by one of ours.',
      example: REQUEST_ID,
    },
  };
}

function inQuery({ name, about, schema, example }: Parameter): OpenApiParameter {
  const spelling = schema.type === 'array' ? ({ style: 'form', explode: true } as const) : {};
  return { name, in: 'query', description: about, required: false, ...spelling, schema, example };
}

function parameterReference(name: string): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

/** What is left out, where a list is only a part of what is stored. */
function aboutOnly(list: List): string {
  const rules = Object.entries(list.only).map(
    ([field, value]) =>
      ` Only those of ${field} \`${value}\`: others that the account may hold never appear here.`,
  );
  return rules.join('');
}

function listOperation(list: List, version: string, max_page_size: number): Operation {
  const things = list.title.toLowerCase();
  const parameters = parametersOf(list, max_page_size);
  return {
    operationId: `list_${list.name}`,
    tags: [list.title],
    summary: `List ${things}`,
    description: `${list.about}${aboutOnly(list)} Without parameters: the first page, sorted by \`id\`. \`QUERY\` on the same path takes the same parameters in a JSON body.`,
    security: ACCOUNT_TOKEN,
    parameters: [
      ...parameters.map(inQuery),
      ...Object.keys(headerParameters(version)).map(parameterReference),
    ],
    responses: { ...listAnswers(list, max_page_size), ...failures(LIST_REQUEST, max_page_size) },
    'x-codeSamples': codeSamples(list.path, sampleParameters(parameters), true),
  };
}

function facetsOperation(list: List, max_page_size: number): Operation {
  const parameters = parametersOf(list, max_page_size).filter(({ group }) =>
    ['filter', 'search'].includes(group),
  );
  const things = list.title.toLowerCase();
  return {
    operationId: `facets_of_${list.name}`,
    tags: [list.title],
    summary: `Facets of ${things}`,
    description: `How many ${things} each filter value would give, what they cost together, and what falls due: what a page with filters needs beside the list.`,
    security: ACCOUNT_TOKEN,
    parameters: [...parameters.map(inQuery), parameterReference('X-Request-Id')],
    responses: { ...facetsAnswers(list), ...failures(FACETS_REQUEST, max_page_size) },
    'x-codeSamples': codeSamples(facetsPath(list), sampleParameters(parameters), true),
  };
}

function statusSchema(status: string): Schema {
  return {
    type: 'object',
    properties: { status: { type: 'string', const: status } },
    required: ['status'],
    additionalProperties: false,
  };
}

/** An operation beside the lists: no token, no parameters, one JSON object in answer. */
interface Plain {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: Schema;
  readonly example: unknown;
  readonly codes: readonly ProblemCode[];
}

const beside: Readonly<Record<string, Plain>> = {
  '/healthz': {
    operationId: 'check_health',
    summary: 'Is the process alive?',
    description: 'For whatever supervises the process: it answers as long as it runs.',
    schema: statusSchema('alive'),
    example: { status: 'alive' },
    codes: ANY_REQUEST,
  },
  '/readyz': {
    operationId: 'check_readiness',
    summary: 'Can it answer?',
    description: 'For a load balancer: whether the database is reachable and its schema up to date.',
    schema: statusSchema('ready'),
    example: { status: 'ready' },
    codes: [...ANY_REQUEST, 'unavailable'],
  },
  '/openapi.json': {
    operationId: 'get_openapi',
    summary: 'This document',
    description: 'The OpenAPI document of this deployment, with its own limits. `/docs` shows it to people.',
    schema: { type: 'object', additionalProperties: true },
    example: { openapi: '3.1.1' },
    codes: ANY_REQUEST,
  },
};

function plainOperation(path: string, plain: Plain, max_page_size: number): Operation {
  const { operationId, summary, description, schema, example, codes } = plain;
  const examples = { answer: { summary: 'All is well', value: example } };
  return {
    operationId,
    tags: [OPERATION_TAG],
    summary,
    description,
    security: [],
    parameters: [],
    responses: {
      200: {
        description: 'All is well.',
        headers: headerReferences(['X-Request-Id']),
        content: { 'application/json': { schema, examples } },
      },
      ...failures(codes, max_page_size),
    },
    'x-codeSamples': codeSamples(path),
  };
}

/** The operations by path and method. */
export function operations(version: string, max_page_size: number): Record<string, { get: Operation }> {
  const paths: Record<string, { get: Operation }> = {};
  for (const list of Object.values(lists)) {
    paths[list.path] = { get: listOperation(list, version, max_page_size) };
    paths[facetsPath(list)] = { get: facetsOperation(list, max_page_size) };
  }
  for (const [path, plain] of Object.entries(beside)) {
    paths[path] = { get: plainOperation(path, plain, max_page_size) };
  }
  return paths;
}
