// The checksum of a backup, after its last page, where SQLite does not look. SQLite finds a page that is not
// well-formed; a digit of a row that has become another one it cannot find.

import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

const MARK = 'linecard-sha256:';
const DIGEST_CHARACTERS = 64;
const SEAL_BYTES = MARK.length + DIGEST_CHARACTERS;
const CHUNK_BYTES = 1_048_576;

/** Reads a file up to a size; `onChunk` gets bytes that are valid until it returns. */
function readChunks(path: string, begin: number, end: number, onChunk: (chunk: Buffer) => void): void {
  const file = openSync(path, 'r');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (let at = begin, read = 1; at < end && read > 0; at += read) {
      read = readSync(file, chunk, 0, Math.min(chunk.length, end - at), at);
      onChunk(chunk.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

function sealOf(path: string, bytes: number): string {
  const digest = createHash('sha256');
  readChunks(path, 0, bytes, (chunk) => digest.update(chunk));
  return MARK + digest.digest('hex');
}

/** Adds the checksum to a file that nobody has open. */
export function seal(path: string): void {
  appendFileSync(path, sealOf(path, statSync(path).size));
}

/**
 * Takes the checksum off a file that nobody has open.
 * @returns whether it is that of the rest; `undefined` where there is none, as in backups of SQLite's own
 * tools and of older versions.
 */
export function breakSeal(path: string): boolean | undefined {
  const bytes = statSync(path).size - SEAL_BYTES;
  if (bytes < 0) return undefined;
  let found = '';
  readChunks(path, bytes, bytes + SEAL_BYTES, (chunk) => {
    found += chunk.toString('latin1');
  });
  if (!found.startsWith(MARK)) return undefined;
  truncateSync(path, bytes);
  return found === sealOf(path, bytes);
}
