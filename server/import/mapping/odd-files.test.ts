// Files as systems and spreadsheets write them: 40 at random; odd-files.long.test.ts has more.

import { test } from 'node:test';
import { checkOddFiles } from '../../../test/kit/odd-files.ts';

test('40 odd files come in as their rows, or are refused with the line that is wrong', () =>
  checkOddFiles(40));
