// "Did you mean …?": options by the names that other tools and the API use, commands by their spelling.

import { nearest } from '@linecard/client/contract/suggestion';
import { meantBy } from '@linecard/client/contract/tried-names';
import { listed } from '@linecard/client/contract/wording';
import { type OptionDefinition, optionName } from './options.ts';

/** Other tools' names for options that only this command has. */
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

const DASHES = /^--?/;
const NEGATION = /^no_/;

/** The options that were probably meant, as they are typed: of `--no-X` those that can be negated. */
export function meantOption(flag: string, options: readonly OptionDefinition[]): string | undefined {
  const [name = ''] = flag.replace(DASHES, '').split('=');
  const typed = name.replaceAll('-', '_');
  const isNegated = NEGATION.test(typed);
  const offered = isNegated ? options.filter(({ negatable }) => negatable) : options;
  const names = offered.map((option) => option.name.replaceAll('-', '_'));
  const subject = typed.replace(NEGATION, '');
  const own = Object.hasOwn(OWN, subject) ? OWN[subject] : undefined;
  if (own !== undefined && names.includes(own.split(' ')[0] ?? '')) return `--${own}`;
  const dashes = isNegated ? '--no-' : '--';
  const asFlag = meantBy(subject, names).map(({ name }) => `${dashes}${optionName(name)}`);
  const all = options.map((option) => option.name.replaceAll('-', '_'));
  const meant =
    asFlag.length > 0
      ? asFlag
      : meantBy(typed, all).map(({ name, value }) => `--${value === false ? 'no-' : ''}${optionName(name)}`);
  return meant.length === 0 ? undefined : meant.join(' or ');
}

/** The end of a sentence about something that does not exist. */
export const didYouMean = (meant: string | undefined) =>
  meant === undefined ? '.' : `; did you mean ${meant}?`;

/**
 * The commands whose last word it is, where the group was left out, else the nearest first word.
 * @param known the words of each command.
 */
export function meantCommand(word: string, known: readonly (readonly string[])[]): string | undefined {
  const whole = known.filter((words) => words.at(-1) === word).map((words) => words.join(' '));
  if (whole.length > 0) return listed(whole, 'or');
  const meant = nearest(
    word,
    known.flatMap(([first = '']) => first.replaceAll('-', '_')),
  );
  return meant?.replaceAll('_', '-');
}
