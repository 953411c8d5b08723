// The routes of the reference: the page for people, the same as Markdown, and what an agent reads first. Each
// shows the address at which it was requested.

import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '@linecard/client/openapi';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { references } from '../reference/reference.ts';
import { VERSION } from '../version.ts';
import { addVary, sendNotModified } from './answer-headers.ts';

/**
 * A name or an address with its port (RFC 3986, section 3.2), and nothing that a shell or a page would run.
 */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const SCHEMES: readonly string[] = ['http', 'https'];

/**
 * The origin that the caller typed, as far as it is known; `undefined` where it would not be safe to repeat.
 */
function originOf({ headers }: FastifyRequest): string | undefined {
  const { host = '', 'x-forwarded-proto': forwarded } = headers;
  // The first of several proxies is the one that the caller reached.
  const [first] = String(forwarded).split(',');
  const scheme = SCHEMES.find((one) => one === first) ?? 'http';
  return HOST.test(host) ? `${scheme}://${host.toLowerCase()}` : undefined;
}

export function addReference(app: FastifyInstance, document: OpenApiDocument, basePath = ''): void {
  for (const { path, headers, ...reference } of references(document)) {
    app.get(path, (request, reply) => {
      const origin = originOf(request);
      const body = reference.write(origin === undefined ? undefined : origin + basePath);
      const etag = `"${VERSION}-${createHash('sha256').update(body).digest('base64url')}"`;
      reply.headers(headers);
      addVary(reply, 'X-Forwarded-Proto');
      if (sendNotModified(request, reply, etag)) return reply;
      return reply.header('etag', etag).send(body);
    });
  }
}
