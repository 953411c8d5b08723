// What the headers of a page say: its entity tag, and the links to the pages around it.

import type { List } from '@linecard/client/contract/list';
import type { Page } from '../lists/list.ts';
import { VERSION } from '../version.ts';

/** Common clients refuse answers with more than 16 KiB of headers. */
const MAX_LINK_CHARACTERS = 12_000;
const [FIRST, PREV, NEXT, LAST] = [0, 1, 2, 3] as const;

/** Each state of an account has its own tag, and so has each form it is told in. */
export const etagOf = (revision: string, form = '') => `"${VERSION}-${revision}${form}"`;

/** Whether `If-None-Match` names the entity tag (RFC 9110, section 13.1.2: weak comparison, `*` for any). */
export function noneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}

/**
 * `Link` (RFC 8288): absolute paths with the same filters; `next` carries the cursor. In an answer to QUERY the filters
 * stand in the body, so a link only says what to add to it. Filters so long that all links together would be more than a
 * client takes as a header leave only those that fit, `next` before all others.
 */
export function linksOf(list: List, page: Page, selection: string): string {
  const base = `<${list.path}?${selection === '' ? '' : `${selection}&`}`;
  const size = `page_size=${page.page_size}`;
  const to = (number: number, rel: string) => `${base}page=${number}&${size}>; rel="${rel}"`;
  const before = Math.max(1, Math.min(page.page - 1, page.total_pages));
  const links = [
    to(1, 'first'),
    page.page > 1 ? to(before, 'prev') : '',
    page.next === undefined ? '' : `${base}cursor=${page.next}&${size}>; rel="next"`,
    page.total_pages > 0 ? to(page.total_pages, 'last') : '',
  ];
  let room = MAX_LINK_CHARACTERS;
  for (const i of [NEXT, PREV, FIRST, LAST]) {
    const { length } = links[i] as string;
    if (length > room) links[i] = '';
    else room -= length;
  }
  return links.filter((link) => link !== '').join(', ');
}
