// Countries: the codes of ISO 3166-1, their English names, and the country of an international number. A
// stored number is read, never rewritten.

import { createRequire } from 'node:module';

/** ISO 3166-1 alpha-2 as officially assigned, and XK, which is in general use for Kosovo. */
const CODES = new Set(
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
  CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
  GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
  KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
  NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
  SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
  VN VU WF WS XK YE YT ZA ZM ZW`.split(/\s+/),
);

/** Codes in use that are not the country's own. */
const MEANT: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR', AC: 'SH', TA: 'SH' };

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

export function isCountryCode(text: string): boolean {
  return CODES.has(text);
}

/** The code that was probably meant: `GB` for `uk`; `undefined` when there is none. */
export function meantCountryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  const meant = MEANT[code] ?? code;
  return CODES.has(meant) ? meant : undefined;
}

/** The country's name in English; empty for the empty code. */
export function countryName(code: string): string {
  let name = namesByCode.get(code);
  if (name === undefined) {
    regionNames ??= new Intl.DisplayNames(['en'], { type: 'region' });
    name = CODES.has(code) ? (regionNames.of(code) ?? '') : '';
    namesByCode.set(code, name);
  }
  return name;
}

function findCountry(international: string, isSure: boolean): string {
  library ??= createRequire(import.meta.url)('libphonenumber-js/max') as NonNullable<typeof library>;
  const number = library.parsePhoneNumberFromString(international, { extract: false });
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
