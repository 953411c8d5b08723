// The items of a telephone number as people write it, with its country code or as within the country.

import type { Item } from '../contract/csv.ts';
import { nationalDigits, numberDigits } from '../contract/digits.ts';
import type { List } from '../contract/list.ts';
import { type ListParams, listOf } from './any-list.ts';
import type { Client } from './client.ts';

export interface FoundByNumber {
  readonly items: readonly Item[];
  /** Several numbers, of which the one that was written may be any. */
  readonly isAmbiguous: boolean;
}

/**
 * Those with its digits, however both are written; where there is none, and the number has no country code,
 * those that end with its digits.
 * @param most how many at most
 * @throws {Problem}
 */
export async function itemsByNumber(
  client: Client,
  list: List,
  number: string,
  params: ListParams,
  most: number,
  signal: AbortSignal,
): Promise<FoundByNumber> {
  const items = listOf(client, list);
  const { data } = await items.list({ ...params, dids: [number], page_size: most }, { signal });
  const digits = nationalDigits(number);
  const field = list.searchDigits;
  if (data.length > 0 || digits === undefined || field === undefined)
    return { items: data, isAmbiguous: false };
  const { fields } = params as { readonly fields?: readonly string[] };
  const withNumber = fields === undefined ? {} : { fields: [...new Set([...fields, field])] };
  const searched = await items.list({ ...params, ...withNumber, q: digits, page_size: most }, { signal });
  const found = searched.data.filter((item) => numberDigits(String(item[field])).endsWith(digits));
  const numbers = new Set(found.map((item) => numberDigits(String(item[field]))));
  return { items: found, isAmbiguous: numbers.size > 1 };
}
