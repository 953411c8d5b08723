// Hooks of all routes: request ids, early refusals and error answers.

import type { Socket } from 'node:net';
import { Problem } from '@linecard/client/contract/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Connections } from './connections.ts';
import type { ConsoleAnswer } from './console.ts';
import type { CrossOrigin } from './cors.ts';
import { type TrustSettings, UntrustedForwards } from './peer.ts';
import { sendProblem } from './problems.ts';
import { announcesBody, rawAnswer, requestId, wireFault } from './raw.ts';

const NOT_FOUND = 404;

type Methods = ReadonlyMap<string, readonly string[]>;

function pathOf({ url }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

function withIdAsLast(path: string): string {
  return `${path.slice(0, path.lastIndexOf('/') + 1)}:id`;
}

declare module 'fastify' {
  interface FastifyInstance {
    untrustedForwards: UntrustedForwards;
  }
}

export interface HookSettings {
  readonly trust: TrustSettings;
  readonly isClosing: () => boolean;
  readonly connections: Pick<Connections, 'refusalOf'>;
  readonly allowOrigin: CrossOrigin;
  /** For a path that does not exist. */
  readonly absent: () => Problem;
  /** The same for browsers; `undefined` if the console is not built. */
  readonly absentPage?: ConsoleAnswer | undefined;
  readonly mayHaveBody: (method: string) => boolean;
}

/** Refuses requests that no route accepts, before the body is read. */
function refuseEarly(
  request: FastifyRequest,
  methods: Methods,
  { absent, mayHaveBody }: Pick<HookSettings, 'absent' | 'mayHaveBody'>,
): void {
  const fault = wireFault(request.raw);
  if (fault !== undefined) throw fault;
  if (request.is404) {
    const path = pathOf(request);
    const allowed = methods.get(path) ?? methods.get(withIdAsLast(path));
    if (allowed === undefined) throw absent();
    const allow = allowed.join(', ');
    throw new Problem('method-not-allowed', `${request.method} is not allowed here. Allowed: ${allow}.`, {
      headers: { allow },
    });
  }
  if (!mayHaveBody(request.method) && announcesBody(request.raw)) {
    throw new Problem('content-too-large', `${request.method} takes no body here.`);
  }
}

/** Whether a person has opened a path that does not exist. Programs get a problem, whatever they accept. */
function isBrowserAstray(request: FastifyRequest, methods: Methods): boolean {
  const { method, is404, headers } = request;
  const path = pathOf(request);
  if (!is404 || method !== 'GET' || methods.has(path) || path.startsWith('/api/')) return false;
  return headers['sec-fetch-mode'] === 'navigate';
}

function noTunnel(): Problem {
  return new Problem('bad-request', 'CONNECT is not supported: this is not a proxy.');
}

export function addHooks(app: FastifyInstance, settings: HookSettings): void {
  const { isClosing, connections, allowOrigin, absent } = settings;
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...new Set([...(methods.get(url) ?? []), ...[method].flat()])]);
  });
  const forwards = new UntrustedForwards(settings.trust);
  app.decorate('untrustedForwards', forwards);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    forwards.look(request);
    const refusal = connections.refusalOf(request.socket);
    // A server that is closing would wait for the next request of an open connection.
    if (refusal !== undefined || isClosing()) reply.header('connection', 'close');
    if (allowOrigin(request, reply)) return;
    // Health checks are answered above the connection limit, so that a busy server is not restarted.
    if (refusal !== undefined && request.routeOptions.config?.isProbe !== true) throw refusal;
    const page = isBrowserAstray(request, methods) ? settings.absentPage : undefined;
    if (page !== undefined) return reply.code(NOT_FOUND).headers(page.headers).send(page.body);
    refuseEarly(request, methods, settings);
    done();
  });
  // Unknown expectations are ignored: the request is answered as usual.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // CONNECT has no path, so no route is called.
  app.server.on('connect', (_request, socket: Socket) => rawAnswer(socket, noTunnel(), requestId(undefined)));
  // A child logger per request would cost more than its lines, which contain the request id anyway.
  app.setChildLoggerFactory((logger) => logger);
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error));
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, absent()));
}
