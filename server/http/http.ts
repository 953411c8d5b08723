// The HTTP server for customers: hooks and routes.

import { isUtf8 } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { invalidParameter, Problem } from '@linecard/client/contract/problems';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type preHandlerHookHandler,
} from 'fastify';
import type { Answers } from '../answers/answers.ts';
import type { RevisionWatch } from '../answers/revision-watch.ts';
import type { CertificatePair } from '../certificates.ts';
import { limits } from '../limits/limits.ts';
import { referenceRows } from '../limits/refusal.ts';
import { RequestScheduler } from '../limits/request-scheduler.ts';
import type { Peers } from '../limits/window.ts';
import { tokenOfMany } from '../store/access/callers.ts';
import { type Declared, listsWith } from '../store/lists/own-fields.ts';
import { VERSION } from '../version.ts';
import { admission, failureLimiter, rateLimiter } from './admission.ts';
import { serviceLinks } from './answer-headers.ts';
import { type OnAnswered, reportAnswers } from './answered.ts';
import type { Authenticator } from './authentication.ts';
import { type Brand, OWN_BRAND } from './brand.ts';
import {
  acceptWaiting,
  type ConnectionOptions,
  type Connections,
  closePort,
  limitConnections,
} from './connections.ts';
import { consoleRoutes, fontOf, logoRoutes, pageOf } from './console.ts';
import { crossOrigin } from './cors.ts';
import { type Described, madeOnce } from './described.ts';
import { ExportLimits } from './export-limits.ts';
import { frameworkOptions } from './framework.ts';
import { limitHeldBytes } from './held-bytes.ts';
import { addHooks } from './hooks.ts';
import { addAgents } from './mcp/route.ts';
import { addOperations, type Operations } from './operations.ts';
import { notFound } from './problems.ts';
import { addProtectedResource, type ProtectedResource } from './protected-resource.ts';
import { addReference } from './reference.ts';
import { addRoutes } from './routes.ts';
import { Waiting } from './waiting.ts';

/** How long requests in flight may take after the port is closed. */
const GRACE_MILLISECONDS = 7_000;

export interface HttpOptions extends Pick<Operations, 'ready'>, ConnectionOptions {
  readonly answers: Answers;
  readonly authenticator: Authenticator;
  readonly watch: RevisionWatch;
  /** The own fields of the lists, as they are known now; none if absent. */
  readonly declared?: () => Declared;
  readonly logger: FastifyBaseLogger;
  readonly onAnswered?: OnAnswered | undefined;
  readonly maxPageSize: number;
  readonly basePath?: string;
  /** The operator's name and look. */
  readonly brand?: Brand;
  readonly corsOrigins?: readonly string[];
  readonly frameAncestors?: readonly string[];
  readonly rateLimit: number;
  readonly failureLimit?: number;
  /** Timeout of a silent connection before and during a request; during an answer, twice as long. */
  readonly idleMs?: number;
  /** Timeout of an idle connection between requests. */
  readonly keepAliveMs?: number;
  readonly drainMs?: number;
  readonly tls?: CertificatePair | undefined;
  readonly exportMs?: number;
  readonly peers?: Peers | undefined;
  /** What clients read about the identity provider, if there is one. */
  readonly protectedResource?: ProtectedResource | undefined;
  /** The URL that customers use, if the operator says it. */
  readonly publicUrl?: string | undefined;
  /** Whether agents may use the tools. */
  readonly hasAgents?: boolean;
}

const NOTHING_DECLARED: Declared = {};
const DEFAULTS = {
  basePath: '',
  brand: OWN_BRAND,
  corsOrigins: [] as readonly string[],
  hasAgents: true,
  declared: (): Declared => NOTHING_DECLARED,
  drainMs: 0,
  exportMs: 60_000 * limits.exportTime.each,
};
type CompleteOptions = HttpOptions & typeof DEFAULTS;

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

export type HttpCounts = Pick<
  FastifyInstance,
  | 'exportLimits'
  | 'waiting'
  | 'connections'
  | 'pipelined'
  | 'untrustedForwards'
  | 'heldBodies'
  | 'heldAnswers'
>;

const CHARSET = 'charset=';
const CHARSETS: readonly string[] = ['utf-8', 'utf8', 'us-ascii'];

function charsetOf(mediaType = ''): string | undefined {
  const [, ...parameters] = mediaType.split(';').map((one) => one.trim().toLowerCase());
  const named = parameters.find((one) => one.startsWith(CHARSET));
  return named?.slice(CHARSET.length).replaceAll('"', '');
}

/** @throws {Problem} `unsupported-media-type`; `invalid-parameter` if the body is not valid UTF-8. */
function textOfBody({ headers }: Pick<FastifyRequest, 'headers'>, body: Buffer): string {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') {
    throw new Problem(
      'unsupported-media-type',
      'The body must not be compressed: send it without Content-Encoding.',
      {
        headers: { 'accept-encoding': 'identity' },
      },
    );
  }
  const charset = charsetOf(headers['content-type']);
  if (charset !== undefined && !CHARSETS.includes(charset))
    throw new Problem('unsupported-media-type', 'The charset of the body must be UTF-8.');
  if (isUtf8(body)) return body.toString();
  throw invalidParameter([{ parameter: '', detail: 'The body is not valid UTF-8.' }]);
}

function addRequestParts(app: FastifyInstance, authenticator: Authenticator): void {
  app.decorateRequest('caller');
  app.decorateRequest('waitedMs', 0);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      // The token may have been revoked since the headers arrived.
      await authenticator.current(request.headers);
      return textOfBody(request, body);
    },
  );
}

function addCallerRoutes(app: FastifyInstance, options: CompleteOptions): void {
  const { answers, authenticator, rateLimit, failureLimit, peers, maxPageSize } = options;
  const { basePath, publicUrl, corsOrigins, brand } = options;
  app.decorate('answers', answers);
  const countRequest = rateLimiter(rateLimit, peers);
  const admit = admission(authenticator, failureLimiter(failureLimit), countRequest);
  const scheduler = new RequestScheduler();
  app.server.on('connection', () => scheduler.accepted());
  const schedule: preHandlerHookHandler = ({ caller }, _reply, done) =>
    scheduler.schedule(caller.account_id, done, tokenOfMany(caller));
  const hooks = { admit, schedule, countRequest, declared: options.declared };
  addRoutes(app, hooks, maxPageSize);
  if (options.hasAgents)
    addAgents(app, hooks, { basePath, publicUrl, corsOrigins, title: brand.name, scheduler });
  addProtectedResource(app, options.protectedResource, brand.name);
}

/** The address in what is said to customers. */
const addressOf = ({ publicUrl, basePath }: CompleteOptions) => publicUrl ?? basePath;

async function documentOf(options: CompleteOptions, declared: Declared) {
  const { brand, maxPageSize } = options;
  // Many processes never show it.
  const { openapi } = await import('@linecard/client/openapi');
  return openapi({
    name: brand.name,
    version: VERSION,
    max_page_size: maxPageSize,
    serverUrl: addressOf(options) || '/',
    lists: listsWith(declared),
  });
}

async function guideOf({ brand, maxPageSize, rateLimit }: CompleteOptions, declared: Declared) {
  const { guide } = await import('@linecard/client/openapi/guide');
  return guide(maxPageSize, referenceRows(rateLimit), brand.name, listsWith(declared));
}

const mayHaveBody = (method: string) => method === 'QUERY' || method === 'POST';

export async function httpServer(given: HttpOptions): Promise<FastifyInstance> {
  const options = { ...DEFAULTS, ...given };
  const { authenticator, watch, ready, basePath, brand, corsOrigins, drainMs } = options;
  const described = madeOnce(options.declared, (declared): Described => {
    let document: ReturnType<typeof documentOf> | undefined;
    return {
      document: () => (document ??= documentOf(options, declared)),
      guide: () => guideOf(options, declared),
    };
  });
  const exposed = corsOrigins.length === 0 ? {} : (await described().document()).components.headers;
  const allowOrigin = crossOrigin(corsOrigins, [...Object.keys(exposed), 'Allow']);
  let closing = false;
  const isClosing = () => closing;
  const absent = () => notFound(addressOf(options));
  const app = Fastify(frameworkOptions({ ...options, allowOrigin, absent }));
  const waiting = new Waiting(authenticator, watch);
  const exportLimits = new ExportLimits(authenticator, options.exportMs);
  app.addHook('preClose', async () => {
    closing = true;
    if (drainMs > 0) await sleep(drainMs);
    waiting.close();
    exportLimits.stop(GRACE_MILLISECONDS);
    // Other clients that do not read their answers are cut off after the exports.
    setTimeout(() => app.server.closeAllConnections(), GRACE_MILLISECONDS).unref();
    await acceptWaiting(app.server);
    if (drainMs > 0) await closePort(app.server);
  });
  app.decorate('referenceAddress', addressOf(options));
  app.decorate('waiting', waiting);
  app.decorate('exportLimits', exportLimits);
  reportAnswers(app, options.onAnswered);
  const connections = limitConnections(app, options);
  app.decorate('connections', connections);
  limitHeldBytes(app);
  addRequestParts(app, authenticator);
  const routes = [
    ...consoleRoutes(basePath, brand, options.frameAncestors, options.declared),
    ...logoRoutes(brand),
  ];
  const absentPage = pageOf(routes);
  const hooks = { trust: options, isClosing, connections, allowOrigin, absent, absentPage, mayHaveBody };
  addHooks(app, { basePath, address: addressOf(options), ...hooks });
  addCallerRoutes(app, options);
  const links = serviceLinks(addressOf(options));
  const shared = { described, links, basePath, publicUrl: options.publicUrl };
  addOperations(app, { ...shared, ready, isClosing, consoleRoutes: routes });
  addReference(app, { ...shared, brand, hasAgents: options.hasAgents, font: fontOf(routes) });
  return app;
}
