// Charges: decimals with at most six fractional digits (docs/generated/api.md, "Values"), held as a whole
// number of millionths so that they are compared and summed exactly. 1,000,000,000.000000 is 10^15
// millionths, well within 2^53.

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d{1,6})?$/;
const MILLION = 1_000_000;

/** The furthest a charge may be from zero. */
export const MAX_CHARGE = 1_000_000_000;

/** What a charge must look like, for the end of a sentence. */
export const CHARGE_FORM =
  'a decimal with at most six fractional digits, at most 1,000,000,000 either side of zero, such as 2.25';

/** A decimal as millionths; `undefined` when it is outside the grammar or the range. */
export function parseCharge(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const point = text.indexOf('.');
  const whole = point < 0 ? text : text.slice(0, point);
  const fraction = point < 0 ? 0 : Number(text.slice(point + 1).padEnd(6, '0'));
  const size = Math.abs(Number(whole)) * MILLION + fraction;
  if (size > MAX_CHARGE * MILLION) return undefined;
  return text.startsWith('-') && size !== 0 ? -size : size;
}

/**
 * Millionths as the number an answer carries. Fifteen significant digits survive a double, so
 * `JSON.stringify` writes it back as the decimal that came in, without noise.
 */
export function chargeOf(millionths: number): number {
  return millionths / MILLION;
}

/** Any number of millionths as the decimal it is, exactly: what sums are written as. */
export function chargeText(millionths: bigint): string {
  const sign = millionths < 0n ? '-' : '';
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0');
  // Without zeros at its end; six digits are never written with an exponent.
  const fraction = String(Number(`0.${digits.slice(-6)}`)).slice(1);
  return `${sign}${digits.slice(0, -6)}${fraction}`;
}
