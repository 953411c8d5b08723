// How the nodes of a distributed deployment are reached, by the URL of its coordinator.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { urlOfNode } from './node-route.ts';

const CASES: readonly [coordinator: string, host: string, url: string][] = [
  ['postgres://u:p@one:5432/lists', 'two', 'postgres://u:p@two:9700/lists'],
  ['postgres://one/lists?sslmode=require', 'two', 'postgres://two:9700/lists?sslmode=require'],
  ['postgres:///lists?host=one&port=5432&user=u', 'two', 'postgres://two:9700/lists?user=u'],
  ['postgres:///lists?host=/var/run/postgresql', 'two', 'postgres://two:9700/lists'],
  ['postgres://u@one/lists', 'fd00::7', 'postgres://u@[fd00::7]:9700/lists'],
  ['postgres://u@[fd00::1]:5432/lists', '10.0.0.7', 'postgres://u@10.0.0.7:9700/lists'],
];

for (const [coordinator, host, url] of CASES)
  test(`${host} of ${coordinator}`, () => assert.equal(urlOfNode(coordinator, { host, port: 9_700 }), url));
