// Answers a request for one item of a list.

import type { List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import type { Query } from '@linecard/client/contract/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { projectionOf } from '../../lists/fields.ts';
import type { ListReader } from '../../lists/reader.ts';
import { etagOf } from '../answer-headers.ts';
import { clientOf } from '../client.ts';
import { sendJson } from '../json.ts';

/** The id that a text is the one spelling of. */
function idOf(text: string): number | undefined {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 && String(id) === text ? id : undefined;
}

/** The same for an id that is another account's, nobody's, or none at all. */
function noSuchItem({ one }: List): Problem {
  return new Problem('not-found', `There is no such ${one} on this account.`);
}

export function sendItem(
  reader: ListReader,
  request: FastifyRequest,
  reply: FastifyReply,
  idText: string,
  { fields }: Query,
): Promise<FastifyReply> {
  const { list } = reader.table;
  const id = idOf(idText);
  const project = projectionOf(list, fields);
  return sendJson(request, reply, async () => {
    const found =
      id === undefined ? undefined : await reader.item(request.caller, id, clientOf(request, reply));
    if (found?.text === undefined) throw noSuchItem(list);
    const { text, revision } = found;
    return { body: project(text), revision, etag: etagOf(revision) };
  });
}
