// The format of a file of items by its name, and its bytes in that format.

import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { ExportFormat } from '@linecard/client';
import { WrongUsage } from './outcome.ts';

const ENDINGS: Readonly<Record<string, ExportFormat>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.xlsx': 'xlsx',
};
const GZIP = '.gz';
const KNOWN = `${Object.keys(ENDINGS).join(', ')}, each but .xlsx also with ${GZIP}`;

export interface FileForm {
  readonly format: ExportFormat;
  readonly isCompressed: boolean;
}

/** @throws {WrongUsage} where name and `--output` say no format, or two different ones */
export function formOfFile(file: string, chosen: ExportFormat | undefined): FileForm {
  const name = file.toLowerCase();
  const isCompressed = name.endsWith(GZIP);
  const plainName = isCompressed ? name.slice(0, -GZIP.length) : name;
  const [, said] = Object.entries(ENDINGS).find(([ending]) => plainName.endsWith(ending)) ?? [];
  if (said === 'xlsx' && isCompressed) {
    throw new WrongUsage(`An .xlsx is compressed as it is: leave ${GZIP} out of "${file}".`);
  }
  if (said !== undefined && chosen !== undefined && said !== chosen) {
    throw new WrongUsage(
      `--output ${chosen} and --file "${file}" do not go together: leave --output out, or name the file otherwise.`,
    );
  }
  const format = said ?? chosen;
  if (format !== undefined) return { format, isCompressed };
  throw new WrongUsage(
    `--file "${file}" does not say what to write: its name must end in ${KNOWN}; or say it with --output.`,
  );
}

export function compressed(chunks: AsyncIterable<string | Uint8Array>): AsyncIterable<Uint8Array> {
  const source = Readable.from(chunks);
  const gzip = createGzip();
  source.on('error', (error) => gzip.destroy(error));
  return source.pipe(gzip);
}
