// Every operation of the HTTP API.

import { accounts } from '../contract/accounts.ts';
import { activity } from '../contract/activity.ts';
import { ACCOUNT_PATH, OPENAPI_PATH } from '../contract/addresses.ts';
import type { List } from '../contract/list.ts';
import type { ProblemCode } from '../contract/problems.ts';
import { WEBHOOKS_PATH, webhookPath } from '../contract/webhooks.ts';
import { activityOperation } from './activity-operation.ts';
import { accountAnswers, accountsAnswers, answersOf } from './answers.ts';
import { codeSamples, sampleParameters } from './code-samples.ts';
import { ACCOUNT_REQUEST, ANY_REQUEST, failures } from './failures.ts';
import { headerReferences } from './headers.ts';
import {
  type AccountOperation,
  IF_NONE_MATCH,
  inQuery,
  listOperations,
  type Operation,
  operationOf,
} from './list-operations.ts';
import { parametersOf } from './parameters.ts';
import { rangesOperations } from './ranges-operations.ts';
import { object, type Schema } from './schemas.ts';
import { webhookOperation, webhooksOperation } from './webhooks-operation.ts';

export const ACCOUNT_TAG = 'Account';
export const OPERATION_TAG = 'Operation';

const accountOperation: AccountOperation = {
  operationId: 'get_account',
  tag: ACCOUNT_TAG,
  summary: 'Whose token this is',
  description:
    'The account that the token belongs to, its currency, how many items each list has, and when anything of it last changed.',
  answers: accountAnswers(),
  codes: ACCOUNT_REQUEST,
};

function accountsOperation(max_page_size: number): AccountOperation {
  const parameters = parametersOf(accounts, max_page_size, 'accounts');
  return {
    operationId: 'list_accounts',
    tag: ACCOUNT_TAG,
    summary: 'The accounts below',
    description:
      'The accounts directly below the one that is read, by `id`, for a token with the reach `tree`. Disabled ones are left out. Read one with `Linecard-Account`. The `ETag` stands for this page alone, and `Prefer: wait` means nothing here.',
    parameters: parameters.map(inQuery),
    answers: accountsAnswers(max_page_size),
    codes: ACCOUNT_REQUEST,
    sample: sampleParameters(parameters),
  };
}

/** An operation without token and parameters that returns one JSON object. */
interface Plain {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: Schema;
  readonly example: unknown;
  readonly codes: readonly ProblemCode[];
  readonly headers?: readonly string[];
  readonly isConditional?: boolean;
}

const others: Readonly<Record<string, Plain>> = {
  '/healthz': {
    operationId: 'check_health',
    summary: 'Is the process alive?',
    description: 'For whatever supervises the process: it answers as long as it runs.',
    schema: object({ status: { type: 'string', const: 'alive' } }),
    example: { status: 'alive' },
    codes: ANY_REQUEST,
  },
  '/readyz': {
    operationId: 'check_readiness',
    summary: 'Can it answer?',
    description: 'For a load balancer: whether the database is reachable and its schema up to date.',
    schema: object(
      {
        status: { type: 'string', const: 'ready' },
        version: { type: 'string', description: 'The version of the service.' },
        commit: { type: 'string', description: 'The commit that it was built from, where that is known.' },
      },
      { required: ['status', 'version'] },
    ),
    example: { status: 'ready', version: '0.1.0', commit: '9f4bf6ec0b71' },
    codes: [...ANY_REQUEST, 'unavailable'],
  },
  [OPENAPI_PATH]: {
    operationId: 'get_openapi',
    summary: 'This document',
    description: 'The OpenAPI document of this deployment, with its own limits. `/docs` shows it to people.',
    schema: { type: 'object', additionalProperties: true },
    example: { openapi: '3.1.1' },
    codes: ANY_REQUEST,
    headers: ['ETag', 'Vary', 'Content-Encoding'],
    isConditional: true,
  },
};

function plainOperation(path: string, plain: Plain, max_page_size: number): Operation {
  const { operationId, summary, description, schema, example, codes, headers = [], isConditional } = plain;
  const content = {
    'application/json': { schema, examples: { answer: { summary: 'All is well', value: example } } },
  };
  const names = ['X-Request-Id', 'Cache-Control', 'Link', ...headers];
  const answered = { 200: { description: 'All is well.', headers: headerReferences(names), content } };
  return {
    operationId,
    tags: [OPERATION_TAG],
    summary,
    description,
    security: [],
    parameters: isConditional === true ? [IF_NONE_MATCH] : [],
    responses: {
      ...(isConditional === true ? answersOf('All is well.', names, content) : answered),
      ...failures(codes, max_page_size),
    },
    'x-codeSamples': codeSamples(path),
  };
}

/** By path and method. */
export function operations(
  max_page_size: number,
  lists: readonly List[],
): Record<string, { get: Operation }> {
  const ofAccounts = [
    ...lists.flatMap((list) => [
      ...Object.entries(listOperations(list, max_page_size)),
      ...Object.entries(rangesOperations(list, max_page_size)),
    ]),
    [activity.path, activityOperation(max_page_size)],
    [WEBHOOKS_PATH, webhooksOperation],
    [webhookPath(), webhookOperation],
    [ACCOUNT_PATH, accountOperation],
    [accounts.path, accountsOperation(max_page_size)],
  ] as const;
  return Object.fromEntries([
    ...ofAccounts.map(([path, one]) => [path, { get: operationOf(path, one, max_page_size) }] as const),
    ...Object.entries(others).map(
      ([path, plain]) => [path, { get: plainOperation(path, plain, max_page_size) }] as const,
    ),
  ]);
}
