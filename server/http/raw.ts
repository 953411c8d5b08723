// Requests before they are parsed or routed: checks of the raw headers, and answers to what the HTTP parser
// rejects.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@linecard/client/contract/problems';
import { limits } from '../limits/limits.ts';

const SANE_REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;
/** Request ids are logged, and tokens must not be. */
const LIKE_TOKEN = /lco?_[0-9A-Za-z]{32}/;
/** The URL has room for a thousand ids of 16 digits. Headers are names and values together. */
const [MAX_URL_BYTES, MAX_HEADER_BYTES] = [limits.url.each, limits.headers.each];
/** The parser's limit is higher, so that the answer can name the part that is too long. */
export const MAX_PARSED_BYTES = 262_144;

/** Duplicates of these headers are ambiguous and used in attacks. */
const ONCE = ['host', 'authorization', 'content-length'];
/** Their lengths, to skip most other headers quickly. */
const ONCE_LENGTHS = new Set(ONCE.map(({ length }) => length));

export interface Refused extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

/** The client's request id if it is valid and does not look like a token, otherwise a new one. */
export function requestId(sent: string | string[] | undefined): string {
  const isSane = typeof sent === 'string' && SANE_REQUEST_ID.test(sent) && !LIKE_TOKEN.test(sent);
  return isSane ? sent : randomUUID();
}

/** Whether a body follows; one in chunks may turn out to be empty. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || Number(length ?? 0) !== 0;
}

/**
 * Whether a request has content: some proxies send an empty body in chunks with every request (RFC 9110,
 * section 6.4: no content is no body). Reads none of a request that announces its length.
 * @throws {Problem} `request-timeout`, `bad-request`
 */
export function hasContent(request: IncomingMessage): boolean | Promise<boolean> {
  const { 'transfer-encoding': encoding, expect } = request.headers;
  if (encoding === undefined) return announcesBody(request);
  if (request.readableEnded) return false;
  // A client that waits for `100 Continue` sends nothing before, and has some.
  if (encoding.toLowerCase() !== 'chunked' || expect !== undefined) return true;
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const late = new Problem('request-timeout', 'The request did not arrive in time.');
  const timer = setTimeout(() => reject(late), 1_000 * limits.arrival.each);
  const hasSome = () => resolve(true);
  request.once('data', hasSome);
  request.once('end', () => resolve(false));
  request.once('error', () => reject(malformed('The request broke off.')));
  return promise.finally(() => {
    clearTimeout(timer);
    request.off('data', hasSome);
  });
}

/** Finds ambiguous or oversized requests. */
export function wireFault({ httpVersion, rawHeaders, url = '' }: IncomingMessage): Problem | undefined {
  if (url.length > MAX_URL_BYTES) {
    return new Problem('uri-too-long', `The URL must not be longer than ${MAX_URL_BYTES} bytes.`);
  }
  let seen = 0;
  let bytes = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    bytes += name.length + (rawHeaders[i + 1] as string).length;
    if (!ONCE_LENGTHS.has(name.length)) continue;
    const position = ONCE.indexOf(name.toLowerCase());
    if (position < 0) continue;
    const bit = 1 << position;
    if ((seen & bit) !== 0) return malformed(`The request has two ${name} headers.`);
    seen |= bit;
  }
  if (bytes > MAX_HEADER_BYTES) {
    return new Problem(
      'headers-too-large',
      `The headers must not be longer than ${MAX_HEADER_BYTES} bytes in total.`,
    );
  }
  if (httpVersion === '1.1' && (seen & 1) === 0) return malformed('The request has no Host header.');
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('The request is not in HTTP/1.1.');
  if (url.includes('#')) return malformed('The URL must not have a fragment.');
  return undefined;
}

function malformed(detail: string): Problem {
  return new Problem('bad-request', detail);
}

export function parserProblem({ code, rawPacket, bytesParsed }: Refused): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('request-timeout', 'The request did not arrive in time.');
  }
  if (code === 'HPE_INVALID_METHOD')
    return malformed('The data received does not start with a known HTTP method.');
  if (code !== 'HPE_HEADER_OVERFLOW') return malformed('The data received is not valid HTTP.');
  // The parser does not tell which part was too long. Before the first line break it is the request line.
  const inUrl = Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, bytesParsed).includes('\n');
  return inUrl
    ? new Problem('uri-too-long', 'The URL is too long.')
    : new Problem('headers-too-large', 'The headers are too large.');
}

/**
 * Writes an answer to a socket and closes it, or only closes it if another answer has begun. The reason
 * phrase is the title, because importing values of `node:http` makes Node load all of it, including
 * WebSocket.
 */
export function rawAnswer(socket: Socket, problem: Problem, request_id: string): void {
  const { _httpMessage: begun } = socket as { _httpMessage?: { headersSent: boolean } | null };
  if (!socket.writable || begun?.headersSent === true) {
    socket.destroy();
    return;
  }
  const content = problem.body(request_id);
  const body = JSON.stringify(content);
  socket.end(
    `HTTP/1.1 ${problem.status} ${content.title}\r\n` +
      'Content-Type: application/problem+json\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${request_id}\r\n` +
      'Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n' +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
