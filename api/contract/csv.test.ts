// CSV for spreadsheets: what they would run or take for a delimiter reaches them as text, and comes back as
// it was.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CsvWriter, unguarded } from './csv.ts';
import { virtual_numbers } from './virtual-numbers.ts';

/** Texts and their cells. */
const CELLS: readonly (readonly [text: string, cell: string])[] = [
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['a;b', '"a;b"'],
  ['a\tb', '"a\tb"'],
  ['say "a"', '"say ""a"""'],
  ['=1+1', "'=1+1"],
  ['-1', "'-1"],
  ["'=1+1", "''=1+1"],
  ["'quoted'", "'quoted'"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(1)', "'＠SUM(1)"],
  ["''＝1+1", "'''＝1+1"],
  ['\n=1+1', '"\'\n=1+1"'],
  ['\r\n=1+1', '"\'\r\n=1+1"'],
  ['\t=1+1;2', '"\'\t=1+1;2"'],
  ['１＝１', '１＝１'],
];
const csv = new CsvWriter(virtual_numbers, ['comment']);

for (const [text, cell] of CELLS) {
  test(`${JSON.stringify(text)} is the cell ${JSON.stringify(cell)}, and is read as it was`, () => {
    assert.equal(csv.line({ comment: text }), `${cell}\r\n`);
    const read = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
    assert.equal(unguarded(read), text);
  });
}

test('a phone number is no formula', () => {
  const numbers = new CsvWriter(virtual_numbers, ['did']);
  assert.equal(numbers.line({ did: '+442079460018' }), '+442079460018\r\n');
  assert.equal(numbers.line({ did: '+44 20 7946 0018' }), "'+44 20 7946 0018\r\n");
});
