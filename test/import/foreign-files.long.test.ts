// Many random files of billing systems: test/kit/foreign-files.ts writes them.

import { test } from 'node:test';
import { checkForeignFiles } from '../kit/foreign-files.ts';

test('5,000 random files come in as the rows that they were written from, or are refused with the line named', () =>
  checkForeignFiles(5_000));
