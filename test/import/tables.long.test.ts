// Thousands of random workbooks and JSON documents by an independent writer; tables.test.ts has a few.

import { describe, test } from 'node:test';
import { documentsComeIn, faultsAreNamed, workbooksComeIn } from '../kit/table-properties.ts';

describe('one of thousands of random tables', () => {
  test('comes in from a workbook as its rows', () => workbooksComeIn(3_000));
  test('comes in from a nested JSON document as its rows', () => documentsComeIn(3_000));
  test('with a cell that cannot be read is refused with its row and column', () => faultsAreNamed(500));
});
