// The HTTP server that takes imports: its routes, who may use them, and how it stops.

import { Problem } from '@linecard/client/contract/problems';
import { listed } from '@linecard/client/contract/wording';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { failureLimiter, type LimitFailure, rateLimiter } from '../http/admission.ts';
import { JSON_UTF_8 } from '../http/answer-headers.ts';
import { type OnAnswered, reportAnswers } from '../http/answered.ts';
import { type ConnectionOptions, limitConnections } from '../http/connections.ts';
import { frameworkOptions } from '../http/framework.ts';
import { addHooks } from '../http/hooks.ts';
import { networkOf, peerOf } from '../http/peer.ts';
import { type Importable, importables, isTable } from '../import/job.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Operation } from '../store/access/token-scopes.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { readyState } from '../version.ts';
import { drain } from './body.ts';
import type { Course, Deliveries } from './delivery.ts';
import { answerJson, JSON_TYPE, type JsonRoute } from './json-routes.ts';
import { SEND_ROWS } from './options.ts';
import { addReference } from './reference.ts';
import { mustBeMeantFor } from './refusals.ts';
import { Running } from './running.ts';
import type { Sender, Senders } from './sender.ts';
import { UnverifiedDeliveries } from './unverified.ts';

/** Those with a body. */
const METHODS: HTTPMethods[] = ['POST', 'PATCH', 'PUT'];

export interface IntakeHttpOptions extends ConnectionOptions {
  readonly senders: Senders;
  readonly deliveries: Deliveries;
  /** The routes for a portal's backend. */
  readonly jsonRoutes?: readonly JsonRoute[];
  /** What its reference describes. */
  readonly operations?: readonly AnyOperation[];
  readonly logger: FastifyBaseLogger;
  /** Called with every request that is over. */
  readonly onAnswered?: OnAnswered | undefined;
  /** Requests per minute per sender; 0 for no limit. */
  readonly rateLimit: number;
  /** Requests without a valid token or signature per minute per address. */
  readonly failureLimit?: number;
  /** Resolves when imports are possible. */
  readonly ready: () => Promise<void>;
}

/** A server that takes imports. */
export interface IntakeServer {
  readonly app: FastifyInstance;
  /** Refuses new requests, and waits this long for running imports to end. */
  close(graceMs: number): Promise<void>;
}

function intakePath({ list }: Importable): string {
  return `/intake/v1/${list.name.replaceAll('_', '-')}`;
}

function absentPath({ jsonRoutes = [] }: Pick<IntakeHttpOptions, 'jsonRoutes'>): Problem {
  const urls = new Set(jsonRoutes.map(({ url }) => url).filter((url) => !url.includes(':')));
  const others = Array.from(urls, (url) => `${url.slice(url.lastIndexOf('/') + 1)} to ${url}`);
  const known = [`Imports go to ${listed(importables.map(intakePath))}`, ...others].join('; ');
  return new Problem('not-found', `There is no such path. ${known}.`);
}

interface Route {
  readonly method: HTTPMethods[];
  readonly url: string;
  /** Of the body: an operation takes JSON where an import of the same path takes rows. */
  readonly isJson: boolean;
  /** What its sender must be allowed to do. */
  readonly operation: Operation;
  answer(
    exchange: Exchange,
    admitted: Admitted,
    course: Pick<Course, 'signal' | 'onVerified'>,
  ): Promise<FastifyReply>;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly route: Route;
}

/** Whose request it is, as far as that is known before its body has come. */
interface Admitted extends Pick<Course, 'peer' | 'unverified'> {
  readonly sender: Sender;
}

/** What is answered, or only logged, where an import ends with an error. */
function answerTo(error: unknown, { signal }: AbortController, { raw }: FastifyRequest): unknown {
  // Whatever a stopped import fails with, it failed because it was stopped.
  if (signal.aborted && signal.reason instanceof Problem) return signal.reason;
  const isGone = signal.aborted || (raw.destroyed && !raw.complete);
  return isGone ? new Problem('bad-request', 'The request broke off. Nothing was changed.') : error;
}

/** The framework as intake needs it: bodies are left to the routes. */
function framework(settings: IntakeHttpOptions, isClosing: () => boolean): FastifyInstance {
  const { logger, trustProxy, onAnswered } = settings;
  const allowOrigin = () => false;
  const absent = () => absentPath(settings);
  const options = frameworkOptions({ logger, trustProxy, hasLongBodies: true, allowOrigin, absent });
  const app = Fastify(options);
  app.removeAllContentTypeParsers();
  // What a body is, and how much of it is taken, is looked at where it is received.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  // A body that is announced gets `100 Continue` once its headers are found good.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  reportAnswers(app, onAnswered);
  const connections = limitConnections(app, settings);
  const mayHaveBody = (method: string) => METHODS.some((one) => one === method);
  addHooks(app, { trust: settings, isClosing, connections, allowOrigin, absent, mayHaveBody });
  addReference(app, settings.operations ?? []);
  return app;
}

/** Finds out whose a request is, before it takes the place of another. */
function admission({ senders, rateLimit }: IntakeHttpOptions, limitFailure: LimitFailure) {
  const countRequest = rateLimiter(rateLimit);
  const signed = new UnverifiedDeliveries();
  return async ({ request, reply, route: { operation } }: Exchange): Promise<Admitted> => {
    const peer = peerOf(request);
    try {
      const sender = await senders.find(request.headers, peer);
      request.senderId = sender.name;
      if (sender.delivery === undefined) countRequest(sender.name, sender.limits?.rate_limit ?? null, reply);
      mustBeMeantFor(operation, sender);
      if (sender.delivery === undefined) return { sender, peer, unverified: undefined };
      return { sender, peer, unverified: signed.begin(networkOf(peer)) };
    } catch (error) {
      await drainRefused(request);
      throw limitFailure(error, peer);
    }
  };
}

/** A sender that waits for `100 Continue` has sent nothing of its body, and will not. */
async function drainRefused({ headers, raw }: FastifyRequest): Promise<void> {
  if (headers.expect === undefined) await drain(raw);
}

/** Imports what a sender delivers, and answers. */
async function deliver(
  deliveries: Deliveries,
  { request, reply }: Exchange,
  table: Importable,
  { sender, peer, unverified }: Admitted,
  more: Pick<Course, 'signal' | 'onVerified'>,
): Promise<FastifyReply> {
  const course = { ...more, peer, unverified, onContinue: () => reply.raw.writeContinue() };
  const { result, isRepeated } = await deliveries.deliver(request.raw, sender, table, course);
  const { accounts: _, ...counts } = result;
  request.log.info({ request_id: request.id, sender: sender.name, isRepeated, ...counts }, 'imported');
  if (isRepeated) reply.header('linecard-repeated', 'true');
  return reply
    .header('cache-control', 'no-store')
    .header('content-type', JSON_UTF_8)
    .send(JSON.stringify(result));
}

function routesOf({ deliveries, jsonRoutes = [] }: IntakeHttpOptions): Route[] {
  const imports = importables.map(
    (table): Route => ({
      // An import of accounts updates the ones that it names, and replaces none.
      method: isTable(table) ? METHODS : ['POST'],
      url: intakePath(table),
      isJson: false,
      operation: 'import',
      answer: (exchange, admitted, course) => deliver(deliveries, exchange, table, admitted, course),
    }),
  );
  const others = jsonRoutes.map((route): Route => {
    const more = imports.some(({ url }) => url === route.url) ? SEND_ROWS : '';
    return {
      ...route,
      method: [route.method],
      isJson: true,
      answer: ({ request, reply }, { sender }, { signal }) =>
        answerJson(route, request, reply, sender, signal, more),
    };
  });
  return [...imports, ...others];
}

/** Routes by method and path; an import is before the operation that has the same. */
function byPath(routes: readonly Route[]): (readonly [Route, ...Route[]])[] {
  const groups = Map.groupBy(routes, ({ method, url }) => `${method.join()} ${url}`);
  return [...groups.values()] as [Route, ...Route[]][];
}

export function intakeServer(options: IntakeHttpOptions): IntakeServer {
  const running = new Running();
  const limitFailure = failureLimiter(options.failureLimit);
  const admit = admission(options, limitFailure);
  const app = framework(options, () => running.isClosing);
  async function handle(exchange: Exchange): Promise<FastifyReply> {
    const { request, reply, route } = exchange;
    const admitted = await admit(exchange);
    const { sender, peer, unverified } = admitted;
    let stop: AbortController | undefined;
    try {
      const begun = running.begin(route.operation, sender.delivery === undefined ? sender.name : undefined);
      stop = begun;
      // A client that has left does not learn what was done, so nothing is.
      reply.raw.once('close', () => begun.abort());
      const onVerified = (signer: string) => running.attribute(begun, route.operation, signer);
      return await route.answer(exchange, admitted, { signal: begun.signal, onVerified });
    } catch (error) {
      await drainRefused(request);
      const isUnknown = sender.delivery !== undefined && sender.delivery.signer === undefined;
      throw limitFailure(stop === undefined ? error : answerTo(error, stop, request), peer, isUnknown);
    } finally {
      unverified?.end();
      if (stop !== undefined) running.end(stop);
    }
  }
  for (const [first, ...others] of byPath(routesOf(options))) {
    const { method, url } = first;
    const routeOf = ({ headers }: FastifyRequest) =>
      others.find(({ isJson }) => isJson === JSON_TYPE.test(headers['content-type'] ?? '')) ?? first;
    app.route({
      method,
      url,
      handler: (request, reply) => handle({ request, reply, route: routeOf(request) }),
    });
  }
  app.get('/healthz', async () => ({ status: 'alive' }));
  app.get('/readyz', async () => {
    if (running.isClosing) throw new StoreUnavailable('The intake is stopping.');
    await options.ready();
    return readyState();
  });
  return {
    app,
    async close(graceMs) {
      await running.close(graceMs);
      await app.close();
    },
  };
}
