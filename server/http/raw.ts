// What happens before there is a request: headers as they came over the wire, and bytes that the HTTP parser
// refused.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@linecard/client/contract/problems';
import { limits } from '../limits/limits.ts';

const SANE_REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;
/** What must not come into the log, where request ids are. */
const LIKE_TOKEN = /lco?_[0-9A-Za-z]{32}/;
/** A URL in which a thousand 16-digit ids fit; and all headers together, names and values. */
const [MAX_URL_BYTES, MAX_HEADER_BYTES] = [limits.url.each, limits.headers.each];
/** What the parser accepts at the most, so that up to here an answer can name the part that was too long. */
export const MAX_PARSED_BYTES = 262_144;

/** Headers that must not come twice: two answers to "which host" or "whose" are an attack, or a fault. */
const ONCE = ['host', 'authorization', 'content-length'];
/** Their lengths: hardly any other header must be looked at. */
const ONCE_LENGTHS = new Set(ONCE.map(({ length }) => length));

/** An error of the HTTP parser; `rawPacket` is the Buffer that it stumbled over. */
export interface Refused extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

/** The caller's own request id where it is a sane one, and none that looks like a token, else a new one. */
export function requestId(sent: string | string[] | undefined): string {
  const isSane = typeof sent === 'string' && SANE_REQUEST_ID.test(sent) && !LIKE_TOKEN.test(sent);
  return isSane ? sent : randomUUID();
}

/** Whether a request says that it has a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/**
 * What is wrong with a request as it came over the wire, or `undefined`: what could be read in two ways, or
 * is too long.
 */
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
      `The headers must not be longer than ${MAX_HEADER_BYTES} bytes together.`,
    );
  }
  if (httpVersion === '1.1' && (seen & 1) === 0) return malformed('The request has no Host header.');
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('The request is not in HTTP/1.1.');
  if (url.includes('#')) return malformed('The URL has a fragment, which belongs to the browser.');
  return undefined;
}

function malformed(detail: string): Problem {
  return new Problem('bad-request', detail);
}

/** Why the parser refused, as a problem. */
export function parserProblem({ code, rawPacket, bytesParsed }: Refused): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('request-timeout', 'The request did not arrive in time.');
  }
  if (code === 'HPE_INVALID_METHOD')
    return malformed('What arrived does not begin with a known HTTP method.');
  if (code !== 'HPE_HEADER_OVERFLOW') return malformed('What arrived is not well-formed HTTP.');
  // The parser does not say which part was too long: up to a line end it is the request line.
  const inUrl = Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, bytesParsed).includes('\n');
  return inUrl
    ? new Problem('uri-too-long', 'The URL is too long.')
    : new Problem('headers-too-large', 'The headers are too large.');
}

/**
 * Answers on a bare socket and closes it. Where an answer has begun already it is cut: nothing may come amid
 * it. The title is the reason phrase as well: to import any value of `node:http` would have Node load all
 * that is in it, WebSocket among it.
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
      'Cache-Control: no-store\r\n' +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
