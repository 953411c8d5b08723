// 5,000 random files of billing systems: test/kit/foreign-files.ts writes them.

import { describe, test } from 'node:test';
import { checkForeignFiles } from '../kit/foreign-files.ts';

describe('random files come in as the rows that they were written from, or are refused with the line named', () => {
  for (let thousand = 1; thousand <= 5; thousand++)
    test(`the ${thousand}. thousand`, () => checkForeignFiles(1_000));
});
