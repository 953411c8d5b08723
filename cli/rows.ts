// Items as text, in each of the forms that a command can put out.

import { CsvWriter } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import { visibleJson, visibleLines } from './printable.ts';
import type { Row } from './table.ts';

export type Output = 'table' | 'json' | 'ndjson' | 'csv';

interface Form {
  readonly begin: string;
  /** @param i which item it is, from 0. */
  line(row: Row, i: number): string;
  end(items: number): string;
}

/** Only these columns of an item; the item itself where all are wanted. */
function chosen(row: Row, columns: readonly string[] | undefined): Row {
  return columns === undefined ? row : Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));
}

function formOf(output: Exclude<Output, 'table'>, list: List, columns: readonly string[] | undefined): Form {
  if (output === 'csv') {
    const writer = new CsvWriter(list, columns);
    return { begin: writer.header, line: (row) => writer.line(row), end: () => '' };
  }
  const json = (row: Row) => JSON.stringify(chosen(row, columns));
  if (output === 'ndjson') return { begin: '', line: (row) => `${json(row)}\n`, end: () => '' };
  return {
    begin: '[',
    line: (row, i) => `${i === 0 ? '' : ','}\n  ${json(row)}`,
    end: (items) => (items === 0 ? ']\n' : '\n]\n'),
  };
}

/** The items as text, a piece for each. A JSON array is closed only when every item has come. */
export async function* rowsText(
  output: Exclude<Output, 'table'>,
  list: List,
  columns: readonly string[] | undefined,
  rows: AsyncIterable<Row>,
): AsyncGenerator<string, void, void> {
  const form = formOf(output, list, columns);
  let items = 0;
  yield form.begin;
  for await (const row of rows) {
    yield form.line(row, items);
    items += 1;
  }
  yield form.end(items);
}

/** What of a text may be shown on a terminal without harm; elsewhere it goes as it is. */
export function forTerminal(output: Exclude<Output, 'table'>, text: string): string {
  if (!process.stdout.isTTY) return text;
  return output === 'csv' ? visibleLines(text) : visibleJson(text);
}
