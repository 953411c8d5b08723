// Answers whose token a request carries.

import { ACCOUNT_PATH } from '@linecard/client/contract/addresses';
import { invalidParameter } from '@linecard/client/contract/problems';
import type { FastifyInstance } from 'fastify';
import type { AccountReader } from '../lists/account.ts';
import { invalidToken } from '../store/tokens.ts';
import { JSON_TYPE, negotiatedType } from './accept.ts';
import { etagOfBody } from './answer-headers.ts';
import { clientOf } from './client.ts';
import { sendJson } from './json.ts';
import { type ListHooks, queryStringOf } from './lists/routes.ts';

const MAX_SHOWN_CHARACTERS = 100;

function refuseParameters(queryString: string): void {
  if (queryString === '') return;
  const names = new Set(new URLSearchParams(queryString).keys());
  const faults = Array.from(names, (name) => ({
    parameter: name.slice(0, MAX_SHOWN_CHARACTERS),
    detail: 'The account takes no parameters: leave the query string out.',
  }));
  throw invalidParameter(faults);
}

export function addAccountRoute(
  app: FastifyInstance,
  reader: AccountReader,
  { admit: onRequest, inTurn: preHandler }: ListHooks,
): void {
  app.get(ACCOUNT_PATH, { onRequest, preHandler }, (request, reply) => {
    negotiatedType(request.headers.accept, [JSON_TYPE]);
    refuseParameters(queryStringOf(request));
    return sendJson(request, reply, async () => {
      const account = await reader.account(request.caller, clientOf(request, reply));
      if (account === undefined) throw invalidToken();
      // Another token of the account has another answer at the same revision.
      return { ...account, etag: etagOfBody(account.revision, account.body) };
    });
  });
}
