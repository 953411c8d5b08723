// The HTTP server that answers customers: hooks and all routes. It holds no rule about lists.

import { setTimeout as sleep } from 'node:timers/promises';
import { openapi } from '@linecard/client/openapi';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type preHandlerHookHandler,
} from 'fastify';
import type { Answers } from '../answers/answers.ts';
import type { RevisionWatch } from '../answers/revision-watch.ts';
import { limits } from '../limits/limits.ts';
import { customersLimits } from '../limits/refusal.ts';
import { RequestScheduler } from '../limits/request-scheduler.ts';
import type { Semaphore } from '../limits/semaphore.ts';
import type { Peers } from '../limits/window.ts';
import { VERSION } from '../version.ts';
import { admission, Failures } from './admission.ts';
import { noteAnswers, type OnAnswered } from './answered.ts';
import type { Authenticator } from './authentication.ts';
import { textOfBody } from './body-text.ts';
import {
  acceptWaiting,
  type ConnectionOptions,
  type Connections,
  closePort,
  limitConnections,
} from './connections.ts';
import { consoleRoutes, pageOf } from './console.ts';
import { crossOrigin } from './cors.ts';
import { ExportLimits } from './export-limits.ts';
import { frameworkOptions } from './framework.ts';
import { limitHeldBytes } from './held-bytes.ts';
import { addHooks } from './hooks.ts';
import { addOperations, type Operations } from './operations.ts';
import type { PipelinedCount } from './pipelining.ts';
import { notFound } from './problems.ts';
import { addReference } from './reference.ts';
import { addRoutes } from './routes.ts';
import type { Certificate } from './tls.ts';
import { Waiting } from './waiting.ts';

/** How long requests in flight may still take when the service has closed its port. */
const GRACE_MILLISECONDS = 7_000;
const LONGEST_EXPORT_MILLISECONDS = 60_000 * limits.exportTime.each;

export interface HttpOptions extends Pick<Operations, 'ready'>, ConnectionOptions {
  readonly answers: Answers;
  readonly authenticator: Authenticator;
  /** For the requests that wait until their account changes. */
  readonly watch: RevisionWatch;
  readonly logger: FastifyBaseLogger;
  /** Called with every request that is over. */
  readonly onAnswered?: OnAnswered | undefined;
  readonly maxPageSize: number;
  /** The path that everything stands behind, such as `/numbers`; none where it is left out. */
  readonly basePath?: string;
  /** Origins whose pages may read answers; `*` for all. */
  readonly corsOrigins?: readonly string[];
  /** Requests per minute per token; 0 for no limit. */
  readonly rateLimit: number;
  /** Requests without a valid token per minute per address. */
  readonly failureLimit?: number;
  /**
   * How long a connection may be silent before its first request or amid one; amid an answer, twice as long.
   */
  readonly idleMs?: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveMs?: number;
  /** How long to answer new requests after the signal to stop. */
  readonly drainMs?: number;
  /** Speaks TLS with a certificate and its key, as PEM. */
  readonly tls?: Certificate | undefined;
  /** Whether it listens on a Unix socket, which only a proxy on this machine uses. */
  readonly isLocal?: boolean;
  /** How long a whole export may take. */
  readonly exportMs?: number;
  /** Other processes that count the same tokens. */
  readonly peers?: Peers | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** What a server counts beside its requests. */
export interface HttpCounts {
  readonly exportLimits: Pick<ExportLimits, 'broken'>;
  readonly waiting: Pick<Waiting, 'count'>;
  readonly connections: Pick<Connections, 'open' | 'refused'>;
  readonly pipelined: PipelinedCount;
  readonly heldBodies: Pick<Semaphore, 'inUse' | 'refused'>;
  readonly heldAnswers: Pick<Semaphore, 'inUse' | 'refused'>;
}

/** What each request can carry, and the one kind of body that is read. */
function addRequestParts(app: FastifyInstance, authenticator: Authenticator): void {
  app.decorateRequest('caller');
  app.decorateRequest('waitedMs', 0);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      // A body may come long after its headers.
      await authenticator.caller(request.headers.authorization);
      return textOfBody(request, body);
    },
  );
}

/** The routes behind a token. */
function addCallerRoutes(app: FastifyInstance, options: HttpOptions): void {
  const { answers, authenticator, rateLimit, failureLimit, peers, maxPageSize } = options;
  app.decorate('answers', answers);
  const admit = admission(authenticator, new Failures(failureLimit), rateLimit, peers);
  const scheduler = new RequestScheduler();
  const inTurn: preHandlerHookHandler = ({ caller }, _reply, done) =>
    scheduler.schedule(caller.account_id, done);
  addRoutes(app, { admit, inTurn }, maxPageSize);
}

/** The server, ready to listen. */
export async function httpServer(options: HttpOptions): Promise<FastifyInstance> {
  const {
    authenticator,
    watch,
    exportMs = LONGEST_EXPORT_MILLISECONDS,
    maxPageSize,
    ready,
    basePath = '',
    corsOrigins = [],
    drainMs = 0,
  } = options;
  const serverUrl = basePath === '' ? '/' : basePath;
  const document = openapi({
    version: VERSION,
    max_page_size: maxPageSize,
    limits: customersLimits(options.rateLimit),
    serverUrl,
  });
  const allowOrigin = crossOrigin(corsOrigins, [...Object.keys(document.components.headers), 'Allow']);
  let closing = false;
  const isClosing = () => closing;
  const absent = () => notFound(basePath);
  const app = Fastify(frameworkOptions({ ...options, allowOrigin, absent }));
  const waiting = new Waiting(authenticator, watch);
  const exportLimits = new ExportLimits(authenticator, exportMs);
  app.addHook('preClose', async () => {
    closing = true;
    if (drainMs > 0) await sleep(drainMs);
    waiting.close();
    exportLimits.stop(GRACE_MILLISECONDS);
    // Any other client that does not take its answer is cut off behind them.
    setTimeout(() => app.server.closeAllConnections(), GRACE_MILLISECONDS).unref();
    await acceptWaiting(app.server);
    if (drainMs > 0) await closePort(app.server);
  });
  app.decorate('waiting', waiting);
  app.decorate('exportLimits', exportLimits);
  noteAnswers(app, options.onAnswered);
  const connections = limitConnections(app, options);
  app.decorate('connections', connections);
  limitHeldBytes(app);
  addRequestParts(app, authenticator);
  const mayHaveBody = (method: string) => method === 'QUERY';
  const routes = consoleRoutes(basePath);
  addHooks(app, { isClosing, connections, allowOrigin, absent, absentPage: pageOf(routes), mayHaveBody });
  addCallerRoutes(app, options);
  addOperations(app, { document, basePath, ready, isClosing, consoleRoutes: routes });
  addReference(app, document, basePath);
  return app;
}
