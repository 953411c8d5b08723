// Addresses of webhooks: private ones are refused in every spelling, and each fault is named.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressFaults } from './webhook-scope.ts';

const PRIVATE = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '0',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '224.0.0.1',
  '255.255.255.255',
  '１２７.0.0.1',
  '[::1]',
  '[::]',
  '[::ffff:10.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[fe80::1]',
  '[fd00::1]',
  '[ff02::1]',
  '[2002:7f00:1::]',
  '[2001:db8::1]',
  'localhost',
  'LOCALHOST.',
  'crm.localhost',
  'printer.local',
  'metadata.google.internal',
];

describe('the address of a webhook', () => {
  for (const host of PRIVATE) {
    test(`is not ${host}`, () => {
      const [fault, ...more] = addressFaults(`https://${host}:8443/hook`, []);
      assert.match(fault ?? '', /must not (?:be the private or reserved address|lead to a local name)/);
      assert.deepEqual(more, []);
    });
  }

  test('may be any name or address on the Internet', () => {
    for (const host of ['crm.example.com', 'bücher.example', '8.8.8.8', '[2606:4700::1111]', '172.32.0.1'])
      assert.deepEqual(addressFaults(`https://${host}/hook?key=1`, []), [], host);
  });

  test('may be a private one that the operator allows', () => {
    const allow = ['10.20.0.0/16', 'fd00::/8', '127.0.0.1'];
    for (const host of ['10.20.3.4', '[fd12::1]', '127.0.0.1'])
      assert.deepEqual(addressFaults(`https://${host}/`, allow), [], host);
    assert.equal(addressFaults('https://10.21.0.1/', allow).length, 1);
  });

  test('is refused with every fault at once', () => {
    const faults = addressFaults(`http://me:secret@10.0.0.1/${'x'.repeat(2_000)}#part`, []);
    assert.deepEqual(
      faults.map((fault) => /https|password|fragment|2000|private/.exec(fault)?.[0]),
      ['https', 'password', 'fragment', '2000', 'private'],
    );
    for (const text of [
      'crm.example.com/hook',
      '',
      'https://',
      'https://a b/',
      'https://a.example/\n',
      '/hook',
    ])
      assert.match(addressFaults(text, [])[0] ?? '', /must be a URL such as/, JSON.stringify(text));
  });
});
