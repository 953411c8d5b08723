// Headers that are lists: they are measured before they are parsed, because anybody may send them.

import type { IncomingHttpHeaders } from 'node:http';
import { limits } from './limits.ts';

const MAX_CHARACTERS = limits.listHeader.each;
const MAX_ENTRIES = limits.listEntries.each;
const LISTS = ['accept-encoding', 'accept-language', 'content-type', 'if-none-match', 'prefer'] as const;

/** Whether a list is longer than any client sends. */
export function isLongList(header: string): boolean {
  if (header.length > MAX_CHARACTERS) return true;
  let entries = 1;
  // A shorter one cannot have more.
  if (header.length < MAX_ENTRIES) return false;
  for (let at = header.indexOf(','); at >= 0; at = header.indexOf(',', at + 1)) entries += 1;
  return entries > MAX_ENTRIES;
}

/** Takes away those that count as absent. */
export function dropLongLists(headers: IncomingHttpHeaders): void {
  for (const name of LISTS) {
    const header = headers[name];
    if (header !== undefined && isLongList(String(header))) delete headers[name];
  }
}
