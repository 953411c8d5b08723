// Requests without a valid token, counted by the address that they come from. A valid token is never refused
// for what others behind the same address do.

import { isIPv6 } from 'node:net';
import { Problem } from '@linecard/client/contract/problems';
import { RequestCounts } from './rate.ts';

/** A network of IPv6, the least that one party has: so many groups of an address. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** The address of IPv4, or the network of IPv6. */
export function partyOf(address: string): string {
  const plain = address.replace(MAPPED, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - groups.length - behind.length);
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...behind];
  return all
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

export class Failures {
  readonly #counts: RequestCounts | undefined;
  readonly #limit: number;

  /** So many a minute of each address; 0 for no limit. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#counts = limit === 0 ? undefined : new RequestCounts(limit);
  }

  /**
   * What an address is answered instead of an error: the same, unless too many of its tokens were wrong.
   * `isUnknown`: it is not known whose request it was, so that whatever was wrong with it counts.
   */
  answerTo(error: unknown, address: string, isUnknown = false): unknown {
    const counts =
      error instanceof Problem && (error.code === 'unauthenticated' || (isUnknown && error.status < 500));
    if (!counts) return error;
    const counted = this.#counts?.count(partyOf(address));
    return counted === undefined || counted.count <= this.#limit ? error : tooMany(counted.leftMs);
  }

  /**
   * Refuses a request before it is known whose it is.
   * @throws {Problem} `rate-limited` where its address has had as many failures as it may.
   */
  mustBeFew(address: string): void {
    const counted = this.#counts?.countSoFar(partyOf(address));
    if (counted !== undefined && counted.count >= this.#limit) throw tooMany(counted.leftMs);
  }
}

function tooMany(leftMs: number): Problem {
  const seconds = Math.ceil(leftMs / 1_000);
  return new Problem(
    'rate-limited',
    `Too many requests from this address had no valid token. Try again in ${seconds} seconds.`,
    { headers: { 'retry-after': String(seconds) } },
  );
}
