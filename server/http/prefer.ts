// `Prefer: wait` (RFC 7240, section 4.3).

import { limits } from '../limits/limits.ts';

/** An element of the header. Commas within quotes belong to it; an unterminated quote extends to the end. */
const PREFERENCE = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g;
const NAME = /^[ \t]*([^ \t=;]*)/;
/** The value as a token or quoted string, which are equivalent; parameters may follow. */
const VALUE = /^[ \t]*[^ \t=;]+[ \t]*=[ \t]*(?:([^ \t=;"]+)|"((?:[^"\\]|\\.)*)")[ \t]*(?:;|$)/;
const SECONDS = /^\d+$/;

/**
 * The seconds that the client prefers to wait, up to the limit; `undefined` if it does not. Malformed
 * preferences are ignored, and so are all but the first.
 */
export function waitSeconds(prefer: string | readonly string[] | undefined): number | undefined {
  if (prefer === undefined) return undefined;
  const preferences = String(prefer).match(PREFERENCE) ?? [];
  const wait = preferences.find((one) => NAME.exec(one)?.[1]?.toLowerCase() === 'wait');
  const [, token, quoted] = VALUE.exec(wait ?? '') ?? [];
  const text = token ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '';
  const seconds = SECONDS.test(text) ? Math.min(Number(text), limits.waitTime.each) : 0;
  return seconds === 0 ? undefined : seconds;
}
