// Networks as an operator may write them for a token, and how they are stored or refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Wrong } from './field.ts';
import { networkOf } from './networks.ts';

for (const [text, stored] of [
  ['203.0.113.0/24', '203.0.113.0/24'],
  ['203.0.113.7', '203.0.113.7/32'],
  ['128.0.0.0/1', '128.0.0.0/1'],
  ['2001:DB8::/32', '2001:db8::/32'],
  ['2001:db8:0:0:1::/80', '2001:db8:0:0:1::/80'],
  ['::1', '::1/128'],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ['::ffff:a00:1', '10.0.0.1/32'],
] as const) {
  test(`${text} is stored as ${stored}`, () => assert.equal(networkOf(text), stored));
}

for (const [text, said] of [
  ['10.1.2.3/8', /write 10\.0\.0\.0\/8 for the network, or 10\.1\.2\.3 for that address alone/],
  ['2001:db8::1/32', /write 2001:db8::\/32 for the network, or 2001:db8::1 for/],
  ['::ffff:10.1.2.3/104', /write 10\.0\.0\.0\/8/],
  ['0.0.0.0/0', /every address: leave it out/],
  ['::/0', /every address: leave it out/],
  ['::ffff:0:0/96', /every address: leave it out/],
  ...['10.0.0/8', '10.0.0.0/33', '010.0.0.0/8', '256.0.0.0/8', '::/129', '1.2.3.4/08', '1.2.3.4/', '/8'].map(
    (one) => [one, /must be a network such as/] as const,
  ),
  ['fe80::1%eth0', /must be a network such as/],
  ['office', /must be a network such as 203\.0\.113\.0\/24 or 2001:db8::\/32, but was "office"/],
] as const) {
  test(`${text} is refused with what to write instead`, () => {
    const found = networkOf(text);
    assert.ok(found instanceof Wrong);
    assert.match(found.faults[0] ?? '', said);
  });
}
