// Headers of answers about an account: how they may be cached, the entity tag (ETag), and the Link header of
// a page.

import { hash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { changesPath } from '@linecard/client/contract/addresses';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../lists/page.ts';
import { VERSION } from '../version.ts';

export const JSON_UTF_8 = 'application/json; charset=utf-8';

/** What an answer depends on beside its URL. */
export const VARY = 'Authorization, Accept';
/** The client's own cache may store an answer, and asks whether it is current before it is used. */
export const CACHE_CONTROL = 'private, no-cache';

/** What stands for a body: 96 bits. */
const DIGEST_CHARACTERS = 16;
/** Common clients refuse answers with more than 16 KiB of headers. */
const MAX_LINK_CHARACTERS = 12_000;
const [FIRST, PREV, NEXT, LAST, MONITOR] = [0, 1, 2, 3, 4] as const;

/** Adds to what an answer depends on beside its URL. */
export function addVary(reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? names : `${String(before)}, ${names}`);
}

/** The entity tag of a revision; each form of an answer has its own. */
export const etagOf = (revision: string, form = '') => `"${VERSION}-${revision}${form}"`;

/** The entity tag of an answer that depends on more than its address and the revision. */
export function etagOfBody(revision: string, body: string): string {
  return etagOf(revision, `-${hash('sha256', body, 'base64url').slice(0, DIGEST_CHARACTERS)}`);
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

/** What leads from a list, or a file of it, to its changes from there on (RFC 5989). */
function monitorLink(path: string, monitor: string): string {
  return `<${changesPath({ path })}?${monitor}>; rel="monitor"`;
}

/** The `Link` header of a file; empty where it would be more than a client takes. */
export function fileLink(path: string, monitor: string): string {
  const link = monitorLink(path, monitor);
  return link.length > MAX_LINK_CHARACTERS ? '' : link;
}

/** The `Link` header that leads back to a list with the filters of a query, as far as a client takes it. */
export function collectionLink(path: string, selection: string): string {
  const link = `<${path}${selection === '' ? '' : `?${selection}`}>; rel="collection"`;
  return link.length > MAX_LINK_CHARACTERS ? `<${path}>; rel="collection"` : link;
}

/**
 * The `Link` header (RFC 8288): absolute paths with the same filters; `next` carries the cursor. Filters so
 * long that all links together would be more than a client takes as a header leave only those that fit,
 * `next` before all others.
 * @param path of the list, as clients know it.
 */
export function linkHeader(path: string, page: Page): string {
  const { selection } = page;
  const base = `<${path}?${selection === '' ? '' : `${selection}&`}`;
  const size = `page_size=${page.page_size}`;
  const to = (number: number, rel: string) => `${base}page=${number}&${size}>; rel="${rel}"`;
  const before = Math.max(1, Math.min(page.page - 1, page.total_pages));
  const links = [
    to(1, 'first'),
    page.page > 1 ? to(before, 'prev') : '',
    page.next === undefined ? '' : `${base}cursor=${page.next}&${size}>; rel="next"`,
    page.total_pages > 0 ? to(page.total_pages, 'last') : '',
    page.monitor === undefined ? '' : monitorLink(path, page.monitor),
  ];
  let room = MAX_LINK_CHARACTERS;
  for (const i of [NEXT, MONITOR, PREV, FIRST, LAST]) {
    const { length } = links[i] as string;
    if (length > room) links[i] = '';
    else room -= length;
  }
  return links.filter((link) => link !== '').join(', ');
}
