// The body of a request as text, which must be UTF-8 (RFC 8259, section 8.1).

import { isUtf8 } from 'node:buffer';
import { invalidParameter, Problem } from '@linecard/client/contract/problems';
import type { FastifyRequest } from 'fastify';

const CHARSET = 'charset=';
const CHARSETS: readonly string[] = ['utf-8', 'utf8', 'us-ascii'];

function charsetOf(mediaType = ''): string | undefined {
  const [, ...parameters] = mediaType.split(';').map((one) => one.trim().toLowerCase());
  const named = parameters.find((one) => one.startsWith(CHARSET));
  return named?.slice(CHARSET.length).replaceAll('"', '');
}

/** @throws {Problem} `unsupported-media-type`; `invalid-parameter` if the body is not valid UTF-8. */
export function textOfBody({ headers }: Pick<FastifyRequest, 'headers'>, body: Buffer): string {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') {
    throw new Problem(
      'unsupported-media-type',
      'The body must not be compressed: send it without Content-Encoding.',
      {
        headers: { 'accept-encoding': 'identity' },
      },
    );
  }
  const charset = charsetOf(headers['content-type']);
  if (charset !== undefined && !CHARSETS.includes(charset))
    throw new Problem('unsupported-media-type', 'The charset of the body must be UTF-8.');
  if (isUtf8(body)) return body.toString();
  throw invalidParameter([{ parameter: '', detail: 'The body is not valid UTF-8.' }]);
}
