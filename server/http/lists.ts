// The routes of a list: its pages, its export, its facets, and the long filters of QUERY (contract, sections 1, 5 and 6).

import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { facetsPath } from '@linecard/client/contract/facets';
import { Problem } from '@linecard/client/contract/problems';
import { formatSelection, type Query } from '@linecard/client/contract/query';
import { QueryParser } from '@linecard/client/contract/query-parser';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ListIndex } from '../list-index/list-index.ts';
import { type Keepable, Kept } from '../lists/cache.ts';
import type { ExportFormat } from '../lists/export.ts';
import { type FacetsAnswer, facetsHold } from '../lists/facets.ts';
import type { ListIndexes } from '../lists/indexes.ts';
import type { Lists, Page } from '../lists/list.ts';
import { inTime } from '../store/deadline.ts';
import type { Table } from '../store/tables.ts';
import type { Caller } from '../store/tokens.ts';
import type { Asked } from '../threads/messages.ts';
import type { Aside } from '../threads/pool.ts';
import { acceptsCoding, preferredType } from './accept.ts';
import type { Authenticator } from './authentication.ts';
import { turnEnd } from './flush.ts';
import { etagOf, linksOf, noneMatch } from './page-headers.ts';
import { pour, ReaderGone } from './stream.ts';

/** An account with more items than this is large: what looks at all of them leaves the request thread. */
const LARGE = 2_000;
/** A page that ends further on is not a matter of microseconds. */
const FAR = 1_000;
const MAX_BODY_BYTES = 1_048_576;

const JSON_TYPE = 'application/json';
const JSON_UTF_8 = `${JSON_TYPE}; charset=utf-8`;
const EXPORT_FORMATS = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' } as const satisfies Record<
  string,
  ExportFormat
>;
const LIST_TYPES = [JSON_TYPE, 'text/csv', 'application/x-ndjson'] as const satisfies (
  | typeof JSON_TYPE
  | keyof typeof EXPORT_FORMATS
)[];

const VARY = 'Authorization, Accept';
const PRIVATE = 'private, no-cache';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is, once it is known. */
    caller: Caller;
  }
}

/** A page as it leaves. */
interface PageAnswer extends Keepable {
  readonly body: string;
  readonly link: string;
}

export interface ListDoor {
  readonly lists: Lists;
  readonly indexes: Pick<ListIndexes, 'find' | 'coming' | 'missed'>;
  readonly aside: Aside;
  readonly authenticator: Authenticator;
  readonly max_page_size: number;
  /** How long a request may wait for the database, where there is a limit. */
  readonly time_ms?: number | undefined;
  /** How much of what was answered each list keeps between requests. */
  readonly keep_bytes: number;
  /** Counts a request of a token and refuses it when there were too many. */
  limit(request: FastifyRequest, reply: FastifyReply): void;
}

/** Tells whether a caller has left meanwhile. */
const isGone =
  ({ socket }: FastifyRequest) =>
  () =>
    socket.destroyed;

/** The part of the URL behind the first `?`. */
function queryString({ url }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/** Whether a page can be had in microseconds, however large the account: nothing before it has to be looked at. */
function isPlain(query: Query): boolean {
  const plain =
    query.filters.length === 0 && query.q === undefined && ['_default', 'id'].includes(query.sort_by);
  return plain && (query.cursor !== undefined || query.page * query.page_size <= FAR);
}

/** The routes of one list. */
export function addListRoutes(app: FastifyInstance, door: ListDoor, table: Table): void {
  const { list } = table;
  const pages = new QueryParser(list, door.max_page_size, 'page');
  const exports = new QueryParser(list, door.max_page_size, 'export');
  const facets = new QueryParser(list, door.max_page_size, 'facets');
  const pages_kept = new Kept<PageAnswer>(door.keep_bytes);
  const facets_kept = new Kept<FacetsAnswer & Keepable>(door.keep_bytes);

  /** Before anything of a body is read: who asks, and how often already. At once where nothing must be waited for. */
  function authenticate(
    request: FastifyRequest,
    reply: FastifyReply,
    done: () => void,
  ): Promise<void> | undefined {
    reply.header('vary', VARY).header('accept-query', JSON_TYPE);
    const caller = door.authenticator.caller(request.headers.authorization);
    if (caller instanceof Promise) return admit(request, reply, caller);
    request.caller = caller;
    door.limit(request, reply);
    done();
    return undefined;
  }

  async function admit(request: FastifyRequest, reply: FastifyReply, caller: Promise<Caller>) {
    request.caller = await caller;
    door.limit(request, reply);
  }

  /** The media type to answer in. */
  function typeFor<const T extends string>(request: FastifyRequest, offered: readonly T[]): T {
    const type = preferredType(request.headers.accept, offered);
    if (type !== undefined) return type;
    throw new Problem(
      'not-acceptable',
      `This can be had as ${offered.join(', ')}; Accept allows none of it.`,
    );
  }

  /** How much longer the caller can wait, where there is a limit. */
  const timeLeft = (reply: FastifyReply) =>
    door.time_ms === undefined ? undefined : Math.max(1, door.time_ms - reply.elapsedTime);

  const askedBy = ({ caller }: FastifyRequest, reply: FastifyReply, query: Query): Asked => ({
    list: table.name as Asked['list'],
    account_id: caller.account_id,
    query,
    time_ms: timeLeft(reply),
  });

  /** The revision of the caller's account: it may take a trip, so it is asked for only where something hangs on it. */
  async function revisionFor({ caller }: FastifyRequest, matters: boolean): Promise<string | undefined> {
    return matters ? door.authenticator.revision(caller) : undefined;
  }

  /** Sends 304 where the caller has what it would get. */
  function unchanged(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
    if (!noneMatch(request.headers['if-none-match'], etag)) return false;
    reply.code(304).header('etag', etag).send();
    return true;
  }

  /** A page of the caller's, on this thread where it is a matter of microseconds. */
  async function readPage(request: FastifyRequest, reply: FastifyReply, query: Query): Promise<Page> {
    const { caller } = request;
    const { account_id } = caller;
    const here = <T>(page: Promise<T>) => {
      const left = timeLeft(reply);
      return left === undefined ? page : inTime(page, left);
    };
    if (isPlain(query)) return here(door.lists.page(table, account_id, query));
    const index = door.indexes.find(table, caller) ?? (await door.indexes.coming(table, caller));
    const indexed = index && (await here(door.lists.pageByIndex(index, table, account_id, query)));
    if (indexed !== undefined) return indexed;
    const total = caller.totals[table.name] ?? 0;
    const page = await (total <= LARGE
      ? here(door.lists.page(table, account_id, query))
      : door.aside.page(askedBy(request, reply, query), isGone(request)));
    noteMissed(caller, index, page.revision);
    return page;
  }

  /** Notes that the database had to look through a list, unless its index would do so no faster. */
  function noteMissed({ account_id, totals }: Caller, index: ListIndex | undefined, revision: string): void {
    if (index?.revision === revision) return;
    door.indexes.missed(table, account_id, revision, totals[table.name] ?? 0);
  }

  async function readAnswer(request: FastifyRequest, reply: FastifyReply, query: Query): Promise<PageAnswer> {
    const page = await readPage(request, reply, query);
    const link = linksOf(list, page, request.method === 'QUERY' ? '' : page.selection);
    const { body, revision } = page;
    return { body, link, revision, bytes: 2 * (body.length + link.length) };
  }

  function sendAnswer(reply: FastifyReply, { body, link, revision }: PageAnswer): void {
    if (link !== '') reply.header('link', link);
    reply.header('etag', etagOf(revision)).header('content-type', JSON_UTF_8).send(body);
  }

  /** Sends what can be had without reading: 304, or an answer that is kept. */
  function sendKnown(request: FastifyRequest, reply: FastifyReply, revision: string, key?: string): boolean {
    if (unchanged(request, reply, etagOf(revision))) return true;
    const answer = key === undefined ? undefined : pages_kept.find(key, revision);
    if (answer !== undefined) sendAnswer(reply, answer);
    return answer !== undefined;
  }

  /** Answers with a page: at once where nothing must be read. Under a key it is kept for whoever asks the same again. */
  function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    parse: () => Query,
    key?: string,
  ): Promise<void> | undefined {
    const is_kept = key !== undefined && pages_kept.has(key);
    // What was answered before was asked rightly; anything else is looked at before it is said to be unchanged.
    const query = is_kept ? undefined : parse();
    reply.header('cache-control', PRIVATE);
    const { revision } = request.caller;
    if (revision !== undefined && sendKnown(request, reply, revision, key)) return undefined;
    const matters = is_kept || request.headers['if-none-match'] !== undefined;
    return sendRead(request, reply, query ?? parse(), key, revision === undefined && matters);
  }

  /** Sends what must be read; the revision by itself first where it may spare the page. */
  async function sendRead(
    request: FastifyRequest,
    reply: FastifyReply,
    query: Query,
    key: string | undefined,
    revision_first: boolean,
  ): Promise<void> {
    const revision = await revisionFor(request, revision_first);
    if (revision !== undefined && sendKnown(request, reply, revision, key)) return;
    const answer = await readAnswer(request, reply, query);
    if (key !== undefined) pages_kept.keep(key, answer);
    await turnEnd();
    sendAnswer(reply, answer);
  }

  async function sendExport(
    request: FastifyRequest,
    reply: FastifyReply,
    query: Query,
    type: keyof typeof EXPORT_FORMATS,
  ) {
    const { headers } = request;
    const format = EXPORT_FORMATS[type];
    const zipped = acceptsCoding(headers['accept-encoding'], 'gzip');
    const form = `-${format}${zipped ? '-gzip' : ''}`;
    const known = await revisionFor(request, headers['if-none-match'] !== undefined);
    reply.header('cache-control', PRIVATE);
    if (known !== undefined && unchanged(request, reply, etagOf(known, form))) return reply;
    const export_ = await door.aside.export(askedBy(request, reply, query), format);
    const name = `${list.name.replaceAll('_', '-')}.${format}`;
    reply
      .header('etag', etagOf(export_.revision, form))
      .header('vary', `${VARY}, Accept-Encoding`)
      .header('x-total-count', export_.total)
      .header('content-disposition', `attachment; filename="${name}"`)
      .header('content-type', `${type}; charset=utf-8${format === 'csv' ? '; header=present' : ''}`);
    if (zipped) reply.header('content-encoding', 'gzip');
    if (request.method === 'HEAD') {
      export_.close();
      return reply.send(Readable.from([]));
    }
    reply.hijack();
    reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
    await pour(export_.pieces, reply.raw, zipped).catch((error: unknown) => {
      // A part never looks like the whole: the connection is cut rather than closed.
      reply.raw.destroy();
      if (!(error instanceof ReaderGone)) request.log.error({ err: error }, 'an export broke off');
    });
    return reply;
  }

  /** Facets of the caller's, on another thread, by an index where there is one. */
  async function countFacets(
    request: FastifyRequest,
    reply: FastifyReply,
    query: Query,
  ): Promise<FacetsAnswer> {
    const { caller } = request;
    const index = door.indexes.find(table, caller);
    const is_true = index !== undefined && index.revision === (await revisionFor(request, true));
    const answer = await door.aside.facets(
      askedBy(request, reply, query),
      isGone(request),
      is_true ? index.data : undefined,
    );
    noteMissed(caller, index, answer.revision);
    return answer;
  }

  app.get(list.path, { onRequest: authenticate }, (request, reply) => {
    const text = queryString(request);
    const type = typeFor(request, LIST_TYPES);
    if (type !== JSON_TYPE) return sendExport(request, reply, exports.ofString(text), type);
    const key = door.keep_bytes === 0 ? undefined : `${request.caller.account_id}\n${text}`;
    return sendPage(request, reply, () => pages.ofString(text), key);
  });

  app.route<{ Body: string | undefined }>({
    method: 'QUERY',
    url: list.path,
    bodyLimit: MAX_BODY_BYTES,
    onRequest: authenticate,
    handler(request, reply) {
      if (queryString(request) !== '') {
        const detail = 'QUERY takes its parameters in the body: leave the query string out.';
        throw new Problem('invalid-parameter', detail, { faults: [{ parameter: '', detail }] });
      }
      const text = request.body ?? '';
      const type = typeFor(request, LIST_TYPES);
      if (type !== JSON_TYPE) return sendExport(request, reply, exports.ofJson(text), type);
      return sendPage(request, reply, () => pages.ofJson(text));
    },
  });

  app.get(facetsPath(list), { onRequest: authenticate }, async (request, reply) => {
    typeFor(request, [JSON_TYPE]);
    const query = facets.ofString(queryString(request));
    const key = `${request.caller.account_id}\n${formatSelection(query)}`;
    const revision = await revisionFor(request, facets_kept.has(key));
    let answer = revision === undefined ? undefined : facets_kept.find(key, revision);
    if (answer === undefined || !facetsHold(answer)) {
      const counted = await countFacets(request, reply, query);
      answer = { ...counted, bytes: 2 * counted.body.length };
      facets_kept.keep(key, answer);
    }
    return reply.header('cache-control', PRIVATE).header('content-type', JSON_UTF_8).send(answer.body);
  });
}
