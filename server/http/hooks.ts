// Hooks of all routes: request ids, early refusals and error answers.

import type { Socket } from 'node:net';
import { Problem } from '@linecard/client/contract/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { dropLongLists } from '../limits/list-headers.ts';
import { addCommonHeaders } from './answer-headers.ts';
import type { Connections } from './connections.ts';
import type { ConsoleAnswer } from './console.ts';
import type { CrossOrigin } from './cors.ts';
import { type TrustSettings, UntrustedForwards } from './peer.ts';
import { sendProblem } from './problems.ts';
import { hasContent, rawAnswer, requestId, wireFault } from './raw.ts';

const NOT_FOUND = 404;
const PERMANENT_REDIRECT = 308;
const HTML = 'text/html';

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

const API = /^\/(?:api|intake)\//;
/** Of a path that an answer repeats. */
const MAX_PATH_CHARACTERS = 200;

/** The path of an action on something, such as `/webhooks/:id/test`. */
function withIdBeforeLast(path: string): string {
  const last = path.lastIndexOf('/');
  return withIdAsLast(path.slice(0, Math.max(0, last))) + path.slice(last);
}

/** The methods of a path, where it exists. */
const methodsOf = (path: string, methods: Methods) =>
  methods.get(path) ?? methods.get(withIdAsLast(path)) ?? methods.get(withIdBeforeLast(path));

/** The path that exists once a slash at the end, or a second one, is left out. */
function withoutExtraSlashes(path: string, methods: Methods): string | undefined {
  const plain = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  const isKnown = plain.length < Math.min(path.length, MAX_PATH_CHARACTERS) && methodsOf(plain, methods);
  return isKnown ? plain : undefined;
}

export interface HookSettings {
  readonly trust: TrustSettings;
  readonly isClosing: () => boolean;
  readonly connections: Pick<Connections, 'refusalOf'>;
  readonly allowOrigin: CrossOrigin;
  /** The path under which a proxy serves Linecard. */
  readonly basePath?: string;
  /** What the path of a hint begins with. */
  readonly address?: string;
  /** For a path that does not exist. */
  readonly absent: () => Problem;
  /** The same for browsers; `undefined` if the console is not built. */
  readonly absentPage?: (() => ConsoleAnswer) | undefined;
  readonly mayHaveBody: (method: string) => boolean;
}

/** Refuses requests that no route accepts, before the body is read. */
function refuseEarly(
  request: FastifyRequest,
  methods: Methods,
  { absent, address = '' }: Pick<HookSettings, 'absent' | 'address'>,
  isBodyTooMuch: boolean,
): void {
  const fault = wireFault(request.raw);
  if (fault !== undefined) throw fault;
  // The id of an item is empty where a slash ends the path of the list.
  if (request.is404 || (request.params as { id?: string }).id === '') {
    const path = pathOf(request);
    const meant = withoutExtraSlashes(path, methods);
    if (meant !== undefined) {
      throw new Problem('not-found', `The path has a slash too many: use ${address}${meant}.`);
    }
    const allowed = methodsOf(path, methods);
    if (allowed === undefined) throw absent();
    const allow = allowed.join(', ');
    throw new Problem('method-not-allowed', `${request.method} is not allowed here. Allowed: ${allow}.`, {
      headers: { allow },
    });
  }
  if (isBodyTooMuch) throw new Problem('content-too-large', `${request.method} takes no body here.`);
}

/** Whether a person has opened a path that does not exist. An address of the API answers as the API does. */
function isBrowserAstray(request: FastifyRequest, methods: Methods): boolean {
  const { method, headers } = request;
  const path = pathOf(request);
  if (method !== 'GET' || methods.has(path) || API.test(path)) return false;
  // Browsers send Sec-Fetch-Mode over TLS and to this machine alone.
  const { 'sec-fetch-mode': mode, accept = '' } = headers;
  return mode === undefined ? accept.startsWith(HTML) : mode === 'navigate';
}

/** Where a page is whose address was typed with a slash too many. */
function pageMeant(
  request: FastifyRequest,
  methods: Methods,
  probes: ReadonlySet<string>,
): string | undefined {
  if (!['GET', 'HEAD'].includes(request.method)) return undefined;
  const path = pathOf(request);
  const meant = withoutExtraSlashes(path, methods);
  if (meant === undefined || API.test(meant) || probes.has(meant)) return undefined;
  return meant + request.url.slice(path.length);
}

export function addHooks(app: FastifyInstance, settings: HookSettings): void {
  const { isClosing, connections, allowOrigin, absent, basePath = '' } = settings;
  const methods = new Map<string, string[]>();
  const probes = new Set<string>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.isProbe === true) probes.add(url);
    methods.set(url, [...new Set([...(methods.get(url) ?? []), ...[method].flat()])]);
  });
  const forwards = new UntrustedForwards(settings.trust);
  app.decorate('untrustedForwards', forwards);
  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply);
    dropLongLists(request.headers);
    forwards.look(request);
    const refusal = connections.refusalOf(request.socket);
    // A server that is closing would wait for the next request of an open connection.
    if (refusal !== undefined || isClosing()) reply.header('connection', 'close');
    if (allowOrigin(request, reply)) return;
    // Health checks are answered above the connection limit, so that a busy server is not restarted.
    if (refusal !== undefined && request.routeOptions.config?.isProbe !== true) throw refusal;
    if (request.is404) {
      const meant = pageMeant(request, methods, probes);
      if (meant !== undefined) return reply.redirect(`${basePath}${meant}`, PERMANENT_REDIRECT);
      const page = isBrowserAstray(request, methods) ? settings.absentPage?.() : undefined;
      if (page !== undefined) return reply.code(NOT_FOUND).headers(page.headers).send(page.body);
    }
    const refuse = (isBodyTooMuch: boolean) => refuseEarly(request, methods, settings, isBodyTooMuch);
    const hasBody = !settings.mayHaveBody(request.method) && hasContent(request.raw);
    if (hasBody instanceof Promise) return hasBody.then(refuse);
    refuse(hasBody);
    done();
  });
  // Unknown expectations are ignored: the request is answered as usual.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // CONNECT has no path, so no route is called.
  const noTunnel = new Problem('bad-request', 'CONNECT is not supported: this is not a proxy.');
  app.server.on('connect', (_request, socket: Socket) => rawAnswer(socket, noTunnel, requestId(undefined)));
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error));
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, absent()));
}
