// What the console makes of a text that is pasted in its search or palette: the numbers in it, however they
// are written, and what is none; or a search.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EMPTY_VIEW, type ListFacts, lists } from '../../console/contract.ts';
import { numbersBetween, pasted, withPasted } from '../../console/filters/pasted.ts';
import { digitsOf } from '../../console/reading.ts';

const [list] = lists as readonly [ListFacts, ...ListFacts[]];

const FORTY = Array.from({ length: 40 }, (_, i) => `4411749600${String(i).padStart(2, '0')}`);
const grouped = (digits: string, by: string) => digits.replace(/^(..)(...)(...)/, `$1${by}$2${by}$3${by}`);

/** How people and programs write a number. */
const FORMS: Readonly<Record<string, (digits: string) => string>> = {
  'with +': (digits) => `+${digits}`,
  'with 00': (digits) => `00${digits}`,
  'with nothing': (digits) => digits,
  'with blanks': (digits) => `+${grouped(digits, ' ')}`,
  'with 00 and blanks': (digits) => `00${grouped(digits, ' ')}`,
  'with blanks that do not break': (digits) => `+${grouped(digits, '\u00a0')}`,
  'with hyphens': (digits) => `+${grouped(digits, '-')}`,
  'with dashes': (digits) => `+${grouped(digits, ' – ')}`,
  'with points': (digits) => `+${grouped(digits, '.')}`,
  'with (0)': (digits) => `+${digits.slice(0, 2)} (0)${digits.slice(2)}`,
  'with a code in parentheses': (digits) =>
    `+${digits.slice(0, 2)} (${digits.slice(2, 5)}) ${digits.slice(5)}`,
  'with marks of direction': (digits) => `\u202a+${digits}\u202c`,
  'in quotes': (digits) => `"+${digits}"`,
  'in quotes of print': (digits) => `“+${digits}”`,
  'after an apostrophe': (digits) => `'${digits}`,
  'as a link': (digits) => `tel:+${digits}`,
  'after a name': (digits) => `Desk 5 <+${digits}>`,
  'before an extension': (digits) => `+${digits} ext 12`,
};
/** What is between two of them. */
const BETWEEN = ['\n', '\r\n', '\t', ', ', ';', '\u2028', ' | '];
const LISTS: Readonly<Record<string, (texts: readonly string[]) => string>> = {
  ...Object.fromEntries(
    BETWEEN.map((between) => [JSON.stringify(between), (texts: readonly string[]) => texts.join(between)]),
  ),
  JSON: (texts) => JSON.stringify(texts),
  'a list of SQL': (texts) => `(${texts.map((text) => `'${text.replaceAll("'", '')}'`).join(', ')})`,
  'lines with bullets': (texts) => texts.map((text) => `• ${text}`).join('\n'),
  'numbered lines': (texts) => texts.map((text, i) => `${i + 1}. ${text}`).join('\n'),
  'a table of names': (texts) => ['Name\t', ...texts.map((text, i) => `Desk ${i}\t${text}`)].join('\n'),
  'a file': (texts) => ['name;', ...texts.map((text, i) => `Desk ${i};${text}`)].join('\r\n'),
  'a log of calls': (texts) => texts.map((text, i) => `2026-11-30 14:${10 + i}\t0.05\t${text}`).join('\n'),
};

/** The digits of the numbers of a text, and what is no number; undefined where it is a search. */
function numbersOf(text: string) {
  if (withPasted(list, EMPTY_VIEW, text) === undefined) return undefined;
  const { numbers, others } = pasted.get();
  return { numbers: numbers.map(digitsOf), others };
}

describe('a text that is pasted in the console', () => {
  for (const [form, write] of Object.entries(FORMS))
    test(`has all forty numbers, ${form}, in any list`, () => {
      for (const [name, join] of Object.entries(LISTS)) {
        const text = join(FORTY.map(write));
        assert.deepEqual(numbersOf(text), { numbers: FORTY, others: [] }, `${name}: ${text.slice(0, 120)}`);
      }
    });

  test('has those that only blanks are between, also where they have blanks themselves', () => {
    for (const form of ['with +', 'with 00', 'with nothing', 'with blanks', 'with 00 and blanks'])
      assert.deepEqual(
        numbersOf(FORTY.map(FORMS[form] ?? String).join(' ')),
        { numbers: FORTY, others: [] },
        form,
      );
  });

  test('has each number once, and what is none, once', () => {
    const twice = Object.values(FORMS).flatMap((write) => FORTY.map(write));
    const none = ['hello', 'n/a', '12', 'Hello', '#N/A', '-'];
    const found = numbersOf([...twice, ...none].join('\n'));
    assert.deepEqual(found, { numbers: FORTY, others: ['hello', 'n/a', '12', '#N/A', '-'] });
  });

  test('of a table has the columns of numbers alone, not that of ids', () => {
    const table = FORTY.map((digits, i) => `${700_000 + i}\tDesk\t+${digits}\t+49${digits}`).join('\n');
    const both = FORTY.flatMap((digits) => [digits, `49${digits}`]);
    assert.deepEqual(numbersOf(table), { numbers: both, others: [] });
  });

  test('shows and copies its numbers as they are written, without what is around them', () => {
    numbersOf('["+44 117 496 0000", "Desk <(0117) 496 0001>"]');
    assert.deepEqual(pasted.get().numbers, ['+44 117 496 0000', '(0117) 496 0001']);
  });

  test('in the field of the filter loses what is around a number, and keeps what is none', () => {
    for (const [text, parts] of [
      ['"+441174960000"', ['+441174960000']],
      [`'0117 496 0000', “+44 117 496 0001”`, ['0117 496 0000', '+44 117 496 0001']],
      ['+441174960000 +441174960001', ['+441174960000', '+441174960001']],
      ['+44 117, hello', ['+44 117', 'hello']],
      [' , ', []],
    ] as const)
      assert.deepEqual(numbersBetween(text), parts, text);
  });

  test('is a search where it has one number, dates, ids in letters, or a sentence', () => {
    for (const text of [
      '+44 117 496 0000',
      'Front desk',
      '2026-11-30\n2026-12-01',
      '30.11.2026 14:00\n01.12.2026 15:30',
      '3f2a1234567b-1234\n3f2a1234567c-1234',
      'On 2026-11-30 at 14:00 about 1234567 or 7654321 items',
      'Bristol, Cardiff, München, London +441174960000 +441174960001, Leeds',
    ])
      assert.equal(numbersOf(text), undefined, text);
  });
});
