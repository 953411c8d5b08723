// An answer about an account, as it leaves: its body, its headers and its entity tag.

import { hash } from 'node:crypto';
import { changesPath } from '@linecard/client/contract/addresses';
import { VERSION } from '../version.ts';

/** 96 bits of a digest stand for a body. */
const DIGEST_CHARACTERS = 16;
/** Common clients refuse answers with more than 16 KiB of headers. */
const MAX_LINK_CHARACTERS = 12_000;
const [FIRST, PREV, NEXT, LAST, MONITOR] = [0, 1, 2, 3, 4] as const;

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

/** A page among those of its query. */
export interface PageLinks {
  readonly page: number;
  readonly page_size: number;
  readonly total_pages: number;
  /** Filters, order and fields as a query string. */
  readonly selection: string;
  /** The cursor of the next page; absent on the last one. */
  readonly next: string | undefined;
  /**
   * What leads to the changes since this page and those before it, as a query string; absent where what
   * those were read from is no more.
   */
  readonly monitor: string | undefined;
}

/** What leads from a list, or a file of it, to its changes from there on (RFC 5989). */
const monitorLink = (path: string, monitor: string) => `<${changesPath({ path })}?${monitor}>; rel="monitor"`;

/** The `Link` header of a file; empty where it would be more than a client takes. */
export function fileLink(path: string, monitor: string): string {
  const link = monitorLink(path, monitor);
  return link.length > MAX_LINK_CHARACTERS ? '' : link;
}

/** The `Link` header that leads back to a list with the filters of a query, as far as a client takes it. */
export function collectionLink(path: string, selection: string): string {
  const link = `<${path}${selection === '' ? '' : `?${selection}`}>; rel="collection"`;
  return link.length > MAX_LINK_CHARACTERS ? `<${path}>; rel="collection"` : link;
}

/**
 * The `Link` header of a page; `next` carries the cursor. Filters so long that all links together would be
 * more than a client takes as a header leave only those that fit, `next` before all others.
 */
export function pageLink(path: string, links: PageLinks): string {
  const { page, page_size, total_pages, selection, next, monitor } = links;
  const base = `<${path}?${selection === '' ? '' : `${selection}&`}`;
  const size = `page_size=${page_size}`;
  const to = (number: number, rel: string) => `${base}page=${number}&${size}>; rel="${rel}"`;
  const texts = [
    to(1, 'first'),
    page > 1 ? to(Math.max(1, Math.min(page - 1, total_pages)), 'prev') : '',
    next === undefined ? '' : `${base}cursor=${next}&${size}>; rel="next"`,
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
