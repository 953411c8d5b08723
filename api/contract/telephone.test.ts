// What is no telephone number, by its kind, and what people write for one, which must never be refused.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { numberFault } from './telephone.ts';

const RUNS = 5_000;

const digits = (min: number, max = min) => fc.stringMatching(new RegExp(`^[1-9]\\d{${min - 1},${max - 1}}$`));
const two = (n: number) => String(n).padStart(2, '0');

/** A number with its country code, and another one a little above it. */
const pair = fc
  .tuple(digits(11, 15), fc.integer({ min: 1, max: 99 }))
  .filter(([first]) => Number(first.slice(-4)) < 9_900)
  .map(([first, more]) => [first, String(BigInt(first) + BigInt(more))] as const);
const spaced = (number: string) => number.replaceAll(/(\d{2,4}?)(?=(?:\d{4})+$)/g, '$1 ');
const joined = (signs: readonly string[]) =>
  fc
    .tuple(pair, fc.constantFrom(...signs), fc.constantFrom('', '+', '00'), fc.boolean())
    .map(([numbers, sign, prefix, isSpaced]) =>
      numbers.map((one) => prefix + (isSpaced ? spaced(one) : one)).join(sign),
    );

const day = fc.tuple(
  fc.integer({ min: 1900, max: 2199 }),
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: 31 }),
);
const date = fc
  .tuple(day, fc.constantFrom('-', '/', '.'), fc.constantFrom('YMD', 'DMY', 'MDY', 'DMy', 'D M', 'Mon'))
  .map(([[y, m, d], sign, form]) => {
    if (form === 'YMD') return [y, two(m), two(d)].join(sign);
    if (form === 'DMY') return [d, m, y].join(sign);
    if (form === 'MDY') return [two(m), two(d), y].join(sign);
    if (form === 'DMy') return [two(d), two(m), two(y % 100)].join(sign);
    return form === 'Mon' ? `${d}-Nov-${y}` : `${d}. ${m}. ${y}`;
  });
const clock = fc.constantFrom('', ' 09:30', ' 09.30', 'T09:30:00Z', ' 09:30:00.000000+01');

const cents = fc.tuple(digits(1, 6), digits(1, 2), fc.constantFrom('.', ','));
const amount = fc
  .tuple(cents, fc.constantFrom('#', '-#', '(#)', '#-', '−#', '+#', '€#', '# €', '# EUR', 'US$ #', 'T#'))
  .map(([[whole, rest, sign], form]) => {
    const group = sign === '.' ? ',' : '.';
    const grouped = whole.length < 4 ? whole : `${whole.slice(0, -3)}${group}${whole.slice(-3)}`;
    const text = (form === 'T#' ? grouped : whole) + sign + (form.includes('E') ? two(Number(rest)) : rest);
    return form.replace('#', text).replace('T', '');
  });

const octet = fc.integer({ min: 0, max: 255 });

describe('what is no telephone number says what it looks like', () => {
  const kinds: readonly (readonly [what: string, texts: fc.Arbitrary<string>])[] = [
    [
      'a decimal',
      fc.tuple(digits(7, 15), fc.constantFrom('.0', '.00', '.000000', ',0')).map((parts) => parts.join('')),
    ],
    ['a decimal', fc.tuple(digits(1, 6), digits(3, 9)).map((parts) => parts.join('.'))],
    ['a date', fc.tuple(date, clock).map((parts) => parts.join(''))],
    ['a date', fc.constantFrom('0000-00-00', '0000-00-00 00:00:00', '00.00.0000', '1000-01-01')],
    ['an amount', amount],
    ['an IPv4 address', fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'))],
    ['an IPv4 address', fc.constantFrom('10.0.0.1/24', '192.168.0.1:5060')],
    ['a range', joined(['-', ' - ', '–', ' – ', '..', '...', '…', ' to ', ' bis '])],
    [
      'a range',
      pair
        .map(([first, last]) => [first, last.slice(-4)])
        .filter(([first = '', last = '']) => first.slice(-4) < last && !/^4[39]/.test(first))
        .map((numbers) => numbers.join('-')),
    ],
    ['a range', fc.constantFrom('442079460018-27', '5550100-5550199', '+1 212 555 0100-99')],
    ['more than one number', joined(['/', ' / ', ';', ', ', ' ', ' | ', '\n', ' and ', '&'])],
    ['more than one number', fc.constantFrom('+442079460018+493023125000', '020 7946 0018/030 23125000')],
  ];
  for (const [i, [what, texts]] of kinds.entries()) {
    test(`${what} (${i + 1})`, () => {
      fc.assert(
        fc.property(texts, (text) => {
          assert.match(String(numberFault(text)), new RegExp(`^it looks like ${what}\\b`), text);
        }),
        { numRuns: RUNS },
      );
    });
  }

  test('a number that a spreadsheet has shortened', () => {
    for (const text of ['4.42079E+11', '4,42079e11', '4E+11', '4.42E 11', '44.2E+10'])
      assert.match(String(numberFault(text)), /^a spreadsheet has shortened the number/, text);
  });

  test('more than fifteen digits, however they are written', () => {
    fc.assert(
      fc.property(digits(16, 30), fc.constantFrom('', '+', '00', '(', '00 '), (number, prefix) => {
        const text = prefix + number;
        assert.equal(
          numberFault(text),
          `it has ${number.length} digits, and a telephone number has at most 15`,
          text,
        );
      }),
      { numRuns: RUNS },
    );
  });
});

describe('what people write is taken', () => {
  test('a number with a plus or 00 in groups, whatever stands between them', () => {
    const sign = fc.constantFrom(' ', '-', '.', '/', '\u00a0', ' (0)', ' (0) ', '\u2011');
    const group = fc.stringMatching(/^\d{2,4}$/);
    fc.assert(
      fc.property(
        fc.constantFrom('+44', '+1', '00', '+', '(+49) ', '\u202a+33'),
        digits(2),
        fc.array(fc.tuple(sign, group), { minLength: 2, maxLength: 4 }),
        (prefix, code, groups) => {
          const shown = groups.filter(([one], i) => !one.includes('(') || i === 0);
          const text = prefix + code + shown.flat().join('');
          fc.pre(shown.length > 1 && text.replaceAll(/\D/g, '').length < 13);
          assert.equal(numberFault(text), undefined, text);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('any digits, from three to fifteen', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{3,15}$/), (number) => {
        for (const text of [number, `+${number}`, ` ${number} `, `(${number})`])
          assert.equal(numberFault(text), undefined, text);
      }),
    );
  });

  // biome-ignore format: a table
  const written = [
    '020 7946 0018', '(020) 7946-0018', '020/7946-0018', '(0)20 7946 0018', '0044 (0)20 7946 0018', 'tel:+442079460018',
    '+44.2079460018', '+1.2125550100', '+44.20.7946.0018', '+45 12.34.56.78', '01.02.03.04.05', '1.800.555.0100',
    '912.345.678', '1-800-555-0100', '(202) 555-0100', '7946-0018', '5550-5599', '98765-98770', '0120-12-3456',
    '+49 89 12345-67', '+498912345-99', '+49 711 1234567-89', '+43 1 12345678-1234', '030 23125-0', '0711/1234567',
    '0049711/1234567', '0039347 1234567', '+447700 447123', '+55 11 98765-4321', '+62 812-3456-7890', '+86 138-0013-8000',
    '011 44 20 7946 0018', '00+44 20 7946 0018', '00123456789012345', '112', '000', '＋４４２０７９４６００１８', '442079460018.',
  ];
  for (const text of written) test(text, () => assert.equal(numberFault(text), undefined));
});
