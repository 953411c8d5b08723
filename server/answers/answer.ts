// An answer about an account, as it leaves: its body, its headers and its entity tag.

import { hash } from 'node:crypto';
import { VERSION } from '../version.ts';

/** 96 bits of a digest stand for a body. */
const DIGEST_CHARACTERS = 16;

/** What tells whether a client already has an answer, or should wait for another. */
export interface Validator {
  readonly revision: string;
  readonly etag: string;
  /** When it changes though the account does not, in milliseconds since 1970. */
  readonly changesAt?: number | undefined;
  /** There is nothing in it: a client that prefers to wait gets the next one instead. */
  readonly isEmpty?: boolean;
}

export interface Answer extends Validator {
  /** Without those that every answer has. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, as UTF-8 where a worker thread has made it; or a stream. */
  readonly body: string | Uint8Array | AnswerStream;
}

/** A body that is made while it is sent, from one snapshot, so that it takes no more memory than a chunk. */
export interface AnswerStream {
  /** How many items it will hold. */
  readonly total: number;
  /** Text, or bytes, which are good until the next part is taken: their buffer is then reused. */
  readonly parts: AsyncIterable<string | Uint8Array>;
  /** Releases the snapshot; must be called, also where no part was taken. */
  close(): unknown;
}

export function isStream(body: Answer['body']): body is AnswerStream {
  return typeof body === 'object' && 'parts' in body;
}

/** The entity tag of a revision; each representation of an answer has its own. */
export const etagOf = (revision: string, form = '') => `"${VERSION}-${revision}${form}"`;

/** The entity tag of an answer that depends on more than its address and the revision. */
function etagOfBody(revision: string, body: string): string {
  return etagOf(revision, `-${hash('sha256', body, 'base64url').slice(0, DIGEST_CHARACTERS)}`);
}

/** An answer in JSON; where `isOfBody`, another token or another time has another answer at this revision. */
export function jsonAnswer(
  revision: string,
  body: string,
  { headers = {}, isOfBody = false }: { headers?: Answer['headers']; isOfBody?: boolean } = {},
): Answer {
  const etag = isOfBody ? etagOfBody(revision, body) : etagOf(revision);
  return { revision, etag, body, headers };
}
