// Numbers, money, telephone numbers and countries in the reader's language.

import { observable } from './observable.ts';
import type { Forms } from './texts/en.ts';
import { language, locale } from './texts.ts';

const count = new Intl.NumberFormat(locale);
const rules = new Intl.PluralRules(language);
const regions = new Intl.DisplayNames(locale, { type: 'region' });
const share = new Intl.NumberFormat(locale, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
/** A hyphen is shorter than a digit, and taken for a dash. */
const MINUS = '\u2212';
const withMinus = (text: string) => text.replace('-', MINUS);
const SHOWN_MINUS = /\u2212(?=(?:[^\s\d]{1,4}\u00a0?)?\d)/g;
/** What is copied or written to a file has the minus that programs read. */
export const withHyphen = (text: string) => text.replaceAll(SHOWN_MINUS, '-');
const REGION = /^[A-Z]{2}$/;
/** In the place of a text that is not known yet. */
export const NO_BREAK = '\u00a0';
/** A charge has at most six fractional digits. */
const MOST_CHARGE_DIGITS = { maximumFractionDigits: 6 };
const CHARGE_DIGITS = { minimumFractionDigits: 2, ...MOST_CHARGE_DIGITS };
const SUM_DIGITS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

export const shownCount = (n: number) => withMinus(count.format(n));

/** A text with a number, in the form that the language has for it. The number stays with its noun. */
export function plural(forms: Forms, n: number): string {
  const { [rules.select(n)]: form = forms.other }: Partial<Record<Intl.LDMLPluralRule, string>> = forms;
  return form.replace(/#( ?)/, (_, space) => shownCount(n) + (space && NO_BREAK));
}

/** `3 virtual numbers` */
export function shownItems(
  { one, many }: { readonly one: string; readonly many: string },
  n: number,
): string {
  return plural({ one: `# ${one}`, other: `# ${many}` }, n);
}

/** With a tenth of a percent: many values have few items each. */
export const shownShare = (part: number, whole = 1) => withMinus(share.format(part / whole));

/** Formats money, with the currency where the account has one. Formats are cached: they are slow to make. */
function moneyFormat(plain: Intl.NumberFormatOptions, inCurrency: Intl.NumberFormatOptions) {
  const known = new Map<string | undefined, { readonly format: Intl.NumberFormat; readonly least: number }>();
  return (currency: string | undefined) => {
    const found = known.get(currency);
    if (found !== undefined) return found;
    const options = currency === undefined ? plain : { ...inCurrency, style: 'currency' as const, currency };
    const format = new Intl.NumberFormat(locale, options);
    const made = { format, least: format.resolvedOptions().minimumFractionDigits ?? 0 };
    known.set(currency, made);
    return made;
  };
}

type Currency = string | undefined;
const charges = moneyFormat(CHARGE_DIGITS, MOST_CHARGE_DIGITS);
const sums = moneyFormat(SUM_DIGITS, {});

/** A charge, unrounded, with at least the fractional digits with which its currency is written. */
export const shownCharge = (amount: number, currency: Currency) =>
  withMinus(charges(currency).format.format(amount));
/** A sum, rounded as its currency is written. */
export const shownSum = (amount: number, currency: Currency) =>
  withMinus(sums(currency).format.format(amount));

const decimalSign =
  new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';
/** In the language of the decimal comma, it may be a thousand. */
const THOUSANDS = /\.\d{3}$/;

/** A charge as the reader types it, as a request has it; what is none stays as it is. */
export function chargeTyped(text: string): string {
  if (decimalSign !== ',') return text;
  return text.includes(',') || !THOUSANDS.test(text) ? text.replace(',', '.') : `${text},`;
}

export const typedCharge = (charge: string) => charge.replace('.', decimalSign);

/** How many fractional digits a charge has when it is shown. */
export function fractionDigits(charge: unknown, currency: Currency): number {
  const [, fraction = ''] = String(charge).split('.');
  return Math.max(charges(currency).least, fraction.length);
}

/** Characters that override the direction of text: a value must not change how its surroundings read. */
const OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;

/** Any value of an answer as text; never throws. */
export function shownText(value: unknown): string {
  const text = typeof value === 'string' ? value : String(JSON.stringify(value));
  return text.replaceAll(OVERRIDES, '');
}

/** The name of a country, or the code where it has none. */
export function shownCountry(code: string): string {
  return REGION.test(code) ? (regions.of(code) ?? code) : code;
}

type FormatNumber = (stored: string) => string;

const shownNumbers = new Map<string, string>();
const numberFormat = observable<FormatNumber | undefined>(undefined);
export const { observe: onNumberFormats, get: numberFormats } = numberFormat;

/** Loads the number formats of all countries. Until then, numbers are shown as stored. */
export async function loadNumberFormats(): Promise<void> {
  if (numberFormat.get() !== undefined) return;
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min');
  numberFormat.set((stored) => {
    const parsed = parsePhoneNumberFromString(stored.startsWith('+') ? stored : `+${stored}`);
    return parsed?.isPossible() === true ? parsed.formatInternational() : stored;
  });
}

/** In international format, or as stored where it is not an international number. */
export function shownNumber(stored: string): string {
  const format = numberFormat.get();
  if (format === undefined) return stored;
  const known = shownNumbers.get(stored);
  if (known !== undefined) return known;
  const shown = format(stored);
  shownNumbers.set(stored, shown);
  return shown;
}
