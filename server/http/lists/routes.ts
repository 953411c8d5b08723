// The routes of a list, and what each reads of its request: which media type, which query. It holds no rule
// about either.

import {
  changesPath,
  FILE_FORMATS,
  FILE_TYPES,
  filePath,
  itemPath,
} from '@linecard/client/contract/addresses';
import { facetsPath } from '@linecard/client/contract/facets';
import { Problem } from '@linecard/client/contract/problems';
import type { Query } from '@linecard/client/contract/query';
import { QueryParser } from '@linecard/client/contract/query-parser';
import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { limits } from '../../limits/limits.ts';
import { JSON_TYPE, negotiatedType } from '../accept.ts';
import type { AdmissionHook } from '../admission.ts';
import { holdBody } from '../held-bytes.ts';
import { sendChangeStream, sendChanges } from './changes.ts';
import { sendExport } from './exports.ts';
import { sendFacets } from './facets.ts';
import { sendItem } from './items.ts';
import { type ServedList, sendPage } from './pages.ts';

const LIST_TYPES = [JSON_TYPE, ...FILE_FORMATS.map((format) => FILE_TYPES[format])] as const;
const CHANGES_TYPES = [JSON_TYPE, FILE_TYPES.ndjson] as const;

/** Where a request has its parameters: in the query string, or in the body of a QUERY. */
interface Parameters {
  readonly queryString: string | undefined;
  readBy(parser: QueryParser): Query;
}

type Handler = (request: FastifyRequest, reply: FastifyReply, parameters: Parameters) => unknown;

/** The part of the URL behind the first `?`. */
export function queryStringOf({ url }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/** QUERY has its filters in the body alone. */
function refuseQueryString(request: FastifyRequest): void {
  if (queryStringOf(request) === '') return;
  const detail = 'QUERY takes its parameters in the body: leave the query string out.';
  throw new Problem('invalid-parameter', detail, { faults: [{ parameter: '', detail }] });
}

/** What comes before a list is read: whose request it is, and whether it is the turn of that account. */
export interface ListHooks {
  readonly admit: AdmissionHook;
  readonly inTurn: preHandlerHookHandler;
}

/** A route that takes GET, and QUERY with the same parameters as JSON. */
function addQueryRoute(
  app: FastifyInstance,
  url: string,
  { admit, inTurn: preHandler }: ListHooks,
  answer: Handler,
): void {
  const onRequest: AdmissionHook = (request, reply, done) => {
    reply.header('accept-query', JSON_TYPE);
    return admit(request, reply, done);
  };
  app.get(url, { onRequest, preHandler }, (request, reply) => {
    const queryString = queryStringOf(request);
    return answer(request, reply, { queryString, readBy: (parser) => parser.ofString(queryString) });
  });
  app.route<{ Body: string | undefined }>({
    method: 'QUERY',
    url,
    bodyLimit: limits.body.each,
    onRequest,
    preParsing: holdBody,
    preHandler,
    handler(request, reply) {
      refuseQueryString(request);
      const body = request.body ?? '';
      return answer(request, reply, { queryString: undefined, readBy: (parser) => parser.ofJson(body) });
    },
  });
}

export function addListRoutes(
  app: FastifyInstance,
  served: ServedList,
  hooks: ListHooks,
  maxPageSize: number,
): void {
  const { reader } = served;
  const { list } = reader.table;
  const pages = new QueryParser(list, maxPageSize, 'page');
  const exports = new QueryParser(list, maxPageSize, 'export');
  const facets = new QueryParser(list, maxPageSize, 'facets');
  const items = new QueryParser(list, maxPageSize, 'item');
  const changes = new QueryParser(list, maxPageSize, 'changes');
  const changeStreams = new QueryParser(list, maxPageSize, 'change_stream');

  addQueryRoute(app, list.path, hooks, (request, reply, parameters) => {
    const type = negotiatedType(request.headers.accept, LIST_TYPES);
    const format = FILE_FORMATS.find((one) => FILE_TYPES[one] === type);
    if (format !== undefined) return sendExport(served, request, reply, parameters.readBy(exports), format);
    return sendPage(served, request, reply, () => parameters.readBy(pages), parameters.queryString);
  });
  for (const format of FILE_FORMATS) {
    // The address has chosen the format already, whatever a browser or a library writes into Accept.
    addQueryRoute(app, filePath(list, format), hooks, (request, reply, parameters) =>
      sendExport(served, request, reply, parameters.readBy(exports), format),
    );
  }
  addQueryRoute(app, facetsPath(list), hooks, (request, reply, parameters) => {
    negotiatedType(request.headers.accept, [JSON_TYPE]);
    return sendFacets(reader, request, reply, parameters.readBy(facets));
  });
  addQueryRoute(app, changesPath(list), hooks, (request, reply, parameters) => {
    const type = negotiatedType(request.headers.accept, CHANGES_TYPES);
    return type === JSON_TYPE
      ? sendChanges(served, request, reply, parameters.readBy(changes))
      : sendChangeStream(served, request, reply, parameters.readBy(changeStreams));
  });
  const itemHooks = { onRequest: hooks.admit, preHandler: hooks.inTurn };
  app.get<{ Params: { id: string } }>(itemPath(list, ':id'), itemHooks, (request, reply) => {
    negotiatedType(request.headers.accept, [JSON_TYPE]);
    return sendItem(reader, request, reply, request.params.id, items.ofString(queryStringOf(request)));
  });
}
