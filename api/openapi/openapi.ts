// The OpenAPI 3.1 document of a deployment, made from the contract.

import { activity } from '../contract/activity.ts';
import { lists } from '../contract/contract.ts';
import type { List } from '../contract/list.ts';
import type { Answer } from './answers.ts';
import { schemasIn, sharedParameters } from './components.ts';
import { sharedProblems } from './failures.ts';
import { WITHIN_VERSION } from './guide-lists.ts';
import { type Header, headerParameters, headers, type OpenApiParameter } from './headers.ts';
import { type Operation, securitySchemes } from './list-operations.ts';
import { ACCOUNT_TAG, OPERATION_TAG, operations } from './operations.ts';
import type { Schema } from './schemas.ts';
import { messageParameters, type WebhookOperation, webhookMessages } from './webhook-messages.ts';
import { WEBHOOKS_TAG } from './webhooks-operation.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: Readonly<Record<'title' | 'version' | 'summary' | 'description', string>> & {
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly externalDocs: { readonly description: string; readonly url: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>;
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
  /** The base URL; by default where the document came from. */
  readonly serverUrl?: string;
  /** With the fields that the deployment declares; those of the contract alone by default. */
  readonly lists?: readonly List[];
}

export function openapi({
  name = 'Linecard',
  version,
  max_page_size,
  serverUrl = '/',
  lists: everyList = Object.values(lists),
}: OpenApiOptions): OpenApiDocument {
  const [paths, parameters] = sharedParameters(operations(max_page_size, everyList));
  const responses = sharedProblems(max_page_size);
  const webhooks = webhookMessages(WEBHOOKS_TAG, everyList);
  return {
    openapi: '3.1.1',
    info: {
      title: name,
      version,
      summary: 'Which virtual numbers and which additional services are on an account.',
      description: [
        'Answers are of the account that the API token belongs to: `Authorization: Bearer lc_…`. Everything is read-only.',
        WITHIN_VERSION,
        'The guide is at `/docs`, and as Markdown at `/docs.md`.',
      ].join('\n\n'),
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'Guide and reference', url: `${serverUrl.replace(/\/$/, '')}/docs` },
    servers: [{ url: serverUrl, description: 'This deployment' }],
    tags: [
      ...everyList.map((list) => ({ name: list.title, description: list.about })),
      { name: activity.title, description: activity.about },
      { name: WEBHOOKS_TAG, description: 'What happens, sent to programs of the customer.' },
      { name: ACCOUNT_TAG, description: 'Whose token it is that a request carries.' },
      { name: OPERATION_TAG, description: 'For those who run the service; no token is needed.' },
    ],
    paths,
    webhooks,
    components: {
      securitySchemes,
      parameters: { ...headerParameters, ...messageParameters, ...parameters },
      headers,
      responses,
      schemas: schemasIn([paths, webhooks, parameters, responses]),
    },
  };
}
