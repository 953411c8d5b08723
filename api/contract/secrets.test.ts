// What is shown of addresses and of sentences with secrets.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shownAddress, withoutSecrets } from './secrets.ts';

const TOKEN = `lc_${'aB3'.repeat(14)}`;

/** Each has the password `s3cr` and `et`, with something between where its form allows it. */
const SECRET: readonly string[] = [
  'https://user:s3cret@host.example/path',
  'HTTPS://user:s3cret@host.example',
  'https://user:s3cr/et@host.example',
  'https://user:s3cr?et@host.example',
  'https://user:s3cr#et@host.example',
  'https://user:s3cr@et@host.example',
  'https://user:s3cr%40et@host.example',
  'https://s3cret@host.example',
  'https:user:s3cret@host.example',
  'https:/user:s3cret@host.example',
  'https:\\\\user:s3cret@host.example',
  '//user:s3cret@host.example',
  'user:s3cret@host.example',
  'htps://user:s3cret@[::1',
  'postgres://user:s3cret@host.example:5432/db',
  'postgres://user@server:s3cr/et@host.example/db',
  'postgres://user:12/s3cret@host.example/db',
  'mysql://user:s3cret@host.example:port/db',
  'postgres://user@host.example/db?password=s3cret',
  'postgres://user@host.example/db?sslmode=require&sslpassword=s3cret&x=1',
  'https://host.example/?token=s3cret',
  'https://host.example/#token=s3cret',
  'https://host.example/?api_key=s3cret',
  'host=host.example user=x password=s3cret',
  'postgres://a:s3cret@host.example,postgres://b:s3cret@host.example',
];

describe('an address is shown', () => {
  for (const text of SECRET)
    test(`without the secret of ${text}`, () => {
      assert.doesNotMatch(shownAddress(text), /s3cr|et@/);
      assert.match(shownAddress(text), /\*\*\*/);
      assert.match(shownAddress(text), /host\.example|\[::1/);
      if (!/:\/\/|=/.test(text)) return;
      assert.doesNotMatch(withoutSecrets(`--url must be an address, but was "${text}".`), /s3cr|et@/);
      assert.doesNotMatch(withoutSecrets(JSON.stringify({ url: text, port: 1 })), /s3cr|et@/);
    });

  for (const text of [
    'https://host.example/path?q=1#part',
    'https://host.example/@room',
    'http://[::1]:8080/x',
    'mailto:help@host.example',
    'postgres://owner@db/linecard?options=-c%20x=1',
    'postgres://owner@db/linecard?sslmode=verify-full&sslkey=/etc/key.pem',
    'postgres://user:password@one:5432,two:5432/database',
    'sqlite:data/linecard.db',
    'alice@host.example',
    'numbers.csv:12: account_id: is missing',
    'lc_1',
  ])
    test(`as it is where it has none: ${text}`, () => {
      assert.equal(shownAddress(text), text);
      assert.equal(withoutSecrets(text), text);
    });
});

describe('a sentence is shown without', () => {
  for (const secret of [
    TOKEN,
    TOKEN.replace('lc_', 'lco_'),
    `whsec_${'MfKQ9r8GKYqrTwjU'.repeat(2)}`,
    'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl',
  ])
    test(secret.slice(0, 6), () => {
      const shown = withoutSecrets(`There is no token ${secret}. See: linecard-server token list`);
      assert.equal(shown.includes(secret.slice(8)), false);
      assert.match(shown, /^There is no token \S*\*\*\*\. See: linecard-server token list$/);
    });

  test('an Authorization header, and keeps a sentence about one', () => {
    assert.equal(withoutSecrets(`Basic ${'dXNlcjpw'.repeat(4)}`), 'Basic ***');
    assert.equal(withoutSecrets('Send it as Basic authentication.'), 'Send it as Basic authentication.');
  });

  test('the time that a long text costs', () => {
    for (const part of [
      'a',
      'a:',
      'a://',
      '://@',
      'token',
      '@',
      '- ',
      'eyJ',
      'eyJ-',
      'eyJ.',
      '-_',
      'whsec_+',
    ]) {
      const text = part.repeat(200_000 / part.length);
      assert.equal(typeof withoutSecrets(text) + typeof shownAddress(text), 'stringstring');
    }
  });
});
