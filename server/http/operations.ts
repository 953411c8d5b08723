// Routes that need no token: health checks, the OpenAPI document and the console.

import { OPENAPI_PATH } from '@linecard/client/contract/addresses';
import { Problem } from '@linecard/client/contract/problems';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { StoreGone, StoreUnavailable } from '../store/store-errors.ts';
import { readyState } from '../version.ts';
import { JSON_UTF_8 } from './answer-headers.ts';
import type { ConsoleRoute } from './console.ts';
import { type Described, madeOnce } from './described.ts';
import { prepare, sendPrepared } from './reference.ts';

export interface Operations {
  readonly described: () => Described;
  /** The `Link` of answers that need no token. */
  readonly links: string;
  readonly basePath: string;
  /** The URL of the examples in the document, if the operator says where customers are. */
  readonly publicUrl: string | undefined;
  readonly ready: () => Promise<void>;
  readonly isClosing: () => boolean;
  readonly consoleRoutes: readonly ConsoleRoute[];
}

const linking =
  (links: string): onRequestHookHandler =>
  (_request, reply, done) => {
    reply.header('link', links);
    done();
  };

export function addOperations(app: FastifyInstance, operations: Operations): void {
  const { described, links, basePath, publicUrl, ready, isClosing, consoleRoutes } = operations;
  const prepared = madeOnce(described, async ({ document }) => {
    const { EXAMPLE_URL } = await import('@linecard/client/openapi/code-samples');
    return prepare(JSON.stringify(await document()).replaceAll(EXAMPLE_URL, publicUrl ?? EXAMPLE_URL));
  });
  const config = { isProbe: true };
  const onRequest = linking(links);
  app.get('/healthz', { config, onRequest }, async () => ({ status: 'alive' }));
  app.get('/readyz', { config, onRequest }, async () => {
    if (isClosing()) throw new StoreUnavailable('The service is stopping.');
    await ready().catch((error: unknown) => {
      if (!(error instanceof StoreGone)) throw error;
      throw new Problem(
        'unavailable',
        'The database files were removed or replaced while the service was running. See the log for details.',
        { cause: error },
      );
    });
    return readyState();
  });
  app.get(OPENAPI_PATH, { onRequest }, async (request, reply) => {
    const made = await prepared();
    return sendPrepared(request, reply.type(JSON_UTF_8).header('cache-control', 'no-cache'), made);
  });
  for (const { url, answer } of consoleRoutes) {
    app.get(url, url === '/' ? { onRequest } : {}, (request, reply) => {
      const { headers, body } = answer(request.headers['accept-encoding']);
      return reply.headers(headers).send(body);
    });
  }
  if (app.hasRoute({ method: 'GET', url: '/' })) return;
  app.get('/', (_request, reply) => reply.redirect(`${basePath}/docs`));
}
