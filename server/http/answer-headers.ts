// Headers of answers: those of all; and of answers about an account, caching and conditional requests.

import type { OutgoingHttpHeaders } from 'node:http';
import { CATALOG_PATH, OPENAPI_PATH } from '@linecard/client/contract/addresses';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const JSON_UTF_8 = 'application/json; charset=utf-8';

export const VARY = 'Authorization, Linecard-Account, Accept, Accept-Encoding';
/** Only the client's own cache may store an answer, and must revalidate it before use. */
export const CACHE_CONTROL = 'private, no-cache';

/** What describes the service (RFC 8631, RFC 9727): the `Link` of answers that need no token. */
export const serviceLinks = (address: string): string =>
  [
    `<${address}${OPENAPI_PATH}>; rel="service-desc"; type="application/json"`,
    `<${address}/docs>; rel="service-doc"; type="text/html"`,
    `<${address}${CATALOG_PATH}>; rel="api-catalog"`,
  ].join(', ');

/** Of every answer: its id, and that no browser guesses another type than the one that it names. */
export function addCommonHeaders({ id }: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', id).header('x-content-type-options', 'nosniff');
}

export function addVary(reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? names : `${String(before)}, ${names}`);
}

/** The entity tag of the compressed representation. */
export const gzippedTag = (etag: string): string => `${etag.slice(0, -1)}-gzip"`;

/**
 * The entity tag that the client has, if it is of the current answer: compressed or not, it says the same.
 * `If-None-Match` uses weak comparison and may be `*` (RFC 9110, section 13.1.2).
 */
function tagOfClient({ headers }: FastifyRequest, etag: string): string | undefined {
  const header = headers['if-none-match'];
  if (header === undefined || header === etag) return header;
  const tags = header.split(',').map((one) => one.trim().replace(/^W\//, ''));
  const gzipped = gzippedTag(etag);
  if (tags.includes(etag) || tags.includes('*')) return etag;
  return tags.includes(gzipped) ? gzipped : undefined;
}

export const isCurrent = (request: FastifyRequest, etag: string): boolean =>
  tagOfClient(request, etag) !== undefined;

/** Sends 304 if the client already has the current answer. Returns whether it did. */
export function sendNotModified(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  const tag = tagOfClient(request, etag);
  if (tag === undefined) return false;
  reply.code(304).removeHeader('link').header('etag', tag);
  if (request.method === 'HEAD') sendHead(reply);
  else reply.send();
  return true;
}

/** Fastify would send `Content-Length: 0` with a 304 to HEAD (RFC 9110, section 8.6). */
function sendHead(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders).end();
}
