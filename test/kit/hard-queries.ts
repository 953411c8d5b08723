// Query strings at random for one list: every spelling, every filter, every sort key, and now and then a
// fault. What each must be answered is the model's business.

import fc from 'fast-check';
import {
  CODES,
  FREQUENCIES,
  HARD_CHARGES,
  HARD_NUMBERS,
  HARD_TEXTS,
  HARD_TIMES,
  hardRows,
  STATUSES,
} from './hard-rows.ts';
import { listTestOf, type ModelList } from './model.ts';

const FILTERS_AT_ONCE = 3;

/**
 * How many queries at random a test asks: the usual number there, or what the environment says;
 * `QUERIES=25000 npm test -- test/api/lists.test.ts` asks many.
 */
export const queriesAtRandom = (usual: number) => Number(process.env['QUERIES'] ?? usual);

/** The largest integer, and the first that is none. */
export const LARGEST = '9007199254740991';
const TOO_LARGE = '9007199254740992';

/** What a careless parser takes for an integer, as it stands in a query string. */
// biome-ignore format: a table
export const NOT_INTEGERS = [
  '0', '-1', '+1', '%2B1', '01', '1.0', '1.5', '1e3', '0x10', '0b1', '1_000', 'Infinity', '-Infinity', 'NaN', '1n', '%201', '1%20',
  '%EF%BC%91', '%D9%A1', TOO_LARGE, '18446744073709551617', '1e999', 'null', 'undefined', 'true', '[1]', '%7B%7D', '1;2',
] as const;

/**
 * What is no text: broken percent-encoding, overlong and cut UTF-8, a surrogate, beyond Unicode; and control
 * characters.
 */
// biome-ignore format: a table
export const NOT_TEXTS = [
  '%', '%4', '%zz', '%u0041', '%C0%AF', '%E0%80%AF', '%F0%80%80%AF', '%E2%82', '%80', '%FF', '%ED%A0%80', '%ED%BF%BF',
  '%F4%90%80%80', '%00', 'a%00b', '%0A', '%0D%0A', '%09', '%1B%5B31m', '%7F', '%C2%80', '%C2%85', '%C2%9F',
] as const;

/** What is no timestamp, or not in the one form. */
// biome-ignore format: a table
export const NOT_TIMESTAMPS = [
  '2026-02-29', '2026-1-1', '2026-11', '2026', '2026-00-10', '2026-12-00', '2026-04-31', '2026-01-01Z', '%202026-01-01', '2026-01-01T00:00:00', '2026-01-01%2000:00:00Z', '2026-02-30T00:00:00Z', '2023-02-29T00:00:00Z',
  '2026-01-01T24:00:00Z', '2026-01-01T00:60:00Z', '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00,5Z', '2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z', '2026-01-01T00:00:00%2B24:00',
  '2026-01-01T00:00:00%2B0100', '20260101T000000Z', '1767225600', 'now', '%2B002026-01-01T00:00:00Z', '2026-1-1T0:0:0Z',
  '0000-01-01T00:00:00%2B00:01', '9999-12-31T23:59:59-00:01', '2026-01-01T00:00Z', '%EF%BC%92026-01-01T00:00:00Z',
] as const;

/** Names that nothing is called, and names that every object has. */
// biome-ignore format: a table
export const NOT_PARAMETERS = [
  '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'length', 'limit', 'offset', 'account_id',
  'category', 'token', 'PAGE', 'ids[x]', 'ids[__proto__]', 'ids[constructor]', 'ids[-1]', 'ids[1][2]', 'ids[', 'ids]', 'q%20',
] as const;

// biome-ignore format: a table
const NOT_SORT_KEYS = [
  'ID', 'did,id', '-id', 'category', 'account_id', '__proto__', 'constructor', 'toString', '1',
];
// biome-ignore format: a table
export const NOT_CODES = [
  'gb', 'Gb', 'UK', 'ZZ', 'EU', 'GBR', 'G', 'G1', '%EF%BC%A7%EF%BC%A2', '%C3%84%C3%96', '*',
];
/** Nothing in them is a number to compare, or they are something else that has digits. */
// biome-ignore format: a table
export const NOT_NUMBERS = [
  'x', '+', '00', '%2B00', '(0)', 'alice', '%D9%A1%D9%A2', '()', '442079460018.0', '4.42E%2B11', '4.42e+11', '2026-11-20',
  '20.11.2026', '192.168.0.1', '12.50', '442079460018-442079460027', '442079460018%20442079460019', '12345678901234567890',
];
// biome-ignore format: a table
const NOT_FIELDS = [
  'ID', 'dids', 'category', 'service_name', '__proto__', 'constructor', '*', 'id%20', 'account_id',
];
/** What is no decimal, or not in the one form, or beyond the largest. */
// biome-ignore format: a table
export const NOT_CHARGES = [
  '2,5', '1e3', '1E-3', '+1', '%2B1', '.5', '5.', '-.5', '-', '01', '00.5', '1.0000000', '0.0000001', '1000000000.000001', '-1000000001',
  '1_000', '1%20000', '0x10', 'NaN', 'Infinity', 'null', '%EF%BC%91', '1.2.3', '2.25EUR', '%202', '9'.repeat(400),
] as const;
export const NOT_FLAGS = ['1', '0', 'TRUE', 'yes', 'null', 'true,false', 'true%20'];
const NOT_ORDERS = ['ASC', 'descending', 'up', '1', 'asc,desc'];

type Pairs = fc.Arbitrary<string[]>;

const one = <T>(values: readonly T[]) => fc.constantFrom(...values);

/** The ways to write the same text; a form writes a space as `+`. */
const encoding = one<(text: string) => string>([
  encodeURIComponent,
  (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  (text) => `%${Array.from(Buffer.from(text), (byte) => byte.toString(16).padStart(2, '0')).join('%')}`,
]);

const encoded = (value: fc.Arbitrary<string>) =>
  fc.tuple(value, encoding).map(([text, encode]) => (text === '' ? '' : encode(text)));

const single = (name: string, value: fc.Arbitrary<string>): Pairs => value.map((text) => [`${name}=${text}`]);

/** A list in every spelling in use, each value in its own: `a=1&a[]=2&a[3]=4&a=5,6&a=7%2C8`. */
function listOf(name: string, value: fc.Arbitrary<string>): Pairs {
  const brackets = one([
    `${name}[]`,
    `${name}%5B%5D`,
    `${name}[0]`,
    `${name}[1]`,
    `${name}%5b7%5D`,
    `${name}[999999999999]`,
  ]);
  const plain = fc.array(value, { maxLength: 3 });
  return fc.array(
    fc.oneof(
      { weight: 3, arbitrary: value.map((text) => `${name}=${text}`) },
      { weight: 2, arbitrary: fc.tuple(brackets, value).map(([spelled, text]) => `${spelled}=${text}`) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(plain, one([',', '%2C', ',,']))
          .map(([texts, comma]) => `${name}=${texts.join(comma)}`),
      },
      { weight: 1, arbitrary: one([name, `${name}=`, `${name}[]=`, `${name}=,`]) },
    ),
    { minLength: 1, maxLength: 4 },
  );
}

const timestamp = encoded(
  fc.oneof(
    one(HARD_TIMES.filter((at) => at !== null)),
    one([
      '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.1Z', '2026-01-01t00:00:00.00001z', '2026-01-01T01:00:00+01:00',
      '2025-12-31T23:00:00.000001-01:00', '2026-01-01T05:30:00.000001+05:30', '2026-01-01T00:00:00-00:00',
      '2026-01-01T01:00:00.000002 01:00', '2026-01-01T00:00:00.0000001Z', '2026-01-01T00:00:00.000000999Z',
      '2025-12-31T23:59:59.9999999Z', '2026-11-20T10:30:00.123456500+01:00', '9999-12-31T23:59:59.9999991Z', '2026-11-20T23:59:59.123456+14:29', '1996-12-19T16:39:57-08:00',
    ]),
  ),
); // biome-ignore format: a table

const time = fc.oneof(
  { weight: 3, arbitrary: timestamp },
  { weight: 2, arbitrary: one([...new Set(HARD_TIMES.map((at) => at?.slice(0, 10) ?? '2026-02-28'))]) },
);

/** A number that may be stored, in one of the ways that people write it. */
const number = fc
  .tuple(
    one(HARD_NUMBERS),
    one([
      (text: string) => text,
      (text: string) => text.replace(/[^0-9]/g, ''),
      (text: string) => `00${text.replace(/[^0-9]/g, '').replace(/^00/, '')}`,
      (text: string) => text.replace(/^\+44/, '+44 (0)'),
      (text: string) => text.replace(/^\+44/, '0'),
      (text: string) => Array.from(text).join(' '),
      (text: string) => `\u202a${text}\u202c`,
      (text: string) => `TEL:${text}`,
      (text: string) => `\u200e tel: ${text.replaceAll(/[ -]/g, '\u2011')}`,
    ]),
  )
  .map(([text, write]) => write(text));

/** Part of a text, or what a person types who has a number in front of them. */
const search = encoded(
  fc.oneof(
    one(HARD_TEXTS),
    one(HARD_NUMBERS),
    number,
    fc.tuple(one([...HARD_TEXTS, ...HARD_NUMBERS]), fc.nat(8), fc.nat(6)).map(([text, start, length]) =>
      Array.from(text).slice(start, start + length).join(''),
    ),
    number,
    fc.tuple(number, fc.nat(12)).map(([text, length]) => text.slice(0, length)),
    one(['+44 20', '0044', '0044 (0)20', '00', '000', '0000', '(0)', '()', '+', '79-46', '7946 0018', '4 4', '20/79', '00４４', '4420', '%', '_', '*', '\\', '  ', ' 7 ', '\u00a07', '\ufeffa', 'FI', 'İ', 'ß', 'Σ', 'σ', '´']),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
    fc.string({ unit: one(['0', '4', '7', ' ', '+', '-', '(', ')', '.', '/']), maxLength: 6 }),
  ),
); // biome-ignore format: a table

const page = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 5 }).map(String) },
  { weight: 1, arbitrary: one(['1000', LARGEST]) },
);

function valuesFor(list: ModelList, name: string): Pairs {
  const [test = 'texts', field = ''] = list.filters[name] ?? [];
  switch (listTestOf(test) ?? (test as Exclude<typeof test, `not ${string}`>)) {
    case 'ids':
      return listOf(name, one([...hardRows[list.name].map(({ id }) => String(id)), '424242', LARGEST]));
    case 'codes':
      return listOf(name, one([...CODES, 'AQ']));
    case 'flag':
    case 'set':
      return single(name, one(['true', 'false']));
    case 'min':
    case 'max':
      return single(name, one([...HARD_CHARGES, '2.250000', '-0', '-1000000000.000000', '999999999.999998']));
    case 'after':
    case 'before':
    case 'from':
    case 'to':
      return single(name, time);
    case 'numbers':
      return listOf(name, encoded(number));
    case 'first':
    case 'last':
      return single(name, encoded(number));
    case 'texts':
      return listOf(name, encoded(one([...pool(field), 'nothing has this'])));
  }
}

function pool(field: string): readonly string[] {
  if (field === 'frequency') return FREQUENCIES;
  return field === 'provider' ? HARD_TEXTS : STATUSES;
}

function faultOf(list: ModelList): Pairs {
  const names = Object.keys(list.filters);
  const testOf = (name: string) => list.filters[name]?.[0] ?? '';
  const listed = (test: string) => names.filter((name) => listTestOf(testOf(name)) === test);
  const [ids, codes, numbers, texts] = [listed('ids'), listed('codes'), listed('numbers'), listed('texts')];
  const flags = names.filter((name) => ['flag', 'set'].includes(testOf(name)));
  const times = names.filter((name) => ['after', 'before', 'from', 'to'].includes(testOf(name)));
  const charges = names.filter((name) => ['min', 'max'].includes(testOf(name)));
  const singles = [...flags, ...times, ...charges, 'q', 'sort_by', 'sort_order', 'page', 'page_size'];
  const pair = (some: readonly string[], values: readonly string[]): Pairs[] =>
    some.length === 0 ? [] : [fc.tuple(one(some), one(values)).map((two) => [two.join('=')])];
  return fc.oneof(
    ...pair(['page', 'page_size', ...ids, 'ids[]', 'ids_exclude[3]'], NOT_INTEGERS),
    ...pair(['page_size'], ['1001', LARGEST]),
    ...pair(['q', 'sort_by', ...texts, ...texts.map((name) => `${name}[]`)], NOT_TEXTS),
    ...pair(times, NOT_TIMESTAMPS),
    ...pair(codes, NOT_CODES),
    ...pair(flags, NOT_FLAGS),
    ...pair(charges, NOT_CHARGES),
    ...pair(numbers, NOT_NUMBERS),
    ...pair(['fields', 'fields[]'], NOT_FIELDS),
    ...pair(['sort_by'], NOT_SORT_KEYS),
    ...pair(['sort_order'], NOT_ORDERS),
    ...pair(NOT_PARAMETERS, ['', '1', 'asc']),
    ...pair(
      singles.filter((name) => name !== 'q'),
      [''],
    ),
    ...pair(
      singles.flatMap((name) => [`${name}[]`, `${name}[0]`]),
      ['', '1', 'true'],
    ),
    ...pair(['q'], ['x'.repeat(201), '%F0%9F%98%80'.repeat(201)]),
    one(singles).map((name) => [`${name}=1`, `${name}=1`]),
  );
}

/** Query strings of a list, most of them valid, with up to `maxFilters` filters. */
export function hardQuery(list: ModelList, maxFilters = FILTERS_AT_ONCE): fc.Arbitrary<string> {
  const nowAndThen = (pairs: Pairs, weight = 1): Pairs =>
    fc.oneof({ weight: 7 - weight, arbitrary: fc.constant<string[]>([]) }, { weight, arbitrary: pairs });
  // Few filters at once, or nothing is ever left to compare.
  const filters: Pairs = fc
    .subarray(Object.keys(list.filters), { maxLength: maxFilters })
    .chain((names) => fc.tuple(...names.map((name) => valuesFor(list, name))))
    .map((groups) => groups.flat());
  return fc
    .tuple(
      filters,
      nowAndThen(single('q', search), 2),
      nowAndThen(single('sort_by', one(Object.keys(list.sorts))), 5),
      nowAndThen(single('sort_order', one(['asc', 'desc'])), 4),
      nowAndThen(single('page', page), 3),
      nowAndThen(single('page_size', one(['1', '2', '3', '7', '50', '1000'])), 4),
      nowAndThen(listOf('fields', one(Object.keys(list.fields)))),
      nowAndThen(faultOf(list)),
    )
    .map((groups) => groups.flat())
    .chain((pairs) => fc.shuffledSubarray(pairs, { minLength: pairs.length }))
    .map((pairs) => pairs.join('&'));
}
