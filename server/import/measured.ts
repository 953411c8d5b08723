// The lengths of the texts of a row: a text that is longer than its column can hold is refused before any
// pattern reads it.

import { MAX_TEXT_CHARACTERS } from '@linecard/client/contract';
import type { ImportColumn } from './columns.ts';
import type { Mapping } from './mapping/written.ts';
import type { RawValue } from './values.ts';

/** A character outside the basic plane is two units of a string. */
const MAX_TEXT_UNITS = 2 * MAX_TEXT_CHARACTERS;
/** Of what is no text: a number with its currency and zeros, a date with its zone, a flag in words. */
const MAX_OTHER_UNITS = 100;

/** How long the texts of a column may be; those that a mapping translates may be any text. */
function longestOf({ name, kind }: ImportColumn, mapping: Mapping | undefined): number {
  const source = mapping?.columns[name];
  const isTranslated = typeof source === 'object' || mapping?.values?.[name] !== undefined;
  return kind === 'text' || isTranslated ? MAX_TEXT_UNITS : MAX_OTHER_UNITS;
}

/** What makes each value of a row one that may be read: itself, what is left without padding, or a fault. */
export function measure(
  columns: readonly ImportColumn[],
  mapping: Mapping | undefined,
): (values: RawValue[]) => void {
  const longest = columns.map((column) => longestOf(column, mapping));
  const measured = (text: string, i: number): RawValue => {
    const bare = text.trim();
    if (bare.length <= (longest[i] as number)) return bare;
    const length = bare.length.toLocaleString('en');
    return { fault: `must be ${columns[i]?.allowed}, but has ${length} characters; shorten it.` };
  };
  return (values) => {
    for (let i = 0; i < longest.length; i++) {
      const value = values[i];
      if (typeof value === 'string' && value.length > (longest[i] as number)) values[i] = measured(value, i);
    }
  };
}
