// Answers a request for a page: from the cache, with 304 (Not Modified) where the client has it already, or
// as it is read.

import type { Query } from '@linecard/client/contract/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Awaitable } from '../../awaitable.ts';
import type { Page } from '../../lists/page.ts';
import type { ListReader } from '../../lists/reader.ts';
import { CACHE_CONTROL, etagOf, JSON_UTF_8, linkHeader, sendNotModified } from '../answer-headers.ts';
import { clientOf } from '../client.ts';
import { nextFlush, sendOnFlush } from '../flush.ts';
import { revisionOnceChanged } from '../waiting.ts';

/** A list as it is served. */
export interface ServedList {
  readonly reader: ListReader;
  /** Where clients find it: its path behind that of the deployment. */
  readonly path: string;
}

/** A request for a page, and what is there to answer it. */
interface PageExchange {
  readonly list: ServedList;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** What was cached for the same query string, of whatever revision. */
  readonly cached: Page | undefined;
}

/** The Link headers of cached pages, so that a page that is served again and again makes its own once. */
const links = new WeakMap<Page, string>();

function linkOf({ list, cached }: PageExchange, page: Page): string {
  if (page !== cached) return linkHeader(list.path, page);
  let link = links.get(page);
  if (link === undefined) {
    link = linkHeader(list.path, page);
    links.set(page, link);
  }
  return link;
}

/** How to go on: a link could not be followed where the filters are in a body. */
function addWayOn(exchange: PageExchange, page: Page): void {
  const { request, reply } = exchange;
  if (request.method === 'QUERY') {
    if (page.next !== undefined) reply.header('next-cursor', page.next);
    return;
  }
  const link = linkOf(exchange, page);
  if (link !== '') reply.header('link', link);
}

function send(exchange: PageExchange, page: Page): void {
  const { reply } = exchange;
  addWayOn(exchange, page);
  reply.header('etag', etagOf(page.revision)).header('content-type', JSON_UTF_8).send(page.body);
}

/** Sends what needs no reading at a revision: 304, or the cached page. */
function sendKnown(exchange: PageExchange, revision: string): boolean {
  const { request, reply, cached } = exchange;
  if (sendNotModified(request, reply, etagOf(revision))) return true;
  if (cached?.revision !== revision) return false;
  exchange.list.reader.countCachedPage();
  send(exchange, cached);
  return true;
}

/** Whether the account's revision is known, and the client does not prefer to wait for another. */
function isKnownAtOnce({ caller, headers }: FastifyRequest): boolean {
  return caller.revision !== undefined && headers.prefer === undefined;
}

async function sendLater(exchange: PageExchange, page: Awaitable<Page>): Promise<void> {
  const read = await page;
  await nextFlush();
  send(exchange, read);
}

/** Reads and sends a page. */
function sendRead(exchange: PageExchange, read: () => Awaitable<Page>): Promise<void> | undefined {
  const page = read();
  if (page instanceof Promise) return sendLater(exchange, page);
  sendOnFlush(exchange.reply, () => send(exchange, page));
  return undefined;
}

/** Reads the revision by itself, and a page only where that does not spare it. */
async function sendUnlessKnown(exchange: PageExchange, read: () => Awaitable<Page>): Promise<void> {
  const { list, request, reply } = exchange;
  const revision = await revisionOnceChanged(list.reader, request, reply);
  if (!sendKnown(exchange, revision)) await sendLater(exchange, read());
}

/**
 * Answers with a page, at once where nothing must be read. It is cached by the text of its query string, if
 * it has one.
 */
export function sendPage(
  list: ServedList,
  request: FastifyRequest,
  reply: FastifyReply,
  parse: () => Query,
  text?: string,
): Promise<void> | undefined {
  const { caller } = request;
  const cached = text === undefined ? undefined : list.reader.cachedPage(caller, text);
  // A query string whose page is cached is valid; any other is checked before 304 may be sent.
  const query = cached === undefined ? parse() : undefined;
  const hasTag = request.headers['if-none-match'] !== undefined;
  if (hasTag && query?.cursor !== undefined) list.reader.checkCursor(caller, query);
  const exchange = { list, request, reply, cached };
  reply.header('cache-control', CACHE_CONTROL);
  const isKnown = isKnownAtOnce(request);
  if (isKnown && sendKnown(exchange, caller.revision as string)) return undefined;
  const read = () => list.reader.page(request.caller, query ?? parse(), clientOf(request, reply), text);
  const maySpare = cached !== undefined || hasTag;
  return maySpare && !isKnown ? sendUnlessKnown(exchange, read) : sendRead(exchange, read);
}
