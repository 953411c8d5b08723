// What is wrong with a file that is checked, or with a line of it: its kind and the values of its sentence,
// which is in English here and may be in another language elsewhere.

import { NOT_NUMBERS } from '../contract/telephone.ts';
import { CELL_FAULTS } from './csv-reader.ts';
import { BINARY_FAULTS, NOT_TEXT } from './sniff.ts';

/** Those of a file are sentences; those of a line follow its text and a colon. */
export const CHECK_FAULTS = {
  ...BINARY_FAULTS,
  compressed: 'The file is compressed (.gz): unpack it first.',
  not_text: NOT_TEXT,
  not_json: 'The file begins as JSON does, and is not valid JSON.',
  no_such_number_column: 'The file has no column "{0}", which the number column names. It has {1}.',
  no_such_amount_column: 'The file has no column "{0}", which the amount column names. It has {1}.',
  several_columns: 'The numbers may be in {0|or}: name the column.',
  no_column:
    'No column of the file has telephone numbers in at least 9 of 10 rows: name the column that has them.',
  no_numbers: 'There is no telephone number in it, such as +44 20 7946 0018.',
  several_currencies: 'The amounts are in {0}: check a file of one currency.',
  unclear_amounts:
    'Whether "{0}" is thousands or a fraction is not clear: write the amounts with two decimals.',
  no_charges:
    'This token sees no charges, so amounts cannot be compared: leave the amount column out, or use a token that sees charges.',
  line_not_json: 'this line is not valid JSON',
  stray_quote: `cell {0} ${CELL_FAULTS.stray_quote}`,
  trailing_text: `cell {0} ${CELL_FAULTS.trailing_text}`,
  open_quote: `cell {0} ${CELL_FAULTS.open_quote}`,
  no_number: 'there is no number',
  not_a_number: 'this is no telephone number',
  ...NOT_NUMBERS,
  too_long: 'it has {0} digits, and a telephone number has at most {1}',
  backwards: 'its end is not after its beginning',
  long_ranges: 'the ranges up to here have more than {0} numbers',
  no_amount: 'there is no amount',
  not_an_amount: '"{0}" is no amount',
  unknown_months:
    'the months of the frequency {0} are not known, so its amount was not compared: give amounts per month',
} as const;

export type CheckFaultKind = keyof typeof CHECK_FAULTS;

export interface CheckFault {
  readonly kind: CheckFaultKind;
  /** Of the places in its sentence; several are listed. */
  readonly values: readonly (string | number | readonly string[])[];
}

/** `{0}`, or `{0|or}` for one of several. */
const PLACE = /\{(\d)(\|or)?\}/g;
const ENGLISH = 'en-GB';

/** @param sentence in the language of the locale, with the places of the English one */
export function faultText(
  { kind, values }: CheckFault,
  sentence: string = CHECK_FAULTS[kind],
  locale = ENGLISH,
): string {
  return sentence.replaceAll(PLACE, (_, at: string, isOr?: string) => {
    const value = values[Number(at)] ?? '';
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return new Intl.NumberFormat(locale).format(value);
    return new Intl.ListFormat(locale, { type: isOr ? 'disjunction' : 'conjunction' }).format(value);
  });
}

const KINDS = new Map(Object.entries(CHECK_FAULTS).map(([kind, text]) => [text, kind as CheckFaultKind]));

/** The kind of a sentence that others say, too. */
export const kindOf = (sentence: string): CheckFaultKind | undefined => KINDS.get(sentence);
