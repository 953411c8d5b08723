// The preference to wait, in every spelling that RFC 7240 allows and some that it does not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { waitSeconds } from './waiting.ts';

const SPELLINGS: Readonly<Record<string, number | undefined>> = {
  'wait=25': 25,
  'Wait=25': 25,
  ' WAIT = 25 ': 25,
  'wait="25"': 25,
  'wait="2\\5"': 25,
  'wait=025': 25,
  'wait=55': 55,
  'wait=56': 55,
  'wait=99999999999999999999999999': 55,
  'wait=25; foo=bar': 25,
  'wait=25;foo="a, wait=3"': 25,
  'respond-async, wait=25': 25,
  'return=minimal,wait=25,handling=lenient': 25,
  ',, wait=25 ,': 25,
  'foo="a, wait=3", wait=25': 25,
  'foo="a\\", wait=3", wait=25': 25,
  'foo; wait=3, wait=25': 25,
  // Only the first instance counts.
  'wait=10, wait=25': 10,
  'wait, wait=25': undefined,
  'wait=soon, wait=25': undefined,
  'wait=0': undefined,
  'wait=-1': undefined,
  'wait=+5': undefined,
  'wait=2.5': undefined,
  'wait=1e1': undefined,
  'wait=0x10': undefined,
  'wait=٣': undefined,
  'wait=25 26': undefined,
  'wait=25=26': undefined,
  wait: undefined,
  'wait=': undefined,
  'wait=""': undefined,
  'wait="25': undefined,
  'await=25': undefined,
  'wait-for=25': undefined,
  'foo="wait=25': undefined,
  'foo="wait=25"': undefined,
  '': undefined,
  ';;=,"\\': undefined,
};

describe('Prefer: wait', () => {
  for (const [spelling, seconds] of Object.entries(SPELLINGS)) {
    test(`${spelling || 'nothing'}: ${seconds ?? 'ignored'}`, () =>
      assert.equal(waitSeconds(spelling), seconds));
  }

  test('several headers form one list', () => {
    assert.equal(waitSeconds(['respond-async', 'wait=7', 'wait=9']), 7);
    assert.equal(waitSeconds(undefined), undefined);
  });

  // Read in quadratic time, each of them would take minutes.
  test('a long header is read in linear time', () => {
    for (const part of ['"', '\\', '"\\', ',', 'wait', '=', ' ', 'wait =', '";', 'a"b"'])
      assert.equal(waitSeconds(part.repeat(1_048_576 / part.length)), undefined, part);
  });
});
