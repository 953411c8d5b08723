// Sends every answer about an account: from the cache, as 304 Not Modified, after the wait that the client
// prefers, or newly computed.

import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip, type ZlibOptions } from 'node:zlib';
import type { Query } from '@linecard/client/contract/query';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, isStream, type Validator } from '../answers/answer.ts';
import type { Answers } from '../answers/answers.ts';
import type { WaitingClient } from '../answers/client.ts';
import {
  type LongBody,
  mustBeAllowed,
  type Owner,
  type Question,
  type Subject,
} from '../answers/question.ts';
import { acceptsCoding } from './accept.ts';
import { CACHE_CONTROL, gzippedTag, isCurrent, JSON_UTF_8, sendNotModified } from './answer-headers.ts';
import { sendStream } from './stream.ts';
import { waitSeconds } from './waiting.ts';

declare module 'fastify' {
  interface FastifyInstance {
    answers: Answers;
  }
}

export interface UnparsedQuestion {
  readonly subject: Subject;
  /** The query as received. */
  readonly text: string;
  /** Replaces the query if a worker thread parses it. */
  readonly longBody?: LongBody | undefined;
  /** @throws {Problem} `invalid-parameter` */
  parse(): Query;
  /** The same question by what is declared now. */
  again(): UnparsedQuestion;
}

const COMPRESSED: readonly unknown[] = ['xlsx'];
/** Suffix of the entity tag of a compressed representation. */
const GZIPPED = '-gzip';

function clientOf(request: FastifyRequest, reply: FastifyReply): WaitingClient {
  const { socket } = request;
  return {
    waitedMs: () => reply.elapsedTime - request.waitedMs,
    isDisconnected: () => socket.destroyed,
    stages: request,
  };
}

/** The suffix of the entity tags of a caller that sees no charges. */
const NO_CHARGES = '-no-charges';

/** What a caller may not see, where the address does not say it. */
function limitsForm({ lists, charges }: Owner['limits'], subject: Subject): string {
  const only = !('list' in subject) && lists !== null ? `-${lists.join('-')}` : '';
  return (charges ? '' : NO_CHARGES) + only;
}

/** By which fields of its own a list is answered. */
const ownForm = (subject: Subject): string =>
  'own' in subject && subject.own !== undefined ? `-${subject.own.revision}` : '';

/** Names the representation of a stream: its format, and whether it is compressed. */
function formOf(request: FastifyRequest, subject: Subject): string {
  if (!('format' in subject)) return '';
  const { format } = subject;
  if (COMPRESSED.includes(format)) return `-${format}`;
  return `-${format}${acceptsCoding(request.headers['accept-encoding'], 'gzip') ? GZIPPED : ''}`;
}

/** @throws {Problem} `invalid-parameter`, `forbidden` */
function questionOf(request: FastifyRequest, unparsed: UnparsedQuestion): Question {
  const { subject, longBody } = unparsed;
  const { method, caller: owner } = request;
  const form = limitsForm(owner.limits, subject) + ownForm(subject) + formOf(request, subject);
  const isInBody = method === 'QUERY';
  const question: Question = { ...subject, form, isInBody, longBody, query: unparsed.parse(), owner };
  mustBeAllowed(question);
  return question;
}

/** Shorter JSON is sent as it is: compressing it would save less than a packet or two. */
const COMPRESSED_FROM = 16_384;
/** A sixth larger than at zlib's default level, in half the time. */
const GZIP_LEVEL = 3;

const gzipOffThread = promisify<string | Uint8Array, ZlibOptions, Uint8Array>(gzip);

/**
 * Compressed bodies by answer: a cached answer is compressed once. They are a few percent of the cache, whose
 * estimate of a text is generous.
 */
const compressedBodies = new WeakMap<Answer, Uint8Array>();

async function compress(reply: FastifyReply, answer: Answer): Promise<void> {
  const body = await gzipOffThread(answer.body as string | Uint8Array, { level: GZIP_LEVEL });
  compressedBodies.set(answer, body);
  reply.send(body);
}

/** Sends JSON compressed: synchronously if it was compressed before. */
function sendCompressed(reply: FastifyReply, answer: Answer): unknown {
  reply.header('content-encoding', 'gzip').header('etag', gzippedTag(answer.etag));
  const body = compressedBodies.get(answer);
  return body === undefined ? compress(reply, answer) : reply.send(body);
}

function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): unknown {
  const { headers, etag, body } = answer;
  reply.headers(headers).header('etag', etag);
  if (!isStream(body)) {
    reply.header('content-type', JSON_UTF_8);
    const isLong =
      body.length >= COMPRESSED_FROM && acceptsCoding(request.headers['accept-encoding'], 'gzip');
    return isLong ? sendCompressed(reply, answer) : reply.send(body);
  }
  const isGzipped = etag.endsWith(`${GZIPPED}"`);
  if (isGzipped) reply.header('content-encoding', 'gzip');
  if (request.method !== 'HEAD') return sendStream(request, reply, body, isGzipped);
  body.close();
  return reply.send(Readable.from([]));
}

/** Closes the stream of an answer that is not sent. */
function discard(answer: Validator | Answer): void {
  if ('body' in answer && isStream(answer.body)) answer.body.close();
}

/**
 * The current entity tag. If the client prefers to wait (RFC 7240) and has the current answer, or there is
 * nothing yet, it first waits for a change.
 */
async function validatorOf(
  request: FastifyRequest,
  reply: FastifyReply,
  first: Question,
  unparsed: UnparsedQuestion,
): Promise<readonly [Validator | Answer, Question]> {
  const { answers, waiting } = request.server;
  let question = first;
  const client = clientOf(request, reply);
  // The accounts below one change without its revision, by which waits are woken.
  const seconds = question.kind === 'accounts' ? undefined : waitSeconds(request.headers.prefer);
  let validator = await answers.validator(question, client);
  if (seconds === undefined) return [validator, question];
  const end = performance.now() + seconds * 1_000;
  while (isCurrent(request, validator.etag) || validator.isEmpty === true) {
    const left = (end - performance.now()) / 1_000;
    if (left <= 0 || !(await waiting.wait(request, reply, left, validator))) break;
    reply.header('preference-applied', `wait=${seconds}`);
    discard(validator);
    question = questionOf(request, unparsed.again());
    validator = await answers.validator(question, client);
    // A client with another tag than this would otherwise get 304 only when the time is over.
    if (request.headers['if-none-match'] !== undefined) break;
  }
  return [validator, question];
}

/** In larger batches, the first answers would leave the processor's caches before they are sent. */
const MAX_BATCH = 8;

let batch: (() => void)[] = [];

function flush(): void {
  const flushed = batch;
  batch = [];
  for (const send of flushed) send();
}

function onFlush(send: () => void): void {
  const count = batch.push(send);
  if (count === 1) setImmediate(flush);
  else if (count === MAX_BATCH) flush();
}

/**
 * Answers that become ready in the same iteration of the event loop are sent as a batch: each answer to a
 * sleeping client costs a wake-up by the kernel, and a client that has just received one is awake.
 *
 * Resolves at the end of this iteration of the event loop, or when the batch is full.
 */
function nextFlush(): Promise<void> {
  return new Promise(onFlush);
}

async function sendRead(
  request: FastifyRequest,
  reply: FastifyReply,
  first: Question,
  unparsed: UnparsedQuestion,
  isConditional: boolean,
): Promise<void> {
  let answer: Answer | undefined;
  let question = first;
  let { revision } = question.owner;
  if (isConditional) {
    const [validator, current] = await validatorOf(request, reply, question, unparsed);
    question = current;
    if (sendNotModified(request, reply, validator.etag)) return discard(validator);
    if ('body' in validator) answer = validator;
    revision = validator.revision;
  }
  const owner = { ...request.caller, revision };
  answer ??= await request.server.answers.answer(
    { ...question, owner },
    clientOf(request, reply),
    unparsed.text,
  );
  await nextFlush();
  await sendAnswer(request, reply, answer);
}

/**
 * Answers a question: synchronously if the revision of its account is known and the client has the answer, or
 * it is cached.
 */
export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  unparsed: UnparsedQuestion,
): Promise<void> | undefined {
  const { answers } = request.server;
  const { caller, headers } = request;
  reply.header('cache-control', CACHE_CONTROL);
  const known =
    headers.prefer === undefined ? answers.known(caller, unparsed.subject, unparsed.text) : undefined;
  if (known !== undefined) {
    if (sendNotModified(request, reply, known.etag)) return undefined;
    const sending = sendAnswer(request, reply, known);
    return sending instanceof Promise ? sending : undefined;
  }
  const question = questionOf(request, unparsed);
  let isConditional = headers['if-none-match'] !== undefined || headers.prefer !== undefined;
  // A client that only asks whether something has changed has nothing cached.
  if (isConditional && headers.prefer === undefined) {
    const validator = answers.knownValidator(question);
    if (validator !== undefined) {
      if (sendNotModified(request, reply, validator.etag)) return undefined;
      isConditional = false;
    }
  }
  return sendRead(request, reply, question, unparsed, isConditional);
}
