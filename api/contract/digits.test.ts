// Numbers as people write them, against a plain reading of the rules, letter by letter.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type DigitsWanted, digitsWanted, numberDigits, plainNumber } from './digits.ts';

const RUNS = 20_000;

/** How a store looks up what is wanted. */
function finds(wanted: DigitsWanted | undefined, did: string): boolean {
  if (wanted === undefined) return false;
  const digits = numberDigits(did);
  return wanted.test === 'begins' ? digits.startsWith(wanted.digits) : digits.includes(wanted.digits);
}
const found = (q: string, did: string) => finds(digitsWanted(q), did);

/** The rules as the reference states them, without regular expressions. */
function plainlyFound(q: string, did: string): boolean {
  const shown = Array.from(q).filter((letter) => !'\u200e\u202a\u202c\u200b\u00ad\u2060'.includes(letter));
  const dashes = '\u2010\u2011\u2012\u2013\u2014\u2212\u301c';
  const typed = Array.from(shown.join('').normalize('NFKC').toLowerCase().trim(), (letter) =>
    dashes.includes(letter) ? '-' : letter,
  ).join('');
  const ascii = typed.slice(0, 4) === 'tel:' ? typed.slice(4).trim() : typed;
  const isDigit = (letter: string) => letter >= '0' && letter <= '9';
  const letters = Array.from(ascii);
  if (!letters.every((letter) => isDigit(letter) || ' +-()./'.includes(letter))) return false;
  if (!letters.some(isDigit)) return false;

  const of = (text: string) => Array.from(text).filter(isDigit).join('');
  const less = (digits: string) => (digits.slice(0, 2) === '00' ? digits.slice(2) : digits);
  const withoutTrunkZero = (text: string) => {
    const zero = text.indexOf('(0)');
    return zero < 0 ? text : text.slice(0, zero) + text.slice(zero + 3);
  };
  const stored = less(of(withoutTrunkZero(did.normalize('NFKC'))));

  const digits = of(withoutTrunkZero(ascii));
  if (letters[0] === '+' || digits.slice(0, 2) === '00') {
    const rest = less(digits);
    return rest.length > 0 && stored.slice(0, rest.length) === rest;
  }
  if (digits.length === 0) return false;
  if (digits[0] === '0' && digits.length >= 5) {
    return stored.includes(digits) || stored.includes(digits.slice(1));
  }
  return stored.includes(digits);
}

/**
 * Few digits, so that random numbers meet; now and then a letter, a full-width form, a digit of another
 * script.
 */
const piece = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('0', '0', '4', '2', '7') },
  { weight: 4, arbitrary: fc.constantFrom(' ', '+', '-', '(', ')', '.', '/') },
  { weight: 2, arbitrary: fc.constantFrom('(0)', '00', '+44', '(', '0)') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '\u200e',
      '\u202a',
      '\u202c',
      '\u200b',
      '\u00ad',
      '\u2011',
      '\u2013',
      '\u2212',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('tel:', 'TEL:', '\u202atel:', 'ｔｅｌ：') },
  { weight: 1, arbitrary: fc.constantFrom('０', '＋', '（０）', '\u00a0', '⑴', '٤', 'x', '½') },
);
const written = (maxLength: number) =>
  fc.array(piece, { minLength: 1, maxLength }).map((pieces) => pieces.join(''));

describe('digits', () => {
  test('are found by the rules as they are written, whatever is searched in whatever is stored', () => {
    const hits = { begins: 0, contains: 0 };
    fc.assert(
      fc.property(written(6), written(10), (q, did) => {
        const wanted = digitsWanted(q);
        assert.equal(finds(wanted, did), plainlyFound(q, did), JSON.stringify(wanted));
        if (wanted !== undefined && finds(wanted, did)) hits[wanted.test] += 1;
      }),
      { numRuns: RUNS },
    );
    assert.ok(hits.begins > RUNS / 200 && hits.contains > RUNS / 200, JSON.stringify(hits));
  });

  const NUMBER = '+442079460018';
  const WAYS = [
    '+442079460018',
    '00442079460018',
    '442079460018',
    '+44 (0)20 7946 0018',
    '0044 (0)20 7946 0018',
    '020 7946 0018',
    '(020) 7946-0018',
    '(0)20 7946 0018',
    '020/7946-0018',
    '+44.20.7946.0018',
    '(+44) 20 7946 0018',
    '7946 0018',
    '＋４４　２０　７９４６　００１８',
    '+44\u00a020\u00a07946\u00a00018',
  ];
  const STORED = [
    NUMBER,
    '442079460018',
    '00442079460018',
    '00 44 20 7946 0018',
    '+44 (20) 7946-0018',
    '+44 (0)20 7946 0018',
  ];

  for (const way of WAYS) {
    test(`${way} finds the number however it is stored`, () => {
      for (const did of STORED) assert.ok(found(way, did), did);
    });
  }

  test('a plus finds no number of another country', () => {
    for (const way of WAYS.filter((written) => /^(?:[+＋]|00)/.test(written))) {
      for (const did of ['+1442079460018', '+49442079460018', '+3544207946001', '+49 30 442079460018']) {
        assert.ok(!found(way, did), `${way} found ${did}`);
      }
    }
    assert.ok(found('44207946', '+49 30 442079460018'), 'without a plus it may stand anywhere');
  });

  const READ: readonly (readonly [q: string, wanted: DigitsWanted | undefined])[] = [
    ['+44 (0)20 7946', { test: 'begins', digits: '44207946' }],
    ['0044 20 7946', { test: 'begins', digits: '44207946' }],
    ['+0044 20', { test: 'begins', digits: '4420' }],
    ['000', { test: 'begins', digits: '0' }],
    ['+0', { test: 'begins', digits: '0' }],
    ['020 7946 0001', { test: 'contains', digits: '2079460001' }],
    ['02079', { test: 'contains', digits: '2079' }],
    ['0207', { test: 'contains', digits: '0207' }],
    ['(0)0207', { test: 'contains', digits: '0207' }],
    ['7946 0001', { test: 'contains', digits: '79460001' }],
    ['0', { test: 'contains', digits: '0' }],
    ['+', undefined],
    ['00', undefined],
    ['+00', undefined],
    ['+(0)', undefined],
    ['(0)', undefined],
    ['+44x', undefined],
    ['Front desk', undefined],
    ['٤٤', undefined],
    ['４４', { test: 'contains', digits: '44' }],
  ];
  for (const [q, wanted] of READ) {
    test(`${q} means ${wanted === undefined ? 'no digits' : `${wanted.test} ${wanted.digits}`}`, () => {
      assert.deepEqual(digitsWanted(q), wanted);
    });
  }
});

describe('a whole number', () => {
  test('is the same with 00, with a plus, with neither, with a trunk zero in brackets and with any signs', () => {
    const ways = [
      '+442079460018',
      '00442079460018',
      '442079460018',
      '+44 (0)20 7946-0018',
      '(44) 20.7946/0018',
    ];
    for (const way of ways) assert.equal(plainNumber(way), '442079460018', way);
  });

  test('is not its end, its beginning, or the same in national form', () => {
    for (const other of ['020 7946 0018', '2079460018', '44207946001', '+4420794600180']) {
      assert.notEqual(plainNumber(other), plainNumber('+442079460018'), other);
    }
  });

  test('is none where nothing is left to compare', () => {
    for (const text of ['', '+', '00', '+00', '(0)', 'sip:alice@example', '٤٤']) {
      assert.equal(plainNumber(text), undefined, text);
    }
  });

  test('is searched by its own text, and by its plain spelling, which stands for itself', () => {
    fc.assert(
      fc.property(written(12), (text) => {
        // An import refuses numbers with invisible characters.
        const did = text.replaceAll(/\p{Cf}/gu, '');
        const plain = plainNumber(did);
        if (plain === undefined) return assert.equal(numberDigits(did), '');
        assert.equal(plainNumber(plain), plain);
        assert.equal(numberDigits(plain), numberDigits(did));
      }),
      { numRuns: RUNS },
    );
  });
});
