// Countries: their English names, and the country and the type of an international number. A stored number is
// read, never rewritten.

import { createRequire } from 'node:module';
import { isCountryCode, meantCountryCode } from '@linecard/client/contract/countries';

/** A plus with brackets and spaces around it, as in `(+44) 20 7946 0018`; the number follows. */
const WRAPPED_PLUS = /^[ (]*\+[ (]*(?=\d)/;
const NUMBER_LIKE = /^\+?\d[\d ().\-/]*$/;
/** A number of the North American plan: its country depends on all but the last four digits. */
const NORTH_AMERICAN = /^\+1\d{10}$/;
const LAST_DIGITS = 4;
const MAX_CACHED_EXCHANGES = 100_000;

// What is loaded here takes longer than to import a few thousand rows that need none of it.
let regionNames: Intl.DisplayNames | undefined;
let library: typeof import('libphonenumber-js/max') | undefined;

const namesByCode = new Map<string, string>();
const countriesByExchange = new Map<string, string>();
const typesByExchange = new Map<string, string>();

/** Names of types by those of the library; any other is national. */
const TYPES: Readonly<Record<string, string>> = {
  FIXED_LINE: 'geographic',
  FIXED_LINE_OR_MOBILE: 'geographic',
  MOBILE: 'mobile',
  TOLL_FREE: 'toll_free',
  SHARED_COST: 'shared_cost',
  PREMIUM_RATE: 'premium',
  VOIP: 'voip',
  PERSONAL_NUMBER: 'personal',
};

/** The country's name in English; empty for the empty code. */
export function countryName(code: string): string {
  let name = namesByCode.get(code);
  if (name === undefined) {
    regionNames ??= new Intl.DisplayNames(['en'], { type: 'region' });
    name = isCountryCode(code) ? (regionNames.of(code) ?? '') : '';
    namesByCode.set(code, name);
  }
  return name;
}

function parsedNumber(international: string) {
  library ??= createRequire(import.meta.url)('libphonenumber-js/max') as NonNullable<typeof library>;
  return library.parsePhoneNumberFromString(international, { extract: false });
}

function findCountry(international: string, isSure: boolean): string {
  const number = parsedNumber(international);
  if (number?.country === undefined || !(isSure || number.isValid())) return '';
  return meantCountryCode(number.country) ?? '';
}

/**
 * The code of the country that an international number belongs to; empty when it cannot be known. A number
 * without `+`, or with `00` in its place, is tried with one, and accepted only where it is then a valid
 * number.
 */
export function countryOfNumber(written: string): string {
  const number = written.replace(WRAPPED_PLUS, '+');
  if (!NUMBER_LIKE.test(number)) return '';
  if (!number.startsWith('+')) return findCountry(`+${number.replace(/^00/, '')}`, false);
  if (!NORTH_AMERICAN.test(number)) return findCountry(number, true);
  const exchange = number.slice(0, -LAST_DIGITS);
  let country = countriesByExchange.get(exchange);
  if (country === undefined) {
    country = findCountry(number, true);
    if (countriesByExchange.size >= MAX_CACHED_EXCHANGES) countriesByExchange.clear();
    countriesByExchange.set(exchange, country);
  }
  return country;
}

/** Of a shorter number, also the last four digits can decide. */
const DECIDED_BEFORE_LAST = /(?:\d\D?){6}\d{4}$/;

function findType(written: string): string {
  const number = written.replace(WRAPPED_PLUS, '+').replace(/[ ().\-/]/g, '');
  if (!NUMBER_LIKE.test(number)) return '';
  const parsed = parsedNumber(number.startsWith('+') ? number : `+${number.replace(/^00/, '')}`);
  // One that is not valid has no type.
  const name = parsed?.getType();
  return name === undefined ? '' : (TYPES[name] ?? 'national');
}

/**
 * The type of an international number; empty where it is not valid. It depends on all but the last four
 * digits, where there are ten or more.
 */
export function numberType(written: string): string {
  if (!DECIDED_BEFORE_LAST.test(written)) return findType(written);
  const exchange = written.slice(0, -LAST_DIGITS);
  let type = typesByExchange.get(exchange);
  if (type === undefined) {
    type = findType(written);
    if (typesByExchange.size >= MAX_CACHED_EXCHANGES) typesByExchange.clear();
    typesByExchange.set(exchange, type);
  }
  return type;
}
