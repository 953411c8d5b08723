// An answer about an account: body, headers and entity tag.

import { hash } from 'node:crypto';
import { changesPath } from '@linecard/client/contract/addresses';
import { VERSION } from '../version.ts';
import type { Question } from './question.ts';

/** 96 bits of a SHA-256 digest identify a body. */
const DIGEST_CHARACTERS = 16;
/** Common HTTP clients reject responses with more than 16 KiB of headers. */
const MAX_LINK_CHARACTERS = 12_000;
const [FIRST, PREV, NEXT, LAST, MONITOR] = [0, 1, 2, 3, 4] as const;

/** Determines whether a client already has an answer, or should wait for the next. */
export interface Validator {
  readonly revision: string;
  readonly etag: string;
  /** When the answer changes even if the account does not, in milliseconds since 1970. */
  readonly changesAt?: number | undefined;
  /** Whether it contains no changes: a client that prefers to wait gets the next answer instead. */
  readonly isEmpty?: boolean;
}

export interface Answer extends Validator {
  /** The time that it is about, in milliseconds since 1970, if it depends on that. */
  readonly asOf?: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, as UTF-8 if it was computed on a worker thread; or a stream. */
  readonly body: string | Uint8Array | AnswerStream;
}

/** A body computed while it is sent, from one snapshot and in constant memory. */
export interface AnswerStream {
  readonly total: number;
  /** Text or bytes. Bytes are valid until the next part is taken, because their buffer is reused. */
  readonly parts: AsyncIterable<string | Uint8Array>;
  /** Releases the snapshot. It must be called even if no part was taken. */
  close(): unknown;
}

export function isStream(body: Answer['body']): body is AnswerStream {
  return typeof body === 'object' && 'parts' in body;
}

/** Whether an answer is of this time; the clock may have been set back since. */
export function isOfNow({ asOf, changesAt = Number.POSITIVE_INFINITY }: Answer): boolean {
  if (asOf === undefined) return true;
  const now = Date.now();
  return now >= asOf && now < changesAt;
}

export const etagOf = (revision: string, form: string) => `"${VERSION}-${revision}${form}"`;

/**
 * `isOfBody`: whether the answer at a revision depends on more than the question, such as the time.
 */
export function jsonAnswer(
  { form }: Pick<Question, 'form'>,
  revision: string,
  body: string | Uint8Array,
  { headers = {}, isOfBody = false }: { headers?: Answer['headers']; isOfBody?: boolean } = {},
): Answer {
  const digest = isOfBody ? `-${hash('sha256', body, 'base64url').slice(0, DIGEST_CHARACTERS)}` : '';
  return { revision, etag: etagOf(revision, form + digest), body, headers };
}

export interface PageLinks {
  readonly page: number;
  readonly page_size: number;
  readonly total_pages: number;
  readonly selection: string;
  /** Its cursor or number as a parameter; absent on the last page. */
  readonly next: string | undefined;
  /**
   * The query string of the changes since this walk over the pages began; absent if the database it was read
   * from no longer exists.
   */
  readonly monitor: string | undefined;
}

const monitorLink = (path: string, monitor: string) => `<${changesPath({ path })}?${monitor}>; rel="monitor"`;

/** The `Link` header of a file; empty if it would be too long for clients. */
export function fileLink(path: string, monitor: string): string {
  const link = monitorLink(path, monitor);
  return link.length > MAX_LINK_CHARACTERS ? '' : link;
}

/** The `Link` header back to a list, with the filters of a query unless it would be too long for clients. */
export function collectionLink(path: string, selection: string): string {
  const link = `<${path}${selection === '' ? '' : `?${selection}`}>; rel="collection"`;
  return link.length > MAX_LINK_CHARACTERS ? `<${path}>; rel="collection"` : link;
}

/**
 * The `Link` header of a page. If the filters are so long that the header would be too long for clients,
 * links are left out; `next` is the last to go.
 */
export function pageLink(path: string, links: PageLinks): string {
  const { page, page_size, total_pages, selection, next, monitor } = links;
  const base = `<${path}?${selection === '' ? '' : `${selection}&`}`;
  const size = `page_size=${page_size}`;
  const to = (number: number, rel: string) => `${base}page=${number}&${size}>; rel="${rel}"`;
  const texts = [
    to(1, 'first'),
    page > 1 ? to(Math.max(1, Math.min(page - 1, total_pages)), 'prev') : '',
    next === undefined ? '' : `${base}${next}&${size}>; rel="next"`,
    total_pages > 0 ? to(total_pages, 'last') : '',
    monitor === undefined ? '' : monitorLink(path, monitor),
  ];
  let left = MAX_LINK_CHARACTERS;
  for (const i of [NEXT, MONITOR, PREV, FIRST, LAST]) {
    const { length } = texts[i] as string;
    if (length > left) texts[i] = '';
    else left -= length;
  }
  return texts.filter((text) => text !== '').join(', ');
}
