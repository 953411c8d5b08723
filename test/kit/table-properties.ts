// What must hold of any table at random: it comes in as its rows, or is refused with the place named.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type MappedRead, readMapped } from './mapped-read.ts';
import {
  drawnDocument,
  drawnWorkbook,
  type ExpectedRow,
  FORMATS,
  HEADER,
  SHEET_MAPPING,
} from './random-tables.ts';
import { workbook } from './workbooks.ts';

function assertRows({ rows, faults }: MappedRead, expected: readonly ExpectedRow[]): void {
  assert.deepEqual(faults, []);
  assert.deepEqual(
    rows.map(({ account_id, id, did, comment, monthly, created_at, is_spammed }) => ({
      account_id,
      id,
      did,
      comment,
      monthly,
      created_at,
      is_spammed,
    })),
    expected.map(({ created, ...row }) => ({ ...row, created_at: `${created}.000000Z` })),
  );
}

export async function workbooksComeIn(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(drawnWorkbook, async ({ bytes, rows }) => {
      assertRows(await readMapped(bytes, SHEET_MAPPING, { ending: '.xlsx' }), rows);
    }),
    { numRuns },
  );
}

export async function documentsComeIn(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(drawnDocument, async ({ text, mapping, rows }) => {
      assertRows(await readMapped(text, mapping, { ending: '.json' }), rows);
    }),
    { numRuns },
  );
}

const WRONG = fc.constantFrom(
  {
    column: 3,
    cell: { error: '#N/A' },
    says: 'Fee (monthly): is the error #N/A: correct it in the workbook.',
  },
  {
    column: 1,
    cell: { number: '1234567890123456' },
    says: 'Phone No (did): is a number of more than 15 digits, which a spreadsheet does not keep: format the column as text, and enter it again.',
  },
  {
    column: 4,
    cell: { number: '59', format: 1 },
    says: 'Since (created_at): is a time that programs read differently, the number 59: write it as text.',
  },
  {
    column: 3,
    cell: { xml: '<c><f>A1</f></c>' },
    says: 'Fee (monthly): has a formula without a result: open the workbook in Excel or LibreOffice, and save it again.',
  },
  {
    column: 4,
    cell: { number: '46000' },
    says: 'Since (created_at): "46000" is not a timestamp with an offset: ',
  },
  {
    column: 5,
    cell: { text: 'perhaps' },
    says: 'Spam (is_spammed): must be true or false, but was "perhaps".',
  },
);

/** Rows of which one has one cell that cannot be read: its place is named, and nothing else. */
export async function faultsAreNamed(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.nat(),
      WRONG,
      async (count, at, { column, cell, says }) => {
        const good = (i: number) => [
          { text: 'C1' },
          { number: String(442_079_460_000 + i) },
          { text: '' },
          { number: '2.25' },
          { number: '46000.5', format: 1 },
          { flag: true },
        ];
        const wrong = at % count;
        const rows = Array.from({ length: count }, (_, i) =>
          good(i).map((one, x) => (i === wrong && x === column ? cell : one)),
        );
        const header = HEADER.map((text) => ({ text }));
        const bytes = workbook({
          sheets: [{ name: 'A', rows: [header, ...rows] }],
          formats: FORMATS,
          hasReferences: false,
        });
        const { faults } = await readMapped(bytes, SHEET_MAPPING, { ending: '.xlsx' });
        assert.ok(faults.length > 0);
        assert.ok(
          faults.every((fault) => fault.startsWith(`billing.xlsx: row ${wrong + 2}: `)),
          faults.join('\n'),
        );
        assert.ok(
          faults.some((fault) => fault.includes(says)),
          faults.join('\n'),
        );
      },
    ),
    { numRuns },
  );
}
