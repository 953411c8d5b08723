// What is proposed for files that have more than a header and rows: titles, totals, numbers in stock, texts
// that mean nothing, charges and dates as spreadsheets write them; and files of systems that are known.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { mappingFaults, readMapped } from '../../../test/kit/mapped-read.ts';
import { temporaryFolder } from '../../../test/kit/temporary-folder.ts';
import { targets } from '../targets.ts';
import { Proposal } from './proposal.ts';
import { sampleOf } from './sample.ts';

const folder = temporaryFolder();

function propose(text: string) {
  const path = join(folder, 'file');
  writeFileSync(path, text);
  return new Proposal(sampleOf(path), targets.virtual_numbers.columns());
}

/** What the rows of a file become by its proposal. */
async function proposedRows(text: string, ...columns: readonly string[]) {
  const { mapping } = propose(text);
  assert.deepEqual(mappingFaults(mapping, { isUpdate: true }), []);
  const { rows, faults, leftOut } = await readMapped(text, mapping, { rules: { isUpdate: true } });
  assert.deepEqual(faults, []);
  return [...rows.map((row) => columns.map((name) => row[name])), leftOut];
}

const DID = '+442079460018';
const OTHER = '+442079460019';

describe('a proposal', () => {
  test('finds the header after the lines of a title, and leaves out totals and numbers in stock', async () => {
    const file = `Report Q3;;\nby: me\n\nKunde;Rufnummer;Preis\nC1;${DID};2,25\n0;${OTHER};1,00\nSumme;;3,25\n`;
    const { mapping, questions } = propose(file);
    assert.deepEqual(mapping.header, ['Kunde', 'Rufnummer', 'Preis']);
    assert.deepEqual(mapping.only, [{ column: 'Kunde', not_in: ['0', 'Summe', ''] }]);
    assert.match(questions.join('\n'), /^only: is none of the 2 rows that are left out a customer's\?/m);
    assert.deepEqual(await proposedRows(file, 'account_id', 'monthly'), [['C1', 2_250_000], 2]);
  });

  test('leaves no customer out whose name begins like a total', async () => {
    const file = `Kunde;Rufnummer\nTotal Energies;${DID}\nSummers;${OTHER}\n`;
    assert.deepEqual(await proposedRows(file, 'account_id'), [['Total Energies'], ['Summers'], 0]);
  });

  test('takes NULL and the like for nothing, and rows without an account for numbers in stock', async () => {
    const file = `Customer,Number,Notes\nC1,${DID},NULL\nNULL,${OTHER},x\n`;
    assert.deepEqual(propose(file).mapping.empty, ['NULL']);
    assert.deepEqual(await proposedRows(file, 'account_id', 'comment'), [['C1', ''], 1]);
  });

  test('takes the first of rows with the same number, and says so', async () => {
    const file = `Customer,Number,Notes\nC1,${DID},a\nC1,${DID},b\nC2,${OTHER},c\n`;
    assert.match(propose(file).questions.join('\n'), /^unique: rows have the same number\./m);
    assert.deepEqual(await proposedRows(file, 'comment'), [['a'], ['c'], 1]);
  });

  test('reads what Excel and databases write around a table', async () => {
    const rows = [['C1', 'say "x"'], ['C2', ''], 0];
    for (const file of [
      `sep=|\nKunde|Rufnummer|Bemerkung\nC1|${DID}|"say ""x"""\nC2|${OTHER}|\n`,
      `#TYPE Selected.Number\n"Kunde","Rufnummer","Bemerkung"\n"C1","${DID}","say ""x"""\n"C2","${OTHER}",""\n`,
      `Kunde;Rufnummer;Bemerkung;\nC1;${DID};"say ""x""";\n;;;\nC2;${OTHER};;\n`,
      `Kunde,Rufnummer,Bemerkung\n"C1","${DID}","say \\"x\\""\n"C2","${OTHER}",""\n`,
    ])
      assert.deepEqual(await proposedRows(file, 'account_id', 'comment'), rows, file);
  });

  test('reads charges and dates as spreadsheets write them', async () => {
    const cases: [charge: string, date: string, monthly: number, created: string][] = [
      ['(2.25)', '30-Jul-2026', -2_250_000, '2026-07-30T00:00'],
      ['2,25-', '30. Juli 2026', -2_250_000, '2026-07-30T00:00'],
      ['€ 1.002,25', '30.07.2026', 1_002_250_000, '2026-07-30T00:00'],
      ['1,23,456.00', 'Jul 30, 2026', 123_456_000_000, '2026-07-30T00:00'],
      ['2.25', '46233.5', 2_250_000, '2026-07-30T12:00'],
      ['2.2500000', '1785441600', 2_250_000, '2026-07-30T20:00'],
      ['$ 2.25', '7/30/2026 8:00 PM', 2_250_000, '2026-07-30T20:00'],
    ];
    for (const [charge, date, monthly, created] of cases) {
      const file = `Customer|Number|Monthly fee|Start date\nC1|${DID}|${charge}|${date}\n`;
      const [[sum, time], leftOut] = (await proposedRows(file, 'monthly', 'created_at')) as [
        unknown[],
        number,
      ];
      assert.deepEqual([sum, String(time).slice(0, 16), leftOut], [monthly, created, 0], file);
    }
  });

  test('takes the order of days that another text of the file shows', () => {
    const file = `Customer,Number,Start date,Next billing\nC1,${DID},12/1/2026,11/20/2026 3:05 PM\n`;
    assert.deepEqual(propose(file).mapping.dates?.toSorted(), ['MM/DD/YYYY', 'MM/DD/YYYY h:mm a']);
  });
});

describe('the file of a system is known by its columns', () => {
  const cases: [title: string, header: string, row: string, columns: object][] = [
    [
      'FreePBX',
      'description,extension,cidnum,privacyman,mohclass,destination',
      `Desk,442079460018,,0,default,"from-did-direct,200,1"`,
      { did: 'extension', comment: 'description' },
    ],
    [
      'MagnusBilling',
      'id,id_user,did,activated,reserved,creationdate,fixrate,connection_charge,buy_rate_1',
      '7,3,442079460018,1,1,2026-01-10 09:00:00,2.25,0,1.1',
      { account_id: 'id_user', id: 'id', did: 'did', monthly: 'fixrate', activation: 'connection_charge' },
    ],
    [
      'PortaBilling',
      'Number,DID vendor batch,Activation fee,Periodic fee,Description,Country',
      '442079460018,B1,1,2,Desk,GB',
      { did: 'Number', comment: 'Description', monthly: undefined, activation: undefined },
    ],
    [
      'Telnyx',
      'id,phone_number,status,connection_name,customer_reference,created_at',
      '1293384261075731499,+442079460018,active,main,C1001,2026-07-30T20:00:00Z',
      { account_id: 'customer_reference', did: 'phone_number', created_at: 'created_at' },
    ],
  ];
  for (const [title, header, row, columns] of cases)
    test(title, () => {
      const { mapping, reasons } = propose(`${header}\n${row}\n`);
      assert.ok(
        reasons.some((reason) => reason.includes(`as the files of ${title} have it`)),
        reasons.join('\n'),
      );
      for (const [column, name] of Object.entries(columns))
        assert.equal(mapping.columns[column], name, column);
    });
});
