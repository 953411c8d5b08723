// The route for agents: the Model Context Protocol over HTTP (docs/generated/api.md, "Clients, command line
// and agents"). What answers it is loaded at the first request.

import { MAX_BODY_VALUES } from '@linecard/client/contract';
import { MCP_PATH } from '@linecard/client/contract/addresses';
import { excessOf, type JsonLimits } from '@linecard/client/contract/json-outline';
import { BODY_LIMITS } from '@linecard/client/contract/query-parser';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../limits/limits.ts';
import { Refusal } from '../../store/access/refusals.ts';
import { listsWith } from '../../store/lists/own-fields.ts';
import type { AdmissionHook, CountRequest } from '../admission.ts';
import { ANY_ORIGIN } from '../cors.ts';
import { madeOnce } from '../described.ts';
import { holdBody } from '../held-bytes.ts';
import type { RouteHooks } from '../routes.ts';
import type { Served } from './answer.ts';

export interface AgentSettings extends Omit<Served, 'toolbox'> {
  /** The URL that customers use, where the operator says it. */
  readonly publicUrl: string | undefined;
  readonly corsOrigins: readonly string[];
}

/** Names of this machine, and addresses: a page of another site cannot make its own name one of these. */
const UNFORGEABLE = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d+)?$/i;

/**
 * Whether an `Origin` is that of the service or of a page that the operator allows. The `Host` alone does not
 * say what the service is called: DNS rebinding lets a page of any site send its own.
 */
function isAllowed({ headers, host }: FastifyRequest, { publicUrl, corsOrigins }: AgentSettings): boolean {
  const { origin } = headers;
  if (origin === undefined || corsOrigins.includes(ANY_ORIGIN) || corsOrigins.includes(origin)) return true;
  if (publicUrl !== undefined) return origin === new URL(publicUrl).origin;
  return UNFORGEABLE.test(host) && [`http://${host}`, `https://${host}`].includes(origin);
}

/** More than any message has: it is parsed on the request thread. */
const LIMITS: JsonLimits = { ...BODY_LIMITS, values: MAX_BODY_VALUES, depth: 32 };
const [BAD_REQUEST, INVALID_REQUEST] = [400, -32_600];

/** The error of JSON-RPC for a message that is not parsed. */
function invalidRequest(reply: FastifyReply, why: string): FastifyReply {
  const error = { code: INVALID_REQUEST, message: `Invalid Request: The message ${why}.` };
  return reply.code(BAD_REQUEST).send({ jsonrpc: '2.0', error, id: null });
}

/** A message, or those of a batch, which clients of 2025-03-26 may send; `undefined` if it is not JSON. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export function addAgents(
  app: FastifyInstance,
  {
    admit,
    schedule: preHandler,
    countRequest,
    declared,
  }: RouteHooks & { readonly countRequest: CountRequest },
  settings: AgentSettings,
): void {
  const admitted = admit(undefined);
  const toolbox = madeOnce(declared, async (known) => {
    const { toolboxOf } = await import('@linecard/client/agent/serve');
    return toolboxOf(listsWith(known));
  });
  const onRequest: AdmissionHook = (request, reply, done) => {
    if (isAllowed(request, settings)) return admitted(request, reply, done);
    throw new Refusal(
      'forbidden',
      'Pages of this origin may not use the tools. The operator can allow it with --cors-origin.',
      'origin',
    );
  };
  app.post<{ Body: string | undefined }>(
    MCP_PATH,
    { onRequest, bodyLimit: limits.body.each, preParsing: holdBody, preHandler },
    async (request, reply) => {
      const { body = '' } = request;
      const excess = excessOf(body, LIMITS);
      if (excess !== undefined) return invalidRequest(reply, excess);
      const message = parsed(body);
      // The first was counted when the request was admitted.
      for (let n = [message].flat().length; n > 1; n--)
        countRequest(request.caller.token_id, request.caller.limits.rate_limit, reply);
      const { answerAgent } = await import('./answer.ts');
      return answerAgent(request, reply, message, { ...settings, toolbox });
    },
  );
}
