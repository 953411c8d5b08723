// Numbers of a JSON text that `JSON.parse` would make another of: it rounds `9007199254740993` and
// `1.00000000000000000001` to integers before anybody can look at them.

/** Of fewer digits, with neither point nor exponent, every number survives. */
const MAY_DIFFER = /^-?(?:\d{16}|\d+[.eE])/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** The digits of an integer with nothing but zeros behind the point. */
const WHOLE = /^(-?\d+)\.0+$/;
/** No integer needs as many; what is longer is not taken apart. */
const MAX_CHARACTERS = 100;
const ZERO = 0x30;

/** One spelling for every decimal: its digits without zeros around them, and where the point stands. */
function plainDecimal(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  let first = 0;
  let end = digits.length;
  while (first < end && digits.charCodeAt(first) === ZERO) first += 1;
  while (end > first && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  if (first === end) return '0';
  return `${sign}${digits.slice(first, end)}e${Number(exponent) + whole.length - first}`;
}

/**
 * What stands between the signs of a JSON text, as it is written, where it is a number and JavaScript makes
 * another of it; also where that is no integer up to 2^53 - 1, and JavaScript would spell it otherwise.
 */
export function numberAsWritten(text: string): string | undefined {
  const source = text.trim();
  if (!MAY_DIFFER.test(source)) return undefined;
  const value = Number(source);
  const spelled = String(value);
  if (source === spelled) return undefined;
  if (!Number.isSafeInteger(value) || source.length > MAX_CHARACTERS) return source;
  if (WHOLE.exec(source)?.[1] === spelled) return undefined;
  return plainDecimal(source) === plainDecimal(spelled) ? undefined : source;
}
