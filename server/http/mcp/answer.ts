// Answers a message of an agent: the tools read through the routes of the API, as any client does, with the
// agent's own token.

import { type Reader, SERVER_OPTIONS, toolHandlers } from '@linecard/client/agent/serve';
import { Client } from '@linecard/client/client/client';
import { ACCOUNT_HEADER } from '@linecard/client/contract/addresses';
import { Problem } from '@linecard/client/contract/problems';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import inject from 'light-my-request';
import type { RequestScheduler } from '../../limits/request-scheduler.ts';
import { VERSION } from '../../version.ts';
import { agentRequests } from '../answered.ts';
import { credentialsOf } from '../authentication.ts';

/** Nothing is sent there. */
const ORIGIN = 'http://linecard.invalid';
/** From this status on, the log has an entry. */
const LOGGED_STATUS = 500;

const INTERNAL = new Problem('internal', 'An internal error occurred. Report it to your provider.');
/** What the protocol says in headers. */
const OF_PROTOCOL = /^(?:accept|content-type|mcp-[\w-]+)$/;

/** What agents are served. */
export interface Served {
  readonly basePath: string;
  /** What the operator's service is called. */
  readonly title: string;
  readonly scheduler: RequestScheduler;
}

type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Sends requests to the routes, also during a drain, when Fastify's own `inject` does not. */
const sendWithin =
  (request: FastifyRequest): Send =>
  async (url, { method, headers, body }) => {
    const options = { method, url, headers, payload: body } as inject.InjectOptions;
    const dispatch = ((...sent) => request.server.routing(...sent)) as FastifyInstance['routing'];
    // `end` begins it here and now: a promise alone would begin outside of the agent's request.
    const answer = await agentRequests.run(request, () => inject(dispatch, options).end());
    return new Response(answer.rawPayload, {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
    });
  };

function readerOf(request: FastifyRequest, { basePath }: Served): Reader {
  const { headers, id, log } = request;
  const account = headers[ACCOUNT_HEADER];
  return {
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

/**
 * Runs the work of a batch of up to 100 messages one after the other, each scheduled like a request: together
 * they would hold the request thread.
 */
function sequential({ caller }: FastifyRequest, { scheduler }: Served) {
  let last: Promise<unknown> = Promise.resolve();
  return <A extends unknown[], T>(work: (...given: A) => T | Promise<T>) =>
    (...given: A): Promise<T> => {
      const scheduled = () =>
        new Promise<void>((begin) => scheduler.schedule(caller.account_id, () => begin()));
      const answer = last.then(scheduled).then(() => work(...given));
      last = answer.catch(() => {});
      return answer;
    };
}

/** Each message has a server of its own, so that no caller can meet another. */
function serverFor(request: FastifyRequest, served: Served): McpServer {
  const identity = { name: 'linecard', title: served.title, version: VERSION };
  const server = new McpServer(identity, SERVER_OPTIONS);
  const { list, call } = toolHandlers(readerOf(request, served));
  const oneByOne = sequential(request, served);
  server.server.setRequestHandler('tools/list', oneByOne(list));
  server.server.setRequestHandler('tools/call', oneByOne(call));
  return server;
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
  const handler = createMcpHandler(() => serverFor(request, served), {
    onerror: (error) => log.debug({ request_id: request.id, err: error }, 'a message of an agent'),
    keepAliveMs: 0,
  });
  // Without its body, which is not parsed again; an empty one is not JSON either.
  const message = new Request(ORIGIN, {
    method: 'POST',
    headers: Object.entries(headers).filter(([name]) => OF_PROTOCOL.test(name)) as [string, string][],
    signal: left.signal,
  });
  const answer = await handler.fetch(message, parsedBody === undefined ? {} : { parsedBody });
  reply.code(answer.status).header('cache-control', 'no-store');
  const type = answer.headers.get('content-type');
  if (type !== null) reply.header('content-type', type);
  // No tool reports progress, so there is nothing to stream.
  return answer.body === null ? reply.send() : reply.send(await answer.text());
}
