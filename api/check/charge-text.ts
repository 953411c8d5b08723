// Charges as people and spreadsheets write them -> decimals: `1.234,56 €`, `$ (2.25)`, `2.25-`,
// `1,23,456.00`.

import type { DecimalSign } from './contents.ts';

/** Groups of thousands are also separated by these: a space, apostrophes, no-break spaces. */
const GROUP_SIGNS = " '’\u00a0\u202f";
/** A currency before or after a charge: a sign with letters before it, a code, or what is written for one. */
const SIGN = String.raw`\p{Lu}{0,3}\p{Sc}|\p{Lu}{3}|kr\.?|zł|Kč|Ft|lei|Fr\.?`;
const SIGN_BEFORE = new RegExp(`^(?:${SIGN})(?![\\p{L}\\p{Sc}])`, 'u');
const SIGN_AFTER = new RegExp(`(?<![\\p{L}\\p{Sc}])(?:${SIGN})$`, 'u');
const CODE = /^\p{Lu}{3}$/u;
const MINUS = /[-−]/;
const FRACTION_DIGITS = 6;

/** What is around the number of a charge. */
interface Bare {
  /** `undefined` where it is not written as a charge is. */
  readonly number: string | undefined;
  readonly isNegative: boolean;
  readonly currency: string | undefined;
}

/** What may be around it. */
interface Around {
  /** The currency, where it is known; any other is read as well. */
  readonly own: string | undefined;
  /** Whether three letters are a currency. */
  readonly isCode: (letters: string) => boolean;
}

/** The currency at the beginning or the end of a text. */
function signOf(
  text: string,
  { own, isCode }: Around,
): readonly [sign: string, isFirst: boolean] | undefined {
  const isCurrency = (sign: string) => !CODE.test(sign) || isCode(sign);
  if (own !== undefined && text.startsWith(own)) return [own, true];
  if (own !== undefined && text.endsWith(own)) return [own, false];
  const before = SIGN_BEFORE.exec(text)?.[0];
  if (before !== undefined && isCurrency(before)) return [before, true];
  const after = SIGN_AFTER.exec(text)?.[0];
  return after !== undefined && isCurrency(after) ? [after, false] : undefined;
}

/** Takes a currency and one minus off a charge, or the brackets that stand for it. */
function bareOf(given: string, around: Around): Bare {
  let text = given;
  let minuses = 0;
  let currency: string | undefined;
  for (;;) {
    text = text.trim();
    const sign = currency === undefined ? signOf(text, around) : undefined;
    if (sign !== undefined) {
      currency = sign[0];
      text = sign[1] ? text.slice(currency.length) : text.slice(0, -currency.length);
    } else if (text.startsWith('(') && text.endsWith(')')) {
      minuses += 1;
      text = text.slice(1, -1);
    } else if (MINUS.test(text.charAt(0))) {
      minuses += 1;
      text = text.slice(1);
    } else if (MINUS.test(text.charAt(text.length - 1))) {
      minuses += 1;
      text = text.slice(0, -1);
    } else return { number: minuses > 1 ? undefined : text, isNegative: minuses === 1, currency };
  }
}

/** Reads the number of a charge: its decimal, or `undefined`. */
function numberReader(decimal: DecimalSign): (text: string) => string | undefined {
  const other = decimal === ',' ? '.' : ',';
  const indian = decimal === '.' ? String.raw`|\d{1,2}(?:,\d\d)+,\d{3}` : '';
  const grouped = new RegExp(
    String.raw`^(?:\d+|\d{1,3}([${other}${GROUP_SIGNS}])\d{3}(?:\1\d{3})*${indian})(?:[${decimal}]\d+)?$`,
  );
  const groups = new RegExp(`[${other}${GROUP_SIGNS}]`, 'g');
  return (text) => {
    if (!grouped.test(text)) return undefined;
    const number = text.replaceAll(groups, '').replace(',', '.');
    const point = number.indexOf('.');
    const end = point < 0 ? number.length : point + 1 + FRACTION_DIGITS;
    // Zeros beyond six decimals say nothing.
    return /^0*$/.test(number.slice(end)) ? number.slice(0, end) : undefined;
  };
}

export interface ChargeText {
  /** Its decimal; empty for a hyphen alone, which means that there is none. */
  readonly number: string;
  readonly currency?: string | undefined;
}

/**
 * Reads charges as they are written; most are plain numbers.
 * @returns `undefined` for a text that is no decimal
 */
export function chargeReader(
  decimal: DecimalSign,
  own?: string,
  isCode: Around['isCode'] = () => true,
): (text: string) => ChargeText | undefined {
  const plain = new RegExp(`^-?(?:0|[1-9]\\d{0,8})(?:[${decimal}]\\d{1,6})?$`);
  const numberOf = numberReader(decimal);
  return (given) => {
    if (plain.test(given)) return { number: decimal === ',' ? given.replace(',', '.') : given };
    const { number, isNegative, currency } = bareOf(given, { own, isCode });
    if (number === '' && isNegative && !given.includes('(')) return { number: '', currency };
    const text = number === undefined ? undefined : numberOf(number);
    return text === undefined ? undefined : { number: `${isNegative ? '-' : ''}${text}`, currency };
  };
}

/** The number of a charge without what may be around it; `undefined` where it is not written as one. */
export const bareCharge = (text: string): string | undefined =>
  bareOf(text.trim(), { own: undefined, isCode: () => true }).number;
