// NDJSON: what each JSON type may mean, and numbers that must arrive as they were written.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lists } from '@linecard/client/contract';
import { parseCharge } from '@linecard/client/contract/charge';
import fc from 'fast-check';
import { importColumns } from './columns.ts';
import { MappedColumns } from './mapping/mapped.ts';
import type { Mapping } from './mapping/written.ts';
import { NdjsonRows } from './ndjson.ts';
import type { RawValue } from './values.ts';

const list = lists.virtual_numbers;
const columns = importColumns(list);

/** Reads a file: what each row gave by column, and the faults. */
function read(...chunks: string[]) {
  return readMapped(undefined, ...chunks);
}

function readMapped(mapping: Mapping | undefined, ...chunks: string[]) {
  const faults: string[] = [];
  const report = (line: number, column: string | undefined, fault: string) =>
    faults.push(column === undefined ? `${line}: ${fault}` : `${line}: ${column}: ${fault}`);
  const mapped = mapping && new MappedColumns(mapping, columns);
  const format = new NdjsonRows({ list, columns, report, mapped });
  const rows = chunks.flatMap((chunk) => [...format.rows(chunk)]);
  format.end();
  const values = rows.map((row) =>
    Object.fromEntries(
      columns.flatMap(({ name }, i) => (row.values[i] === undefined ? [] : [[name, row.values[i]]])),
    ),
  );
  return { rows, values, faults };
}

function one(line: string): Record<string, RawValue> {
  const { values, faults } = read(line);
  assert.deepEqual(faults, []);
  return values[0] ?? {};
}

describe('a row', () => {
  test('gives its values as texts, and null as an empty one', () => {
    const line =
      '{"id":7,"did":"+44","monthly":2.25,"incoming":"0.0059","is_spammed":true,"comment":"","activated_at":null}';
    assert.deepEqual(one(line), {
      id: '7',
      did: '+44',
      monthly: '2.25',
      incoming: '0.0059',
      is_spammed: 'true',
      comment: '',
      activated_at: '',
    });
  });

  test('may have flags as 1 and 0, however the numbers next to them are written', () => {
    for (const number of ['2.5', '2.50', '1.0', '0.10', '1e2', '12345678901234567890.5']) {
      for (const [flag, text] of [
        ['1', '1'],
        ['0', '0'],
        ['true', 'true'],
      ]) {
        const row = one(`{"id":7,"is_spammed":${flag},"monthly":${number}}`);
        assert.deepEqual([row['is_spammed'], row['monthly']], [text, number]);
      }
      assert.deepEqual(one(`{"is_spammed":2,"monthly":${number}}`)['is_spammed'], {
        fault: 'must be true or false, without quotes, but was a number.',
      });
    }
  });

  test('has its line number; blank lines are skipped', () => {
    const { rows } = read('\n{"id":1}\r\n', '  \t\n\n{"id":2}\n{"id":3}');
    assert.deepEqual(
      rows.map(({ line }) => line),
      [2, 5, 6],
    );
  });

  const refused: [line: string, fault: string][] = [
    ['{"id":1', '^1: The line is not JSON \\(.*\\); write one complete object on each line\\.$'],
    ['[{"id":1}]', '1: The line must be a JSON object, but was an array.'],
    ['null', '1: The line must be a JSON object, but was null.'],
    ['7', '1: The line must be a JSON object, but was a number.'],
    ['{"id":1,"id":2}', '1: id: is there twice in the row; leave one out.'],
    ['{"id":1,"i\\u0064" :2}', '1: id: is there twice in the row; leave one out.'],
    ['{"id":1,"comment":"\udcff"}', '1: The line is not valid UTF-8.'],
  ];
  for (const [line, fault] of refused) {
    test(`is refused: ${line.toWellFormed()}`, () => {
      const { faults } = read(line);
      assert.equal(faults.length, 1);
      if (fault.startsWith('^')) assert.match(faults[0] ?? '', new RegExp(fault));
      else assert.equal(faults[0], fault);
    });
  }

  for (const key of ['__proto__', 'constructor', 'toString', 'acount_id']) {
    test(`does not know ${key}, and says so once a file`, () => {
      const { faults } = read(`{"id":1,"${key}":{}}\n{"id":2,"${key}":{}}\n`);
      assert.equal(faults.length, 1);
      assert.ok(faults[0]?.startsWith(`1: ${key}: is not a column of virtual numbers.`));
    });
  }

  test('whose texts look like keys is not taken for one with a key twice', () => {
    assert.equal(one('{"id":1,"comment":"\\"id\\":2, \\"id\\" : 3"}')['comment'], '"id":2, "id" : 3');
  });
});

describe('a row of a mapping that ignores objects', () => {
  const mapping = { columns: { id: 'id', did: 'number', monthly: 'price' }, ignore: ['owner', 'tags'] };
  const keys = ['id', 'number', 'price', 'owner', 'tags'] as const;
  /** Each key also as another writer spells it. */
  const spelled = (key: string) =>
    fc.constantFrom(
      JSON.stringify(key),
      `"\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}"`,
    );
  const inner = fc.constantFrom(
    '{}',
    '[]',
    '"\\"id\\":1,"',
    '{"id":7,"id":8}',
    '{"id":7,"owner":{"id" : 9,"id":"}"}}',
    '[{"id":1},{"id":2,"number":"\\\\"}]',
  );
  const gap = fc.constantFrom('', ' ', '\t');
  const value = (key: string) =>
    key === 'id'
      ? fc.constantFrom('7', '8', '7.0000000000000000001')
      : key === 'price'
        ? fc.constantFrom('2.25', '2.250', '"id"')
        : key === 'number'
          ? fc.constantFrom('"+44"', '"{\\"id\\":"')
          : inner;
  const member = fc
    .constantFrom(...keys)
    .chain((key) => fc.record({ key: fc.constant(key), name: spelled(key), value: value(key), gap }));

  test('has a key twice where the row itself has it, and never where the objects in it do', () => {
    const repeated = { ignored: 0, read: 0 };
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 6 }), (members) => {
        const line = `{${members.map(({ name, gap: between, value: text }) => `${name}${between}:${text}`).join()}}`;
        const { values, faults } = readMapped(mapping, line);
        const names = members.map(({ key }) => key);
        const twice = names.find((key, i) => names.indexOf(key) < i && !mapping.ignore.includes(key));
        if (twice !== undefined) repeated.read += 1;
        else if (new Set(names).size < names.length) repeated.ignored += 1;
        assert.deepEqual(
          faults,
          twice === undefined ? [] : [`1: ${twice}: is there twice in the row; leave one out.`],
          line,
        );
        // The digits are those of the row's own number, not of one in an object.
        const [id, ...others] = members.filter(({ key }) => key === 'id').map((one) => one.value);
        if (others.length === 0) assert.equal(values[0]?.['id'], id, line);
      }),
      { numRuns: 5_000 },
    );
    assert.ok(repeated.ignored > 100 && repeated.read > 100, JSON.stringify(repeated));
  });
});

test('a file without a row is refused', () => {
  for (const text of ['', '\n \n']) assert.deepEqual(read(text).faults, ['1: There is no row.']);
});

describe('a value of the wrong type is refused', () => {
  const wrong: [column: string, json: string, fault: string][] = [
    ['id', '"7"', 'must be a JSON number, but was the text "7".'],
    ['id', 'true', 'must be a JSON number, but was a boolean.'],
    ['did', '442079460018', 'must be a JSON text, but was a number.'],
    ['did', '1e400', 'must be a JSON text, but was a number.'],
    ['account_id', '17', 'must be a JSON text, but was a number.'],
    ['monthly', 'false', 'must be a JSON number or a text with a decimal, but was a boolean.'],
    ['monthly', '""', 'must be a JSON number or a text with a decimal, but was an empty text.'],
    ['is_spammed', '"true"', 'must be true or false, without quotes, but was the text "true".'],
    ['is_spammed', '2', 'must be true or false, without quotes, but was a number.'],
    ['created_at', '1760000000', 'must be a JSON text with a timestamp, or null, but was a number.'],
    ['activated_at', '""', 'must be a JSON text with a timestamp, or null, but was an empty text.'],
    ['comment', '["x"]', 'must be a JSON text, but was an array.'],
    ['comment', '{"text":"x"}', 'must be a JSON text, but was an object.'],
  ];
  for (const [column, json, fault] of wrong) {
    test(`${column}: ${json}`, () =>
      assert.deepEqual(read(`{"${column}":${json}}`).values, [{ [column]: { fault } }]));
  }
});

describe('a number arrives as it was written', () => {
  const literals = [
    '2.2500000000000000001',
    '0.0000001',
    '9007199254740993',
    '9007199254740991.4',
    '1000000000.000001',
    '123456789012345678901234567890',
    '1e400',
  ];
  for (const literal of literals) {
    for (const line of [`{"id":${literal}}`, `{ "id" : ${literal} }`, `{"id": ${literal},"monthly":1}`]) {
      test(line, () => assert.equal(one(line)['id'], literal));
    }
  }

  test('or in another spelling of exactly the same value', () => {
    const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,11})$/);
    const fraction = fc.stringMatching(/^(?:|\.\d{1,9})$/);
    const exponent = fc.constantFrom('', '', '', 'e0', 'E+2', 'e-1');
    const literal = fc
      .tuple(fc.constantFrom('', '-'), digits, fraction, exponent)
      .map((parts) => parts.join(''));
    const spaces = fc.constantFrom('', '', ' ', '\t ');
    fc.assert(
      fc.property(literal, spaces, spaces, (written, before, after) => {
        const text = one(`{"monthly"${before}:${after}${written}${before}}`)['monthly'];
        assert.ok(typeof text === 'string');
        const charge = parseCharge(text);
        const spelled = parseCharge(written);
        // What the grammar takes, it takes with the same value; what it refuses, it must not take by another
        // spelling, but for the sign of zero.
        assert.equal(charge, spelled, `${written} -> ${text}`);
      }),
      { numRuns: 5_000 },
    );
  });
});
