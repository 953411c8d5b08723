// The form of a file is what its name says, or what was chosen where it says nothing; never a guess.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formOfFile } from './files.ts';
import { WrongUsage } from './outcome.ts';

const NAMES: Readonly<Record<string, readonly [string, boolean]>> = {
  'a.csv': ['csv', false],
  'A.CSV': ['csv', false],
  'a.ndjson': ['ndjson', false],
  'a.jsonl': ['ndjson', false],
  'a.csv.gz': ['csv', true],
  'a.ndjson.gz': ['ndjson', true],
  '/tmp/a.b/c.xlsx': ['xlsx', false],
};

describe('the name of a file', () => {
  for (const [name, [format, isCompressed]] of Object.entries(NAMES)) {
    test(`${name} is ${format}`, () => {
      assert.deepEqual(formOfFile(name, undefined), { format, isCompressed });
    });
  }

  const REFUSED: [name: string, chosen: 'csv' | undefined, said: RegExp][] = [
    ['a.pdf', undefined, /does not say what to write: its name must end in \.csv, .+\.xlsx/],
    ['a.xls', undefined, /does not say what to write/],
    ['a', undefined, /or say it with --output/],
    ['csv', undefined, /does not say/],
    ['a.gz', undefined, /does not say/],
    ['a.xlsx', 'csv', /--output csv and --file "a\.xlsx" do not go together/],
    ['a.xlsx.gz', undefined, /leave \.gz out/],
  ];
  for (const [name, chosen, said] of REFUSED) {
    test(`${name} is refused${chosen === undefined ? '' : ` as ${chosen}`}`, () => {
      assert.throws(
        () => formOfFile(name, chosen),
        (error) => error instanceof WrongUsage && said.test(error.message),
      );
    });
  }

  test('a name that says nothing takes what was chosen', () => {
    assert.deepEqual(formOfFile('a.txt', 'csv'), { format: 'csv', isCompressed: false });
  });
});
