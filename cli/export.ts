// `linecard … export`: every match, from one snapshot, to standard output or into a file, which is written
// completely or not at all.

import type { ExportFormat } from '@linecard/client';
import { type ListParams, listOf } from '@linecard/client/client/any-list';
import type { List } from '@linecard/client/contract/list';
import { columnsNamed, fieldsParam } from './columns.ts';
import { connect, type ListCall } from './connect.ts';
import { compressed, type FileForm, formOfFile } from './files.ts';
import { type GivenOptions, textOf } from './options.ts';
import { WrongUsage } from './outcome.ts';
import { counted, inChunks, print, say } from './print.ts';
import { tracked } from './progress.ts';
import { forTerminal, rowsText } from './rows.ts';
import { removeStaleParts, writeWhole } from './whole-file.ts';

const NEW_FILE = 0o666;
const FILE_NAME = 'items.xlsx';

interface ExportOrder {
  readonly params: ListParams;
  readonly form: FileForm;
  /** Without columns, the file has exactly the server's bytes. */
  readonly columns: readonly string[] | undefined;
  /** Whether standard output is not the terminal. */
  readonly isRedirected: boolean;
  readonly signal: AbortSignal;
}

async function begin(
  list: List,
  given: GivenOptions,
  { params, form, columns, isRedirected, signal }: ExportOrder,
): Promise<{ total: number; texts: AsyncIterable<string | Uint8Array> }> {
  const { format } = form;
  const client = listOf((await connect(given)).client, list);
  const query = { ...params, ...fieldsParam(list, columns) };
  if (format === 'xlsx' || columns === undefined) {
    const answer = await client.export(query, { format, signal });
    const { total } = answer;
    // The bytes of a spreadsheet do not show its progress.
    const isTracked = isRedirected && format !== 'xlsx';
    return { total, texts: tracked(answer.bytes(), answer, isTracked) };
  }
  const rows = await client.export(query, { signal });
  const trackedRows = tracked(rows, rows, isRedirected);
  return { total: rows.total, texts: rowsText(format, list, columns, trackedRows) };
}

/**
 * @throws {WrongUsage}
 * @throws {Problem} also where an export breaks off; an existing file then remains as it was
 */
export async function exportItems(
  { list, given, signal }: ListCall,
  params: ListParams,
  chosen: ExportFormat | undefined,
): Promise<void> {
  const path = textOf(given, 'file');
  const form =
    path === undefined ? { format: chosen ?? 'csv', isCompressed: false } : formOfFile(path, chosen);
  const named = given.get('columns');
  const onTerminal = path === undefined && process.stdout.isTTY;
  // Complete lines, so that everything that must not reach a terminal is found.
  const wholeLines = onTerminal ? Object.keys(list.fields) : undefined;
  const columns = named === undefined ? wholeLines : columnsNamed(list, named);
  const order = { params, form, columns, isRedirected: !onTerminal, signal };
  if (path === undefined) {
    if (onTerminal && form.format === 'xlsx')
      throw new WrongUsage(`A terminal cannot show a spreadsheet: --file ${FILE_NAME}.`);
    const { texts } = await begin(list, given, order);
    await print(form.format === 'xlsx' ? texts : forTerminal(form.format, texts));
    return;
  }
  await removeStaleParts(path);
  let items = 0;
  await writeWhole(path, { mode: NEW_FILE, keepMode: true }, async (file) => {
    const { total, texts } = await begin(list, given, order);
    items = total;
    const chunks = inChunks(texts);
    for await (const chunk of form.isCompressed ? compressed(chunks) : chunks) await file.writeFile(chunk);
  });
  say(`${counted(items, list)} in ${path}.`);
}
