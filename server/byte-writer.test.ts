import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../test/kit/characters.ts';
import { LineBuffer, linesIn } from './byte-writer.ts';

const CHUNK_BYTES = 64;
/** Any text without a line end, of none to three chunks. */
const text = fc
  .string({ unit: anyCharacter, maxLength: 3 * CHUNK_BYTES })
  .map((any) => any.replaceAll('\n', ' '));

describe('buffered lines', () => {
  test('are passed on complete and in order, in chunks up to the maximum size', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ text, isFlushed: fc.boolean() })), (writes) => {
        const chunks: Buffer[] = [];
        const lines = new LineBuffer(CHUNK_BYTES, (chunk) => chunks.push(chunk));
        for (const { text: line, isFlushed } of writes) {
          lines.write(`${line}\n`);
          if (isFlushed) lines.flush();
        }
        lines.flush();
        const expected = writes.map(({ text: line }) => `${line}\n`).join('');
        assert.equal(Buffer.concat(chunks).toString(), expected.toWellFormed());
        for (const chunk of chunks) {
          assert.equal(chunk.at(-1), 10);
          assert.ok(chunk.length <= CHUNK_BYTES || linesIn(chunk) === 1);
        }
        assert.equal(
          chunks.reduce((sum, chunk) => sum + linesIn(chunk), 0),
          writes.length,
        );
      }),
    );
  });

  test('do not change after they were passed on', () => {
    const chunks: Buffer[] = [];
    const lines = new LineBuffer(CHUNK_BYTES, (chunk) => chunks.push(chunk));
    lines.write('first\n');
    lines.flush();
    lines.write('other\n');
    assert.equal(String(chunks[0]), 'first\n');
    assert.equal(Buffer.from(lines.take()).toString(), 'other\n');
    lines.flush();
    assert.equal(chunks.length, 1);
  });
});
