// The ZIP archive that a workbook is: its parts by name, each as a stream. Nothing is unpacked to disk, no
// name of it is a path of this machine, and what unpacks to far more than it is, is refused.

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { binaryFault } from '@linecard/client/check/sniff';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';

import { isGzip, unpackedBytes } from '../chunks.ts';
import { FileTooLarge, type ImportFile, STANDARD_INPUT, UnreadableFile } from '../files.ts';

/** A workbook has some dozens of parts. */
const MAX_PARTS = 10_000;
/** What a part may unpack to: this, or this many times what it is packed. */
const FREE_BYTES = 67_108_864;
const MAX_FACTOR = 200;
const BEGINNING_BYTES = 8;
const OLD_OR_LOCKED = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ZIP = Buffer.from('PK\x03\x04');

/** What is wrong with an archive, in the words of its reader. */
function damaged(error: unknown): unknown {
  if (error instanceof UnreadableFile || !(error instanceof Error)) return error;
  return new UnreadableFile(
    `The workbook is damaged (${error.message}): open it in Excel or LibreOffice, and save it again.`,
    { cause: error },
  );
}

/** A file that has no name, with all of these bytes. */
async function unnamed(bytes: AsyncIterable<Buffer>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'linecard-'));
  try {
    const file = openSync(join(folder, 'workbook'), 'wx+', 0o600);
    // Its name is gone before it is read.
    rmSync(folder, { recursive: true });
    for await (const chunk of bytes) writeSync(file, chunk);
    return file;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function beginningOf(file: number): Buffer {
  const bytes = Buffer.alloc(BEGINNING_BYTES);
  return bytes.subarray(0, readSync(file, bytes, 0, BEGINNING_BYTES, 0));
}

function mustBeWorkbook(beginning: Buffer): void {
  if (beginning.subarray(0, ZIP.length).equals(ZIP)) return;
  if (beginning.equals(OLD_OR_LOCKED))
    throw new UnreadableFile(
      'The workbook is an old one (.xls) or has a password: save it as .xlsx without one, or as CSV.',
    );
  throw new UnreadableFile(
    binaryFault(beginning) ?? 'The file is not a workbook (.xlsx), whatever its name says.',
  );
}

export interface ArchiveOptions {
  /** How many bytes all parts that are read may have together. */
  readonly maxBytes?: number | undefined;
}

export class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #close: () => void;
  readonly #maxBytes: number;
  #bytes = 0;

  private constructor(
    zip: ZipFile,
    entries: ReadonlyMap<string, Entry>,
    maxBytes: number,
    close: () => void,
  ) {
    this.#zip = zip;
    this.#entries = entries;
    this.#maxBytes = maxBytes;
    this.#close = close;
  }

  /**
   * Opens a workbook. One that comes packed, or as a stream, is written to a file without a name first: its
   * directory is at its end.
   * @throws {UnreadableFile} when it is none.
   */
  static async open(file: ImportFile, stdin: Readable, options: ArchiveOptions = {}): Promise<Archive> {
    const { maxBytes = Number.POSITIVE_INFINITY } = options;
    const own = file.name === STANDARD_INPUT ? undefined : (file.descriptor ?? openSync(file.name, 'r'));
    const isOwned = own !== undefined && file.descriptor === undefined;
    const release = () => {
      if (isOwned) closeSync(own);
    };
    const isSeekable = own !== undefined && file.bytes !== undefined && !isGzip(beginningOf(own));
    let descriptor = own ?? -1;
    try {
      if (!isSeekable) descriptor = await unnamed(unpackedBytes(file, stdin, maxBytes));
    } catch (error) {
      release();
      throw error;
    }
    const close = () => {
      if (!isSeekable) closeSync(descriptor);
      release();
    };
    try {
      mustBeWorkbook(beginningOf(descriptor));
      const zip = await fromFdPromise(descriptor, {
        lazyEntries: true,
        autoClose: false,
        strictFileNames: true,
      });
      return new Archive(zip, await entriesOf(zip), maxBytes, close);
    } catch (error) {
      close();
      throw damaged(error);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The size of a part, unpacked. */
  sizeOf(name: string): number {
    return this.#entries.get(name)?.uncompressedSize ?? 0;
  }

  /**
   * The bytes of a part, unpacked.
   * @throws {UnreadableFile}
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name);
    if (entry === undefined)
      throw new UnreadableFile(`The workbook is damaged: it has no part ${JSON.stringify(name)}.`);
    const { compressedSize, uncompressedSize } = entry;
    if (uncompressedSize > Math.max(FREE_BYTES, MAX_FACTOR * compressedSize))
      throw new UnreadableFile(
        `${JSON.stringify(name)} of the workbook unpacks to ${Math.floor(uncompressedSize / compressedSize)} times its size, so it is not read.`,
      );
    this.#bytes += uncompressedSize;
    if (this.#bytes > this.#maxBytes)
      throw new FileTooLarge(`There are more than ${this.#maxBytes} bytes once unpacked.`);
    try {
      const stream: Readable = await this.#zip.openReadStreamPromise(entry);
      for await (const chunk of stream) yield chunk as Buffer;
    } catch (error) {
      throw damaged(error);
    }
  }

  close(): void {
    this.#close();
  }
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_PARTS) throw new UnreadableFile(`The workbook has more than ${MAX_PARTS} parts.`);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw new UnreadableFile('The workbook has a password: save it without one.');
    // The first counts, and another of its name is no part of a workbook.
    if (entries.has(entry.fileName))
      throw new UnreadableFile(`The workbook has ${JSON.stringify(entry.fileName)} twice.`);
    entries.set(entry.fileName, entry);
  }
  return entries;
}
