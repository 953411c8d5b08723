// The routes of the intake that take and give JSON: everything but imports.

import { isUtf8 } from 'node:buffer';
import { type Fault, Problem } from '@linecard/client/contract/problems';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { JSON_UTF_8 } from '../http/answer-headers.ts';
import { intakeLimits } from '../limits/limits.ts';
import type { Operation } from '../store/token-scopes.ts';
import { drainRefused, receive } from './body.ts';
import type { Sender } from './sender.ts';

const JSON_TYPE = 'application/json';
const NO_CONTENT = 204;

/** A request of any route. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** What its sender must be allowed to do. */
  readonly operation: Operation;
}

/** What a route answers. */
export interface JsonRequest {
  readonly sender: Sender;
  /** Of the path; empty if it has none. */
  readonly id: string;
  /** Absent if the method has none. */
  readonly body: unknown;
}

export interface JsonRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** What an operator's token must be for. */
  readonly operation: Operation;
  /** Returns the status and the body, if there is one. */
  readonly answer: (request: JsonRequest) => Promise<readonly [status: number, body?: object]>;
}

/** Refuses a body for its faults. */
export function rejectedBody(faults: readonly Fault[]): Problem {
  const [first] = faults;
  const detail =
    faults.length === 1
      ? (first?.detail ?? '')
      : `The body has ${faults.length} faults, each in \`errors\`. The first: ${first?.detail ?? ''}`;
  return new Problem('rejected', detail, { extensions: { errors: faults, total: faults.length } });
}

/** @throws {Problem} `unsupported-media-type` */
function mustBeJson({ headers }: FastifyRequest): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (type === JSON_TYPE && coding === 'identity') return;
  throw new Problem(
    'unsupported-media-type',
    `Content-Type must be ${JSON_TYPE}, without a Content-Encoding.`,
    { headers: { 'accept-post': JSON_TYPE, 'accept-encoding': 'identity' } },
  );
}

function parsed(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw rejectedBody([{ parameter: '', detail: 'The body is not valid UTF-8.' }]);
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    // The message would quote the body.
    throw rejectedBody([{ parameter: '', detail: 'The body is not valid JSON.' }]);
  }
}

/** @throws {Problem} */
async function bodyOf(request: FastifyRequest, { raw: response }: FastifyReply): Promise<unknown> {
  mustBeJson(request);
  if (request.headers.expect !== undefined) response.writeContinue();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const maxBytes = intakeLimits.jsonBody.each;
  const received = await receive(request.raw, { maxBytes, isCompressed: false, signal: gone.signal });
  try {
    return parsed('bytes' in received.body ? received.body.bytes : Buffer.of());
  } finally {
    await received.close();
  }
}

/** @param admit returns the sender of a request, which may do what the route does. */
export function addJsonRoutes(
  app: FastifyInstance,
  routes: readonly JsonRoute[],
  admit: (exchange: Exchange) => Promise<Sender>,
): void {
  for (const { method, url, operation, answer } of routes) {
    const hasBody = method === 'POST' || method === 'PATCH';
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const sender = await admit({ request, reply, operation });
        try {
          const { id = '' } = request.params as { id?: string };
          const body = hasBody ? await bodyOf(request, reply) : undefined;
          const [status, result] = await answer({ sender, id, body });
          reply.code(status).header('cache-control', 'no-store');
          if (status === NO_CONTENT) return reply.send();
          return reply.header('content-type', JSON_UTF_8).send(JSON.stringify(result));
        } catch (error) {
          await drainRefused(request);
          throw error;
        }
      },
    });
  }
}
