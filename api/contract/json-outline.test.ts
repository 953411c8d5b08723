// The outline of a JSON text: what is far too large is known before it is parsed, and numbers that JavaScript
// makes others of by how they are written.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonOutline, numberAsWritten, outlineOf } from './json-outline.ts';

const LIMITS = { members: 3, values: 4, allValues: 10, depth: 3 };

const CASES: readonly (readonly [text: string, expected: JsonOutline])[] = [
  ['{}', { members: [] }],
  ['{"a":1,"b":[1,2,3,4],"c":{"d":[]}}', { members: ['"a"', '"b"', '"c"'] }],
  ['{"a,{[":"]}, \\"x\\\\"}', { members: ['"a,{["'] }],
  [
    '{"a":[1,"1.00000000000000000001",9007199254740993],"b":1e400}',
    {
      members: ['"a"', '"b"'],
      written: new Map([
        ['"a"', new Map([[2, '9007199254740993']])],
        ['"b"', new Map([[0, '1e400']])],
      ]),
    },
  ],
  ['{"a":1,"b":1,"c":1,"d":1}', { members: ['"a"', '"b"', '"c"', '"d"'], excess: { over: 'members' } }],
  ['{"a":[1,2,3,4,5]}', { members: ['"a"'], excess: { over: 'values', member: '"a"' } }],
  ['{"a":[[1,2],[3,4],[5]]}', { members: ['"a"'], excess: { over: 'values', member: '"a"' } }],
  ['{"a":[[[1]]]}', { members: ['"a"'], excess: { over: 'depth' } }],
  [`{"a":${'[]'.repeat(20)}}`, { members: ['"a"'], excess: { over: 'allValues' } }],
];
for (const [text, expected] of CASES) {
  test(`${text} ${expected.excess === undefined ? 'is within the limits' : `has too many: ${expected.excess.over}`}`, () => {
    assert.deepEqual(outlineOf(text, LIMITS), expected);
  });
}

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
