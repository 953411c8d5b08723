// Which address a request is taken to come from, whatever a proxy has passed on.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { peerOf } from './peer.ts';

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
