// Which rows of a file seem to count, and which of its texts seem to mean nothing: totals, numbers in stock,
// `NULL`.

import { trimmed } from '@linecard/client/contract/trimmed';
import { listed } from '@linecard/client/contract/wording';
import { quoted } from '../values.ts';
import { Choice } from './choice.ts';
import type { Sample } from './sample.ts';
import { type Condition, type Mapping, nameOf } from './written.ts';

/** Rows that sum up, in five languages. */
const TOTAL =
  /^(?:(?:grand |sub)?totale?s?|sum|summe|summen|gesamt|gesamtsumme|zwischensumme|suma|sumas|somme|total g[eé]n[eé]ral|soma)[: \d.,]{0,30}$/i;
/** An account of numbers that nobody has. */
const NOBODY = /^(?:0+|-1)$/;
const NULLS = new Set(['NULL', 'null', '(null)', 'Null', '#N/A', 'n/a', 'N/A', 'nil', 'NaN', 'undefined']);
const MAX_TEXTS = 20;

function guessedEmpty(texts: readonly string[]): readonly string[] | undefined {
  const found = [...new Set(texts.map(trimmed))].filter((text) => NULLS.has(text));
  return found.length === 0 ? undefined : found;
}

/** What the accounts of rows must be, where some are no accounts. */
function guessedOnly(
  name: string,
  texts: readonly string[],
  empty: readonly string[],
): Condition | undefined {
  const nothing = new Set(['', '\\N', ...empty]);
  const bare = texts.map(trimmed);
  const strange = [...new Set(bare.filter((text) => TOTAL.test(text) || NOBODY.test(text)))];
  const leftOut = bare.filter((text) => nothing.has(text) || strange.includes(text)).length;
  // Where no account is left, it is another column.
  if (leftOut === 0 || leftOut === bare.length || strange.length > MAX_TEXTS) return undefined;
  return strange.length === 0 ? { column: name, present: true } : { column: name, not_in: [...strange, ''] };
}

export interface GuessedRows {
  readonly only: readonly Condition[];
  readonly empty: readonly string[] | undefined;
  /** For each row whether it counts; `undefined` where all do. */
  readonly counted: readonly boolean[] | undefined;
  readonly reasons: readonly string[];
  readonly questions: readonly string[];
}

/** @param given what the system of the file says of its rows. */
export function guessedRows(
  { textsOf, rows }: Pick<Sample, 'textsOf' | 'rows'>,
  columns: Mapping['columns'],
  given: readonly Condition[],
): GuessedRows {
  const names = [...new Set(Object.values(columns).map(nameOf))];
  const empty = guessedEmpty(names.flatMap((name) => [...textsOf(name)]));
  const reasons =
    empty === undefined ? [] : [`empty ${empty.map(quoted).join(', ')}: it means that nothing is there`];
  const account = columns['account_id'];
  const name = account === undefined ? undefined : nameOf(account);
  const guess = name === undefined ? undefined : guessedOnly(name, textsOf(name), empty ?? []);
  const only = given.length > 0 || guess === undefined ? given : [guess];
  if (only.length === 0) return { only, empty, counted: undefined, reasons, questions: [] };
  const choice = new Choice({ columns, only, ...(empty === undefined ? {} : { empty }) });
  const texts = new Map(choice.names.map((one) => [one, textsOf(one)]));
  const counted = Array.from({ length: rows }, (_, i) => choice.counts((one) => texts.get(one)?.[i] ?? ''));
  const leftOut = counted.filter((counts) => !counts).length;
  const by = listed(choice.names.map(quoted));
  return {
    only,
    empty,
    counted,
    reasons: [
      ...reasons,
      `only: by ${by}, ${leftOut} of ${rows} rows ${leftOut === 1 ? 'is' : 'are'} left out`,
    ],
    questions:
      leftOut === 0
        ? []
        : [
            leftOut === 1
              ? `only: is the row that is left out no customer's? If it is one's, change "only".`
              : `only: is none of the ${leftOut} rows that are left out a customer's? If one is, change "only".`,
          ],
  };
}

/** Whether several rows have the same number, where its digits are the id. */
export const hasRepeated = (texts: readonly string[]): boolean => {
  const there = texts.map(trimmed).filter((text) => text !== '');
  return new Set(there).size < there.length;
};
