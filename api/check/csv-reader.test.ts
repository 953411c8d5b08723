// The grammar of CSV: that of csv-parse, the library that reads it where speed does not matter.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CsvError, type Info, parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/characters.ts';
import { CsvReader, type CsvRecord, MAX_RECORD_CHARACTERS } from './csv-reader.ts';

/** Cuts a text after some of its line ends, as a file that is read in chunks. */
function chunks(text: string, cuts: readonly boolean[]): string[] {
  const lines = text.split(/(?<=\n)/);
  const found: string[] = [''];
  for (const [i, line] of lines.entries()) {
    found[found.length - 1] += line;
    if (cuts[i % cuts.length] === true) found.push('');
  }
  return found;
}

function read(...texts: string[]): CsvRecord[] {
  const reader = new CsvReader();
  const records = texts.flatMap((text) => [...reader.records(text)]);
  const rest = reader.rest();
  return rest === undefined ? records : [...records, rest];
}

/** What the library makes of a text: its records, up to the first fault. */
function oracle(text: string): { records: CsvRecord[]; faulty: boolean } {
  const records: CsvRecord[] = [];
  let readBytes = 0;
  try {
    parse(text, {
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
      // With `info` it gives both in one, whatever its types say.
      on_record(both) {
        const { record, info } = both as unknown as { record: string[]; info: Info };
        const skipped = /^(?:\r?\n)*/.exec(text.slice(readBytes))?.[0].length ?? 0;
        const line = text.slice(0, readBytes + skipped).split('\n').length;
        readBytes = info.bytes;
        records.push({ line, cells: record });
        return null;
      },
    });
    return { records, faulty: false };
  } catch (error) {
    assert.ok(error instanceof CsvError, String(error));
    return { records, faulty: true };
  }
}

const characters = fc.constantFrom(
  'a',
  'b',
  ' ',
  "'",
  ',',
  ',',
  '"',
  '"',
  '""',
  '\n',
  '\r\n',
  '\r',
  '",',
  ',"',
  '"\n',
);
const anyText = fc.array(characters, { maxLength: 40 }).map((parts) => parts.join(''));
const cuts = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });

describe('CSV is read', () => {
  test('as csv-parse reads it, up to the first fault, with the line of each record', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { records, faulty } = oracle(text);
        const ours = read(text);
        const firstFault = ours.findIndex(({ fault }) => fault !== undefined);
        assert.equal(firstFault >= 0, faulty);
        assert.deepEqual(faulty ? ours.slice(0, firstFault) : ours, records);
      }),
      { numRuns: 20_000 },
    );
  });

  test('the same however the file is cut into chunks', () => {
    fc.assert(
      fc.property(anyText, cuts, (text, where) => assert.deepEqual(read(...chunks(text, where)), read(text))),
      { numRuns: 5_000 },
    );
  });

  test('cell by cell as it was written, whatever the cells hold', () => {
    const cells = fc.array(fc.string({ unit: anyCharacter }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(cells, { maxLength: 5 }), fc.constantFrom('\n', '\r\n'), (rows, lineEnd) => {
        const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
        const text = rows.map((row) => row.map(quoted).join(',') + lineEnd).join('');
        assert.deepEqual(
          read(text).map((record) => record.cells),
          rows,
        );
      }),
    );
  });
});

describe('a fault in the quotes', () => {
  const faults: [title: string, text: string, line: number, cells: string[], words: RegExp][] = [
    [
      'a stray quote is reported with its cell',
      'a,b\n1,five" nails,3\n',
      2,
      ['1'],
      /quote in a cell that does not begin/,
    ],
    ['so is text after a closing quote', 'a,b\n"x"y,2\n', 2, [], /after its closing quote/],
    ['an open quote is reported where it begins', 'a,b\n1,"x\ny\nz\n', 2, ['1'], /not closed/],
  ];
  for (const [title, text, line, cells, words] of faults) {
    test(title, () => {
      const faulty = read(text).find(({ fault }) => fault !== undefined);
      assert.deepEqual([faulty?.line, faulty?.cells], [line, cells]);
      assert.match(faulty?.fault ?? '', words);
    });
  }

  test('does not keep the next line from being read', () => {
    assert.deepEqual(read('a"\nb,c\n')[1], { line: 2, cells: ['b', 'c'] });
  });

  test('ends the file when a quote stays open for longer than any record is', () => {
    const line = `${'x'.repeat(1_000)}\n`;
    const records = read('a,b\n1,"', line.repeat(MAX_RECORD_CHARACTERS / 1_000 + 1), '"\n1,2\n');
    assert.deepEqual(
      records.map((record) => record.line),
      [1, 2],
    );
  });

  test('ends the file as well when the record grows by cells that each line closes and opens', () => {
    const line = '","a\n';
    const lines = line.repeat(MAX_RECORD_CHARACTERS / line.length + 1);
    const [, faulty, ...more] = read('a,b\n1,"', lines, lines, '"\n1,2\n');
    assert.deepEqual([faulty?.line, more], [2, []]);
    assert.match(faulty?.fault ?? '', /not closed/);
    assert.ok((faulty?.cells.length ?? 0) <= MAX_RECORD_CHARACTERS / line.length + 2);
  });
});
