// Files: their formats, their bytes, and those that are of no use.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { MAX_LINE_BYTES, readChunks } from './chunks.ts';
import { importFile, UnreadableFile } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'linecard-files-'));
after(() => rmSync(folder, { recursive: true }));

function written(name: string, bytes: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

async function chunksOf(name: string, stdin: Readable = Readable.from([])): Promise<string[]> {
  const chunks: string[] = [];
  for await (const { text } of readChunks(name, stdin)) chunks.push(text);
  return chunks;
}

const UTF_16 = { encoding: 'utf-16' };
/** Each character in four bytes, the lowest first. */
const utf32 = (text: string) => Buffer.from(Uint32Array.from(text, (one) => one.charCodeAt(0)).buffer);

const refused = (message: RegExp) => (error: unknown) =>
  error instanceof UnreadableFile && message.test(error.message);

describe('the format of a file', () => {
  const names: [name: string, format: string][] = [
    ['a.csv', 'csv'],
    ['A.CSV', 'csv'],
    ['a.ndjson', 'ndjson'],
    ['a.jsonl', 'ndjson'],
    ['a.csv.gz', 'csv'],
    ['a.ndjson.GZ', 'ndjson'],
  ];
  for (const [name, format] of names) {
    test(`${name} is ${format}`, () => assert.equal(importFile(written(name, ''), undefined).format, format));
  }

  test('may be named, whatever the name of the file', () => {
    assert.equal(importFile(written('export.txt', ''), 'ndjson').format, 'ndjson');
    assert.equal(importFile('-', 'csv').format, 'csv');
  });

  test('must be named where the name of the file does not say it', () => {
    assert.throws(() => importFile(written('export.txt', ''), undefined), refused(/name it with --format/));
    assert.throws(
      () => importFile(written('book.xlsm', ''), undefined),
      refused(/save it as that, or as CSV/),
    );
    assert.throws(() => importFile('-', undefined), refused(/--format csv, ndjson, json or xlsx/));
  });
});

describe('a file that cannot be read', () => {
  test('does not exist', () =>
    assert.throws(() => importFile(join(folder, 'no.csv'), undefined), refused(/no such file/)));
  test('is a folder', () => assert.throws(() => importFile(folder, 'csv'), refused(/folder/)));
  test('is UTF-16', async () => {
    await assert.rejects(
      chunksOf(written('utf-16.csv', Buffer.from('\ufeffid\n', 'utf16le'))),
      refused(/UTF-16/),
    );
  });
  for (const [what, bytes, says] of [
    ['UTF-16 without a mark', Buffer.from('id,é\r\n1,2\r\n', 'utf16le'), /UTF-16 without .* utf-16le,/],
    ['the other UTF-16', Buffer.from('id,é\r\n1,2\r\n', 'utf16le').swap16(), /utf-16be,/],
    ['UTF-32 with its mark', utf32('\ufeffid\n'), /UTF-32, which is not read/],
    ['the other UTF-32 with its mark', utf32('\ufeffid\n').swap32(), /UTF-32/],
    ['UTF-32', utf32('id\n'), /UTF-32/],
    ['the other UTF-32', utf32('id\n').swap32(), /UTF-32/],
    ['a workbook', Buffer.from('PK\x03\x04\x14\0\x06\0\x08\0\n'), /ZIP archive.*save it as CSV/],
    ['lines that end in CR', Buffer.from('id,did\r1,2\r'), /end in CR alone: save it with line ends LF/],
    ['such lines with a line break at the end', Buffer.from('id,did\r1,2\n'), /end in CR alone/],
    ['such lines without end', Buffer.from('id,did\r1,2\r'.repeat(MAX_LINE_BYTES)), /end in CR alone/],
  ] as const) {
    test(`is ${what}`, () => assert.rejects(chunksOf(written('odd.csv', bytes)), refused(says)));
  }
  test('is UTF-32 where it is said to be UTF-16', async () => {
    const reading = async () => {
      for await (const _ of readChunks(written('odd.csv', utf32('\ufeffid\n')), Readable.from([]), UTF_16));
    };
    await assert.rejects(reading, refused(/is not utf-16; .* UTF-32 is not read/));
  });
  test('is half of a gzip file', async () => {
    const bytes = gzipSync('id\n'.repeat(10_000));
    await assert.rejects(
      chunksOf(written('half.csv.gz', bytes.subarray(0, -9))),
      refused(/not a complete gzip file/),
    );
  });
  test('is no gzip file at all', async () => {
    await assert.rejects(chunksOf(written('plain.csv.gz', 'id\n')), refused(/not a complete gzip file/));
  });
  test('ends within a line, or within the line break', async () => {
    for (const text of ['id', 'id\n1', 'id\n1\r', ' ']) {
      await assert.rejects(chunksOf(written('cut.csv', text)), refused(/does not end with a line break/));
      await assert.rejects(chunksOf('-', Readable.from([Buffer.from(text)])), refused(/line break/));
    }
  });
  test('has a line without end', async () => {
    await assert.rejects(
      chunksOf(written('long.csv', `id\n${'x'.repeat(2 * MAX_LINE_BYTES)}`)),
      refused(/longer than/),
    );
  });
});

describe('the text of a file', () => {
  test('is complete, in chunks of complete lines, however the bytes come', async () => {
    const bytes = fc
      .array(fc.constantFrom('a', 'é', '🦊', '\n', '\r\n', '\n'), { maxLength: 60 })
      .map((s) => `${s.join('')}\n`);
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 7 }), async (text, size) => {
        const all = Buffer.from(text);
        const sent = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
          all.subarray(i * size, (i + 1) * size),
        );
        const chunks = await chunksOf('-', Readable.from(sent));
        assert.equal(chunks.join(''), text);
        for (const chunk of chunks) assert.ok(chunk.endsWith('\n'));
      }),
    );
  });

  test('does not begin with a byte order mark', async () => {
    assert.deepEqual(await chunksOf(written('mark.csv', '\ufeffid\n\ufeff\n')), ['id\n\ufeff\n']);
  });

  test('shows by half a surrogate pair where it is not UTF-8, and only in that line', async () => {
    const bytes = Buffer.concat([
      Buffer.from('\ufffd,é\n'),
      Buffer.from([0x61, 0xff, 0x0a]),
      Buffer.from('é\n'),
    ]);
    const text = (await chunksOf(written('broken.csv', bytes))).join('');
    assert.equal(text, '\ufffd,é\na\udcff\né\n');
  });

  test('is unpacked where it is compressed', async () => {
    const text = 'id,title\n1,é\n'.repeat(100_000);
    assert.equal((await chunksOf(written('packed.csv.gz', gzipSync(text)))).join(''), text);
    // By its first bytes, where its name does not say it, however they come.
    assert.equal((await chunksOf(written('packed.csv', gzipSync(text)))).join(''), text);
    const bytes = Array.from(gzipSync(text), (byte) => Buffer.from([byte]));
    assert.equal((await chunksOf('-', Readable.from(bytes))).join(''), text);
  });
});
