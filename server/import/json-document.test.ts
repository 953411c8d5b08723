// JSON documents: the records of an array wherever it is, however the document comes in parts; and documents
// that are none.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MAX_LINE_BYTES } from './chunks.ts';
import { UnreadableFile } from './files.ts';
import { JsonDocument } from './json-document.ts';

/** The records of a document that comes in parts of these sizes. */
function recordsOf(text: string, path = '', sizes: readonly number[] = [text.length + 1]): string[] {
  const document = new JsonDocument(path);
  const records: string[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? 1);
    records.push(...document.take(text.slice(at, at + size)));
    at += size;
  }
  document.end();
  return records;
}

const fault = (text: string, path = '') => {
  try {
    recordsOf(text, path);
  } catch (error) {
    if (error instanceof UnreadableFile) return error.message;
    throw error;
  }
  return undefined;
};

const value = fc.jsonValue({ maxDepth: 4 });
const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });
const spaces = fc.constantFrom(undefined, 1, '\t');

describe('a document', () => {
  test('gives its records as they are written, in parts of any size', () => {
    fc.assert(
      fc.property(fc.array(value), spaces, sizes, (array, space, parts) => {
        const records = recordsOf(JSON.stringify(array, null, space), '', parts);
        assert.deepEqual(
          records.map((one) => JSON.parse(one)),
          JSON.parse(JSON.stringify(array)),
        );
      }),
    );
  });

  test('has its array at the path that is named, among anything else', () => {
    const key = fc.constantFrom('meta', 'next', 'links', 'a"b\\', '{', ']');
    fc.assert(
      fc.property(
        fc.dictionary(key, value),
        fc.dictionary(key, value),
        fc.array(value),
        spaces,
        sizes,
        (before, after, array, space, parts) => {
          const own = (text: string) => text.slice(text.indexOf('{') + 1, text.lastIndexOf('}')).trim();
          const texts = [
            own(JSON.stringify(before)),
            `"data":[0,{"items":${JSON.stringify(array, null, space)}}]`,
          ];
          const rest = own(
            JSON.stringify(Object.fromEntries(Object.entries(after).map(([k, v]) => [`z${k}`, v]))),
          );
          const text = `{${[...texts, rest].filter((one) => one !== '').join(' , ')}}`;
          assert.deepEqual(
            recordsOf(text, 'data.1.items', parts).map((one) => JSON.parse(one)),
            JSON.parse(JSON.stringify(array)),
          );
        },
      ),
    );
  });

  test('that is cut off anywhere is refused', () => {
    const text = '{"page": 1, "data": [{"id": 1, "t": "\\"]}"}, {"id": [2]}], "next": null}';
    for (let end = 0; end < text.length; end++)
      assert.notEqual(fault(text.slice(0, end), 'data'), undefined, text.slice(0, end));
    assert.equal(fault(text, 'data'), undefined);
  });

  test('is refused exactly where JSON.parse refuses it, around its records', () => {
    const signs = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      'null',
      ' ',
      'x',
      '"',
      '-',
      '"data"',
    );
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 8 }), (parts) => {
        const text = `{"data":[],"b":${parts.join('')}}`;
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        // A second "data" is refused as well.
        if (!text.slice(8).includes('"data"')) assert.equal(fault(text, 'data') === undefined, isJson, text);
      }),
      { numRuns: 2_000 },
    );
  });

  test('says what it has in the place of the array', () => {
    assert.equal(
      fault('{"data": []}'),
      'The document is an object, not an array: name the path of its array in the mapping, such as "records": "data", or add --format ndjson where each line is an object.',
    );
    assert.equal(
      fault('7'),
      'The document is a number, not an array: name the path of its array in the mapping, such as "records": "data", or add --format ndjson where each line is an object.',
    );
    assert.equal(
      fault('{"data": {}}', 'data'),
      '"data" is an object, and not an array: correct "records" of the mapping.',
    );
    assert.equal(
      fault('{"data": "x"}', 'data'),
      '"data" is a string, and not an array: correct "records" of the mapping.',
    );
    assert.equal(
      fault('{"rows": []}', 'data'),
      'The document has no "data", the array that "records" of the mapping names.',
    );
    assert.equal(fault('{"data": [], "data": []}', 'data'), '"data" is there twice; leave one out.');
    assert.equal(
      fault('{"id": 1}\n{"id": 2}\n', 'data'),
      'The document goes on after its end. If it has one object on each line, it is NDJSON: --format ndjson.',
    );
    assert.equal(fault(''), 'The file is empty.');
    assert.equal(
      fault('[{"id": 1}]]'),
      'The document goes on after its end. If it has one object on each line, it is NDJSON: --format ndjson.',
    );
  });

  test('is read no further where it is too deep, or one of its texts or records is too long', () => {
    const deep = (n: number) => '['.repeat(n) + ']'.repeat(n);
    assert.equal(fault(deep(60)), undefined);
    assert.match(fault(deep(70)) ?? '', /^Objects and arrays are more than 64 deep in each other/);
    assert.match(fault(`{"a":${deep(1_000_000)}}`, 'data') ?? '', /more than 64 deep/);
    const long = 'x'.repeat(MAX_LINE_BYTES + 1);
    assert.match(fault(`[{"id":"${long}`) ?? '', /^A record is longer than 1048576 characters/);
    assert.match(fault(`{"a":"${long}`, 'data') ?? '', /^A text is longer than 1048576 characters/);
  });
});
