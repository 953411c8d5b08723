// The country codes of rows and filters: ISO 3166-1 alpha-2 as officially assigned, and XK, which is in
// general use for Kosovo.

const CODES =
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD
  GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM
  KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
  NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ
  SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU
  WF WS XK YE YT ZA ZM ZW`.split(/\s+/);

export const countryCodes: ReadonlySet<string> = new Set(CODES);

/** Codes in use that are not the country's own. */
const MEANT: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR', AC: 'SH', TA: 'SH' };

/** Follows "must be". */
export const COUNTRY_CODE_FORM = 'an ISO 3166-1 alpha-2 code in upper case, such as GB';

export function isCountryCode(text: string): boolean {
  return countryCodes.has(text);
}

/** The code that was probably meant: `GB` for `uk`; `undefined` when there is none. */
export function meantCountryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  const meant = MEANT[code] ?? code;
  return isCountryCode(meant) ? meant : undefined;
}

const initials = [...new Set(CODES.map((code) => code.charAt(0)))];
const secondLetters = (initial: string) =>
  CODES.flatMap((code) => (code.startsWith(initial) ? code.charAt(1) : [])).join('');

/** A regular expression for one code, for schemas: exact, and a third of the length of a list. */
export const COUNTRY_CODE_PATTERN = `^(?:${initials.map((one) => `${one}[${secondLetters(one)}]`).join('|')})$`;
