// The routes beside the lists: health, the OpenAPI document and the reference.

import { openapi } from '@linecard/client/openapi';
import type { FastifyInstance } from 'fastify';
import { reference } from '../reference/reference.ts';
import { StoreUnavailable } from '../store/store.ts';
import { VERSION } from '../version.ts';
import { JSON_UTF_8 } from './answer-headers.ts';

export interface Operations {
  readonly maxPageSize: number;
  /** The path of the deployment, behind which everything stands: empty, or such as `/numbers`. */
  readonly basePath?: string;
  /** Resolves when the service can answer. */
  readonly ready: () => Promise<void>;
  readonly isClosing: () => boolean;
}

export function addOperations(app: FastifyInstance, options: Operations): void {
  const { maxPageSize, basePath = '', ready, isClosing } = options;
  const document = openapi({
    version: VERSION,
    max_page_size: maxPageSize,
    serverUrl: basePath === '' ? '/' : basePath,
  });
  const documentText = JSON.stringify(document);
  const page = reference(document);
  app.get('/healthz', async () => ({ status: 'alive' }));
  app.get('/readyz', async () => {
    if (isClosing()) throw new StoreUnavailable('The service is stopping.');
    await ready();
    return { status: 'ready' };
  });
  app.get('/openapi.json', (_request, reply) => reply.type(JSON_UTF_8).send(documentText));
  app.get('/docs', (_request, reply) => reply.headers(page.headers).send(page.body));
  app.get('/', (_request, reply) => reply.redirect(`${basePath}/docs`));
}
