// Routes of the intake that take and answer JSON: their bodies, and their answers.

import { isUtf8 } from 'node:buffer';
import { excessOf, type JsonLimits, outlineOf } from '@linecard/client/contract/json-outline';
import { Problem } from '@linecard/client/contract/problems';
import { decodedPart, firstPairs, QueryFaults, shown } from '@linecard/client/contract/query-faults';
import { listed } from '@linecard/client/contract/wording';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_UTF_8 } from '../http/answer-headers.ts';
import { announcesBody, hasContent } from '../http/raw.ts';
import { intakeLimits } from '../limits/intake-limits.ts';
import type { Operation } from '../store/access/token-scopes.ts';
import { receive } from './body.ts';
import type { Sender } from './sender.ts';

/** More than any request has: every fault of a body is looked for and reported. */
const LIMITS: JsonLimits = { members: 100, values: 100, allValues: 1_000, depth: 8 };
/** The media type of a body; a path may take others for an import. */
export const JSON_TYPE = /^application\/json(?:\s*;.*)?$/i;
const CONTROL = /\p{Cc}/u;

export interface JsonCall {
  readonly sender: Sender;
  /** Of the path, its parts with a slash between them; empty if it has none. */
  readonly id: string;
  /** By name, of the parameters that the route takes. */
  readonly query: ReadonlyMap<string, string>;
  /** An object; empty if there is no body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

export interface JsonAnswer {
  readonly status: number;
  /** Absent for an answer without one. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface JsonRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** What its sender must be allowed to do. */
  readonly operation: Operation;
  /** The parameters that its query string may have; none if absent. */
  readonly parameters?: readonly string[] | undefined;
  /** @throws {Problem} */
  run(call: JsonCall): Promise<JsonAnswer>;
}

/** What is wrong with a member of a body; null for the body itself. */
export interface MemberFault {
  readonly member: string | null;
  readonly detail: string;
}

/** Nothing was changed, because of the faults of a body. */
export function rejected(errors: readonly MemberFault[], cause?: unknown): Problem {
  const [first] = errors;
  const all = errors.length === 1 ? first?.detail : `${errors.length} faults. The first: ${first?.detail}`;
  return new Problem('rejected', `${all} Nothing was changed.`, {
    extensions: { errors, total: errors.length },
    cause,
  });
}

/** Of which `JSON.parse` takes the last without a word. */
const repeatedIn = (names: readonly string[]) => [
  ...new Set(names.filter((name, i) => names.indexOf(name) < i)),
];

function objectOf(text: string, otherBodies: string): Readonly<Record<string, unknown>> {
  const excess = excessOf(text, LIMITS);
  if (excess !== undefined) throw rejected([{ member: null, detail: `The body ${excess}.` }]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw rejected([{ member: null, detail: 'The body is not JSON.' }], error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw rejected([{ member: null, detail: `The body must be a JSON object.${otherBodies}` }]);
  const repeated = repeatedIn(outlineOf(text, LIMITS).members.map((name) => String(JSON.parse(name))));
  if (repeated.length === 0) return value as Readonly<Record<string, unknown>>;
  throw rejected(repeated.map((name) => ({ member: shown(name), detail: `${shown(name)} is there twice.` })));
}

/**
 * The parameters of a query string.
 * @throws {Problem} `invalid-parameter` with every fault.
 */
function readQuery(url: string, known: readonly string[]): JsonCall['query'] {
  const mark = url.indexOf('?');
  const text = mark < 0 ? '' : url.slice(mark + 1);
  const faults = new QueryFaults();
  const query = new Map<string, string>();
  const hint =
    known.length === 0
      ? 'The request takes none.'
      : `Known ${known.length === 1 ? 'is' : 'are'} ${listed(known)}.`;
  for (const part of firstPairs(text, faults)) {
    const [rawName = '', ...rest] = part.split('=');
    const name = decodedPart(rawName) ?? rawName;
    const value = decodedPart(rest.join('='));
    if (!known.includes(name)) faults.add(name, () => `${shown(name)} is not a parameter here. ${hint}`);
    else if (value === undefined) faults.add(name, () => `${name} is not valid percent-encoded UTF-8.`);
    else if (query.has(name)) faults.add(name, () => `${name} is there twice.`);
    else query.set(name, value);
  }
  faults.mustBeNone();
  return query;
}

/**
 * The body of a request as an object.
 * @throws {Problem} `unsupported-media-type`, `content-too-large`, `rejected`
 */
async function readBody(
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
  otherBodies: string,
): Promise<Readonly<Record<string, unknown>>> {
  if (!announcesBody(raw)) return {};
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
    if (!(await hasContent(raw))) return {};
    throw new Problem('unsupported-media-type', 'Content-Type must be application/json.', {
      headers: { 'accept-post': 'application/json' },
    });
  }
  if (headers.expect !== undefined) reply.raw.writeContinue();
  const maxBytes = intakeLimits.jsonBody.each;
  const received = await receive(raw, { maxBytes, isCompressed: false, signal });
  try {
    const bytes = 'bytes' in received.body ? received.body.bytes : Buffer.alloc(0);
    if (bytes.length === 0) return {};
    if (isUtf8(bytes)) return objectOf(bytes.toString('utf8'), otherBodies);
    throw rejected([{ member: null, detail: 'The body is not valid UTF-8.' }]);
  } finally {
    await received.close();
  }
}

/**
 * Answers a request whose sender is known.
 * @param otherBodies what its path takes in addition, as a sentence after a space; empty for nothing.
 */
export async function answerJson(
  route: JsonRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  sender: Sender,
  signal: AbortSignal,
  otherBodies: string,
): Promise<FastifyReply> {
  const { params, url } = request;
  const id = Object.values(params as Readonly<Record<string, string>>).join('/');
  // No database has one, and not every database takes it.
  if (CONTROL.test(id)) throw new Problem('not-found', 'There is no such id: it has control characters.');
  const query = readQuery(url, route.parameters ?? []);
  const body = await readBody(request, reply, signal, otherBodies);
  const answer = await route.run({ sender, id, query, body, signal });
  reply
    .code(answer.status)
    .header('cache-control', 'no-store')
    .headers(answer.headers ?? {});
  if (answer.body === undefined) return reply.send();
  return reply.header('content-type', JSON_UTF_8).send(JSON.stringify(answer.body));
}
