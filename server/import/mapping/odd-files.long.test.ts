// Files as systems and spreadsheets write them: 5,000 at random.

import { test } from 'node:test';
import { checkOddFiles } from '../../../test/kit/odd-files.ts';

test('5,000 odd files come in as their rows, or are refused with the line that is wrong', () =>
  checkOddFiles(5_000));
