// Charges against BigInt arithmetic: what comes in as a decimal goes out as the same decimal, without noise.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { chargeOf, MAX_CHARGE, parseCharge } from './charge.ts';

const RUNS = 5_000;
const MILLION = 1_000_000n;

/** Millionths as a decimal, by way of BigInt. */
function decimal(millionths: bigint): string {
  const size = millionths < 0n ? -millionths : millionths;
  const fraction = String(size % MILLION)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${millionths < 0n ? '-' : ''}${size / MILLION}${fraction === '' ? '' : `.${fraction}`}`;
}

const largest = BigInt(MAX_CHARGE) * MILLION;
const millionths = fc.oneof(
  fc.bigInt({ min: -largest, max: largest }),
  fc.bigInt({ min: -5_000_000n, max: 5_000_000n }),
  fc.bigInt({ min: 0n, max: 2_000_000n }).map((below) => largest - below),
  fc
    .bigInt({ min: 0n, max: 50n })
    .map((exponent) => 2n ** exponent)
    .filter((power) => power <= largest),
);

const READ: readonly [text: string, json: string][] = [
  ['0', '0'],
  ['-0', '0'],
  ['-0.000000', '0'],
  ['3', '3'],
  ['3.0', '3'],
  ['3.000000', '3'],
  ['2.25', '2.25'],
  ['2.250000', '2.25'],
  ['0.0059', '0.0059'],
  ['0.000001', '0.000001'],
  ['-0.000001', '-0.000001'],
  ['0.1', '0.1'],
  ['1.005', '1.005'],
  ['999999999.999999', '999999999.999999'],
  ['-999999999.999999', '-999999999.999999'],
  ['1000000000', '1000000000'],
  ['-1000000000.000000', '-1000000000'],
];

// biome-ignore format: a table
const REFUSED = [
  '', ' ', '.', '-', '+1', '01', '00', '-01', '1.', '.5', '-.5', '1.0000001', '0.1234567', '1e3', '1E3', '1e-3', '0x10', '1,5', '1_000',
  '1 000', ' 1', '1 ', '1\n', 'Infinity', '-Infinity', 'NaN', 'null', '１', '١', '--1', '1-', '1000000000.000001', '-1000000000.000001',
  '1000000001', '10000000000000000', '1'.repeat(400), '1.5.5', '$1', '1€', '0.00000 1',
] as const;

describe('a charge', () => {
  for (const [text, json] of READ) {
    test(`${text} is written as ${json}`, () => {
      const read = parseCharge(text);
      assert.ok(read !== undefined && Number.isSafeInteger(read));
      assert.equal(JSON.stringify(chargeOf(read)), json);
    });
  }

  for (const text of REFUSED) {
    test(`${JSON.stringify(text.slice(0, 30))} is none`, () => assert.equal(parseCharge(text), undefined));
  }

  test(`${RUNS} at random come out as they went in`, () => {
    fc.assert(
      fc.property(millionths, (exact) => {
        const text = decimal(exact);
        const read = parseCharge(text);
        assert.equal(read, Number(exact));
        assert.equal(JSON.stringify(chargeOf(Number(read))), text);
      }),
      { numRuns: RUNS },
    );
  });

  test('with zeros behind it is the same charge', () => {
    fc.assert(
      fc.property(millionths, fc.nat(6), (exact, zeros) => {
        const [whole = '', fraction = ''] = decimal(exact).split('.');
        const longer = fraction.padEnd(Math.max(zeros, fraction.length), '0');
        assert.equal(parseCharge(longer === '' ? whole : `${whole}.${longer}`), Number(exact));
      }),
    );
  });

  test('two compare as their millionths do', () => {
    fc.assert(
      fc.property(millionths, millionths, (a, b) => {
        assert.equal(Number(parseCharge(decimal(a))) < Number(parseCharge(decimal(b))), a < b);
      }),
    );
  });
});
