// A file of every match: counted while it comes, held in memory until it is whole, and only then saved.

import { type ListFacts, selectionParams, type View, writeQuery } from '../contract.ts';
import { ask, problemOf } from '../linecard.ts';

const LINE_END = 0x0a;
const QUOTE = 0x22;
/** How long a saved file's address is good for. */
const SAVED_MS = 60_000;

export interface Format {
  readonly ending: string;
  readonly type: string;
  /** Lines before the first row; absent where the bytes do not show where a row ends. */
  readonly header?: number;
}

export const formats = {
  spreadsheet: { ending: 'xlsx', type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  csv: { ending: 'csv', type: 'text/csv', header: 1 },
  ndjson: { ending: 'ndjson', type: 'application/x-ndjson', header: 0 },
} as const satisfies Record<string, Format>;

/** The file ended before it was whole. */
export class BrokenOff extends Error {}

/** Counts rows: line ends, except those within quotes, where a text of CSV has them. */
function rowCounter({ ending, header = 0 }: Format) {
  let rows = -header;
  let isQuoted = false;
  return (chunk: Uint8Array): number => {
    for (const byte of chunk) {
      if (byte === LINE_END && !isQuoted) rows += 1;
      else if (byte === QUOTE && ending === 'csv') isQuoted = !isQuoted;
    }
    return Math.max(0, rows);
  };
}

export interface FileRequest {
  readonly token: string;
  readonly list: ListFacts;
  readonly view: View;
  readonly format: Format;
  readonly signal: AbortSignal;
}

/** Begins an export: how many rows will come, and its bytes. */
async function openExport({ token, list, view, format, signal }: FileRequest) {
  const search = writeQuery(selectionParams(view));
  const url = search === '' ? list.path : `${list.path}?${search}`;
  const response = await ask(token, url, { headers: { accept: format.type }, signal });
  if (!response.ok || response.body === null) throw await problemOf(response);
  return { total: Number(response.headers.get('x-total-count') ?? 0), body: response.body };
}

export function fileName({ list, format }: Pick<FileRequest, 'list' | 'format'>): string {
  return `${list.word}.${format.ending}`;
}

/**
 * Saves every match of a view as a file.
 * @throws {BrokenOff} where fewer rows came than were announced; {Problem} where the service refuses.
 */
export async function saveAll(
  request: FileRequest,
  onRows: (done: number, total: number) => void,
): Promise<void> {
  const { format, signal } = request;
  const { total, body } = await openExport(request);
  const count = rowCounter(format);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let rows = 0;
  for await (const chunk of body) {
    chunks.push(new Uint8Array(chunk));
    if ('header' in format) rows = count(chunk);
    onRows(rows, total);
  }
  if ('header' in format && rows !== total) throw new BrokenOff();
  signal.throwIfAborted();
  save(new Blob(chunks, { type: format.type }), fileName(request));
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS);
}
