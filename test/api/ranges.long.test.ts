// Ranges of random accounts: what a naive model computes, and together the numbers of the list and no other.
// QUERIES is the number of accounts.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { queriesAtRandom } from '../kit/hard-queries.ts';
import { comparedDigits, virtual_numbers } from '../kit/model.ts';
import { naiveRanges } from '../kit/naive-ranges.ts';
import { numberRow } from '../kit/rows.ts';
import { load, openService, type Service, stores } from '../kit/service.ts';

const SETS = queriesAtRandom(60);
const ACCOUNT = 'acme';
const REST = { country_code: 'GB', monthly: '0.1' };
const PATH = `${virtual_numbers.path}/ranges?page_size=1000`;
/** Digits around which numbers count up: short, at the limits of integers, and longer than any number. */
const BEGINNINGS = [
  '0',
  '00',
  '0000000',
  '4420794',
  '2147483647',
  '123456789012345',
  '9007199254740991',
  '999999999999999999',
  '9223372036854775807',
  '9'.repeat(30),
];
const SPELLED = [
  (digits: string) => digits,
  (digits: string) => `+${digits}`,
  (digits: string) => `00${digits}`,
];

const did = fc
  .tuple(fc.constantFrom(...BEGINNINGS), fc.integer({ min: 0, max: 9 }), fc.constantFrom(...SPELLED))
  .map(([beginning, step, spelled]) => {
    const least = BigInt(beginning) + BigInt(step) - 5n;
    const digits = String(least < 0n ? 0n : least).padStart(beginning.length, '0');
    return spelled(digits);
  });
const dids = fc.array(fc.oneof({ weight: 20, arbitrary: did }, fc.constantFrom('', 'anonymous')), {
  minLength: 1,
  maxLength: 120,
});

interface Range {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** The different numbers of a range, as digits. */
function digitsOf({ from, to }: Range): string[] {
  const [first, last] = [comparedDigits(from), comparedDigits(to)];
  if (first === last) return [first];
  const count = Number(BigInt(last) - BigInt(first)) + 1;
  return Array.from({ length: count }, (_, i) =>
    String(BigInt(first) + BigInt(i)).padStart(first.length, '0'),
  );
}

for (const kind of stores) {
  describe(`ranges of random accounts on ${kind.name}`, () => {
    let service: Service;
    before(async () => {
      service = await openService(kind, { accounts: [ACCOUNT], quiet: true, currency: 'EUR' });
    });
    after(() => service.close());

    test(`${SETS} sets of numbers are the union of their ranges`, async () => {
      await fc.assert(
        fc.asyncProperty(dids, async (numbers) => {
          const rows = numbers.map((one, i) => numberRow(ACCOUNT, i + 1, { ...REST, did: one }));
          await load(service.operator, 'virtual_numbers', rows, [ACCOUNT]);
          const { data, total } = JSON.parse((await service.ask(ACCOUNT, PATH)).body) as {
            data: Range[];
            total: number;
          };
          assert.deepEqual(data, naiveRanges(rows));
          assert.equal(total, data.length);
          assert.equal(
            data.reduce((sum, { count }) => sum + count, 0),
            numbers.length,
          );
          const listed = new Set(numbers.map(comparedDigits));
          assert.deepEqual(new Set(data.flatMap(digitsOf)), listed);
        }),
        { numRuns: Math.ceil(SETS * kind.share) },
      );
    });
  });
}
