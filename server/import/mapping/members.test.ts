// What a mapping says of a file in addition to its columns: where the header is, which rows count, which
// texts mean that nothing is there, and how quotes are written.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { mappingFaults, readMapped } from '../../../test/kit/mapped-read.ts';

const rules = { isUpdate: true };
const COLUMNS = { account_id: 'Debitor', id: 'Nr', comment: 'Text' };
const read = async (file: string, other: object = {}, ending: '.csv' | '.ndjson' = '.csv') => {
  const { rows, faults, leftOut } = await readMapped(file, { columns: COLUMNS, ...other }, { rules, ending });
  return { rows: rows.map((row) => [row['account_id'], row['id'], row['comment']]), faults, leftOut };
};
const ROW = ['C1', 7, 'a'];

describe('the header of a file', () => {
  test('comes after the number of lines that the mapping says, and faults name the lines of the file', async () => {
    const file = 'Report "Q3\n\nby: ,,\nDebitor,Nr,Text\nC1,7,a\nC1,x,b\n';
    const { rows, faults } = await read(file, { skip: 3 });
    assert.deepEqual(rows[0], ROW);
    assert.match(faults.join('\n'), /^billing\.csv:6: Nr \(id\): must be an integer/);
  });

  test('is the first line that has the names that the mapping says', async () => {
    const file = 'Report,,\nDebitor: all\n"Text","Nr"," Debitor"\na,7,C1\n';
    assert.deepEqual((await read(file, { header: ['Debitor', 'Nr'] })).rows, [ROW]);
    assert.deepEqual((await read(file, { header: ['Debitor', 'Nummer'] })).faults, [
      'billing.csv: No line has "Debitor" and "Nummer", which the mapping says that the header has.',
    ]);
  });

  test('comes after lines that say how the file is written', async () => {
    for (const first of ['\ufeffsep=;\r\n', '"sep=;"\n', '#TYPE System.Object\n', '\n;;\n'])
      assert.deepEqual(
        (await read(`${first}Debitor;Nr;Text\nC1;7;a\n`, first.includes('sep') ? {} : { delimiter: ';' }))
          .rows,
        [ROW],
        first,
      );
  });

  test('may end with a delimiter, as every row then must', async () => {
    assert.deepEqual((await read('Debitor,Nr,Text,\nC1,7,a,\n')).rows, [ROW]);
    assert.deepEqual((await read('Debitor,Nr,Text,\nC1,7,a,b\nC1,7,a\n')).faults, [
      'billing.csv:2: cell 4: has the text "b", but the header has no name for it.',
      'billing.csv:3: There are 3 cells, but the header has 4.',
    ]);
  });
});

describe('a row that says nothing', () => {
  test('is no row: blank lines, delimiters alone, and the control-Z of DOS', async () => {
    const file = 'Debitor,Nr,Text\r\n\r\n,,\r\nC1,7,a\r\n , ,\t\r\n,,,,,\r\n\x1a';
    assert.deepEqual(await read(file), { rows: [ROW], faults: [], leftOut: 0 });
  });
});

describe('only', () => {
  const rows = 'Debitor,Nr,Text,Typ\nC1,7,a,in\n';
  test('leaves out and counts rows that are none, whatever else is wrong with them', async () => {
    const cases: [object, string][] = [
      [{ column: 'Typ', in: ['in'] }, 'C2,x,b,out'],
      [{ column: 'Typ', not_in: ['out', ''] }, 'C2,x,b, out '],
      [{ column: 'Typ', not_in: ['out', ''] }, 'C2,x,b,NULL'],
      [{ column: 'Debitor', present: true }, ',8,b,in'],
      [{ column: 'Debitor', present: true }, 'NULL,x,b'],
      [{ column: 'Debitor', not_in: ['Summe'] }, 'Summe,,,,,'],
      [{ column: 'Text', present: false }, 'C2,x,b,in'],
    ];
    for (const [only, line] of cases) {
      const first = 'present' in only && only.present === false ? rows.replace(',a,', ',,') : rows;
      const {
        rows: taken,
        faults,
        leftOut,
      } = await read(`${first}${line}\n`, { only: [only], ignore: ['Typ'], empty: ['NULL'] });
      assert.deepEqual([taken.length, faults, leftOut], [1, [], 1], line);
    }
  });

  test('decides nothing by a cell that a row does not have', async () => {
    const { faults, leftOut } = await read(`${rows}C2,8\n`, { only: [{ column: 'Typ', in: ['in'] }] });
    assert.deepEqual([faults, leftOut], [['billing.csv:3: There are 2 cells, but the header has 4.'], 0]);
  });

  test('may name a column that is neither mapped nor ignored, but one of the file', async () => {
    const only = [{ column: 'Art', in: ['in'] }];
    assert.deepEqual((await read(rows, { only, ignore: ['Typ'] })).faults, [
      'billing.csv:1: Art: says which rows count, but the header does not name it.',
    ]);
  });

  test('is of keys in NDJSON', async () => {
    const file =
      '{"Debitor":"C1","Nr":7,"Text":"a","m":{"typ":1}}\n{"Debitor":"C2","Nr":8,"m":{"typ":2}}\n{"Debitor":3}\n';
    const done = await read(file, { only: [{ column: 'm.typ', in: ['1'] }] }, '.ndjson');
    assert.deepEqual(done, { rows: [ROW], faults: [], leftOut: 2 });
  });
});

describe('unique', () => {
  test('takes the first of rows with the same value, of the list or of the file, and counts the others', async () => {
    const file = 'Debitor,Nr,Text,Typ\nC1,7,a,x\nC2,7,b,y\nC3,9,c,\nC4,10,d,\nC5,11,e, x\n';
    const ids = async (unique: string) => {
      const { rows, leftOut } = await read(file, { unique, ignore: ['Typ'] });
      return [...rows.map(([account]) => account), leftOut];
    };
    assert.deepEqual(await ids('id'), ['C1', 'C3', 'C4', 'C5', 1]);
    assert.deepEqual(await ids('Typ'), ['C1', 'C2', 'C3', 'C4', 1]);
  });
});

describe('empty', () => {
  test('texts mean nothing in every column, or in one of the list', async () => {
    const file = 'Debitor,Nr,Text\nC1,7,NULL\nC1,8,\\N\nNULL,9,0\n0,10,0\n';
    const all = await read(file, { empty: ['NULL'] });
    assert.deepEqual(
      all.rows.map((row) => row[2]),
      ['', '', '0', '0'],
    );
    assert.deepEqual(all.faults, ['billing.csv:4: Debitor (account_id): is required, but was empty.']);
    const one = await read(file, { empty: { account_id: ['0'] } });
    assert.deepEqual(
      one.rows.map((row) => row[2]),
      ['NULL', '', '0', '0'],
    );
    assert.deepEqual(one.faults, ['billing.csv:5: Debitor (account_id): is required, but was empty.']);
  });

  test('is every zero date, as MySQL writes what has none', async () => {
    const columns = { account_id: 'K', id: 'N', next_payment_at: 'Z' };
    const zeros = ['0000-00-00', '0000-00-00 00:00:00', '00.00.0000', '0000-00-00 00:00:00.000'];
    const { rows, faults } = await readMapped(
      `K,N,Z\n${zeros.map((zero, i) => `C1,${i + 1},${zero}\n`).join('')}`,
      { columns },
      { rules },
    );
    assert.deepEqual(faults, []);
    assert.deepEqual(
      rows.map((row) => row['next_payment_at']),
      zeros.map(() => null),
    );
  });
});

describe('quote_escape', () => {
  const own = { quote_escape: '\\' };
  test('is before a quote within quotes', async () => {
    const comment = async (cell: string) => (await read(`Debitor,Nr,Text\nC1,7,${cell}\n`, own)).rows[0]?.[2];
    assert.equal(await comment('"Front \\"desk\\" line"'), 'Front "desk" line');
    assert.equal(await comment('"a ""b"" c"'), 'a "b" c');
    assert.equal(await comment('"C:\\\\"'), 'C:\\');
    assert.equal(await comment('"a\\n\\"\nb"'), 'a\\n"\nb');
  });

  test('gives every text back that is written with it', async () => {
    const cell = fc.string({ unit: fc.constantFrom('"', '\\', ',', '\n', 'a', 'é'), maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cell, async (text) => {
        const written = `"x${text.replaceAll(/["\\]/g, '\\$&')}x"`;
        const { rows, faults } = await read(`Debitor,Nr,Text\nC1,7,${written}\n`, own);
        assert.deepEqual([rows[0]?.[2], faults], [`x${text}x`, []]);
      }),
    );
  });
});

test('a mapping whose members are none is refused, each with its place', () => {
  const faults = mappingFaults(
    {
      columns: COLUMNS,
      skip: 0,
      header: [],
      only: [{ column: 'Typ' }, { column: 'Typ', in: [] }, { column: 'Typ', is: ['a'] }],
      empty: { accountid: ['0'] },
      quote_escape: '/',
    },
    rules,
  );
  for (const start of [
    '/skip: must be a whole',
    '/header: must have at',
    '/only/0: must have "column"',
    '/only/1/in: must have',
    '/only/2/is: is not a key of a condition',
    '/empty/accountid: is not a column',
    '/quote_escape: must be one of "\\"',
  ])
    assert.ok(
      faults.some((fault) => fault.startsWith(start)),
      `${start}\n${faults.join('\n')}`,
    );
});

test('a file that needs a mapping is led to a proposal once, and never from an import with one', async () => {
  const file = 'account_id,id,monthly,created_at\nC1,1,$ 2.25,01.02.2026\nC1,2,(2.25),02.02.2026\n';
  const { faults } = await readMapped(file, undefined);
  assert.equal(faults.filter((fault) => fault.includes('needs a mapping')).length, 4, faults.join('\n'));
  assert.deepEqual(
    faults.filter((fault) => fault.includes('mapping propose')).map((fault) => fault.split(':')[1]),
    ['2'],
  );
  const columns = { account_id: 'account_id', id: 'id', monthly: 'monthly', created_at: 'created_at' };
  const mapped = await readMapped(file, { columns }, { rules });
  assert.doesNotMatch(mapped.faults.join('\n'), /propose|needs a mapping/);
  assert.match(mapped.faults.join('\n'), /"\$ 2\.25" is not a plain decimal: add the sign of its decimals/);
});
