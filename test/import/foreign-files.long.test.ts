// Random files of billing systems (test/kit/foreign-files.ts writes them): some hundreds, or TEST_FILES.

import { test } from 'node:test';
import { checkForeignFiles } from '../kit/foreign-files.ts';
import { filesAtRandom } from '../kit/many.ts';

const FILES = filesAtRandom(150);

test(`${FILES} random files come in as the rows that they were written from, or are refused with the line named`, () =>
  checkForeignFiles(FILES));
