// A file of numbers against the account: which numbers are read, and which group each of them is in.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AccountNumbers } from '../../api/check/account-numbers.ts';
import { faultText } from '../../api/check/check-faults.ts';
import { compare, isSame } from '../../api/check/compare.ts';
import { columnNames, numbersOfFile } from '../../api/check/file-numbers.ts';
import { type LineFault, Uncheckable } from '../../api/check/file-table.ts';
import { checkCsv } from '../../api/check/rows.ts';
import { numberFault } from '../../api/contract/telephone.ts';
import { assertChecks } from '../kit/checks.ts';

const ITEMS = [
  { id: 1, did: '+442079460000', frequency: 'monthly', monthly: 2.25 },
  { id: 2, did: '+442079460001', frequency: 'quarterly', monthly: 0.1 },
  { id: 3, did: '+493012345678', frequency: 'one_time', monthly: 3 },
];
/** What is said of the first line that could not be compared. */
const said = ({ faults: [first] }: { readonly faults: readonly LineFault[] }) =>
  first === undefined ? '' : faultText(first.fault);
const bytes = (text: string) => Buffer.from(text);
const numbersIn = (text: string | Buffer) => {
  const { numbers, faults } = numbersOfFile(Buffer.from(text));
  return { numbers: Array.from(numbers.values(), ({ number }) => number), faults };
};

describe('the numbers of a file', () => {
  test('any file made from an account by loss, insertion, respelling and new prices is compared as by hand', () => {
    assertChecks(100);
  });

  test('are found in every kind of file, without being named', () => {
    const number = '+442079460000';
    for (const text of [
      `${number}\n`,
      `Nummer\n${number}\n`,
      `Kunde;Rufnummer;Preis\nMüller;${number};2,25\n`,
      `a\tb\n7\t${number}\n`,
      `{"a":1,"phone":"${number}"}\n`,
      `[{"phone":"${number}","a":7}]`,
      `["${number}"]`,
      `\ufeffname,number\r\nx,${number}\r\n`,
    ])
      assert.deepEqual(numbersIn(text), { numbers: [number], faults: [] }, JSON.stringify(text));
    const table = `Rufnummer;Straße\n${number};Büro Süd, Münchner Straße\n`;
    assert.deepEqual(numbersIn(Buffer.from(table, 'latin1')).numbers, [number]);
    assert.deepEqual(numbersIn(Buffer.from(`\ufeff${table}`, 'utf16le')).numbers, [number]);
  });

  test('a line without a number is named with its place', () => {
    const rows = Array.from({ length: 20 }, (_, i) => `+4420794600${i + 10};x`).join('\n');
    const { numbers, faults } = numbersIn(`n;c\n${rows}\nsee below;x\n;x\n12.50;x\n`);
    assert.equal(numbers.length, 20);
    assert.deepEqual(
      faults.map(({ line, text }) => [line, text]),
      [
        [22, 'see below'],
        [23, 'x'],
        [24, '12.50'],
      ],
    );
  });

  test('lines of one column alone are read, however many of them are no number', () => {
    const { numbers, faults } = numbersIn('+442079460000\nfront desk\n+442079460001\nto be ported\n');
    assert.deepEqual(numbers, ['+442079460000', '+442079460001']);
    assert.deepEqual(
      faults.map(({ line, text }) => [line, text]),
      [
        [2, 'front desk'],
        [4, 'to be ported'],
      ],
    );
    const split = 'front desk;x\n+442079460000\nto be ported;y\n';
    assert.throws(() => numbersIn(split), /name the column/);
    assert.throws(() => numbersIn('front desk\nto be ported\n'), /no telephone number in it/);
  });

  test('two columns that may have the numbers are a question, not a guess', () => {
    assert.throws(() => numbersOfFile(bytes('a,b\n442079460000,442079460001\n')), Uncheckable);
    assert.throws(() => numbersOfFile(bytes('a,b\n1,2\n'), { number: 'c' }), /no column "c".*"a" and "b"/s);
    assert.throws(() => numbersOfFile(bytes('name,b\nx,y\n')), /name the column/);
    assert.throws(() => numbersOfFile(bytes('PK\x03\x04')), /ZIP archive/);
  });
});

describe('the columns of a file', () => {
  test('are named where its first row is a header', () => {
    assert.deepEqual(columnNames(bytes('Position;Rufnummer\n1;+442079460000\n')), ['Position', 'Rufnummer']);
    assert.deepEqual(columnNames(bytes('[{"did":"+442079460000","price":1}]')), ['did', 'price']);
    assert.deepEqual(columnNames(bytes('+442079460000\n+442079460001\n')), []);
    assert.deepEqual(columnNames(bytes('')), []);
  });
});

describe('numbers against an account', () => {
  const check = (text: string, amount?: string, per?: 'month') =>
    compare(
      numbersOfFile(bytes(text), { amount, ...(amount && { number: 'n' }) }),
      new AccountNumbers(ITEMS),
      per,
    );

  test('the same numbers are the same, however they are written', () => {
    const text = '0044 20 7946 0000\n+44 (0)20 7946-0001\ntel:+49-30-12345678\n';
    assert.equal(isSame(check(text)), true);
  });

  test('a range is each of its numbers, by its last digits or written out', () => {
    for (const range of ['+442079460000-01', '+442079460000-+442079460001', '+442079460000 - 442079460001']) {
      const { counts, only_on_account } = check(`${range}\n+493012345678\n`);
      assert.deepEqual([counts.in_file, counts.both, only_on_account.length], [3, 3, 0], range);
    }
    assert.deepEqual(
      Array.from(check('+442079460001-03\n').only_in_file, ({ number }) => number),
      ['+442079460002', '+442079460003'],
    );
  });

  test('a national number meets the one that ends with it; of several, none', () => {
    assert.deepEqual(
      Array.from(check('030 12345678\n').both, ({ id }) => id),
      [3],
    );
    const twins = new AccountNumbers([...ITEMS, { id: 4, did: '+3303012345678' }]);
    const { ambiguous, both } = compare(numbersOfFile(bytes('030 12345678\n')), twins);
    assert.equal(both.length, 0);
    const [{ candidates = [] } = {}] = ambiguous;
    assert.deepEqual(new Set(candidates.map(({ id }) => id)), new Set([3, 4]));
  });

  test('an amount is compared exactly, for the months of the frequency or for one', () => {
    const text = 'n;p\n+442079460000;2,25 €\n+442079460001;0,30 €\n';
    assert.deepEqual([...check(text, 'p').amounts], []);
    assert.deepEqual(
      [...check(text, 'p', 'month').amounts],
      [
        {
          line: 3,
          number: '+442079460001',
          did: '+442079460001',
          id: 2,
          amount: 0.3,
          monthly: 0.1,
          expected: 0.1,
        },
      ],
    );
    assert.match(said(check('n;p\n+493012345678;3,00\n', 'p')), /one_time are not known/);
    assert.match(said(check('n;p\n+442079460000;2,25\n+442079460001;?\n', 'p')), /"\?" is no/);
    assert.throws(() => check('n;p\n+442079460000;1.250\n', 'p'), /thousands or a fraction/);
  });

  test('what is no number is said in the words of every other place', () => {
    for (const number of [
      '+442079460000-99 12',
      '2.25',
      '10.0.0.1',
      '2026-12-01',
      '4.42E+11',
      '00442079460000123456789',
    ])
      assert.equal(
        said(numbersOfFile(bytes(`n\n+442079460000\n${number}\n`), { number: 'n' })),
        numberFault(number),
      );
    const open = said(numbersOfFile(bytes('n,a\n+442079460000,1\n+442079460001,"x\n'), { number: 'n' }));
    assert.match(open, /^cell 2 begins with a quote that is not closed/);
  });

  test('a range has one amount, that of all its numbers', () => {
    assert.deepEqual([...check('n;p\n+442079460000-01;2,55\n', 'p').amounts], []);
    const [differing] = check('n;p\n+442079460000-01;2,56\n', 'p').amounts;
    assert.deepEqual([differing?.number, differing?.expected], ['+442079460000-01', 2.55]);
  });

  test('rows are those of a spreadsheet, and no formula', () => {
    const lines = [
      ...checkCsv(check('+442079460000\n+442079460000\n+15550100100\n'), ['both', 'twice', 'only_in_file']),
    ];
    assert.deepEqual(lines, [
      'result,line,number,did,id,amount,monthly\r\n',
      'both,1,+442079460000,+442079460000,1,,2.25\r\n',
      'twice,2,+442079460000,,,,\r\n',
      'only_in_file,3,+15550100100,,,,\r\n',
    ]);
  });
});
