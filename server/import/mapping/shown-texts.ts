// What the texts of a file's dates and charges show of how they are written, with the reason and what they
// leave open.

import { bareCharge } from '@linecard/client/check/charge-text';
import { currencyOf, decimalSign } from '@linecard/client/check/contents';
import { listed } from '@linecard/client/contract/wording';
import { quoted } from '../values.ts';
import { dateForms } from './contents.ts';
import { isLocalForm } from './forms.ts';
import type { Mapping } from './written.ts';

export interface Shown<T> {
  readonly found: T;
  readonly reasons: readonly string[];
  readonly questions: readonly string[];
}

const TIME_ZONE =
  'time_zone: where are these dates local? Without an answer they are in UTC; add "time_zone": "Europe/Berlin", or yours.';
/** A charge that needs no word of the mapping. */
const PLAIN = /^-?\d{1,15}(?:\.\d{1,6})?$/;
const BARE = /^-?\d{1,15}(?:\.\d+)?$/;

/** @param names of the columns, in words. */
export function shownDates(names: string, texts: readonly string[]): Shown<readonly string[]> {
  const { found, unclear = '', ways } = dateForms(texts);
  const questions = found.some(isLocalForm) ? [TIME_ZONE] : [];
  if (ways !== undefined)
    questions.push(`dates: is ${quoted(unclear)} ${listed(ways, 'or')}? Add "dates": ["${ways[0]}"].`);
  else if (unclear !== '')
    questions.push(
      `dates: how is ${quoted(unclear)} written? Add its form, such as "dates": ["DD.MM.YYYY"].`,
    );
  return {
    found,
    reasons: found.length === 0 ? [] : [`dates ${found.join(', ')}, by the texts of ${names}`],
    questions,
  };
}

export function shownCurrency(names: string, texts: readonly string[]): Shown<Mapping['currency']> {
  const { found, ways } = currencyOf(texts.map((text) => text.replaceAll(/[()]/g, '')));
  return {
    found,
    reasons: found === undefined ? [] : [`currency ${quoted(found)}, by the texts of ${names}`],
    questions:
      ways === undefined
        ? []
        : [
            `currency: the charges are in ${listed(ways)}, and those of an account have one currency. Split the file, and add "currency" to the mapping of each part.`,
          ],
  };
}

export function shownDecimal(
  names: string,
  written: readonly string[],
  currency: string | undefined,
): Shown<Mapping['decimal']> {
  const without = (text: string) => (currency === undefined ? text : text.replace(currency, '').trim());
  const texts = written.map((text) => bareCharge(without(text)) ?? text);
  const { found: sign, unclear, ways } = decimalSign(texts);
  // Brackets, a minus behind and the like are read where the mapping says the sign.
  const isNeeded = written.some(
    (text, i) => !PLAIN.test(text) && (texts[i] === '' || BARE.test(texts[i] ?? '')),
  );
  const found = sign ?? (isNeeded && unclear === undefined && currency === undefined ? '.' : undefined);
  return {
    found,
    reasons: found === undefined ? [] : [`decimal ${quoted(found)}, by the texts of ${names}`],
    questions:
      unclear === undefined
        ? []
        : [
            `decimal: is ${quoted(unclear)} written with "." or ","? (${listed(ways ?? [], 'or')}) Add "decimal".`,
          ],
  };
}
