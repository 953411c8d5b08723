// The OpenAPI 3.1 document of a deployment, made from the contract.

import { accounts } from '../contract/accounts.ts';
import { activity } from '../contract/activity.ts';
import { lists } from '../contract/contract.ts';
import type { List } from '../contract/list.ts';
import { accountBelowSchema, accountSchema } from './account-schema.ts';
import { activitySchema } from './activity-operation.ts';
import type { Answer } from './answers.ts';
import { changesSchema } from './change-schemas.ts';
import { facetsSchema, sharedFacetSchemas } from './facet-schemas.ts';
import { sharedProblems } from './failures.ts';
import { guide } from './guide.ts';
import type { LimitRow } from './guide-answers.ts';
import { type Header, headerParameters, headers, type OpenApiParameter } from './headers.ts';
import { type Operation, securitySchemes } from './list-operations.ts';
import { ACCOUNT_TAG, OPERATION_TAG, operations } from './operations.ts';
import { faultSchema, itemSchema, pageSchema, problemSchema, type Schema } from './schemas.ts';
import { WEBHOOKS_TAG, webhookSchema, webhooksSchema } from './webhooks-operation.ts';

const everyList: readonly List[] = Object.values(lists);

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: Readonly<Record<'title' | 'version' | 'summary' | 'description', string>> & {
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly parameters: Readonly<Record<string, OpenApiParameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

export interface OpenApiOptions {
  /** What the service is called. */
  readonly name?: string;
  readonly version: string;
  readonly max_page_size: number;
  readonly limits?: readonly LimitRow[];
  /** The base URL; by default where the document came from. */
  readonly serverUrl?: string;
}

/** By their titles. */
function schemas(max_page_size: number): Record<string, Schema> {
  const all = [
    ...everyList.flatMap((list) => [
      itemSchema(list),
      pageSchema(list, max_page_size),
      facetsSchema(list),
      changesSchema(list, max_page_size),
    ]),
    ...sharedFacetSchemas,
    accountSchema,
    accountBelowSchema,
    pageSchema(accounts, max_page_size),
    activitySchema(max_page_size),
    webhookSchema,
    webhooksSchema,
    problemSchema,
    faultSchema,
  ];
  return Object.fromEntries(all.map((schema) => [String(schema.title), schema] as const));
}

export function openapi({
  name = 'Linecard',
  version,
  max_page_size,
  limits = [],
  serverUrl = '/',
}: OpenApiOptions): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: name,
      version,
      summary: 'Which virtual numbers and which additional services are on an account.',
      description: guide(max_page_size, limits, name)
        .map(({ title, text }) => `## ${title}\n\n${text}`)
        .join('\n\n'),
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl, description: 'This deployment' }],
    tags: [
      ...everyList.map((list) => ({ name: list.title, description: list.about })),
      { name: activity.title, description: activity.about },
      { name: WEBHOOKS_TAG, description: 'What happens, sent to programs of the customer.' },
      { name: ACCOUNT_TAG, description: 'Whose token it is that a request carries.' },
      { name: OPERATION_TAG, description: 'For those who run the service; no token is needed.' },
    ],
    paths: operations(max_page_size),
    components: {
      securitySchemes,
      parameters: headerParameters,
      headers,
      responses: sharedProblems(max_page_size),
      schemas: schemas(max_page_size),
    },
  };
}
