// What is noted of a request when it is over, for the log and the metrics.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answered } from '../log.ts';
import { peerOf } from './peer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** For how long it waited for a worker thread. */
    queueMs: number;
    /** How long its answer was worked out, the database included. */
    storeMs: number;
    /** When its answer was ready, in milliseconds since it came; 0 where there was none. */
    readyMs: number;
    /** How many bytes of a stream were sent. */
    streamedBytes: number | undefined;
    /** The sender of an import, as the log knows it: the id of an operator's token, or that it is signed. */
    senderId: string | undefined;
  }
  interface FastifyContextConfig {
    /** Whether machines ask again and again, and nobody else. */
    isProbe?: boolean;
  }
}

export type OnAnswered = (answered: Answered) => void;

/** What is logged of a request whose client left before any of its answer was sent. */
const CLIENT_LEFT = 499;
/** https://www.w3.org/TR/trace-context/#traceparent-header; an id is not all zeros. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/;
const MAX_TRACEPARENT_CHARACTERS = 55;

/** The trace that a request is part of, where it says so. */
function traceparentOf({ headers: { traceparent } }: FastifyRequest): string | undefined {
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return undefined;
  return traceparent.slice(0, MAX_TRACEPARENT_CHARACTERS);
}

/** How many bytes of content were sent. */
function bytesOf(request: FastifyRequest, reply: FastifyReply): number {
  if (request.streamedBytes !== undefined) return request.streamedBytes;
  if (request.method === 'HEAD' || !reply.raw.writableFinished) return 0;
  return Number(reply.getHeader('content-length') ?? 0);
}

function answeredOf(request: FastifyRequest, reply: FastifyReply): Answered {
  const { caller, routeOptions } = request;
  const { raw } = reply;
  const milliseconds = reply.elapsedTime;
  return {
    request_id: request.id,
    token_id: caller?.token_id ?? request.senderId,
    account_id: caller?.account_id,
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

/** Calls once for every request, when its answer was sent or its client has left. */
export function noteAnswers(app: FastifyInstance, onAnswered: OnAnswered | undefined): void {
  app.decorateRequest('queueMs', 0);
  app.decorateRequest('storeMs', 0);
  app.decorateRequest('readyMs', 0);
  app.decorateRequest('streamedBytes');
  app.decorateRequest('senderId');
  app.addHook('onSend', (request, reply, _payload, done) => {
    request.readyMs = reply.elapsedTime;
    // What has no validator and says nothing of caches would be stored by some for as long as they like.
    if (!reply.hasHeader('cache-control') && !reply.hasHeader('etag'))
      reply.header('cache-control', 'no-store');
    done();
  });
  if (onAnswered === undefined) return;
  app.addHook('onRequest', (request, reply, done) => {
    // Unlike the end of an answer, this comes for one that is cut as well.
    reply.raw.on('close', () => onAnswered(answeredOf(request, reply)));
    done();
  });
}
