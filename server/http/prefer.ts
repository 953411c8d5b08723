// The preference of a request to wait (RFC 7240, section 4.3).

import { limits } from '../limits/limits.ts';

/** The next of a list: commas within quotes belong to it, and quotes that do not end go to the end. */
const PREFERENCE = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g;
const NAME = /^[ \t]*([^ \t=;]*)/;
/** Its value as a token or quoted, which mean the same; parameters may follow. */
const VALUE = /^[ \t]*[^ \t=;]+[ \t]*=[ \t]*(?:([^ \t=;"]+)|"((?:[^"\\]|\\.)*)")[ \t]*(?:;|$)/;
const SECONDS = /^\d+$/;

/**
 * For how many seconds a request prefers to wait, at most the longest wait; `undefined` where it prefers
 * nothing of the kind. What cannot be read is ignored, and of two such preferences the second.
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
