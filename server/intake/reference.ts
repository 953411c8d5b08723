// The reference of the intake at /intake/docs, and its OpenAPI document. Both need no token.

import type { FastifyInstance } from 'fastify';
import { JSON_UTF_8 } from '../http/answer-headers.ts';
import { prepare, sendPrepared } from '../http/reference.ts';
import type { AnyOperation } from '../operations/operation.ts';

const DOCUMENT_PATH = '/intake/v1/openapi.json';
const REFERENCE_PATH = '/intake/docs';
const GUIDE = [
  {
    title: 'Tokens of operators',
    text: 'Create one with `linecard-server token create --operator --may accounts,tokens,sign-in --name portal`, and send it as `Authorization: Bearer lco_…`. `--account C1001`, repeated for several, bounds it to these accounts: what is outside is 403 or, in a list, not there. No operator token can make or see an operator token. Every change is in the audit log with the id of the token.',
  },
  {
    title: 'Requests and answers',
    text: 'Bodies and answers are JSON in UTF-8. Ids in a path are percent-encoded. A body with an unknown member, a member twice or a value of another kind is 422 `rejected`, with every fault in `errors`. `null` empties a member. Every error is `application/problem+json`. To repeat a request whose answer was lost: `PUT`, `PATCH` and `DELETE` do no harm; after `POST /intake/v1/tokens`, delete the newest token of that name first.',
  },
];

/** Loads what writes them at the first request: many intakes get none. */
export function addReference(app: FastifyInstance, operations: readonly AnyOperation[]): void {
  const load = async () => {
    const [{ intakeDocument }, { pageReference }] = await Promise.all([
      import('./document.ts'),
      import('../reference/reference.ts'),
    ]);
    const document = intakeDocument(operations);
    const { headers, write } = pageReference(document, GUIDE, { documentAddress: 'v1/openapi.json' });
    return { document: prepare(JSON.stringify(document)), page: prepare(write()), headers };
  };
  let loaded: ReturnType<typeof load> | undefined;
  const once = () => {
    loaded ??= load();
    return loaded;
  };
  app.get(DOCUMENT_PATH, async (request, reply) => {
    const { document } = await once();
    return sendPrepared(request, reply.type(JSON_UTF_8).header('cache-control', 'no-cache'), document);
  });
  app.get(REFERENCE_PATH, async (request, reply) => {
    const { page, headers } = await once();
    return sendPrepared(request, reply.headers(headers), page);
  });
}
