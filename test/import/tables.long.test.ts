// Hundreds of random workbooks and JSON documents by an independent writer, or as many as TEST_FILES says;
// tables.test.ts has a few.

import { describe, test } from 'node:test';
import { filesAtRandom } from '../kit/many.ts';
import { documentsComeIn, faultsAreNamed, workbooksComeIn } from '../kit/table-properties.ts';

const FILES = filesAtRandom(120);

describe(`one of ${FILES} random tables`, () => {
  test('comes in from a workbook as its rows', () => workbooksComeIn(FILES));
  test('comes in from a nested JSON document as its rows', () => documentsComeIn(FILES));
  test('with a cell that cannot be read is refused with its row and column', () => faultsAreNamed(FILES));
});
