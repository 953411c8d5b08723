// How the values of query parameters are read (docs/generated/api.md, "Filters"), and the words for it.

import { SINCE_NOW } from './changes.ts';
import { CHARGE_FORM, chargeText, parseCharge } from './charge.ts';
import { MAX_INTEGER, MAX_NUMBER_CHARACTERS, MAX_Q_CHARACTERS } from './contract.ts';
import { COUNTRY_CODE_FORM, isCountryCode, meantCountryCode } from './countries.ts';
import { numberDigits, plainNumber, typed } from './digits.ts';
import { fieldOf, type List, type Test } from './list.ts';
import { nearest } from './suggestion.ts';
import { formFault, NUMBER_LENGTH, numberFault, RANGE } from './telephone.ts';
import { parseDate, parseTime, TIME_FORM, timeFault } from './timestamp.ts';
import { listed, named } from './wording.ts';

const MAX_CURSOR_CHARACTERS = 32_768;
const INTEGER = /^[1-9]\d{0,15}$/;

export interface Grammar {
  /** The JSON type of a value. */
  readonly json: 'string' | 'number' | 'boolean';
  /** A JSON text is as good: a charge, which not every program has as an exact number. */
  readonly orText?: true;
  /** Follows "must be". */
  readonly allowed: string;
  /** `undefined` where the value does not match the grammar. */
  read(text: string): unknown;
  meant?(text: string): string | undefined;
  /** A more precise reason than `allowed`. */
  why?(text: string): string | undefined;
}

export function integerFrom1To(max: number): Grammar {
  return {
    json: 'number',
    allowed: `an integer from 1 to ${max}`,
    read: (text) => (INTEGER.test(text) && Number(text) <= max ? Number(text) : undefined),
  };
}

export function oneOf(values: readonly string[]): Grammar {
  return {
    json: 'string',
    allowed: `${values.length === 2 ? '' : 'one of '}${listed(values, 'or')}`,
    read: (text) => (values.includes(text) ? text : undefined),
    meant: (text) => nearest(text, values),
  };
}

const DIRECTED = /^(-?)(\w+?)(?:[ :,._]{1,3}(asc|desc)(?:ending)?)?$/i;

/** `-monthly` and `monthly:desc` of other APIs. */
function directionFault(text: string, keys: readonly string[]): string | undefined {
  const [, minus, key = '', word] = DIRECTED.exec(text) ?? [];
  if (!keys.includes(key) || (minus === '' && word === undefined)) return undefined;
  return `the direction is in \`sort_order\`: \`${key}\` with \`${word?.toLowerCase() ?? 'desc'}\``;
}

export function sortKey(keys: readonly string[]): Grammar {
  return { ...oneOf(keys), why: (text) => directionFault(text, keys) };
}

export const flag: Grammar = {
  ...oneOf(['true', 'false']),
  json: 'boolean',
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

const time: Grammar = {
  json: 'string',
  allowed: TIME_FORM,
  read: (text) => parseDate(text) ?? parseTime(text),
  why: timeFault,
};

const charge: Grammar = {
  json: 'number',
  orText: true,
  allowed: CHARGE_FORM,
  read(text) {
    const millionths = parseCharge(text);
    return millionths === undefined ? undefined : chargeText(BigInt(millionths));
  },
};

const SIGNED_INTEGER = /^(?:0|-?[1-9]\d{0,15})$/;

/** The number that a text stands for; `undefined` where it is no integer that JSON keeps exactly. */
export function parseSigned(text: string): number | undefined {
  const number = Number(text);
  return SIGNED_INTEGER.test(text) && Number.isSafeInteger(number) ? number : undefined;
}

export const SIGNED_FORM = `an integer from -${MAX_INTEGER} to ${MAX_INTEGER}`;
const signedInteger: Grammar = { json: 'number', allowed: SIGNED_FORM, read: parseSigned };
/** As a text, like the bounds of charges. */
const signedBound: Grammar = {
  ...signedInteger,
  read: (text) => (parseSigned(text) === undefined ? undefined : text),
};

const bound = (list: List, field: string): Grammar =>
  fieldOf(list, field).kind === 'integer' ? signedBound : charge;

const countryCode: Grammar = {
  json: 'string',
  allowed: COUNTRY_CODE_FORM,
  read: (text) => (isCountryCode(text) ? text : undefined),
  meant: meantCountryCode,
};

/** Nothing that has other signs is a number. */
const NUMBER_BOUND = /^[\d +\-()./]*$/;

const numberBound: Grammar = {
  json: 'string',
  allowed: `a number such as +44 20 7946 0000, with digits to compare and at most ${MAX_NUMBER_CHARACTERS} characters`,
  read(text) {
    if (text.length > MAX_NUMBER_CHARACTERS || !NUMBER_BOUND.test(typed(text))) return undefined;
    return formFault(text) === undefined ? plainNumber(text) : undefined;
  },
  why: (text) => (text.length > MAX_NUMBER_CHARACTERS ? undefined : formFault(text)),
};

/** What a text is that is no number; for a range, the filters that take its ends. */
function numberFaultIn(list: List, text: string): string | undefined {
  if (text.length > MAX_NUMBER_CHARACTERS) return undefined;
  const fault = numberFault(text);
  const isRange = fault === RANGE || numberDigits(typed(text)).length > NUMBER_LENGTH.max;
  const ends = Object.keys(list.filters).filter((name) =>
    ['first', 'last'].includes(list.filters[name]?.test ?? ''),
  );
  return fault !== undefined && isRange && ends.length > 0
    ? `${fault}. For a range use ${named(ends)}`
    : fault;
}

const telephoneNumber = (list: List): Grammar => ({
  json: 'string',
  allowed: `a telephone number such as +44 20 7946 0018, with 1 to ${NUMBER_LENGTH.max} digits to compare and at most ${MAX_NUMBER_CHARACTERS} characters`,
  read: (text) =>
    text.length <= MAX_NUMBER_CHARACTERS && numberFault(text) === undefined ? plainNumber(text) : undefined,
  why: (text) => numberFaultIn(list, text),
});

const anyText: Grammar = { json: 'string', allowed: 'text', read: (text) => text };

export const search: Grammar = {
  json: 'string',
  allowed: `at most ${MAX_Q_CHARACTERS} characters`,
  read(text) {
    const trimmed = text.trim();
    // A character has at most two code units.
    const isShort = trimmed.length <= 2 * MAX_Q_CHARACTERS && Array.from(trimmed).length <= MAX_Q_CHARACTERS;
    return isShort ? trimmed : undefined;
  },
};

export const opaque: Grammar = {
  json: 'string',
  allowed: 'a cursor taken from a Link header',
  read: (text) => (text.length <= MAX_CURSOR_CHARACTERS ? text : undefined),
};

export const changeToken: Grammar = {
  json: 'string',
  allowed: `${SINCE_NOW}, or the token of an answer or of a Link header`,
  read: (text) => opaque.read(text),
};

function fieldValue(list: List, name: string): Grammar {
  const { kind, country, closed, signed, known = [] } = fieldOf(list, name);
  if (closed === true) return oneOf(known);
  if (signed === true) return signedInteger;
  if (kind === 'integer') return integerFrom1To(MAX_INTEGER);
  if (name === list.searchDigits) return telephoneNumber(list);
  return country === true ? countryCode : anyText;
}

export const GRAMMARS: Readonly<Record<Test, (list: List, field: string) => Grammar>> = {
  is: () => flag,
  set: () => flag,
  any: fieldValue,
  none: fieldValue,
  after: () => time,
  before: () => time,
  from: () => time,
  to: () => time,
  first: () => numberBound,
  last: () => numberBound,
  min: bound,
  max: bound,
};
