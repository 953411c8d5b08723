// Files as systems and spreadsheets write them, at random: some hundreds, or as many as TEST_FILES says.

import { test } from 'node:test';
import { filesAtRandom } from '../../../test/kit/many.ts';
import { checkOddFiles } from '../../../test/kit/odd-files.ts';

const FILES = filesAtRandom(200);

test(`${FILES} odd files come in as their rows, or are refused with the line that is wrong`, () =>
  checkOddFiles(FILES));
