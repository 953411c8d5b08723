// Content negotiation, case by case (RFC 9110, section 12.5).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { acceptsCoding, preferredType } from './accept.ts';

const OFFERED = ['application/json', 'text/csv', 'application/x-ndjson'] as const;

const TYPES: readonly [accept: string | undefined, type: (typeof OFFERED)[number] | undefined][] = [
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['  ', 'application/json'],
  ['*/*', 'application/json'],
  ['*/*;q=0.1', 'application/json'],
  ['application/json', 'application/json'],
  ['application/*', 'application/json'],
  ['text/*', 'text/csv'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV', 'text/csv'],
  ['text/csv; charset=utf-8', 'text/csv'],
  ['text/csv;header=present;q=0.5', 'text/csv'],
  ['application/x-ndjson', 'application/x-ndjson'],
  ['text/csv, application/json', 'application/json'],
  ['text/csv, application/json;q=0.9', 'text/csv'],
  ['text/csv;q=0.9, application/json;q=0.8', 'text/csv'],
  ['text/csv ; q=0.2 , application/x-ndjson ; q=0.3', 'application/x-ndjson'],
  ['text/html, */*;q=0.1', 'application/json'],
  ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', 'application/json'],
  ['application/json;q=0, */*', 'text/csv'],
  ['*/*, application/json;q=0', 'text/csv'],
  ['application/json;q=0, text/*;q=0, */*;q=0.5', 'application/x-ndjson'],
  ['application/*;q=0, */*', 'text/csv'],
  ['application/*;q=0.1, application/json;q=0', 'application/x-ndjson'],
  ['*/*;q=0', undefined],
  ['*/*;q=0.000', undefined],
  ['application/json;q=0.0', undefined],
  ['text/html', undefined],
  ['application/jsonx', undefined],
  ['json', undefined],
  [',', undefined],
  [';;;', undefined],
  ['application/json;q=nonsense', undefined],
];

const GZIP: readonly [accept_encoding: string | undefined, accepted: boolean][] = [
  [undefined, false],
  ['', false],
  ['gzip', true],
  ['GZIP', true],
  ['gzip, deflate, br', true],
  ['deflate, gzip;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['gzip;q=0, *', false],
  ['*, gzip;q=0', false],
  ['*;q=0', false],
  ['identity', false],
  ['br', false],
  ['x-gzip-like', false],
];

describe('Accept', () => {
  for (const [accept, type] of TYPES) {
    test(`"${accept}" gets ${type ?? 'nothing'}`, () => assert.equal(preferredType(accept, OFFERED), type));
  }

  test('a type that is not offered is never chosen', () => {
    assert.equal(preferredType('text/csv', ['application/json']), undefined);
    assert.equal(preferredType('text/csv, */*;q=0.1', ['application/json']), 'application/json');
  });
});

describe('Accept-Encoding', () => {
  for (const [header, accepted] of GZIP) {
    test(`"${header}" ${accepted ? 'accepts' : 'does not accept'} gzip`, () =>
      assert.equal(acceptsCoding(header, 'gzip'), accepted));
  }
});
