// "Did you mean …?" for what people type: options by the names that other tools and the API give them, commands
// by their spelling.

import { nearest } from '@linecard/client/contract/suggestion';
import { type OptionDefinition, optionName } from './options.ts';

/** What other programs call a parameter of this one. */
const TRIED: Readonly<Record<string, string>> = {
  format: 'output',
  json: 'output json',
  csv: 'output csv',
  ndjson: 'output ndjson',
  xlsx: 'file items.xlsx',
  fields: 'columns',
  out: 'file',
  limit: 'page_size',
  per_page: 'page_size',
  search: 'q',
  query: 'q',
  country: 'country_codes',
  order: 'sort_order',
  order_by: 'sort_by',
  sort: 'sort_by',
  offset: 'page',
  did: 'dids',
  number: 'dids',
};

const DASHES = /^--?(?:no-)?/;
const VALUE = /=.*$/s;

/** The name that was probably meant, of those that are known; perhaps with a value behind it. */
export function meantName(typed: string, known: readonly string[]): string | undefined {
  const tried = Object.hasOwn(TRIED, typed) ? TRIED[typed] : undefined;
  if (tried !== undefined && known.includes(tried.split(' ')[0] ?? '')) return tried;
  return nearest(typed, known);
}

/** The option that was probably meant, as it is typed. */
export function meantOption(flag: string, options: readonly OptionDefinition[]): string | undefined {
  const names = options.map(({ name }) => name.replaceAll('-', '_'));
  const typed = flag.replace(DASHES, '').replace(VALUE, '').replaceAll('-', '_');
  const meant = meantName(typed, names);
  return meant === undefined ? undefined : `--${optionName(meant)}`;
}

/** The command that was probably meant. */
export function meantCommand(word: string, known: readonly string[]): string | undefined {
  const meant = nearest(
    word,
    known.map((name) => name.replaceAll('-', '_')),
  );
  return meant?.replaceAll('_', '-');
}
