// The routes of the reference: HTML, Markdown and llms.txt. Their examples use the URL of the request.

import { createHash } from 'node:crypto';
import type { OpenApiDocument } from '@linecard/client/openapi';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { references } from '../reference/reference.ts';
import { VERSION } from '../version.ts';
import { addVary, sendNotModified } from './answer-headers.ts';

/** A host with an optional port (RFC 3986, section 3.2), without characters that shells or HTML interpret. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const SCHEMES: readonly string[] = ['http', 'https'];

/** The origin of the request as the client sees it; `undefined` if it is not safe to insert. */
function originOf({ headers }: FastifyRequest): string | undefined {
  const { host = '', 'x-forwarded-proto': forwarded } = headers;
  // With several proxies, the first value is that of the one the client connected to.
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
