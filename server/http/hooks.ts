// What happens to every request, whatever its route: its id, an early refusal, its errors.

import { Problem } from '@linecard/client/contract/problems';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Connections } from './connection-limits.ts';
import type { CrossOrigin } from './cors.ts';
import { sendProblem } from './problems.ts';
import { announcesBody, wireFault } from './raw.ts';

/** The only part of a path that may be any text. */
const LAST_SEGMENT = /[^/]*$/;

/** Allowed methods by path. */
type Methods = ReadonlyMap<string, readonly string[]>;

function pathOf({ url }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

/** What the requests of a server have in common. */
export interface HookSettings {
  readonly isClosing: () => boolean;
  readonly connections: Pick<Connections, 'refusalOf'>;
  readonly allowOrigin: CrossOrigin;
  /** What is said of a path that is none. */
  readonly absent: () => Problem;
  readonly mayHaveBody: (method: string) => boolean;
}

/** Refuses what no route would take, before anything of a body is read. */
function refuseEarly(
  request: FastifyRequest,
  methods: Methods,
  { absent, mayHaveBody }: Pick<HookSettings, 'absent' | 'mayHaveBody'>,
): void {
  const fault = wireFault(request.raw);
  if (fault !== undefined) throw fault;
  if (request.is404) {
    const path = pathOf(request);
    const allowed = methods.get(path) ?? methods.get(path.replace(LAST_SEGMENT, ':id'));
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

export function addHooks(app: FastifyInstance, settings: HookSettings): void {
  const { isClosing, connections, allowOrigin, absent } = settings;
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...new Set([...(methods.get(url) ?? []), ...[method].flat()])]);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const refusal = connections.refusalOf(request.socket);
    // An open connection would keep a server that is closing waiting for its next request.
    if (refusal !== undefined || isClosing()) reply.header('connection', 'close');
    if (allowOrigin(request, reply)) return;
    // What is too busy for a customer is alive all the same: nobody should restart it.
    if (refusal !== undefined && request.routeOptions.config?.isProbe !== true) throw refusal;
    refuseEarly(request, methods, settings);
    done();
  });
  // A logger for each request costs more than its lines, which name the request themselves.
  app.setChildLoggerFactory((logger) => logger);
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error));
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, absent()));
}
