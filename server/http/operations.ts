// The routes beside the lists: health, the OpenAPI document, the reference and the console.

import { openapi } from '@linecard/client/openapi';
import type { FastifyInstance } from 'fastify';
import { reference } from '../reference/reference.ts';
import { StoreUnavailable } from '../store/store.ts';
import { VERSION } from '../version.ts';
import { JSON_UTF_8 } from './answer-headers.ts';
import { consoleRoutes } from './console.ts';

export interface Operations {
  readonly maxPageSize: number;
  /** Resolves when the service can answer. */
  readonly ready: () => Promise<void>;
  readonly isClosing: () => boolean;
}

export function addOperations(app: FastifyInstance, { maxPageSize, ready, isClosing }: Operations): void {
  const document = openapi({ version: VERSION, max_page_size: maxPageSize });
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
  for (const { url, answer } of consoleRoutes()) {
    app.get(url, (request, reply) => {
      const { headers, body } = answer(request.headers['accept-encoding']);
      return reply.headers(headers).send(body);
    });
  }
  if (!app.hasRoute({ method: 'GET', url: '/' })) app.get('/', (_request, reply) => reply.redirect('/docs'));
}
