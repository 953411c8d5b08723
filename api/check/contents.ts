// What texts of a file show: whether they are telephone numbers, and how its charges are written.

export const DECIMAL_SIGNS = ['.', ','] as const;
export type DecimalSign = (typeof DECIMAL_SIGNS)[number];

/** The part of the texts that must be of a kind before a column is taken to be of it. */
const MOST = 0.9;

/** The texts that are there, each once. */
export const present = (texts: readonly string[]): string[] =>
  [...new Set(texts)].filter((text) => text.trim() !== '' && text !== '\\N');

export const mostly = (texts: readonly string[], is: (text: string) => boolean) =>
  texts.length > 0 && texts.filter(is).length >= MOST * texts.length;

export function isPhoneNumber(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').length;
  return PHONE.test(text) && digits >= PHONE_DIGITS.min && digits <= PHONE_DIGITS.max;
}

export const arePhoneNumbers = (texts: readonly string[]): boolean => mostly(texts, isPhoneNumber);

const PHONE = /^(?:\+|00)?[\d\s()./-]+$/;
const PHONE_DIGITS = { min: 7, max: 15 } as const;
/** What the texts tell, and what they leave open. */
export interface Finding<T> {
  readonly found: T;
  /** A text that fits nothing, or that may be read in two ways; then which. */
  readonly unclear?: string;
  readonly ways?: readonly string[];
}

/** A charge with a currency before or after it. */
const WITH_CURRENCY = /^-?([\p{L}\p{Sc}]{1,5})\s*-?\d[\d.,'\s]*$|^-?\d[\d.,'\s]*([\p{L}\p{Sc}]{1,5})$/u;

/** The currency next to charges; a mapping says one for all of them. */
export function currencyOf(texts: readonly string[]): Finding<string | undefined> {
  const found = texts.flatMap((text) => {
    const [, before, after] = WITH_CURRENCY.exec(text.trim()) ?? [];
    return before ?? after ?? [];
  });
  const [one, ...others] = new Set(found);
  return others.length === 0 ? { found: one } : { found: undefined, ways: [one ?? '', ...others] };
}

/** Three digits after the only sign may be thousands, or a fraction. */
const EITHER = /^-?\d{1,3}[.,]\d{3}$/;

/** The decimal sign of charges; none where a mapping need not say it. */
export function decimalSign(texts: readonly string[]): Finding<DecimalSign | undefined> {
  const last = (text: string) => text.match(/[.,](?=[^.,]*$)/)?.[0] as DecimalSign | undefined;
  const isSign = (text: string, sign: DecimalSign) =>
    last(text) === sign && !EITHER.test(text) && text.split(sign).length === 2;
  const comma = texts.find((text) => isSign(text, ','));
  const point = texts.find((text) => isSign(text, '.'));
  if (comma !== undefined && point !== undefined)
    return { found: undefined, unclear: point, ways: [comma, point] };
  if (comma !== undefined) return { found: ',' };
  if (point !== undefined)
    return { found: texts.some((text) => /[,' \u00a0\u202f]/.test(text)) ? '.' : undefined };
  const either = texts.find((text) => EITHER.test(text));
  return either === undefined
    ? { found: undefined }
    : { found: undefined, unclear: either, ways: ['a fraction', 'thousands'] };
}
