// The questions that a proposal leaves: columns without a source, and names that feed none.

import { listed } from '@linecard/client/contract/wording';
import type { ImportColumn } from '../columns.ts';
import { quoted, shownName } from '../values.ts';

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
