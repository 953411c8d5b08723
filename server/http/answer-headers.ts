// Headers of answers about an account: caching and conditional requests.

import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const JSON_UTF_8 = 'application/json; charset=utf-8';

export const VARY = 'Authorization, Accept';
/** Only the client's own cache may store an answer, and must revalidate it before use. */
export const CACHE_CONTROL = 'private, no-cache';

export function addVary(reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? names : `${String(before)}, ${names}`);
}

/** `If-None-Match` uses weak comparison and may be `*` (RFC 9110, section 13.1.2). */
function noneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}

export const isCurrent = ({ headers }: FastifyRequest, etag: string): boolean =>
  noneMatch(headers['if-none-match'], etag);

/** Sends 304 if the client already has the current answer. Returns whether it did. */
export function sendNotModified(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  if (!isCurrent(request, etag)) return false;
  reply.code(304).header('etag', etag);
  if (request.method === 'HEAD') sendHead(reply);
  else reply.send();
  return true;
}

/** Fastify would send `Content-Length: 0` with a 304 to HEAD (RFC 9110, section 8.6). */
function sendHead(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders).end();
}
