// Numbers of a JSON text that JavaScript makes others of are known by how they are written.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberAsWritten } from './json-numbers.ts';

const SURVIVE = [
  '1',
  '9007199254740991',
  ' 16 ',
  '2.0',
  '20e-1',
  '0.2E+1',
  '1.5',
  '-0',
  '0.000',
  'true',
  'null',
  '',
];
const DIFFER = [
  '9007199254740993',
  '-9007199254740993',
  '1.00000000000000000001',
  '9007199254740991.4',
  '1e400',
  '1e21',
  '1.50',
];

test('a number that is what JavaScript makes of it is let pass', () => {
  for (const text of SURVIVE) assert.equal(numberAsWritten(text), undefined, text);
});

test('one that is rounded, or is no integer of its size and spelled otherwise, is given as it is written', () => {
  for (const text of DIFFER) assert.equal(numberAsWritten(` ${text}\n`), text);
  const long = `1.${'0'.repeat(200)}`;
  assert.equal(numberAsWritten(long), long);
});
