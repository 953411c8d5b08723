// The files of an import, before they are read: the format of each, and why one cannot be read.

import { fstatSync, statSync } from 'node:fs';
import { listed } from '@linecard/client/contract/wording';
import type { LineSource } from './faults.ts';

export const FORMATS = ['csv', 'ndjson', 'json', 'xlsx'] as const;
export type Format = (typeof FORMATS)[number];

/** Standard input, among the names of files. */
export const STANDARD_INPUT = '-';

const ENDINGS: readonly (readonly [ending: string, Format])[] = [
  ['.csv', 'csv'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.json', 'json'],
  ['.xlsx', 'xlsx'],
];
export const COMPRESSED = /\.gz$/i;
const WORKBOOK = /\.(?:xls[mb]?|xlt[xm]?|ods)$/;
/** What bytes of a list become when they are unpacked, to the best of what is known of them. */
const UNPACKED_FACTOR = 10;

export interface ImportFile {
  /** As it was named. */
  readonly name: string;
  readonly format: Format;
  /** How many bytes there are to read, where that is known. */
  readonly bytes: number | undefined;
  /** What it is read from in place of its name: an open file, from its beginning. */
  readonly descriptor?: number;
  /** Whether it must be gzip, whatever its name is. */
  readonly isCompressed?: boolean;
  /** Whether it is the body of a request. */
  readonly isBody?: boolean;
}

/** Whether a file is a workbook that can be read, by its name. */
export const isWorkbook = (name: string): boolean => /\.xlsx(?:\.gz)?$/i.test(name);

const UNITS = { json: 'record', xlsx: 'row' } as const;

/** What the lines of messages about a file are of. */
export const lineSourceOf = ({ name, format }: Pick<ImportFile, 'name' | 'format'>): LineSource =>
  format === 'json' || format === 'xlsx' ? { name, unit: UNITS[format] } : name;

/** A file that cannot be imported; the message says why, to follow its name. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** A file that cannot be read beyond the lines that were read of it: the fault is of the next. */
export class UnreadableLine extends UnreadableFile {}

/** A file that has more bytes, once unpacked, than may be read. */
export class FileTooLarge extends UnreadableFile {}

function formatOf(name: string, format: Format | undefined): Format {
  if (format !== undefined) return format;
  if (name === STANDARD_INPUT)
    throw new UnreadableFile(`Name the format of standard input: --format ${listed(FORMATS, 'or')}.`);
  const plain = name.replace(COMPRESSED, '').toLowerCase();
  const found = ENDINGS.find(([ending]) => plain.endsWith(ending));
  if (found !== undefined) return found[1];
  if (WORKBOOK.test(plain))
    throw new UnreadableFile('Of workbooks only .xlsx is read: save it as that, or as CSV.');
  const endings = ENDINGS.map(([ending]) => ending).join(', ');
  throw new UnreadableFile(
    `The name does not say the format (${endings}, or one of them with .gz): name it with --format.`,
  );
}

/** How many bytes all files have, where that is known; of text, about how many once unpacked. */
export function bytesOf(files: readonly ImportFile[], isOfText = false): number | undefined {
  return files.reduce<number | undefined>((sum, { name, bytes, isCompressed = COMPRESSED.test(name) }) => {
    const factor = isOfText && isCompressed ? UNPACKED_FACTOR : 1;
    return sum === undefined || bytes === undefined ? undefined : sum + factor * bytes;
  }, 0);
}

/**
 * A file to import, before it is read.
 * @throws {UnreadableFile} when it does not exist, is a folder, or its format is not known.
 */
export function importFile(name: string, format: Format | undefined, descriptor?: number): ImportFile {
  if (name === STANDARD_INPUT) return { name, format: formatOf(name, format), bytes: undefined };
  const found = descriptor === undefined ? statSync(name, { throwIfNoEntry: false }) : fstatSync(descriptor);
  if (found === undefined) throw new UnreadableFile('There is no such file.');
  if (found.isDirectory()) throw new UnreadableFile('This is a folder; name the files in it.');
  const bytes = found.isFile() ? found.size : undefined;
  return { name, format: formatOf(name, format), bytes, ...(descriptor === undefined ? {} : { descriptor }) };
}

/** An error of the file system or of the decompression, in words; anything else is left as it is. */
export function unreadable(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof UnreadableFile || code === undefined) return error;
  const what = code.startsWith('Z_') ? 'The file is not a complete gzip file' : 'The file cannot be read';
  return new UnreadableFile(`${what}: ${message}.`, { cause: error });
}
