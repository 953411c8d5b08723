// The values of an import (docs/generated/import-columns.md, "Values"): how the text of each kind is read,
// what is allowed, and what was probably meant by one that is not.

import { chargeReader } from '@linecard/client/check/charge-text';
import { MAX_INTEGER } from '@linecard/client/contract';
import { CHARGE_FORM, parseCharge } from '@linecard/client/contract/charge';
import { COUNTRY_CODE_FORM, isCountryCode, meantCountryCode } from '@linecard/client/contract/countries';
import { NUMBER_SIGNS } from '@linecard/client/contract/digits';
import { parseSigned, SIGNED_FORM } from '@linecard/client/contract/grammars';
import { nearest } from '@linecard/client/contract/suggestion';
import { NUMBER_LENGTH, numberFault } from '@linecard/client/contract/telephone';
import { parseTimestamp, TIMESTAMP_FORM, timestampFault } from '@linecard/client/contract/timestamp';
import { currencyCode, NO_CURRENCY } from '../settings/money.ts';
import { accountIdFault, MAX_ACCOUNT_ID_CHARACTERS } from '../store/access/accounts.ts';
import type { RowValues } from '../store/tables.ts';

const MAX_SHOWN_CHARACTERS = 100;

const INTEGER = /^[1-9]\d{0,15}$/;
/** Tab and line breaks are text; every other control character is a fault. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;
/** What nobody sees: controls, marks of direction, byte order marks, blanks other than the usual one. */
const INVISIBLE = /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const SPACED_DATE = /^(\d{4}-\d\d-\d\d) /;
/** As people and spreadsheets write it: `20.11.2026`, `11/20/26`. */
const LOCAL_DATE = /^\d{1,4}([./])\d{1,2}\1\d{1,4}(?:$| )/;
/** At the end of what is wrong with texts that a mapping reads. */
export const NEEDS_MAPPING = 'needs a mapping';
const OFFSET_HOURS = /(:\d\d(?:\.\d+)?[+-]\d\d)$/;
/** At least three digits, and what stands between them. */
const PHONE_NUMBER = /^[ +\-()./]*(?:\d[ +\-()./]*){3,}$/;
/** Most numbers, which need no second look. */
const PLAIN_NUMBER = new RegExp(`^\\+?\\d{${NUMBER_LENGTH.min},${NUMBER_LENGTH.max}}$`);
/** Flags as people, databases and spreadsheets write them. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', '1', 'TRUE'].map((text): [string, boolean] => [text, true]),
  ...['false', 'f', 'no', '0', 'FALSE'].map((text): [string, boolean] => [text, false]),
]);
const TRUE = ['true', 't', 'yes', 'y', '1', 'on'];
const FALSE = ['false', 'f', 'no', 'n', '0', 'off'];

export type ImportValue = RowValues[string];

/** One value as a file has it: its text, nothing, or what is wrong before there is a text. */
export type RawValue = string | undefined | { readonly fault: string };

/** How the texts of a column are read. */
export interface ValueReader {
  /** What is allowed, to follow "must be". */
  readonly allowed: string;
  /** The value of a text that is trimmed and not empty; `undefined` when it is outside the grammar. */
  read(text: string): ImportValue | undefined;
  /** What is wrong with a text outside the grammar, to follow the column's name. */
  complaint(text: string): string;
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A text as a message quotes it: in quotes, short, with nothing unseen or that a terminal would obey. */
export function quoted(text: string): string {
  const points = Array.from(text.slice(0, 2 * MAX_SHOWN_CHARACTERS));
  const short =
    points.length > MAX_SHOWN_CHARACTERS ? `${points.slice(0, MAX_SHOWN_CHARACTERS).join('')}…` : text;
  return JSON.stringify(short).replace(INVISIBLE, escaped);
}

/** The name of a column as a message shows it, which may be any text: the same without the quotes. */
export function shownName(name: string): string {
  return quoted(name.toWellFormed()).slice(1, -1);
}

/**
 * A reader whose complaint says what is allowed; `suggest` gives spellings that may have been meant, `why`
 * what is wrong where none was.
 */
function reader(
  allowed: string,
  read: ValueReader['read'],
  suggest: (text: string) => (string | undefined)[],
  why: (text: string) => string | undefined = () => undefined,
): ValueReader {
  return {
    allowed,
    read,
    complaint(text) {
      const meant = suggest(text).find((one) => one !== undefined && read(one) !== undefined);
      const complaint = `must be ${allowed}, but was ${quoted(text)}`;
      if (meant !== undefined) return `${complaint}; did you mean ${meant}?`;
      const reason = why(text);
      return reason === undefined ? `${complaint}.` : `${complaint}: ${reason}.`;
    },
  };
}

export const integer = reader(
  `an integer from 1 to ${MAX_INTEGER}`,
  (text) => (INTEGER.test(text) && Number(text) <= MAX_INTEGER ? Number(text) : undefined),
  (text) => [text.replace(/^[+0]+|\.0*$/g, '')],
);

export const signedInteger = reader(SIGNED_FORM, parseSigned, (text) => [
  text.replace(/^(-?)[+0]+(?=\d)/, '$1').replace(/\.0*$/, ''),
]);

/** A charge without the plus and the zeros before it that a grammar of one spelling does not have. */
function plainCharge(text: string): string {
  return text
    .replace(',', '.')
    .replace(/^\+/, '')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/^-?(?=\.)/, '$&0');
}

const isCode = (letters: string) => currencyCode.read(letters) !== undefined;
const MAPPED_CHARGES = (['.', ','] as const).map((decimal) => chargeReader(decimal, undefined, isCode));

/** Whether it is a charge with what a mapping reads around it: a currency, brackets, a minus behind it. */
const isMappedCharge = (text: string): boolean =>
  MAPPED_CHARGES.some((read) => {
    const number = read(text)?.number;
    return number !== undefined && (number === '' || parseCharge(number) !== undefined);
  });

export const charge = reader(
  CHARGE_FORM,
  parseCharge,
  (text) => [plainCharge(text)],
  (text) => (isMappedCharge(text) ? `a charge of this form ${NEEDS_MAPPING}` : undefined),
);

/** As databases write it: a space for the `T`, and an offset of hours alone. */
function likeRfc3339(text: string): string {
  return text.replace(SPACED_DATE, '$1T').replace(OFFSET_HOURS, '$1:00');
}

export const timestamp = reader(
  TIMESTAMP_FORM,
  (text) => parseTimestamp(text) ?? parseTimestamp(likeRfc3339(text)),
  (text) => {
    const dated = likeRfc3339(text);
    return [dated, `${dated}Z`, `${dated}T00:00:00Z`];
  },
  (text) =>
    LOCAL_DATE.test(text) ? `a date of this form ${NEEDS_MAPPING}` : timestampFault(likeRfc3339(text)),
);

export function phoneNumber(max: number): ValueReader {
  const allowed = `a phone number of at most ${max} characters: ${NUMBER_LENGTH.min} to ${NUMBER_LENGTH.max} digits, spaces and ${NUMBER_SIGNS}`;
  return {
    allowed,
    read: (text) =>
      PLAIN_NUMBER.test(text) ||
      (text.length <= max && PHONE_NUMBER.test(text) && numberFault(text) === undefined)
        ? text
        : undefined,
    complaint(text) {
      const why = text.length <= max ? numberFault(text) : undefined;
      return why === undefined
        ? `must be ${allowed}, but was ${quoted(text)}.`
        : `was ${quoted(text)}: ${why}.`;
    },
  };
}

export const flag = reader(
  'true or false',
  (text) => FLAGS.get(text),
  (text) => {
    const lower = text.toLowerCase();
    return [TRUE.includes(lower) ? 'true' : FALSE.includes(lower) ? 'false' : undefined];
  },
);

export const country = reader(
  COUNTRY_CODE_FORM,
  (text) => (isCountryCode(text) ? text : undefined),
  (text) => [meantCountryCode(text)],
);

/** A currency, or an empty text for that of the deployment. */
export const currency = reader(
  currencyCode.allowed,
  (text) => {
    const code = currencyCode.read(text);
    return code === NO_CURRENCY ? '' : code;
  },
  (text) => [text.toUpperCase()],
);

export function oneOf(values: readonly string[]): ValueReader {
  return reader(
    `one of ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`,
    (text) => (values.includes(text) ? text : undefined),
    (text) => [nearest(text, values)],
  );
}

/** A character outside the basic plane is two units of the string, but one character. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && Array.from(text).length > max;
}

export function textUpTo(max: number): ValueReader {
  return {
    allowed: `text of at most ${max} characters`,
    read: (text) => (CONTROL.test(text) || isLonger(text, max) ? undefined : text),
    complaint(text) {
      const found = CONTROL.exec(text)?.[0];
      if (found === undefined) {
        return `must have at most ${max} characters, but has ${Array.from(text).length}; shorten it.`;
      }
      const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      return `must not contain control characters other than tab and line breaks, but contains U+${code}; remove it.`;
    },
  };
}

/** The id of an account: that of the run, where the run is for one account. */
export function accountId(ofRun: string | undefined): ValueReader {
  // Files are mostly in the order of their accounts.
  let last: string | undefined;
  return {
    allowed: `text of 1 to ${MAX_ACCOUNT_ID_CHARACTERS} characters`,
    read(text) {
      if (text === last) return text;
      if (accountIdFault(text) !== undefined || (ofRun !== undefined && text !== ofRun)) return undefined;
      last = text;
      return text;
    },
    complaint(text) {
      const fault = accountIdFault(text);
      if (fault !== undefined) return `${fault}.`;
      return `must be ${quoted(ofRun ?? '')}, the account of the run, but was ${quoted(text)}; leave one of them out.`;
    },
  };
}
