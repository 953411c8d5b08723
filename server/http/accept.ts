// Content negotiation of media types and content codings (RFC 9110, section 12.5).

import { Problem } from '@linecard/client/contract/problems';
import { limits } from '../limits/limits.ts';
import { isLongList } from '../limits/list-headers.ts';

export const JSON_TYPE = 'application/json';

interface Range {
  readonly name: string;
  /** 0 excludes. */
  readonly weight: number;
}

function rangesOf(header: string): Range[] {
  return header
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim());
      const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
      return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
    });
}

function weightOf(type: string, ranges: readonly Range[]): number {
  const [family] = type.split('/');
  for (const name of [type, `${family}/*`, '*/*']) {
    const range = ranges.find((one) => one.name === name);
    if (range !== undefined) return range.weight;
  }
  return 0;
}

/** The media type that `Accept` prefers, by default the first; `undefined` if it accepts none. */
export function preferredType<const T extends string>(
  accept: string | undefined,
  offered: readonly T[],
): T | undefined {
  const [first] = offered;
  if (accept === undefined || accept === '*/*' || accept === first || accept.trim() === '') return first;
  const ranges = rangesOf(accept);
  let best: T | undefined;
  let bestWeight = 0;
  for (const type of offered) {
    const weight = weightOf(type, ranges);
    if (weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return best;
}

/** @throws {Problem} `not-acceptable` */
export function negotiatedType<const T extends string>(accept: string | undefined, offered: readonly T[]): T {
  if (accept !== undefined && isLongList(accept)) {
    const { listHeader, listEntries } = limits;
    const most = `${listHeader.each.toLocaleString('en')} characters or ${listEntries.each} types`;
    throw new Problem('not-acceptable', `Accept has more than ${most}: name those that you take.`);
  }
  const type = preferredType(accept, offered);
  if (type !== undefined) return type;
  throw new Problem('not-acceptable', `Accept allows none of the available types: ${offered.join(', ')}.`);
}

export function acceptsCoding(acceptEncoding: string | undefined, coding: string): boolean {
  if (acceptEncoding === undefined) return false;
  const ranges = rangesOf(acceptEncoding);
  const range = ranges.find(({ name }) => name === coding) ?? ranges.find(({ name }) => name === '*');
  return range !== undefined && range.weight > 0;
}
