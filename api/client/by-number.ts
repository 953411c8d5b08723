// The items of a telephone number as people write it, with its country code or as within the country.

import { nationalDigits, numberDigits } from '../contract/digits.ts';
import type { List } from '../contract/list.ts';
import type { CallOptions } from './options.ts';

type Params = Record<string, string | number | boolean | readonly (string | number)[]>;

/** Numbers are not unique, but a handful is the most that anybody has with the same digits. */
export const MAX_BY_NUMBER = 100;

export interface FoundByNumber<T> {
  readonly items: readonly T[];
  /** Several numbers, of which the one that was written may be any. */
  readonly isAmbiguous: boolean;
}

/**
 * Those with its digits, however both are written; where there is none, and the number has no country code,
 * those that end with its digits.
 * @param page of the list, for parameters
 * @param most how many at most
 * @throws {Problem}
 */
export async function itemsByNumber<T extends object>(
  page: (params: Params, call: CallOptions) => PromiseLike<{ readonly data: readonly T[] }>,
  list: List,
  number: string,
  params: Params,
  most: number,
  call: CallOptions,
): Promise<FoundByNumber<T>> {
  const { data } = await page({ ...params, dids: [number], page_size: most }, call);
  const digits = nationalDigits(number);
  const field = list.searchDigits;
  if (data.length > 0 || digits === undefined || field === undefined)
    return { items: data, isAmbiguous: false };
  const { fields } = params as { readonly fields?: readonly string[] };
  const withNumber: Params = fields === undefined ? {} : { fields: [...new Set([...fields, field])] };
  const searched = await page({ ...params, ...withNumber, q: digits, page_size: most }, call);
  const digitsOf = (item: T) => numberDigits(String(Reflect.get(item, field)));
  const found = searched.data.filter((item) => digitsOf(item).endsWith(digits));
  return { items: found, isAmbiguous: new Set(found.map(digitsOf)).size > 1 };
}
