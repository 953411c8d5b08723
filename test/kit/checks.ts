// A random file, read and compared as a check does, held against the naive comparison.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compare } from '../../api/check/compare.ts';
import { numbersOfFile } from '../../api/check/file-numbers.ts';
import { fileText, madeFiles, naiveGroups } from './checked-files.ts';

export function assertChecks(numRuns: number): void {
  fc.assert(
    fc.property(madeFiles, (made) => {
      const names = { number: 'Rufnummer', amount: 'Preis' };
      const read = numbersOfFile(Buffer.from(fileText(made)), names);
      const check = compare(read, made.items, made.perMonth ? 'month' : 'payment');
      assert.deepEqual(check.faults, []);
      assert.deepEqual(
        {
          both: check.both.map(({ line, id }) => `${line} ${id}`).toSorted(),
          only_in_file: check.only_in_file.map(({ line }) => line),
          only_on_account: check.only_on_account.map(({ id }) => id),
          twice: check.twice.map(({ line }) => line),
          amounts: check.amounts.map(({ line }) => line),
        },
        naiveGroups(made),
      );
      assert.equal(check.counts.in_file, made.lines.length);
    }),
    { numRuns },
  );
}
