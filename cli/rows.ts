// Items as text in each output format.

import { CsvWriter, type Item } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import { visibleJson, visibleLines } from '@linecard/client/contract/printable';
import { visibleColumns } from './columns.ts';

export type Output = 'table' | 'json' | 'ndjson' | 'csv';

interface Form {
  readonly begin: string;
  /** @param i the index of the item */
  line(row: Item, i: number): string;
  end(items: number): string;
}

/** The item with only these columns, if there are any. */
function chosen(row: Item, columns: readonly string[] | undefined): Item {
  return columns === undefined ? row : Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));
}

function formOf(output: Exclude<Output, 'table'>, list: List, columns: readonly string[] | undefined): Form {
  if (output === 'csv') {
    const writer = new CsvWriter(list, columns);
    return { begin: writer.header, line: (row) => writer.line(row), end: () => '' };
  }
  const json = (row: Item) => JSON.stringify(chosen(row, columns));
  if (output === 'ndjson') return { begin: '', line: (row) => `${json(row)}\n`, end: () => '' };
  return {
    begin: '[',
    line: (row, i) => `${i === 0 ? '' : ','}\n  ${json(row)}`,
    end: (items) => (items === 0 ? ']\n' : '\n]\n'),
  };
}

/** One chunk per item. A JSON array is closed only when all items have arrived. */
export async function* rowsText(
  output: Exclude<Output, 'table'>,
  list: List,
  columns: readonly string[] | undefined,
  rows: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<string, void, void> {
  const all = columns ?? Object.keys(list.fields);
  let form: Form | undefined;
  let items = 0;
  for await (const row of rows) {
    if (form === undefined) {
      const shown = visibleColumns(all, row);
      form = formOf(output, list, shown.length < all.length ? shown : columns);
      yield form.begin;
    }
    yield form.line(row, items);
    items += 1;
  }
  if (form === undefined) {
    form = formOf(output, list, columns);
    yield form.begin;
  }
  yield form.end(items);
}

/** Makes texts safe where standard output is a terminal. */
export async function* forTerminal(
  output: Exclude<Output, 'table'>,
  texts: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array, void, void> {
  const harmless = output === 'csv' ? visibleLines : visibleJson;
  const { isTTY } = process.stdout;
  for await (const text of texts) yield isTTY && typeof text === 'string' ? harmless(text) : text;
}
