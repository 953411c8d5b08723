// The operations of a list: pages, items, files, facets, changes. QUERY, which OpenAPI 3.1 does not have, is
// in their descriptions.

import {
  changesPath,
  FILE_FORMATS,
  FILE_TYPES,
  type FileFormat,
  filePath,
  itemPath,
} from '../contract/addresses.ts';
import { MAX_BODY_LIST_VALUES } from '../contract/contract.ts';
import { facetsPath } from '../contract/facets.ts';
import type { List } from '../contract/list.ts';
import type { ProblemCode } from '../contract/problems.ts';
import { count } from '../contract/wording.ts';
import {
  type Answer,
  changesAnswers,
  facetsAnswers,
  fileAnswers,
  itemAnswers,
  listAnswers,
} from './answers.ts';
import { type CodeSample, codeSamples, sampleParameters } from './code-samples.ts';
import {
  ACCOUNT_REQUEST,
  CHANGES_REQUEST,
  FILE_REQUEST,
  failures,
  ITEM_REQUEST,
  LIST_REQUEST,
} from './failures.ts';
import { headerParameters, type OpenApiParameter, parameterRef, type Reference } from './headers.ts';
import type { Parameter } from './page-parameters.ts';
import { parametersOf } from './parameters.ts';
import { byName, INTEGER } from './schemas.ts';

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
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'The token as the user name or the password, the other one empty or `token`.',
  },
} as const;

const ACCOUNT_TOKEN: Operation['security'] = Object.keys(securitySchemes).map((name) => ({
  [name]: [],
}));

const HEADER_PARAMETERS = Object.keys(headerParameters).map(parameterRef);
export const IF_NONE_MATCH = parameterRef('If-None-Match');

export function inQuery({ name, about, schema, example }: Parameter): OpenApiParameter {
  const spelling = schema.type === 'array' ? ({ style: 'form', explode: true } as const) : {};
  return {
    name,
    in: 'query',
    description: about,
    required: false,
    ...spelling,
    schema: byName(schema),
    example,
  };
}

/** Says that a list shows only some of what is stored. */
function aboutOnly(list: List): string {
  const rules = Object.entries(list.only).map(
    ([field, value]) =>
      ` Only those of ${field} \`${value}\`: others that the account may hold never appear here.`,
  );
  return rules.join('');
}

export const QUERY_TOO = `\`QUERY\` (RFC 10008) on the same path takes the same parameters as a JSON object (\`Content-Type: application/json\`): lists as arrays of up to ${count(MAX_BODY_LIST_VALUES)} values, integers and flags as such.`;

/** An operation about an account, without what is the same in all of them. */
export interface AccountOperation extends Pick<Operation, 'operationId' | 'summary' | 'description'> {
  readonly tag: string;
  readonly parameters?: readonly OpenApiParameter[];
  readonly answers: Operation['responses'];
  readonly codes: readonly ProblemCode[];
  readonly sample?: ReturnType<typeof sampleParameters>;
}

export function operationOf(path: string, operation: AccountOperation, max_page_size: number): Operation {
  const { tag, parameters = [], answers, codes, sample, ...own } = operation;
  return {
    ...own,
    tags: [tag],
    security: ACCOUNT_TOKEN,
    parameters: [...parameters, ...HEADER_PARAMETERS],
    responses: { ...answers, ...failures(codes, max_page_size) },
    'x-codeSamples': codeSamples(path, sample, true),
  };
}

type ListOperation = Omit<AccountOperation, 'tag'>;

function pageOperation(list: List, max_page_size: number): ListOperation {
  const parameters = parametersOf(list, max_page_size, 'page');
  return {
    operationId: `list_${list.name}`,
    summary: `List ${list.title.toLowerCase()}`,
    description: `${list.about}${aboutOnly(list)} Without parameters: the first page, sorted by \`id\`. ${QUERY_TOO} Its answer has no \`Link\`, which could not be followed: \`Next-Cursor\` is the \`cursor\` for the next body.`,
    parameters: parameters.map(inQuery),
    answers: listAnswers(list, max_page_size),
    codes: LIST_REQUEST,
    sample: sampleParameters(parameters),
  };
}

function itemOperation(list: List, max_page_size: number): ListOperation {
  const id: OpenApiParameter = {
    name: 'id',
    in: 'path',
    description: `The \`id\` of the ${list.one}. One that is not on the account is not found, and neither is what is no id.`,
    required: true,
    schema: INTEGER,
    example: list.fields['id']?.example as number,
  };
  return {
    operationId: `get_${list.one.replaceAll(' ', '_')}`,
    summary: `One ${list.one}`,
    description: `The ${list.one} by its id, exactly as it stands in \`data\`.`,
    parameters: [id, ...parametersOf(list, max_page_size, 'item').map(inQuery)],
    answers: itemAnswers(list),
    codes: ITEM_REQUEST,
  };
}

function fileOperation(list: List, format: FileFormat, max_page_size: number): ListOperation {
  const things = list.title.toLowerCase();
  const parameters = parametersOf(list, max_page_size, format === 'xlsx' ? 'workbook' : 'export');
  return {
    operationId: `export_${list.name}_${format}`,
    summary: `All ${things} as ${format.toUpperCase()}`,
    description: `Every match as a file, streamed; \`X-Total-Count\` says how many will come. The same as the list with this media type in \`Accept\`, which counts for nothing here. ${QUERY_TOO}`,
    parameters: parameters.map(inQuery),
    answers: fileAnswers(list, format),
    codes: FILE_REQUEST,
    sample: sampleParameters(parameters),
  };
}

function facetsOperation(list: List, max_page_size: number): ListOperation {
  const things = list.title.toLowerCase();
  const parameters = parametersOf(list, max_page_size, 'facets');
  return {
    operationId: `facets_of_${list.name}`,
    summary: `Facets of ${things}`,
    description: `How many ${things} each filter value would give, what they cost together, and what falls due: what a page with filters needs beside the list. ${QUERY_TOO}`,
    parameters: parameters.map(inQuery),
    answers: facetsAnswers(list),
    codes: ACCOUNT_REQUEST,
    sample: sampleParameters(parameters),
  };
}

function changesOperation(list: List, max_page_size: number): ListOperation {
  return {
    operationId: `changes_of_${list.name}`,
    summary: `Changes of ${list.title.toLowerCase()}`,
    description: `What a copy of the list must apply to be the list again: each ${list.one} that may be another than it was, as it is now. Without \`since\` the whole list comes first. With \`Accept: ${FILE_TYPES.ndjson}\` everything up to now comes as one stream, a change to a line as in \`data\`; \`page_size\` has no place then, and the last line has \`since\` and \`total\`: a stream without it was cut off. ${QUERY_TOO}`,
    parameters: parametersOf(list, max_page_size, 'changes').map(inQuery),
    answers: changesAnswers(list, max_page_size),
    codes: CHANGES_REQUEST,
  };
}

/** By path. */
export function listOperations(list: List, max_page_size: number): Record<string, AccountOperation> {
  const operations: Record<string, ListOperation> = {
    [list.path]: pageOperation(list, max_page_size),
    [itemPath(list)]: itemOperation(list, max_page_size),
    ...Object.fromEntries(
      FILE_FORMATS.map((format) => [filePath(list, format), fileOperation(list, format, max_page_size)]),
    ),
    [facetsPath(list)]: facetsOperation(list, max_page_size),
    [changesPath(list)]: changesOperation(list, max_page_size),
  };
  return Object.fromEntries(
    Object.entries(operations).map(([path, operation]) => [path, { ...operation, tag: list.title }]),
  );
}
