// `linecard … list`: a page of a list, or with --all everything, as a table or for a program. Standard error
// says what a table leaves out.

import { type AnyList, currencyOf, type ListParams, listOf } from '@linecard/client/client/any-list';
import type { Item } from '@linecard/client/contract/csv';
import type { List } from '@linecard/client/contract/list';
import { count } from '@linecard/client/contract/wording';
import { columnsNamed, fieldsParam } from './columns.ts';
import { lineWidth } from './config.ts';
import { connect, type ListCall } from './connect.ts';
import { textOf } from './options.ts';
import { WrongUsage } from './outcome.ts';
import { paintFor, print, say } from './print.ts';
import { tracked } from './progress.ts';
import { forTerminal, type Output, rowsText } from './rows.ts';
import { sayNotes, Table } from './table.ts';

/** A table is measured by its first rows, because the others have not arrived yet. */
const SAMPLE_ROWS = 1_000;
const PAGE_OPTIONS = ['page', 'page-size'];

export interface Selection {
  readonly rows: AsyncGenerator<Item, void, void>;
  readonly total: number;
  readonly isWhole: boolean;
  readonly coverage: string;
}

/** Every match. */
export function wholeOf(rows: Selection['rows'], total: number): Selection {
  return { rows, total, isWhole: true, coverage: `${count(total)} of ${count(total)}.` };
}

async function wholeList(client: AnyList, params: ListParams, signal: AbortSignal): Promise<Selection> {
  const rows = await client.export(params, { signal });
  return wholeOf(tracked(rows, rows, !process.stdout.isTTY), rows.total);
}

/** @param client of a list, or of the accounts below */
export async function onePage(
  client: Pick<AnyList, 'list'>,
  params: ListParams,
  signal: AbortSignal,
): Promise<Selection> {
  const { data, page, page_size, total, total_pages } = await client.list(params, { signal });
  const before = (page - 1) * page_size;
  async function* rows() {
    yield* data;
  }
  const coverage = () => {
    if (data.length === total) return `${count(total)} of ${count(total)}.`;
    if (data.length === 0)
      return `Page ${count(page)} is empty: there are ${count(total)} on ${count(total_pages)} page${total_pages === 1 ? '' : 's'}.`;
    const which = page === 1 ? count(data.length) : `${count(before + 1)} to ${count(before + data.length)}`;
    return `${which} of ${count(total)}, --all for the rest.`;
  };
  return { rows: rows(), total, isWhole: data.length === total, coverage: coverage() };
}

async function firstOf(rows: AsyncGenerator<Item, void, void>): Promise<Item[]> {
  const sample: Item[] = [];
  while (sample.length < SAMPLE_ROWS) {
    const { done, value } = await rows.next();
    if (done === true) break;
    sample.push(value);
  }
  return sample;
}

/** What a table has in addition to its rows, where they are those of a list. */
interface Shown {
  readonly columns?: readonly string[] | undefined;
  readonly currency?: Promise<string | undefined> | undefined;
  /** The option that shows all columns; JSON has them where none can be chosen. */
  readonly whole?: string;
}

export async function printTable(
  list: List,
  { rows, total, coverage }: Pick<Selection, 'rows' | 'coverage'> & { readonly total?: number },
  { columns, currency, whole = '--output json' }: Shown = {},
): Promise<void> {
  const sample = await firstOf(rows);
  if (sample.length === 0) {
    say(total === 0 ? `No ${list.title.toLowerCase()} match.` : coverage);
    return;
  }
  const { stdout } = process;
  const table = new Table(list, sample, { width: lineWidth(stdout), columns, paint: paintFor(stdout) });
  async function* lines() {
    yield table.head();
    for (const row of sample) yield table.line(row);
    for await (const row of rows) yield table.line(row);
  }
  await print(lines());
  sayNotes(table, await currency, { coverage, whole });
}

/**
 * @throws {WrongUsage}
 * @throws {Problem}
 */
export async function listItems(
  { list, given, signal }: ListCall,
  params: ListParams,
  output: Output,
): Promise<void> {
  const named = given.get('columns');
  const columns = named === undefined ? undefined : columnsNamed(list, named);
  const all = textOf(given, 'all') !== undefined;
  const outOfPlace = PAGE_OPTIONS.filter((name) => all && given.has(name));
  if (outOfPlace.length > 0) {
    throw new WrongUsage(
      `${outOfPlace.map((name) => `--${name}`).join(' and ')} cannot be combined with --all.`,
    );
  }
  const { client } = await connect(given);
  const currency = output === 'table' ? currencyOf(client, signal) : undefined;
  const request = { ...params, ...fieldsParam(list, columns) };
  const selection = await (all ? wholeList : onePage)(listOf(client, list), request, signal);
  await printSelection(list, selection, output, { columns, currency, whole: '--columns all' });
}

export async function printSelection(
  list: List,
  selection: Selection,
  output: Output,
  shown: Shown = {},
): Promise<void> {
  if (output === 'table') return printTable(list, selection, shown);
  await print(forTerminal(output, rowsText(output, list, shown.columns, selection.rows)));
  if (!selection.isWhole) say(selection.coverage);
}
