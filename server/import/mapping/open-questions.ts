// The questions that a proposal leaves: columns without a source, and names that feed none.

import { mostly } from '@linecard/client/check/contents';
import { listed } from '@linecard/client/contract/wording';
import type { ImportColumn } from '../columns.ts';
import { quoted, shownName } from '../values.ts';
import { type MappingSource, nameOf } from './written.ts';

/** @param missing columns that nothing feeds; those that are not required need nothing. */
export const columnQuestions = (missing: readonly ImportColumn[]): string[] =>
  missing
    .filter(({ required, mayBeAbsent }) => required && mayBeAbsent !== true)
    .map(
      ({ name, about }) => `${name}: which column is it? (${about}) Add it to "columns", or to "constants".`,
    );

/** @param isKnown whether the file is of a known system, most of whose columns are not needed. */
export function nameQuestions(names: readonly string[], isKnown: boolean): string[] {
  if (isKnown && names.length > 0) return [`ignore: is any of ${listed(names.map(quoted), 'or')} needed?`];
  return names.map((name) => {
    const shown = name === '' ? 'A column without a name' : quoted(shownName(name));
    return `${shown} is ignored, because no name in Linecard is like it. Is it needed?`;
  });
}

/** A letter, and a second word: an id has none. */
const NAME = /^\p{L}\S* .*\p{L}/u;

/** @param source what the accounts' ids are read from. */
export function accountQuestions(
  source: MappingSource | undefined,
  textsOf: (name: string) => readonly string[],
): string[] {
  const name = source === undefined ? undefined : nameOf(source);
  const texts = name === undefined ? [] : textsOf(name);
  if (name === undefined || !mostly(texts, (text) => NAME.test(text.trim()))) return [];
  return [
    `account_id: the texts of ${quoted(name)} look like names, such as ${quoted(texts[0] ?? '')}. A customer with a new name would become another account, and two customers of one name would share it. If the file has a column with your customer ids, map that.`,
  ];
}
