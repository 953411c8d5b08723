// A random file, read and compared as a check does, held against the naive comparison.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AccountNumbers } from '../../api/check/account-numbers.ts';
import { compare } from '../../api/check/compare.ts';
import { numbersOfFile } from '../../api/check/file-numbers.ts';
import { fileText, madeFiles, naiveGroups } from './checked-files.ts';

export function assertChecks(numRuns: number): void {
  fc.assert(
    fc.property(madeFiles, (made) => {
      const names = { number: 'Rufnummer', amount: 'Preis' };
      const read = numbersOfFile(Buffer.from(fileText(made)), names);
      const check = compare(read, new AccountNumbers(made.items), made.perMonth ? 'month' : 'payment');
      assert.deepEqual(check.faults, []);
      assert.deepEqual(
        {
          both: Array.from(check.both, ({ line, id }) => `${line} ${id}`).toSorted(),
          only_in_file: Array.from(check.only_in_file, ({ line }) => line),
          only_on_account: Array.from(check.only_on_account, ({ id }) => id),
          twice: Array.from(check.twice, ({ line }) => line),
          amounts: Array.from(check.amounts, ({ line }) => line),
        },
        naiveGroups(made),
      );
      assert.equal(check.counts.in_file, made.lines.length);
    }),
    { numRuns },
  );
}
