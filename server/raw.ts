// What happens before there is a request: headers as they stood on the wire, and bytes that the HTTP parser refused.

import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '@linecard/client';

const SANE_REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;
/** Headers that must not come twice: two answers to "which host" or "whose" are an attack, or a fault. */
const ONCE = ['host', 'authorization', 'content-length'];

/** An error of the HTTP parser; `rawPacket` is the Buffer that it stumbled over. */
export interface Refused extends Error {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** The caller's own request id where it is a sane one, else a new one. */
export function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
}

/** What is wrong with the headers as they came (name, value, name, value, …), or `undefined`. */
export function rawHeaderFault(headers: readonly string[]): string | undefined {
  let seen = 0;
  for (let i = 0; i < headers.length; i += 2) {
    const position = ONCE.indexOf((headers[i] as string).toLowerCase());
    if (position < 0) continue;
    const bit = 1 << position;
    if ((seen & bit) !== 0) return `The request has two ${headers[i]} headers.`;
    seen |= bit;
  }
  return undefined;
}

/** Why the parser refused, as a problem. */
export function parserProblem({ code, rawPacket }: Refused): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('request-timeout', 'The request did not arrive in time.');
  }
  if (code !== 'HPE_HEADER_OVERFLOW')
    return new Problem('bad-request', 'What arrived is not well-formed HTTP.');
  // The parser does not say which part was too long: a packet without a line end is still the request line.
  const in_url = Buffer.isBuffer(rawPacket) && !rawPacket.includes('\n');
  return in_url
    ? new Problem('uri-too-long', 'The URL is too long.')
    : new Problem('headers-too-large', 'The request line and headers are too large.');
}

/** Answers on a bare socket and closes it. */
export function rawAnswer(socket: Socket, problem: Problem, request_id: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(problem.body(request_id));
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n` +
      'Content-Type: application/problem+json\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${request_id}\r\n` +
      'Cache-Control: no-store\r\n' +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
