// The routes of the API about an account: which path, which media types, and how the query is parsed.

import {
  ACCOUNT_PATH,
  changesPath,
  FILE_FORMATS,
  FILE_TYPES,
  filePath,
  itemPath,
} from '@linecard/client/contract/addresses';
import { facetsPath } from '@linecard/client/contract/facets';
import type { List } from '@linecard/client/contract/list';
import { invalidParameter, Problem } from '@linecard/client/contract/problems';
import { DEFAULT_SORT, type Query } from '@linecard/client/contract/query';
import { QueryParser } from '@linecard/client/contract/query-parser';
import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify';
import type { ListName, Question } from '../answers/question.ts';
import type { Kind } from '../answers/work.ts';
import { limits } from '../limits/limits.ts';
import { tables } from '../store/tables.ts';
import { JSON_TYPE, negotiatedType } from './accept.ts';
import type { AdmissionHook } from './admission.ts';
import { holdBody } from './held-bytes.ts';
import { send } from './send.ts';

const MAX_SHOWN_CHARACTERS = 100;
/** To parse a longer body takes a worker thread: ten thousand numbers take up to 60 milliseconds. */
const LONG_BODY = 65_536;

/** What a path answers with, by media type. */
interface Offer {
  readonly type: string;
  readonly kind: Kind;
  readonly format?: Question['format'];
}

interface Route {
  readonly path: string;
  /** What there is, the first where the client has no preference; a single one that is no JSON, always. */
  readonly offers: readonly [Offer, ...Offer[]];
  /** Whether it takes QUERY too. */
  readonly takesQuery: boolean;
}

const FILES = FILE_FORMATS.map((format): Offer => ({ type: FILE_TYPES[format], kind: 'export', format }));
const json = (kind: Kind): Offer => ({ type: JSON_TYPE, kind });
const changeStream: Offer = { type: FILE_TYPES.ndjson, kind: 'change_stream', format: 'ndjson' };

/** The routes of a list. */
function routesOf(list: List): Route[] {
  return [
    { path: list.path, offers: [json('page'), ...FILES], takesQuery: true },
    // The path has chosen the format, whatever a browser or a library writes into Accept.
    ...FILES.map((file): Route => {
      const path = filePath(list, file.format as (typeof FILE_FORMATS)[number]);
      return { path, offers: [file], takesQuery: true };
    }),
    { path: facetsPath(list), offers: [json('facets')], takesQuery: true },
    { path: changesPath(list), offers: [json('changes'), changeStream], takesQuery: true },
    { path: itemPath(list, ':id'), offers: [json('item')], takesQuery: false },
  ];
}

const ACCOUNT: Route = { path: ACCOUNT_PATH, offers: [json('account')], takesQuery: false };

/** Reads the query of a request from its query string, or from the body of a QUERY. */
type Parser = Pick<QueryParser, 'ofString' | 'ofJson'>;

const NO_QUERY: Query = { filters: [], sort_by: DEFAULT_SORT, sort_order: 'asc', page: 1, page_size: 1 };

interface Parsing {
  readonly maxPageSize: number;
  parserOf(kind: Kind): Parser;
}

/** The account takes no parameters. */
const NO_PARAMETERS: Parser = {
  ofString(text) {
    const names = new Set(new URLSearchParams(text).keys());
    if (names.size === 0) return NO_QUERY;
    const detail = 'The account takes no parameters: leave the query string out.';
    const faults = Array.from(names, (name) => ({ parameter: name.slice(0, MAX_SHOWN_CHARACTERS), detail }));
    throw invalidParameter(faults);
  },
  ofJson: () => NO_QUERY,
};

/** The part of the URL after the first `?`. */
function queryStringOf({ url }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/** QUERY has its filters in the body alone. */
function refuseQueryString(request: FastifyRequest): void {
  if (queryStringOf(request) === '') return;
  const detail = 'QUERY takes its parameters in the body: leave the query string out.';
  throw new Problem('invalid-parameter', detail, { faults: [{ parameter: '', detail }] });
}

/** What comes before a question: whose request it is, and whether it is the turn of that account. */
export interface RouteHooks {
  readonly admit: AdmissionHook;
  readonly inTurn: preHandlerHookHandler;
}

/** The id that a text is the one spelling of. */
function idOf(text: string | undefined): number | undefined {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 && String(id) === text ? id : undefined;
}

/** The offer that a request takes. A path that offers a file alone has chosen it. */
function negotiated({ headers }: FastifyRequest, { offers }: Route): Offer {
  const [first] = offers;
  if (offers.length === 1 && first.type !== JSON_TYPE) return first;
  const types = offers.map(({ type }) => type) as [string, ...string[]];
  const type = negotiatedType(headers.accept, types);
  return offers.find((offer) => offer.type === type) ?? first;
}

function addRoute(
  app: FastifyInstance,
  route: Route,
  { admit, inTurn: preHandler }: RouteHooks,
  list: ListName | undefined,
  { maxPageSize, parserOf }: Parsing,
): void {
  const { path: url, offers, takesQuery } = route;
  const parsers = new Map(offers.map(({ kind }) => [kind, parserOf(kind)]));
  const onRequest: AdmissionHook = (request, reply, done) => {
    if (takesQuery) reply.header('accept-query', JSON_TYPE);
    return admit(request, reply, done);
  };
  app.get<{ Params: { id?: string } }>(url, { onRequest, preHandler }, (request, reply) => {
    const { kind, format } = negotiated(request, route);
    const text = queryStringOf(request);
    const parse = () => (parsers.get(kind) as Parser).ofString(text);
    return send(request, reply, { kind, list, format, id: idOf(request.params.id), text, parse });
  });
  if (!takesQuery) return;
  app.route<{ Body: string | undefined }>({
    method: 'QUERY',
    url,
    bodyLimit: limits.body.each,
    onRequest,
    preParsing: holdBody,
    preHandler,
    handler(request, reply) {
      const { kind, format } = negotiated(request, route);
      refuseQueryString(request);
      const body = request.body ?? '';
      const longBody = body.length > LONG_BODY ? { text: body, maxPageSize } : undefined;
      const parse = () => (longBody === undefined ? (parsers.get(kind) as Parser).ofJson(body) : NO_QUERY);
      // No query string has a space, so that it is never taken for one.
      return send(request, reply, { kind, list, format, text: `QUERY ${body}`, longBody, parse });
    },
  });
}

/** Adds the routes of all lists and of the account. */
export function addRoutes(app: FastifyInstance, hooks: RouteHooks, maxPageSize: number): void {
  for (const { name, list } of Object.values(tables)) {
    const parserOf = (kind: Kind) => new QueryParser(list, maxPageSize, kind as Exclude<Kind, 'account'>);
    for (const route of routesOf(list))
      addRoute(app, route, hooks, name as ListName, { maxPageSize, parserOf });
  }
  addRoute(app, ACCOUNT, hooks, undefined, { maxPageSize, parserOf: () => NO_PARAMETERS });
}
