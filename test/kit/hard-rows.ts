// Rows that are made to be got wrong: ties, nulls, the sixth digit, and every text that folds, sorts or
// escapes in a surprising way. The same every time. The account of a row and its id say nothing about its
// place.

import fc from 'fast-check';
import type { ModelRow } from './model.ts';

const SEED = 20_261_120;

/** Texts whose comparison goes wrong as soon as it is left to a locale, a database or UTF-16. */
// biome-ignore format: a table
export const HARD_TEXTS = [
  '', 'a', 'A', 'ａ', 'b', 'ab', 'Zed, Inc', 'zed, inc', 'Zed', 'Inc', '100%', '100', '1_0', '1x0', 'st*r', 'star',
  'back\\slash', '"quoted"', "it's", '<b>&amp;</b>', '=1+1', "'=1+1", 'null', 'true', '0', '-1', 'ﬁle', 'file', 'FILE',
  'Caf\u00e9', 'Cafe\u0301', 'CAF\u00c9', 'cafe', 'İstanbul', 'istanbul', 'i\u0307stanbul', 'ISTANBUL', 'ısparta',
  'Straße', 'STRASSE', 'strasse', 'STRAẞE', 'ΟΔΟΣ', 'οδος', 'οδοσ', 'ΟΔΟΣ 7', '😀', '😁', '\u{1d400}bold', '\u{10000}',
  '\u{10ffff}', '\ue000', '\uffee', '\ufb01n', '\uff21bc', 'Ǆ', 'ǆ', 'ǅ', '①', '２０２６', '½', '\u212a', 'k', '\u212b', 'A\u030a', '\ud55c\uad6d', '\u1112\u1161\u11ab\u1100\u116e\u11a8', '\uffff',
  ' leading', 'trailing ', 'two  spaces', 'no\u00a0break', 'line\nbreak', 'tab\there', '\u2028', '\u202eltr', 'tel 020 7946',
  '__proto__', 'constructor', 'a]b', 'a[0]', 'a&b=c', 'a+b', '%41', '%zz', '?#/', 'ﷺ', 'क्षि', '👩‍👩‍👧',
  // These fold to eighteen times their length.
  'ﷺ'.repeat(300), `${'ﷺ'.repeat(299)}a`, `${'ﷺ'.repeat(300)}a`,
] as const;

// biome-ignore format: a table
export const HARD_NUMBERS = [
  '+442079460018', '442079460018', '00442079460018', '+44 (20) 7946-0018', '+44.20/7946 0018', '＋４４２０７９４６００１８',
  '020 7946 0018', '7', '007', '00', '0', '', 'sip:alice@example', 'x44y20z', '+493023125000', '(030) 23125-000', '12 34',
  '1234', '①②③', '+44 (0)20 7946 0018', '(0)20 7946 0018', '2079460018', '02079460018', '0000123', '+49 30 442079460018', '000', '+1 202 555 0100', '12025550100', '٠١٢',
] as const;

// biome-ignore format: a table
export const HARD_TIMES = [
  null, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000002Z',
  '2025-12-31T23:59:59.999999Z', '2026-01-01T00:00:00.000010Z', '2026-01-01T00:00:00.100000Z', '2026-11-20T09:30:00.123456Z',
  '2026-11-20T09:30:00.123457Z', '2024-02-29T12:00:00.000000Z', '1970-01-01T00:00:00.000000Z',
  '0000-01-01T00:00:00.000000Z', '9999-12-31T23:59:59.999999Z',
] as const;

// biome-ignore format: a table
export const HARD_CHARGES = [
  '0', '0.000001', '0.000002', '-0.000001', '2.25', '2.250001', '0.0059', '3', '0.1', '0.2', '0.3', '9', '10', '-2.5',
  '123456789.123457', '999999999.999999', '1000000000', '-1000000000',
] as const;

export const CODES = ['GB', 'DE', 'US', 'FR', 'IE', ''] as const;
// biome-ignore format: a table
export const STATUSES = [
  'active', 'Active', 'ACTIVE', 'disabled', 'configuration_awaiting', 'a,b', 'x y', 'ﬁne', '',
] as const;
export const FREQUENCIES = ['monthly', 'Monthly', 'yearly', 'one_time', 'every 3, 6', '月'] as const;
const CATEGORIES = ['additional', 'additional', 'additional', 'reputation', 'lead', 'core'] as const;

/** Customers' ids that a careless comparison takes for each other, and enough plain ones to make fifty. */
// biome-ignore format: a table
export const ACCOUNTS = [
  'acme', 'ACME', 'Acme', 'acme%', 'acm_', 'ａcme', "o'brien", '"', '1', '01', '1.0', 'ä', 'a\u0308', '😀', 'null', 'a b',
  '__proto__', 'constructor', ...Array.from({ length: 32 }, (_, i) => `customer-${i}`),
] as const;

/** The accounts with the most rows, and one without any. */
export const LARGE_ACCOUNT = 'acme';
export const EMPTY_ACCOUNT = 'customer-31';

const one = <T>(values: readonly T[]) => fc.constantFrom(...values);
const text = one(HARD_TEXTS);
const time = one(HARD_TIMES);
const charge = one(HARD_CHARGES);

const billing = {
  comment: text,
  frequency: one(FREQUENCIES),
  activation: charge,
  monthly: charge,
  activated_at: time,
  next_payment_at: time,
  subscription_status: one(STATUSES),
};

export const virtualNumber = fc.record({
  ...billing,
  did: one(HARD_NUMBERS),
  country: text,
  country_code: one(CODES),
  provider: text,
  status: one(STATUSES),
  incoming: charge,
  created_at: one(HARD_TIMES.filter((at) => at !== null)),
  is_active_spam_check: fc.boolean(),
  is_spammed: fc.boolean(),
  spam_checked_at: time,
});

export const additionalService = fc.record({
  ...billing,
  title: text,
  service_name: text,
  category: one(CATEGORIES),
});

/** Some ids are neighbours, some the largest there are; none follows from the place of its row. */
function idAt(place: number): number {
  if (place % 97 === 5) return Number.MAX_SAFE_INTEGER - place;
  return ((place * 7_919) % 10_007) + 1;
}

/** A few accounts hold many rows, most a handful. */
function accountAt(place: number): string {
  if (place % 5 === 0) return LARGE_ACCOUNT;
  const others = ACCOUNTS.filter((id) => id !== LARGE_ACCOUNT && id !== EMPTY_ACCOUNT);
  return others[(place * 7) % others.length] as string;
}

function rowsOf(
  item: fc.Arbitrary<Record<string, ModelRow[string]>>,
  count: number,
  salt: number,
): ModelRow[] {
  return fc
    .sample(item, { seed: SEED + salt, numRuns: count })
    .map((fields, place) => ({ ...fields, id: idAt(place), account_id: accountAt(place + salt) }));
}

export const hardRows = {
  virtual_numbers: rowsOf(virtualNumber, 700, 0),
  additional_services: rowsOf(additionalService, 600, 1),
} as const;
