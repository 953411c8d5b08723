// Headers of answers about an account: how they may be cached, and whether the client has them already.

import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const JSON_UTF_8 = 'application/json; charset=utf-8';

/** What an answer depends on besides its URL. */
export const VARY = 'Authorization, Accept';
/** The client's own cache may store an answer, and asks whether it is current before it is used. */
export const CACHE_CONTROL = 'private, no-cache';

/** Adds to what an answer depends on besides its URL. */
export function addVary(reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? names : `${String(before)}, ${names}`);
}

/** Whether `If-None-Match` names the entity tag (RFC 9110, section 13.1.2: weak comparison, `*` for any). */
function noneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}

/** Whether the client has what it would get. */
export const isCurrent = ({ headers }: FastifyRequest, etag: string): boolean =>
  noneMatch(headers['if-none-match'], etag);

/** Sends 304 where the client has what it would get; says whether it did. */
export function sendNotModified(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  if (!isCurrent(request, etag)) return false;
  reply.code(304).header('etag', etag);
  if (request.method === 'HEAD') sendHead(reply);
  else reply.send();
  return true;
}

/** The framework would give a 304 to HEAD the length of no answer at all (RFC 9110, section 8.6). */
function sendHead(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders).end();
}
