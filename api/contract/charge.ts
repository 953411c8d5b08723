// Charges: decimals with up to six fractional digits (docs/generated/api.md, "Values"), as integers of
// millionths so that they are compared and summed exactly. The largest, 10^9, is 10^15 millionths, well
// within 2^53.

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d{1,6})?$/;
const MILLION = 1_000_000;

export const MAX_CHARGE = 1_000_000_000;

/** The form of a charge, for the end of a sentence. */
export const CHARGE_FORM =
  'a decimal with at most six fractional digits, at most 1,000,000,000 either side of zero, such as 2.25';

/** `undefined` where the text is not a decimal or out of range. */
export function parseCharge(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const point = text.indexOf('.');
  const whole = point < 0 ? text : text.slice(0, point);
  const fraction = point < 0 ? 0 : Number(text.slice(point + 1).padEnd(6, '0'));
  const size = Math.abs(Number(whole)) * MILLION + fraction;
  if (size > MAX_CHARGE * MILLION) return undefined;
  return text.startsWith('-') && size !== 0 ? -size : size;
}

/** Fifteen significant digits survive a double, so `JSON.stringify` writes the decimal that came in. */
export function chargeOf(millionths: number): number {
  return millionths / MILLION;
}

/** The exact decimal of any number of millionths, as sums are written. */
export function chargeText(millionths: bigint): string {
  const sign = millionths < 0n ? '-' : '';
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0');
  // Without trailing zeros; six digits are never written with an exponent.
  const fraction = String(Number(`0.${digits.slice(-6)}`)).slice(1);
  return `${sign}${digits.slice(0, -6)}${fraction}`;
}
