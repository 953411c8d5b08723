// The address of a client, and the network under which it is limited.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { networkOf, peerOf } from './peer.ts';

const CASES: readonly [ip: string | undefined, remoteAddress: string | undefined, peer: string][] = [
  ['192.0.2.7', '192.0.2.7', '192.0.2.7'],
  ['192.0.2.7', '10.0.0.1', '192.0.2.7'],
  ['2001:db8::7', '::1', '2001:db8::7'],
  ['a"b', '10.0.0.1', '10.0.0.1'],
  ['192.0.2.7","account_id":"forged', '10.0.0.1', '10.0.0.1'],
  ['lc_000000000000000000000000000000000000000000', '10.0.0.1', '10.0.0.1'],
  ['', '10.0.0.1', '10.0.0.1'],
  ['192.0.2.7', undefined, '192.0.2.7'],
  ['nonsense', undefined, 'unix socket'],
  [undefined, undefined, 'unix socket'],
];

for (const [ip, remoteAddress, peer] of CASES) {
  test(`${ip ?? 'nothing'} over ${remoteAddress ?? 'a Unix socket'} is ${peer}`, () => {
    assert.equal(peerOf({ ip: ip as string, socket: { remoteAddress } as Socket }), peer);
  });
}

const PARTIES: readonly (readonly [address: string, network: string])[] = [
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

describe('the network of an address', () => {
  for (const [address, network] of PARTIES) {
    test(`${address || 'none'}: ${network || 'none'}`, () => assert.equal(networkOf(address), network));
  }
});
