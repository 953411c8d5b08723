// The beginning of a workbook as a sample: the names and first rows of the first sheet that looks like
// a table.

import { trimmed } from '@linecard/client/contract/trimmed';
import { plainName } from '../columns.ts';
import { type ImportFile, UnreadableFile } from '../files.ts';
import { quoted } from '../values.ts';
import type { SheetRow } from '../workbook/sheet.ts';
import { firstRows, sheetOf, withWorkbook } from '../workbook/workbook-rows.ts';
import type { Sample } from './sample.ts';
import { placeOf, sheetHeaderOf } from './sample-table.ts';

const MAX_ROWS = 1_000;
const TIME_ZONE =
  'time_zone: where are the times of the workbook local? Without an answer they are in UTC; add "time_zone": "Europe/Berlin", or yours.';

/** Names in a row are several texts. */
const isHeader = (names: readonly string[]) => names.filter((name) => name !== '').length > 1;

/** A time is text with its zone, which needs no form of the mapping. */
const textOf = ({ cells, kinds }: SheetRow, i: number) =>
  kinds[i] === 'fault' ? '' : `${trimmed(cells[i] ?? '')}${kinds[i] === 'time' ? 'Z' : ''}`;

/** @throws {UnreadableFile} when there is nothing to be read. */
export async function sheetSample(file: ImportFile): Promise<Sample> {
  const tables = withWorkbook(file, process.stdin, {}, async function* (workbook) {
    const sheet = await sheetOf(workbook, undefined, isHeader);
    yield { name: sheet.name, rows: await firstRows(workbook, sheet, MAX_ROWS + 1) };
  });
  for await (const { name, rows } of tables) {
    const at = sheetHeaderOf(rows.map(({ cells }) => cells));
    const names = rows[at]?.cells.map(plainName) ?? [];
    const others = rows.slice(at + 1);
    const { place, reasons } = placeOf(rows, at);
    return {
      encoding: undefined,
      delimiter: undefined,
      form: place,
      names,
      textsOf: (one) => others.map((row) => textOf(row, names.indexOf(one))),
      rows: others.length,
      reasons: [`sheet ${quoted(name)}, by its header`, ...reasons],
      questions: others.some(({ kinds }) => kinds.includes('time')) ? [TIME_ZONE] : [],
    };
  }
  throw new UnreadableFile('There is no header row.');
}
