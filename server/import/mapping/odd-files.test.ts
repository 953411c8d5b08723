// Files as systems and spreadsheets write them: 200 at random; odd-files.long.test.ts has 5,000.

import { test } from 'node:test';
import { checkOddFiles } from '../../../test/kit/odd-files.ts';

test('200 odd files come in as their rows, or are refused with the line that is wrong', () =>
  checkOddFiles(200));
