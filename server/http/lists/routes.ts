// The routes of a list, and what each reads of its request: which media type, which query. It holds no rule
// about either.

import { facetsPath } from '@linecard/client/contract/facets';
import { Problem } from '@linecard/client/contract/problems';
import { QueryParser } from '@linecard/client/contract/query-parser';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ListReader } from '../../lists/reader.ts';
import { JSON_TYPE, negotiatedType } from '../accept.ts';
import type { AdmissionHook } from '../admission.ts';
import { EXPORT_FORMATS, sendExport } from './exports.ts';
import { sendFacets } from './facets.ts';
import { sendPage } from './pages.ts';

const MAX_BODY_BYTES = 1_048_576;
const EXPORT_TYPES = Object.keys(EXPORT_FORMATS) as (keyof typeof EXPORT_FORMATS)[];
const LIST_TYPES = [JSON_TYPE, ...EXPORT_TYPES] as const;

/** The part of the URL behind the first `?`. */
function queryString({ url }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/** QUERY has its filters in the body alone. */
function refuseQueryString(request: FastifyRequest): void {
  if (queryString(request) === '') return;
  const detail = 'QUERY takes its parameters in the body: leave the query string out.';
  throw new Problem('invalid-parameter', detail, { faults: [{ parameter: '', detail }] });
}

export function addListRoutes(
  app: FastifyInstance,
  reader: ListReader,
  onRequest: AdmissionHook,
  maxPageSize: number,
): void {
  const { list } = reader.table;
  const pages = new QueryParser(list, maxPageSize, 'page');
  const exports = new QueryParser(list, maxPageSize, 'export');
  const facets = new QueryParser(list, maxPageSize, 'facets');

  app.get(list.path, { onRequest }, (request, reply) => {
    const text = queryString(request);
    const type = negotiatedType(request.headers.accept, LIST_TYPES);
    if (type !== JSON_TYPE) return sendExport(reader, request, reply, exports.ofString(text), type);
    return sendPage(reader, request, reply, () => pages.ofString(text), text);
  });

  app.route<{ Body: string | undefined }>({
    method: 'QUERY',
    url: list.path,
    bodyLimit: MAX_BODY_BYTES,
    onRequest,
    handler(request, reply) {
      refuseQueryString(request);
      const text = request.body ?? '';
      const type = negotiatedType(request.headers.accept, LIST_TYPES);
      if (type !== JSON_TYPE) return sendExport(reader, request, reply, exports.ofJson(text), type);
      return sendPage(reader, request, reply, () => pages.ofJson(text));
    },
  });

  app.get(facetsPath(list), { onRequest }, (request, reply) => {
    negotiatedType(request.headers.accept, [JSON_TYPE]);
    return sendFacets(reader, request, reply, facets.ofString(queryString(request)));
  });
}
