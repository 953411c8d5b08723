// The routes of the API: paths, media types and query parsers.

import { accounts } from '@linecard/client/contract/accounts';
import { activity } from '@linecard/client/contract/activity';
import {
  ACCOUNT_PATH,
  changesPath,
  FILE_FORMATS,
  FILE_TYPES,
  type FileFormat,
  filePath,
  itemPath,
} from '@linecard/client/contract/addresses';
import { facetsPath } from '@linecard/client/contract/facets';
import type { List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import { DEFAULT_SORT, type Query } from '@linecard/client/contract/query';
import { decodedPart, firstPairs, QueryFaults } from '@linecard/client/contract/query-faults';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { hasRanges, rangesFilePath, rangesPath } from '@linecard/client/contract/ranges';
import type { Use } from '@linecard/client/contract/rules';
import { WEBHOOKS_PATH, webhookPath } from '@linecard/client/contract/webhooks';
import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify';
import type { Kind, ListQuestion, Subject } from '../answers/question.ts';
import { limits } from '../limits/limits.ts';
import type { Declared } from '../store/lists/own-fields.ts';
import { type ListName, type OwnFields, tables, tableWith } from '../store/tables.ts';
import { JSON_TYPE, negotiatedType } from './accept.ts';
import type { Admission, AdmissionHook } from './admission.ts';
import { holdBody } from './held-bytes.ts';
import { send, type UnparsedQuestion } from './send.ts';

/** Longer bodies are parsed on a worker thread: ten thousand numbers take up to 60 ms. */
const LONG_BODY = 65_536;

interface Offer {
  readonly type: string;
  readonly kind: Kind;
  /** What it is about; `id` is that of the path. */
  readonly subject: (id: string | undefined) => Subject;
}

interface Route {
  readonly path: string;
  /** The first is the default. A single offer that is not JSON is sent whatever `Accept` says. */
  readonly offers: readonly [Offer, ...Offer[]];
  readonly takesQuery: boolean;
}

const offer = (subject: Subject, type = JSON_TYPE): Offer => {
  return { type, kind: subject.kind, subject: () => subject };
};

function routesOf(list: List, name: ListName): Route[] {
  const json = (kind: ListQuestion['kind']) => offer({ kind, list: name });
  const file = (format: FileFormat) =>
    offer({ kind: format === 'xlsx' ? 'workbook' : 'export', list: name, format }, FILE_TYPES[format]);
  const changeStream = offer({ kind: 'change_stream', list: name, format: 'ndjson' }, FILE_TYPES.ndjson);
  const rangesFile = offer({ kind: 'ranges_file', list: name, format: 'csv' }, FILE_TYPES.csv);
  const ranges: Route[] = [
    { path: rangesPath(list), offers: [json('ranges'), rangesFile], takesQuery: true },
    { path: rangesFilePath(list), offers: [rangesFile], takesQuery: true },
  ];
  const item = (id: string | undefined): Subject => ({ kind: 'item', list: name, id: itemId(id) });
  return [
    { path: list.path, offers: [json('page'), ...FILE_FORMATS.map(file)], takesQuery: true },
    // The path determines the format, whatever browsers and libraries send in Accept.
    ...FILE_FORMATS.map((format): Route => {
      return { path: filePath(list, format), offers: [file(format)], takesQuery: true };
    }),
    { path: facetsPath(list), offers: [json('facets')], takesQuery: true },
    { path: changesPath(list), offers: [json('changes'), changeStream], takesQuery: true },
    ...(hasRanges(list) ? ranges : []),
    jsonRoute(itemPath(list, ':id'), { type: JSON_TYPE, kind: 'item', subject: item }),
  ];
}

const jsonRoute = (path: string, only: Offer): Route => ({ path, offers: [only], takesQuery: false });

type Parser = Pick<QueryParser, 'ofString' | 'ofJson'>;

const NO_QUERY: Query = { filters: [], sort_by: DEFAULT_SORT, sort_order: 'asc', page: 1, page_size: 1 };

const NO_PARAMETERS: Parser = {
  ofString(text) {
    const faults = new QueryFaults();
    const pairs = firstPairs(text, faults).map((pair) => pair.split('=', 1));
    const detail = 'This address takes no parameters: leave the query string out.';
    for (const name of new Set(pairs.map(([name = '']) => decodedPart(name) ?? name)))
      faults.add(name, () => detail);
    faults.mustBeNone();
    return NO_QUERY;
  },
  ofJson: () => NO_QUERY,
};

function queryStringOf({ url }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/** QUERY has its parameters in the body only. */
function refuseQueryString(request: FastifyRequest): void {
  if (queryStringOf(request) === '') return;
  const detail = 'QUERY takes its parameters in the body: leave the query string out.';
  throw new Problem('invalid-parameter', detail, { faults: [{ parameter: '', detail }] });
}

export interface RouteHooks {
  readonly admit: Admission;
  /** The own fields of the lists, as they are known now. */
  readonly declared: () => Declared;
  readonly schedule: preHandlerHookHandler;
}

/** Ids have a single spelling: no leading zeros, signs or spaces. */
function itemId(text: string | undefined): number | undefined {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 && String(id) === text ? id : undefined;
}

const WEBHOOK_ID = /^[\w-]{1,64}$/;
const webhookId = (text = '') => (WEBHOOK_ID.test(text) ? text : undefined);

/** @throws {Problem} `not-acceptable` */
function negotiated({ headers }: FastifyRequest, { offers }: Route): Offer {
  const [first] = offers;
  const { accept } = headers;
  if (accept === undefined || (offers.length === 1 && first.type !== JSON_TYPE)) return first;
  const type = negotiatedType(
    accept,
    offers.map((offer) => offer.type),
  );
  return offers.find((offer) => offer.type === type) ?? first;
}

function addRoute(
  app: FastifyInstance,
  route: ParsedRoute,
  { admit, schedule: preHandler, declared }: RouteHooks,
  maxPageSize: number,
): void {
  const { path: url, takesQuery, list } = route;
  const parser = parsersOf(route);
  /** What a request is about, by the declarations of now. */
  const questionOf = (request: FastifyRequest, id: string | undefined) => {
    const { kind, subject } = negotiated(request, route);
    const own = list === undefined ? undefined : declared()[list];
    const made = subject(id);
    return { subject: own === undefined ? made : ({ ...made, own } as Subject), parser: parser(kind, own) };
  };
  const admitted = admit(list);
  const onRequest: AdmissionHook = (request, reply, done) => {
    if (takesQuery) reply.header('accept-query', JSON_TYPE);
    return admitted(request, reply, done);
  };
  app.get<{ Params: { id?: string } }>(url, { onRequest, preHandler }, (request, reply) => {
    const text = queryStringOf(request);
    const ask = (): UnparsedQuestion => {
      const { subject, parser: by } = questionOf(request, request.params.id);
      return { subject, text, parse: () => by.ofString(text), again: ask };
    };
    return send(request, reply, ask());
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
      const body = request.body ?? '';
      const longBody = body.length > LONG_BODY ? { text: body, maxPageSize } : undefined;
      const ask = (): UnparsedQuestion => {
        const { subject, parser: by } = questionOf(request, undefined);
        refuseQueryString(request);
        const parse = () => (longBody === undefined ? by.ofJson(body) : NO_QUERY);
        // The space distinguishes it in the cache from query strings, which contain none.
        return { subject, text: `QUERY ${body}`, longBody, parse, again: ask };
      };
      return send(request, reply, ask());
    },
  });
}

interface ParsedRoute extends Route {
  readonly list: ListName | undefined;
  readonly parserOf: (kind: Kind, own?: OwnFields) => Parser;
}

/** The parsers of a route: those by the contract alone, and those of what is declared, made when needed. */
function parsersOf({ offers, parserOf }: ParsedRoute): (kind: Kind, own: OwnFields | undefined) => Parser {
  const parsers = new Map(offers.map(({ kind }) => [kind, parserOf(kind)]));
  const ofOwn = new WeakMap<OwnFields, Map<Kind, Parser>>();
  return (kind, own) => {
    if (own === undefined) return parsers.get(kind) as Parser;
    const known = ofOwn.get(own) ?? new Map<Kind, Parser>();
    ofOwn.set(own, known);
    const parser = known.get(kind) ?? parserOf(kind, own);
    known.set(kind, parser);
    return parser;
  };
}

/** Every route that answers a question. */
export function routes(maxPageSize: number): ParsedRoute[] {
  const of = (path: string, only: Offer, parser: Parser): ParsedRoute => {
    return { ...jsonRoute(path, only), list: undefined, parserOf: () => parser };
  };
  const webhook = (id: string | undefined): Subject => ({ kind: 'webhook', id: webhookId(id) });
  return [
    ...Object.values(tables).flatMap(({ name, list }) => {
      const parserOf = (kind: Kind, own?: OwnFields) =>
        new QueryParser(tableWith(name as ListName, own).list, maxPageSize, kind as Use);
      return routesOf(list, name as ListName).map((route) => ({
        ...route,
        list: name as ListName,
        parserOf,
      }));
    }),
    of(ACCOUNT_PATH, offer({ kind: 'account' }), NO_PARAMETERS),
    of(WEBHOOKS_PATH, offer({ kind: 'webhooks' }), NO_PARAMETERS),
    of(webhookPath(':id'), { type: JSON_TYPE, kind: 'webhook', subject: webhook }, NO_PARAMETERS),
    ...[activity, accounts].map((list) =>
      of(list.path, offer({ kind: list.name }), new QueryParser(list, maxPageSize, list.name)),
    ),
  ];
}

export function addRoutes(app: FastifyInstance, hooks: RouteHooks, maxPageSize: number): void {
  for (const route of routes(maxPageSize)) addRoute(app, route, hooks, maxPageSize);
}
