// Countries and the numbers that belong to them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COUNTRY_CODE_PATTERN, isCountryCode, meantCountryCode } from '@linecard/client/contract/countries';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import { countryName, countryOfNumber, numberType } from './countries.ts';

/** The alternatives of a pattern, not looking into its brackets. */
function alternatives(pattern: string): string[] {
  const found = [''];
  let depth = 0;
  for (const character of pattern) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === '|' && depth === 0) found.push('');
    else found[found.length - 1] += character;
  }
  return found;
}

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
const pairs = LETTERS.flatMap((a) => LETTERS.map((b) => a + b));

describe('country codes', () => {
  test('are the 249 of ISO 3166-1 and XK', () => {
    assert.equal(pairs.filter(isCountryCode).length, 250);
    for (const code of ['UK', 'EU', 'ZZ', 'AN', 'gb', '']) assert.equal(isCountryCode(code), false, code);
  });

  test('are those that the pattern of the OpenAPI document matches', () => {
    const pattern = new RegExp(COUNTRY_CODE_PATTERN);
    assert.deepEqual(
      pairs.filter((code) => pattern.test(code)),
      pairs.filter(isCountryCode),
    );
    for (const none of ['', 'G', 'gb', 'GBR']) assert.doesNotMatch(none, pattern);
  });

  test('each have a name in English, and nothing else has one', () => {
    for (const code of pairs) {
      const name = countryName(code);
      assert.equal(name !== '' && name !== code, isCountryCode(code), code);
    }
    assert.deepEqual(['GB', 'US', 'XK'].map(countryName), ['United Kingdom', 'United States', 'Kosovo']);
  });

  test('that were meant are suggested', () => {
    const meant = ['UK', 'uk', 'gb', ' DE', 'EL', 'ZZ', 'Germany'].map(meantCountryCode);
    assert.deepEqual(meant, ['GB', 'GB', 'GB', 'DE', 'GR', undefined, undefined]);
  });
});

describe('the country of a number', () => {
  const numbers: [number: string, country: string][] = [
    ['+442079460018', 'GB'],
    ['+44 20 7946 0018', 'GB'],
    ['+44 (0)20-7946.0018', 'GB'],
    ['+ 44 20 7946 0018', 'GB'],
    ['(+44) 20 7946 0018', 'GB'],
    ['+(44) 20 7946 0018', 'GB'],
    ['442079460018', 'GB'],
    ['00442079460018', 'GB'],
    ['+447781123456', 'GG'],
    ['+14155552671', 'US'],
    ['+16135550123', 'CA'],
    ['+12425550123', 'BS'],
    ['+38344123456', 'XK'],
    // Ascension is no country of ISO 3166-1: it belongs to Saint Helena.
    ['+24762889', 'SH'],
    // A national number is not believed to be an international one that it happens to look like.
    ['2079460018', ''],
    ['+800123456789', ''],
    ['+', ''],
    ['112', ''],
    // Brackets without a plus stand around the area code of a national number.
    ['(212) 555-1234', ''],
    // Too short to be looked up.
    ['+4420 7946', ''],
    ['sip:+442079460018@example.com', ''],
    ['', ''],
  ];
  for (const [number, country] of numbers) {
    test(`${number || '(none)'} is ${country || 'unknown'}`, () =>
      assert.equal(countryOfNumber(number), country));
  }

  test('is one of the list wherever the library knows one', () => {
    for (const code of Object.keys(metadata.countries))
      assert.notEqual(meantCountryCode(code), undefined, code);
  });

  // What lets North American numbers be looked up by all but their last four digits: a country there is known
  // by its area code, or by patterns that end in four digits of any kind.
  test('in North America does not depend on the last four digits', () => {
    const anyFour = /\\d\{[4-9]\}$/;
    const countries = metadata.countries as unknown as Record<string, unknown[]>;
    const byPattern = (metadata.country_calling_codes['1'] ?? []).filter((code) => !countries[code]?.[10]);
    assert.deepEqual(byPattern, ['US', 'CA']);
    for (const code of byPattern) {
      const types = countries[code]?.[11] as ([pattern: string] | 0)[];
      const patterns = types.flatMap((type) => (type === 0 || type[0] === '' ? [] : alternatives(type[0])));
      assert.ok(patterns.length > 5, code);
      for (const pattern of patterns) assert.match(pattern, anyFour, code);
    }
  });

  test('is the same for neighbours as the library says for each', () => {
    for (let i = 0; i < 2_000; i++) {
      const number = `+1${String(2_000_000_000 + ((i * 7_919_993) % 8_000_000_000))}`;
      assert.equal(countryOfNumber(number), parsePhoneNumberFromString(number)?.country ?? '', number);
    }
  });
});

describe('the type of a number', () => {
  const NAMES: Readonly<Record<string, string>> = {
    FIXED_LINE: 'geographic',
    FIXED_LINE_OR_MOBILE: 'geographic',
    MOBILE: 'mobile',
    TOLL_FREE: 'toll_free',
    UAN: 'national',
    VOIP: 'voip',
  };
  const ofLibrary = (number: string) => {
    const parsed = parsePhoneNumberFromString(number);
    return parsed?.isValid() === true ? (NAMES[parsed.getType() ?? ''] ?? parsed.getType()) : '';
  };

  test('is the one of the library, also where short numbers that begin alike have several', () => {
    const types = new Set<string>();
    for (const beginning of ['+3581', '+3588', '+431', '+435', '+35815', '+43073', '+4420794', '+1650555'])
      for (let last = 0; last < 10_000; last += 97) {
        const number = `${beginning}${String(last).padStart(4, '0')}`;
        types.add(numberType(number));
        assert.equal(numberType(number), ofLibrary(number), number);
      }
    assert.ok(types.size > 2, [...types].join());
  });

  test('is the same however the number is written', () => {
    for (const written of ['+442079460018', '00442079460018', '(+44) 20 7946 0018', '+44 20-7946-0018'])
      assert.equal(numberType(written), 'geographic', written);
    for (const written of ['', 'reception', '+44', '+44 20 7946 001'])
      assert.equal(numberType(written), '', written);
  });
});
