// `linecard … export`: every match, from one snapshot, to standard output or into a file that is there whole
// or not at all.

import type { ExportFormat } from '@linecard/client';
import type { List } from '@linecard/client/contract/list';
import { columnsNamed } from './columns.ts';
import type { AccountList } from './connect.ts';
import { type GivenOptions, type ListParams, textOf } from './options.ts';
import { counted, inChunks, print, say } from './print.ts';
import { tracked } from './progress.ts';
import { forTerminal, rowsText } from './rows.ts';
import { writeWhole } from './whole-file.ts';

const NEW_FILE = 0o666;
const LINE_END = 0x0a;
const ENDINGS: Readonly<Record<string, ExportFormat>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** The format that a file's name says, if it says one. */
export function formatOf(file: string | undefined): ExportFormat | undefined {
  return Object.entries(ENDINGS).find(([ending]) => file?.toLowerCase().endsWith(ending))?.[1];
}

function linesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}

/** What to export, and into what. */
export interface ExportOrder {
  readonly params: ListParams;
  readonly format: ExportFormat;
  /** Without them the file is the server's own, byte by byte. */
  readonly columns: readonly string[] | undefined;
  /** Whether it goes elsewhere than to the terminal. */
  readonly isRedirected: boolean;
  readonly signal: AbortSignal;
}

async function begin(
  list: List,
  client: AccountList,
  { params, format, columns, isRedirected, signal }: ExportOrder,
): Promise<{ total: number; texts: AsyncIterable<string | Uint8Array> }> {
  if (columns === undefined) {
    const answer = await client.export(params, { format, signal });
    return { total: answer.total, texts: tracked(answer.bytes(), answer.total, isRedirected, linesIn) };
  }
  const rows = await client.export(params, { signal });
  const trackedRows = tracked(rows, rows.total, isRedirected);
  return { total: rows.total, texts: rowsText(format, list, columns, trackedRows) };
}

/**
 * Exports items.
 * @throws {WrongUsage}
 * @throws {Problem} also where an export breaks off; a file that was there before still stands.
 */
export async function exportItems(
  list: List,
  client: () => Promise<AccountList>,
  {
    params,
    given,
    format,
    signal,
  }: { params: ListParams; given: GivenOptions; format: ExportFormat; signal: AbortSignal },
): Promise<void> {
  const path = textOf(given, 'file');
  const named = given.get('columns');
  const onTerminal = path === undefined && process.stdout.isTTY;
  // A terminal gets whole lines, so that what must not reach it is found for certain.
  const wholeLines = onTerminal ? Object.keys(list.fields) : undefined;
  const columns = named === undefined ? wholeLines : columnsNamed(list, named);
  const order = { params, format, columns, isRedirected: !onTerminal, signal };
  if (path === undefined) {
    const { texts } = await begin(list, await client(), order);
    await print(forTerminal(format, texts));
    return;
  }
  let items = 0;
  await writeWhole(path, { mode: NEW_FILE, keepMode: true }, async (file) => {
    const { total, texts } = await begin(list, await client(), order);
    items = total;
    for await (const chunk of inChunks(texts)) await file.writeFile(chunk);
  });
  say(`${counted(items, list)} in ${path}.`);
}
