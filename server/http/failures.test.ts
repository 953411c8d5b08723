// Which addresses count as one.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { partyOf } from './failures.ts';

const PARTIES: readonly (readonly [address: string, party: string])[] = [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2'],
  ['2001:db8:1::6', '2001:db8:1:0'],
  ['2001:db8::5:6:7', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
];

describe('the party behind an address', () => {
  for (const [address, party] of PARTIES) {
    test(`${address || 'none'}: ${party || 'none'}`, () => assert.equal(partyOf(address), party));
  }
});
