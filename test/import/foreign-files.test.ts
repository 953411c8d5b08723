// Random files of billing systems: test/kit/foreign-files.ts writes them. The long run has more.

import { test } from 'node:test';
import { checkForeignFiles } from '../kit/foreign-files.ts';

test('40 random files come in as the rows that they were written from, or are refused with the line named', () =>
  checkForeignFiles(40));
