// What is read of a file at a time.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { temporaryFolder } from '../../test/kit/temporary-folder.ts';
import { readChunks } from './chunks.ts';

test('a file is read complete, and no more at a time than was wanted and the rest of a line', async () => {
  const file = join(temporaryFolder(), 'lines.csv');
  const line = fc.string({ unit: fc.constantFrom('a', ',', 'é', '😀'), minLength: 1, maxLength: 30 });
  const given = fc.record({
    lines: fc.array(line, { minLength: 1 }),
    chunkBytes: fc.integer({ min: 64, max: 512 }),
  });
  const property = fc.asyncProperty(given, async ({ lines, chunkBytes }) => {
    const text = `${lines.join('\n')}\n`;
    writeFileSync(file, text);
    const read: string[] = [];
    for await (const chunk of readChunks(file, process.stdin, { chunkBytes })) read.push(chunk.text);
    assert.equal(read.join(''), text);
    const longest = Math.max(...lines.map((one) => Buffer.byteLength(one))) + 1;
    for (const chunk of read) assert.ok(Buffer.byteLength(chunk) < chunkBytes + longest);
  });
  await fc.assert(property, { numRuns: 50 });
});
