// Requests to other services, as for the keys of an issuer, through the proxy that the environment names.
// Webhooks never use one: their addresses are checked where they are connected to.

import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { environmentOf, type NamedProxy } from '@linecard/client/client/proxy';
import { proxyOf } from './settings/config.ts';

export interface Outgoing {
  readonly request: ClientRequest;
  readonly proxy: NamedProxy | undefined;
}

/** @throws {WrongUsage} if the environment names what is no proxy. */
export function outgoing(url: URL, options: RequestOptions): Outgoing {
  const proxy = proxyOf(url);
  const isTls = url.protocol === 'https:';
  const Agent = isTls ? HttpsAgent : HttpAgent;
  const through = proxy && { agent: new Agent({ proxyEnv: environmentOf(proxy) }) };
  const request = isTls ? httpsRequest : httpRequest;
  return { request: request(url, { ...options, ...through }), proxy };
}
