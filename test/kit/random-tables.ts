// Tables at random, in the forms that people and programs give them: as workbooks and as nested JSON
// documents, each with the rows that they must become.

import fc from 'fast-check';
import { type Cell, serialOf, workbook } from './workbooks.ts';

/** What a row must become. */
export interface ExpectedRow {
  readonly account_id: string;
  readonly id: number;
  readonly did: string;
  readonly comment: string;
  /** In millionths. */
  readonly monthly: number;
  /** Local time to the second. */
  readonly created: string;
  readonly is_spammed: boolean;
}

const text = fc
  .string({ unit: fc.constantFrom(...Array.from('aZ0 9ß€"<&>\'_x\u4e2d\u{1f600}-')), maxLength: 12 })
  .map((one) => one.trim());

const expectedRows = fc.uniqueArray(
  fc.record({
    account_id: fc.constantFrom('C1001', 'Büro 7', '12'),
    digits: fc.integer({ min: 100_000_000, max: 999_999_999_999_999 }),
    comment: text,
    monthly: fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }),
    // Any day after that which spreadsheets count differently.
    seconds: fc.integer({ min: Date.UTC(1970, 0, 2) / 1_000, max: Date.UTC(2070, 0, 1) / 1_000 }),
    isDay: fc.boolean(),
    is_spammed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12, selector: ({ digits }) => digits },
);
type Drawn = typeof expectedRows extends fc.Arbitrary<(infer R)[]> ? R : never;

const expectedOf = ({ digits, seconds, isDay, ...row }: Drawn): ExpectedRow => ({
  ...row,
  id: digits,
  did: String(digits),
  created: new Date(1_000 * (isDay ? seconds - (seconds % 86_400) : seconds)).toISOString().slice(0, 19),
});

/** The mapping of both forms, without what is said of the form itself. */
const MAPPING = {
  constants: { status: 'active', subscription_status: 'active', frequency: 'monthly' },
  time_zone: 'UTC',
};
export const HEADER = ['Customer', 'Phone No', 'Note', 'Fee', 'Since', 'Spam'] as const;
export const SHEET_MAPPING = {
  ...MAPPING,
  columns: {
    account_id: 'Customer',
    id: { from: 'Phone No', as: 'digits' },
    did: 'Phone No',
    comment: 'Note',
    monthly: 'Fee',
    created_at: 'Since',
    is_spammed: 'Spam',
  },
};

const DATE_FORMATS = [
  'dd.mm.yyyy hh:mm:ss',
  '[$-409]m/d/yyyy\\ h:mm AM/PM;@',
  'yyyy"-"mm"-"dd',
  '[Red]d mmm yy',
];
const NUMBER_FORMATS = ['0', '#,##0.00 "EUR per day"', '0.00E+00', '[$€-2] #,##0.00', '"No. "0'];
export const FORMATS = [...DATE_FORMATS, ...NUMBER_FORMATS];
const dateFormat = fc.integer({ min: 1, max: DATE_FORMATS.length });
const numberFormat = fc
  .integer({ min: DATE_FORMATS.length, max: FORMATS.length })
  .map((i) => (i === DATE_FORMATS.length ? 0 : i));

const textCell = (value: string): fc.Arbitrary<Cell> =>
  value === ''
    ? fc.constantFrom(undefined, { text: '' }, { text: '', as: 'inline' as const })
    : fc.constantFrom('shared', 'inline', 'rich', 'formula').chain((as) =>
        // What XML cannot say otherwise is escaped, and so is what looks like it.
        fc
          .constantFrom(value, ` ${value} `)
          .map((padded) => ({ text: padded.replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_'), as })),
      );

const decimal = (millionths: number) => String(millionths / 1_000_000);

function rowCells(row: ExpectedRow, is1904: boolean): fc.Arbitrary<Cell[]> {
  const number = (value: string) => numberFormat.map((format) => ({ number: value, format }));
  const since = dateFormat.map((format) => ({ number: serialOf(row.created, is1904), format }));
  return fc.tuple(
    /^\d+$/.test(row.account_id)
      ? fc.oneof(textCell(row.account_id), number(row.account_id))
      : textCell(row.account_id),
    fc.oneof(textCell(row.did), number(row.did), fc.constant({ number: Number(row.did).toExponential() })),
    textCell(row.comment),
    fc.oneof(textCell(decimal(row.monthly)), number(decimal(row.monthly))),
    fc.oneof(since, since, fc.constant({ iso: row.created }), textCell(`${row.created}Z`)),
    fc.oneof(
      fc.constant({ flag: row.is_spammed }),
      textCell(String(row.is_spammed)),
      number(row.is_spammed ? '1' : '0'),
    ),
  );
}

/** A workbook with these rows, and where each of them is. */
export interface DrawnWorkbook {
  readonly bytes: Buffer;
  readonly lines: readonly number[];
  readonly rows: readonly ExpectedRow[];
}

export const drawnWorkbook: fc.Arbitrary<DrawnWorkbook> = fc
  .record({
    drawn: expectedRows,
    is1904: fc.boolean(),
    prefix: fc.constantFrom('', 'x:'),
    hasReferences: fc.boolean(),
    cover: fc.boolean(),
    blanks: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 13, maxLength: 13 }),
  })
  .chain(({ drawn, is1904, prefix, hasReferences, cover, blanks }) => {
    const rows = drawn.map(expectedOf);
    return fc.tuple(...rows.map((row) => rowCells(row, is1904))).map((cells) => {
      const sheet: Cell[][] = [];
      const lines: number[] = [];
      for (const [i, row] of [HEADER.map((name) => ({ text: name })), ...cells].entries()) {
        for (let n = 0; n < (blanks[i] ?? 0); n++)
          sheet.push(n % 2 ? [] : [{ text: ' ' }, undefined, { text: '' }]);
        sheet.push(row);
        if (i > 0) lines.push(sheet.length);
      }
      const first = {
        name: 'Read me',
        rows: [[{ text: 'Numbers of October' }], [{ number: '46000', format: 1 }]],
      };
      const sheets = [...(cover ? [first] : []), { name: 'Data & more', rows: sheet }];
      return { bytes: workbook({ sheets, formats: FORMATS, is1904, prefix, hasReferences }), lines, rows };
    });
  });

/** A document with these rows somewhere in it, and the mapping that finds them. */
export const drawnDocument: fc.Arbitrary<{ text: string; mapping: object; rows: readonly ExpectedRow[] }> = fc
  .record({
    drawn: expectedRows,
    path: fc.constantFrom([], ['data'], ['response', 'items'], ['pages', '1', 'rows']),
    space: fc.constantFrom(undefined, 1, '\t'),
    noise: fc.jsonValue({ maxDepth: 3 }),
    isText: fc.boolean(),
  })
  .map(({ drawn, path, space, noise, isText }) => {
    const rows = drawn.map(expectedOf);
    const objects = rows.map((row) => ({
      noise,
      owner: { account: { ref: row.account_id }, noise },
      phones: [isText ? row.did : row.id],
      text: { note: row.comment === '' ? null : row.comment },
      prices: [{ kind: 'setup' }, { amount: isText ? decimal(row.monthly) : row.monthly / 1_000_000 }],
      since: `${row.created}Z`,
      flags: { spam: row.is_spammed },
    }));
    const within = path.reduceRight<unknown>(
      (value, key) =>
        /^\d+$/.test(key) ? [noise, value] : { before: noise, [key]: value, after: { data: noise } },
      objects,
    );
    const mapping = {
      ...MAPPING,
      ...(path.length > 0 ? { records: path.join('.') } : {}),
      columns: {
        account_id: 'owner.account.ref',
        id: { from: 'phones.0', as: 'digits' },
        did: 'phones.0',
        comment: 'text.note',
        monthly: 'prices.1.amount',
        created_at: 'since',
        is_spammed: 'flags.spam',
      },
      ignore: ['noise', 'owner', 'prices'],
    };
    return { text: JSON.stringify(within, null, space), mapping, rows };
  });
