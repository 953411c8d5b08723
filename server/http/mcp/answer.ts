// Answers a message of an agent: the tools read through the routes of the API, as any client does, with the
// agent's own token.

import { Batch } from '@linecard/client/agent/batch';
import { type Reader, SERVER_OPTIONS, type Toolbox, toolHandlers } from '@linecard/client/agent/serve';
import { Client } from '@linecard/client/client/client';
import { ACCOUNT_HEADER } from '@linecard/client/contract/addresses';
import { Problem } from '@linecard/client/contract/problems';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import inject from 'light-my-request';
import { limits } from '../../limits/limits.ts';
import type { RequestScheduler } from '../../limits/request-scheduler.ts';
import type { Release } from '../../limits/semaphore.ts';
import { tokenOfMany } from '../../store/access/callers.ts';
import { VERSION } from '../../version.ts';
import { agentRequests } from '../answered.ts';
import { credentialsOf } from '../authentication.ts';
import { reserveAnswers, shareReserved } from '../held-bytes.ts';

/** Nothing is sent there. */
const ORIGIN = 'http://linecard.invalid';
/** From this status on, the log has an entry. */
const LOGGED_STATUS = 500;

const INTERNAL = new Problem('internal', 'An internal error occurred. Report it to your provider.');
/** What the protocol says in headers. */
const OF_PROTOCOL = /^(?:accept|content-type|mcp-[\w-]+)$/;

export interface Served {
  readonly basePath: string;
  /** What the operator's service is called. */
  readonly title: string;
  readonly scheduler: RequestScheduler;
  /** The tools by the fields that are declared now. */
  readonly toolbox: () => Promise<Toolbox>;
}

type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Sends requests to the routes, also during a drain, when Fastify's own `inject` does not. */
const sendWithin =
  (request: FastifyRequest): Send =>
  async (url, { method, headers, body }) => {
    const options = { method, url, headers, payload: body } as inject.InjectOptions;
    const dispatch: FastifyInstance['routing'] = (made, answer) => {
      shareReserved(made, request);
      return request.server.routing(made, answer);
    };
    // `end` begins it here and now: a promise alone would begin outside of the agent's request.
    const answer = await agentRequests.run(request, () => inject(dispatch, options).end());
    return new Response(answer.rawPayload, {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
    });
  };

function readerOf(request: FastifyRequest, { basePath, toolbox }: Served): Reader {
  const { headers, id, log } = request;
  const account = headers[ACCOUNT_HEADER];
  return {
    toolbox,
    connect: () =>
      new Client({
        url: ORIGIN + basePath,
        token: credentialsOf(headers.authorization),
        account: account === undefined ? undefined : decodeURIComponent(String(account)),
        headers: { 'x-request-id': id },
        fetch: sendWithin(request),
        // Whether to try again is for the agent to decide, and how long to wait for the routes.
        retries: 0,
        timeout_ms: Number.POSITIVE_INFINITY,
      }),
    explain(error) {
      if (!(error instanceof Problem)) log.error({ request_id: id, err: error }, 'a tool failed');
      const { faults = [], message, status } = error instanceof Problem ? error : INTERNAL;
      if (faults.length > 0) return faults.map(({ detail }) => detail).join('\n');
      return status < LOGGED_STATUS ? message : `${message}\nRequest id: ${id}`;
    },
  };
}

/** Runs the work of a message in order, each call scheduled like a request: they would hold the thread. */
function inOrder({ caller }: FastifyRequest, { scheduler }: Served, left: AbortSignal) {
  const batch = new Batch();
  const begin = async () => {
    await new Promise<void>((resolve) =>
      scheduler.schedule(caller.account_id, () => resolve(), tokenOfMany(caller)),
    );
    left.throwIfAborted();
  };
  return <A extends unknown[], T extends object>(work: (...given: A) => T | Promise<T>) =>
    (...given: A): Promise<T> =>
      batch.run(() => work(...given), begin);
}

/** Each message has a server of its own, so that no caller can meet another. */
function serverFor(request: FastifyRequest, served: Served, left: AbortSignal): McpServer {
  const identity = { name: 'linecard', title: served.title, version: VERSION };
  const server = new McpServer(identity, SERVER_OPTIONS);
  const { list, call } = toolHandlers(readerOf(request, served));
  const ordered = inOrder(request, served, left);
  server.server.setRequestHandler('tools/list', ordered(list));
  server.server.setRequestHandler('tools/call', ordered(call));
  return server;
}

/**
 * Reserves what the results of a batch may have among the unread answers, so that what there is no memory for
 * is refused before its calls run.
 * @throws {Problem}
 */
function reserved(request: FastifyRequest, message: unknown): Release {
  const calls = Array.isArray(message) ? message.length : 0;
  if (calls < 2) return () => {};
  const bytes = Math.min(calls * limits.toolResult.each, limits.toolResults.each);
  return reserveAnswers(request, bytes);
}

/** @param parsedBody `undefined` if the body is not JSON */
export async function answerAgent(
  request: FastifyRequest,
  reply: FastifyReply,
  parsedBody: unknown,
  served: Served,
): Promise<FastifyReply> {
  const { headers, log } = request;
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const handler = createMcpHandler(() => serverFor(request, served, left.signal), {
    onerror: (error) => log.debug({ request_id: request.id, err: error }, 'a message of an agent'),
    keepAliveMs: 0,
  });
  // Without its body, which is not parsed again; an empty one is not JSON either.
  const message = new Request(ORIGIN, {
    method: 'POST',
    headers: Object.entries(headers).filter(([name]) => OF_PROTOCOL.test(name)) as [string, string][],
    signal: left.signal,
  });
  const release = reserved(request, parsedBody);
  const answer = await handler
    .fetch(message, parsedBody === undefined ? {} : { parsedBody })
    .then(async (given) => ({
      status: given.status,
      headers: given.headers,
      body: given.body && (await given.text()),
    }))
    .finally(release);
  reply.code(answer.status).header('cache-control', 'no-store');
  const type = answer.headers.get('content-type');
  if (type !== null) reply.header('content-type', type);
  // No tool reports progress, so there is nothing to stream.
  return answer.body === null ? reply.send() : reply.send(answer.body);
}
