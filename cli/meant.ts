// "Did you mean …?" for what people type: options by the names that other tools and the API give them,
// commands by their spelling.

import { nearest } from '@linecard/client/contract/suggestion';
import { namesMeant } from '@linecard/client/contract/tried-names';
import { type OptionDefinition, optionName } from './options.ts';

/** What other commands call an option that only this command has, perhaps with a value behind it. */
const OWN: Readonly<Record<string, string>> = {
  format: 'output',
  json: 'output json',
  csv: 'output csv',
  ndjson: 'output ndjson',
  xlsx: 'file items.xlsx',
  fields: 'columns',
  select: 'columns',
  out: 'file',
};

const DASHES = /^--?(?:no-)?/;

/** The options that may have been meant, as they are typed; `undefined` where none is near. */
export function meantOption(flag: string, options: readonly OptionDefinition[]): string | undefined {
  const names = options.map(({ name }) => name.replaceAll('-', '_'));
  const [name = ''] = flag.replace(DASHES, '').split('=');
  const typed = name.replaceAll('-', '_');
  const own = Object.hasOwn(OWN, typed) ? OWN[typed] : undefined;
  if (own !== undefined && names.includes(own.split(' ')[0] ?? '')) return `--${own}`;
  const meant = namesMeant(typed, names).map((name) => `--${optionName(name)}`);
  return meant.length === 0 ? undefined : meant.join(' or ');
}

/** The command that was probably meant. */
export function meantCommand(word: string, known: readonly string[]): string | undefined {
  const meant = nearest(
    word,
    known.map((name) => name.replaceAll('-', '_')),
  );
  return meant?.replaceAll('_', '-');
}
