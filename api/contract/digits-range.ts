// The two ends of a range of telephone numbers, which are compared with numbers of the same length.

import { numberDigits } from './digits.ts';
import type { List } from './list.ts';

/** The parameters of a range whose ends have different numbers of digits, so that nothing could match. */
export function boundsOfUnequalLength(
  { filters }: List,
  givenFor: (name: string) => unknown,
): readonly [first: string, last: string] | undefined {
  const nameOf = (test: string) => Object.keys(filters).find((name) => filters[name]?.test === test) ?? '';
  const ends = [nameOf('first'), nameOf('last')] as const;
  const values = ends.map(givenFor);
  if (values.includes(undefined)) return undefined;
  const [first, last] = values.map((value) => numberDigits(String(value)).length);
  return first === last ? undefined : ends;
}
