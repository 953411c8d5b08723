// The address of a webhook endpoint: what it must be like. Which addresses its name leads to is checked at
// each connection; here only what is written as an address.

import { isIP } from 'node:net';
import { isPublicAddress, networksOf } from '../public-addresses.ts';

const MAX_CHARACTERS = 2_000;
const BLANK = /[\s\p{Cc}]/u;
/** Names that lead to the machine itself, or to machines next to it. */
const LOCAL = /^(?:.+\.)?(?:localhost|local|internal)\.?$/;

/** Why the host of a URL cannot be delivered to, if it is written as an address. */
function hostFault({ hostname }: URL, allow: readonly string[]): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0)
    return LOCAL.test(host) ? 'must not lead to a local name such as localhost' : undefined;
  if (isPublicAddress(host, networksOf(allow))) return undefined;
  return `must not be the private or reserved address ${host}; --deliver-allow allows one`;
}

/**
 * What is wrong with an address, as it reads after its name.
 * @param allow private networks that may be delivered to.
 */
export function addressFaults(text: string, allow: readonly string[]): string[] {
  const url = URL.parse(text);
  if (url === null || BLANK.test(text))
    return ['must be a URL such as https://crm.example.com/hook, without spaces'];
  const faults = [
    url.protocol === 'https:' ? undefined : 'must begin with https://',
    url.username === '' && url.password === ''
      ? undefined
      : 'must not contain a user name or a password: the signature says who sends',
    text.includes('#') ? 'must not contain a fragment (#…)' : undefined,
    url.href.length > MAX_CHARACTERS ? `must not have more than ${MAX_CHARACTERS} characters` : undefined,
    hostFault(url, allow),
  ];
  return faults.filter((fault) => fault !== undefined);
}
