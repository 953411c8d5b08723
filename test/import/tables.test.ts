// Random workbooks and JSON documents by an independent writer; tables.long.test.ts has thousands of them.

import { describe, test } from 'node:test';
import { documentsComeIn, faultsAreNamed, workbooksComeIn } from '../kit/table-properties.ts';

describe('a random table', () => {
  test('comes in from a workbook as its rows', () => workbooksComeIn(25));
  test('comes in from a nested JSON document as its rows', () => documentsComeIn(50));
  test('with a cell that cannot be read is refused with its row and column', () => faultsAreNamed(25));
});
