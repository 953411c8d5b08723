// Measures each request for the log and the metrics.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitOf } from '../limits/refusal.ts';
import type { Answered } from '../log.ts';
import { Refusal } from '../store/access/refusals.ts';
import { peerOf } from './peer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    queueMs: number;
    storeMs: number;
    /** When the answer was ready, since the request arrived; 0 if there was none. */
    readyMs: number;
    streamedBytes: number | undefined;
    /** The sender of an import, for the log: the id of an operator token, or that the request is signed. */
    senderId: string | undefined;
  }
  interface FastifyContextConfig {
    /** Whether only health checks use the route; successful ones are logged at level debug. */
    isProbe?: boolean;
  }
}

/**
 * The request of an agent while its tools read through the routes of the API: what they read is part of it,
 * so it is not logged, counted or refused for its address again. No client can set this.
 */
export const agentRequests = new AsyncLocalStorage<FastifyRequest>();

export type OnAnswered = (answered: Answered) => void;

/** The status logged if the client disconnected before any of the answer was sent. */
const CLIENT_LEFT = 499;
/** https://www.w3.org/TR/trace-context/#traceparent-header; ids that are all zeros are invalid. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/;
const MAX_TRACEPARENT_CHARACTERS = 55;

function traceparentOf({ headers: { traceparent } }: FastifyRequest): string | undefined {
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return undefined;
  return traceparent.slice(0, MAX_TRACEPARENT_CHARACTERS);
}

function bytesOf(request: FastifyRequest, reply: FastifyReply): number {
  if (request.streamedBytes !== undefined) return request.streamedBytes;
  if (request.method === 'HEAD' || !reply.raw.writableFinished) return 0;
  return Number(reply.getHeader('content-length') ?? 0);
}

function answeredOf(request: FastifyRequest, reply: FastifyReply): Answered {
  const { caller, problem, routeOptions } = request;
  const { raw } = reply;
  const milliseconds = reply.elapsedTime;
  const refusal = problem instanceof Refusal ? problem : undefined;
  return {
    request_id: request.id,
    token_id: caller?.token_id ?? refusal?.token?.token_id ?? request.senderId,
    account_id: caller?.account_id ?? refusal?.token?.account_id,
    problem: problem?.code,
    reason: refusal?.reason ?? (problem && limitOf(problem)),
    client: problem && (refusal?.token?.client ?? caller?.issued?.name),
    peer: peerOf(request),
    method: request.method,
    route: routeOptions.url,
    status: raw.headersSent ? raw.statusCode : CLIENT_LEFT,
    bytes: bytesOf(request, reply),
    milliseconds,
    queueMs: request.queueMs,
    storeMs: request.storeMs,
    writeMs: request.readyMs === 0 ? 0 : milliseconds - request.readyMs,
    traceparent: traceparentOf(request),
    isProbe: routeOptions.config.isProbe === true,
  };
}

/**
 * Calls `onAnswered` once per request, when its answer is sent or its client has disconnected. The times of
 * what an agent's tools read are those of its request.
 */
export function reportAnswers(app: FastifyInstance, onAnswered: OnAnswered | undefined): void {
  app.decorateRequest('queueMs', 0);
  app.decorateRequest('storeMs', 0);
  app.decorateRequest('readyMs', 0);
  app.decorateRequest('streamedBytes');
  app.decorateRequest('senderId');
  app.decorateRequest('problem');
  app.addHook('onSend', (request, reply, _payload, done) => {
    request.readyMs = reply.elapsedTime;
    // Caches may store an answer heuristically if it has neither a validator nor Cache-Control.
    if (!reply.hasHeader('cache-control') && !reply.hasHeader('etag'))
      reply.header('cache-control', 'no-store');
    done();
  });
  if (onAnswered === undefined) return;
  app.addHook('onRequest', (request, reply, done) => {
    const agentRequest = agentRequests.getStore();
    // Unlike `onResponse`, this is also called for answers that are cut off.
    reply.raw.on('close', () => {
      if (agentRequest === undefined) return onAnswered(answeredOf(request, reply));
      agentRequest.queueMs += request.queueMs;
      agentRequest.storeMs += request.storeMs;
    });
    done();
  });
}
