// Workbooks (.xlsx) as sources of an import, from the file to the rows; and those that are damaged, or
// made to do harm. tables.test.ts has workbooks at random.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { importFile } from '../../server/import/files.ts';
import { Proposal } from '../../server/import/mapping/proposal.ts';
import { sheetSample } from '../../server/import/mapping/sample-sheet.ts';
import { targets } from '../../server/import/targets.ts';
import { openIntake } from '../kit/intake-server.ts';
import { readMapped } from '../kit/mapped-read.ts';
import { Operator, runProgram } from '../kit/program.ts';
import { FORMATS, SHEET_MAPPING } from '../kit/random-tables.ts';
import { numberRow } from '../kit/rows.ts';
import { stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';
import { type Cell, serialOf, textRows, workbook } from '../kit/workbooks.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const folder = temporaryFolder();

function written(name: string, what: string | Uint8Array | object): string {
  const path = join(folder, name);
  const isText = typeof what === 'string' || what instanceof Uint8Array;
  writeFileSync(path, isText ? what : JSON.stringify(what));
  return path;
}

/** As an operator's workbook is: numbers as numbers, days as days, in German local time. */
const ROWS: Cell[][] = [
  ...textRows(['Customer', 'Phone No', 'Note', 'Fee', 'Since', 'Spam']),
  [
    { text: 'C1001' },
    { number: '442079460018' },
    { text: 'Büro' },
    { number: '2.25' },
    { number: serialOf('2026-07-01T09:30:00'), format: 1 },
    { flag: false },
  ],
  [],
  [
    { number: '1002' },
    { text: '+49 30 901820' },
    undefined,
    { number: '-1.1000000000000001' },
    { number: serialOf('2026-12-01T00:00:00'), format: 3 },
    { flag: true },
  ],
];
const MAPPING = { ...SHEET_MAPPING, time_zone: 'Europe/Berlin' };
const FILE = workbook({ sheets: [{ name: 'Numbers', rows: ROWS }], formats: FORMATS });

const read = (bytes: Uint8Array, mapping: object = MAPPING) =>
  readMapped(bytes, mapping, { ending: '.xlsx' });

describe('a workbook', () => {
  test('with a title above the header and a total below comes in by the mapping that is proposed', async () => {
    const [header = [], ...others] = ROWS;
    const total: Cell[] = [{ text: 'Total' }, undefined, undefined, { number: '1.15' }];
    const rows = [
      ...textRows(['Numbers of July']),
      [],
      [undefined, { text: 'as of 1 July' }],
      header,
      ...others,
      total,
    ];
    const bytes = workbook({ sheets: [{ name: 'Numbers', rows }], formats: FORMATS });
    const sample = await sheetSample(importFile(written('report.xlsx', bytes), undefined));
    const { mapping } = new Proposal(sample, targets.virtual_numbers.columns());
    assert.partialDeepStrictEqual(mapping, {
      header: ['Customer', 'Phone No', 'Note'],
      only: [{ column: 'Customer', not_in: ['Total', ''] }],
    });
    const { rows: found, faults, leftOut } = await read(bytes, { ...mapping, time_zone: 'Europe/Berlin' });
    assert.deepEqual(faults, []);
    assert.deepEqual(
      found.map(({ account_id, did, monthly }) => [account_id, did, monthly]),
      [
        ['C1001', '442079460018', 2_250_000],
        ['1002', '+49 30 901820', -1_100_000],
      ],
    );
    assert.equal(leftOut, 1);
  });

  test('has times in the zone of the mapping, numbers as they are shown, and telephone numbers as digits', async () => {
    const { rows, faults } = await read(FILE);
    assert.deepEqual(faults, []);
    assert.partialDeepStrictEqual(rows, [
      {
        account_id: 'C1001',
        did: '442079460018',
        comment: 'Büro',
        monthly: 2_250_000,
        created_at: '2026-07-01T07:30:00.000000Z',
        is_spammed: false,
      },
      {
        account_id: '1002',
        id: 4_930_901_820,
        did: '+49 30 901820',
        monthly: -1_100_000,
        created_at: '2026-11-30T23:00:00.000000Z',
        is_spammed: true,
      },
    ]);
  });

  test('has charges that a mapping with a decimal comma reads, as numbers and as texts', async () => {
    const rows: Cell[][] = [
      ...ROWS,
      [
        { text: 'C' },
        { text: '4930901821' },
        undefined,
        { text: '1.002,25' },
        { text: '2026-01-01T00:00:00Z' },
        { flag: true },
      ],
    ];
    const found = await read(workbook({ sheets: [{ name: 'A', rows }], formats: FORMATS }), {
      ...MAPPING,
      decimal: ',',
    });
    assert.deepEqual(
      [found.faults, found.rows.map(({ monthly }) => monthly)],
      [[], [2_250_000, -1_100_000, 1_002_250_000]],
    );
  });

  test('is read from the sheet that the mapping names, or the first visible one with its header', async () => {
    const cover = { name: 'Cover', rows: textRows(['Phone numbers'], ['Printed', '1 November']) };
    const hidden = { name: 'Old', isHidden: true, rows: [...ROWS.slice(0, 2)] };
    const other = { name: 'Second', rows: ROWS.slice(0, 2) };
    const bytes = workbook({
      sheets: [cover, hidden, { name: 'Numbers', rows: ROWS }, other],
      formats: FORMATS,
    });
    const count = async (sheet?: string) =>
      (await read(bytes, sheet === undefined ? MAPPING : { ...MAPPING, sheet })).rows.length;
    assert.deepEqual(
      [await count(), await count('Numbers'), await count(' Second '), await count('Old')],
      [2, 2, 1, 1],
    );
    assert.deepEqual((await read(bytes, { ...MAPPING, sheet: 'numbers' })).faults, [
      'billing.xlsx: The workbook has no sheet "numbers". It has "Cover", "Old", "Numbers" and "Second".',
    ]);
  });

  test('with a column too many in a row is refused, and an empty one at the end is none', async () => {
    const rows: Cell[][] = ROWS.map((row) => [...row]);
    rows[1]?.push({ text: ' ' }, undefined);
    rows[3]?.push({ text: 'more' });
    const { faults } = await read(workbook({ sheets: [{ name: 'A', rows }], formats: FORMATS }));
    assert.deepEqual(faults, ['billing.xlsx: row 4: There are 7 cells, but the header has 6.']);
  });

  test('with formats on every row to the last one is read as its rows', async () => {
    const empty = '<row r="1048576"><c r="A1048576" s="1"/></row>';
    const sheet = workbook({ sheets: [{ name: 'A', rows: ROWS }], formats: FORMATS });
    const { 'xl/worksheets/s1.xml': part = '' } = await partsOf(sheet);
    const bytes = workbook({
      sheets: [{ name: 'A', rows: ROWS }],
      formats: FORMATS,
      parts: { 'xl/worksheets/s1.xml': part.replace('</sheetData>', `${empty}</sheetData>`) },
    });
    assert.deepEqual(await read(bytes), await read(FILE));
  });

  test('that Linecard has exported comes in again without a mapping', async () => {
    const operator = new Operator(`sqlite:${join(folder, 'export.db')}`);
    try {
      const rows = [
        numberRow('A', 1, { comment: '=1+1', created_at: '2026-11-20T15:05:00Z' }),
        numberRow('A', 2, { did: '+442079460018', monthly: -2.5, created_at: '2026-11-20T15:05:09Z' }),
      ];
      await operator.command('import', 'virtual-numbers', written('rows.json', rows));
      const token = await operator.mustDo('token', 'create', '--account', 'A');
      const { url } = await operator.serve();
      const answer = await fetch(`${url}/api/v1/did/me`, {
        headers: { authorization: `Bearer ${token}`, accept: XLSX },
      });
      const file = written('export.xlsx', new Uint8Array(await answer.arrayBuffer()));
      const { err } = await operator.command('import', 'virtual-numbers', '--account', 'A', file);
      assert.match(err, /2 rows read, 0 inserted, 0 updated, 2 unchanged/);
    } finally {
      operator.close();
    }
  });
});

const partsOf = async (bytes: Uint8Array): Promise<Record<string, string>> => {
  const { unzipSync, strFromU8 } = await import('fflate');
  return Object.fromEntries(Object.entries(unzipSync(bytes)).map(([name, part]) => [name, strFromU8(part)]));
};

describe('workbooks on their way in', () => {
  test('are read by import, from standard input and packed, and by mapping try and propose', async () => {
    const mapping = written('sheet.json', MAPPING);
    const file = written('numbers.xlsx', FILE);
    const database = ['--database-url', `sqlite:${join(folder, 'ways.db')}`];
    const first = await runProgram(['import', 'virtual-numbers', ...database, '--mapping', mapping, file]);
    assert.match(first.err, /2 rows read, 2 inserted/);
    const packed = written('numbers.xlsx.gz', gzipSync(FILE));
    const again = await runProgram(['import', 'virtual-numbers', ...database, '--mapping', mapping, packed]);
    assert.match(again.err, /2 rows read, 0 inserted, 0 updated, 2 unchanged/);
    const piped = await runProgram(
      ['import', 'virtual-numbers', ...database, '--mapping', mapping, '--format', 'xlsx', '-'],
      { input: FILE },
    );
    assert.match(piped.err, /2 rows read, 0 inserted, 0 updated, 2 unchanged/);
    const tried = await runProgram(['mapping', 'try', mapping, file]);
    assert.match(tried.out, /C1001 +442079460018/);
    const { out } = await runProgram(['mapping', 'propose', file, '--list', 'virtual-numbers']);
    assert.partialDeepStrictEqual(JSON.parse(out), {
      columns: {
        account_id: 'Customer',
        did: 'Phone No',
        comment: 'Note',
        monthly: 'Fee',
        is_spammed: 'Spam',
      },
    });
    const macros = await runProgram(['import', 'virtual-numbers', ...database, written('macros.xlsm', FILE)]);
    assert.match(macros.err, /macros\.xlsm: Of workbooks only \.xlsx is read: save it as that, or as CSV\./);
  });

  test('come out of a watched folder, next to JSON documents', async () => {
    const drop = join(folder, 'drop');
    mkdirSync(drop);
    const operator = new Operator(`sqlite:${join(folder, 'watched.db')}`);
    try {
      operator.start('import', '--watch', drop);
      const items = [numberRow('A', 1), numberRow('A', 2)];
      const names = Object.keys(items[0] ?? {});
      const rows = textRows(names, ...items.map((item) => Object.values(item).map(String)));
      writeFileSync(join(drop, 'virtual-numbers-1.xlsx'), workbook({ sheets: [{ name: 'A', rows }] }));
      writeFileSync(join(drop, 'virtual-numbers-2.json'), JSON.stringify(items));
      writeFileSync(join(drop, 'virtual-numbers-3.xlsx'), FILE);
      const report = join(drop, 'failed', 'virtual-numbers-3.xlsx.faults.txt');
      await until('a report', () => existsSync(report) && readFileSync(report, 'utf8') !== '');
      assert.match(
        readFileSync(report, 'utf8'),
        /^virtual-numbers-3\.xlsx: row 1: The columns are those of another system/,
      );
      for (const name of ['1.xlsx', '2.json'])
        assert.ok(existsSync(join(drop, 'done', `virtual-numbers-${name}`)), name);
    } finally {
      operator.close();
    }
  });

  for (const kind of stores)
    test(`are bodies of the intake on ${kind.name}, small and large`, async () => {
      const mappings = join(folder, `mappings-${kind.name}`);
      mkdirSync(mappings, { recursive: true });
      writeFileSync(join(mappings, 'sheet.json'), JSON.stringify(MAPPING));
      const intake = await openIntake(kind, { mappings });
      try {
        const post = (body: Uint8Array, headers: Record<string, string> = {}) =>
          intake.send('POST', 'virtual-numbers?mapping=sheet', body, { 'content-type': XLSX, ...headers });
        assert.equal((await post(FILE)).json.inserted, 2);
        assert.equal((await post(gzipSync(FILE), { 'content-encoding': 'gzip' })).json.unchanged, 2);
        const noise = Buffer.from(Array.from({ length: 400_000 }, (_, i) => (i * 7_919 + (i >> 3)) % 251));
        const large = workbook({
          sheets: [{ name: 'A', rows: ROWS }],
          formats: FORMATS,
          parts: { 'xl/media/photo.png': noise },
        });
        assert.equal((await post(large)).json.unchanged, 2);
        const bad = ROWS.map((row, i) => (i === 3 ? row.with(3, { error: '#REF!' }) : row));
        const { status, json } = await post(
          workbook({ sheets: [{ name: 'A', rows: bad }], formats: FORMATS }),
        );
        assert.equal(status, 422);
        assert.deepEqual(json.errors, [
          { line: 4, column: 'Fee (monthly)', detail: 'is the error #REF!: correct it in the workbook.' },
        ]);
      } finally {
        await intake.close();
      }
    });
});

describe('a workbook that is damaged or made to do harm', () => {
  const withParts = (parts: Record<string, string | Uint8Array>) =>
    workbook({ sheets: [{ name: 'A', rows: ROWS }], formats: FORMATS, parts });
  const fault = async (bytes: Uint8Array) => {
    const { rows, faults } = await read(bytes);
    assert.deepEqual(rows, []);
    return faults.join('\n');
  };
  const sheet = (content: string, before = '') =>
    `<?xml version="1.0"?>${before}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${content}</sheetData></worksheet>`;

  test('with macros, links and other parts is read as its rows, and nothing of those is opened', async () => {
    const { 'xl/_rels/workbook.xml.rels': rels = '' } = await partsOf(FILE);
    const evil = 'http://127.0.0.1:9/evil';
    const bytes = withParts({
      'xl/vbaProject.bin': new Uint8Array([1, 2, 3]),
      'xl/externalLinks/externalLink1.xml': sheet('', `<!DOCTYPE a SYSTEM "${evil}">`),
      'xl/worksheets/_rels/s1.xml.rels': `<Relationships xmlns="x"><Relationship Id="rId1" Type="hyperlink" Target="${evil}" TargetMode="External"/></Relationships>`,
      'xl/_rels/workbook.xml.rels': rels.replace(
        '<Relationship ',
        `<Relationship Id="rId90" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vbaProject.bin"/><Relationship Id="rId91" Type="x/sharedStrings" Target="${evil}" TargetMode="External"/><Relationship `,
      ),
    });
    assert.deepEqual(await read(bytes), await read(FILE));
  });

  test('with a document type, whose entities could grow or read files, is refused', async () => {
    const bomb = `<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa">${'bcdefghij'
      .split('')
      .map((name, i) => `<!ENTITY ${name} "${`&${'abcdefghij'[i]};`.repeat(10)}">`)
      .join('')}]>`;
    const file = '<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/hostname">]>';
    for (const before of [bomb, file])
      for (const entity of ['&j;', '&secret;', 'text'])
        assert.match(
          await fault(
            withParts({
              'xl/worksheets/s1.xml': sheet(
                `<row r="1"><c t="inlineStr"><is><t>${entity}</t></is></c></row>`,
                before,
              ),
            }),
          ),
          /xl\/worksheets\/s1\.xml of the workbook has a document type, which no workbook has\./,
        );
    assert.match(
      await fault(withParts({ 'xl/worksheets/s1.xml': sheet('<row><c><v>&amb;</v></c></row>') })),
      /damaged .*undefined entity/,
    );
  });

  test('that unpacks to far more than it is, is not unpacked', async () => {
    const zeros = Buffer.alloc(80_000_000, ' ');
    assert.match(
      await fault(withParts({ 'xl/worksheets/s1.xml': Buffer.concat([Buffer.from('<a>'), zeros]) })),
      /"xl\/worksheets\/s1\.xml" of the workbook unpacks to \d+ times its size, so it is not read\./,
    );
    // Which says that it is smaller than it is.
    const lying = Buffer.from(FILE);
    const at = lying.lastIndexOf('xl/worksheets/s1.xml') - 46;
    lying.writeUInt32LE(10, at + 24);
    assert.match(
      await fault(lying),
      /The workbook is damaged \(.*\): open it in Excel or LibreOffice, and save it again\./,
    );
  });

  test('with a part outside of the archive, or one twice, is refused', async () => {
    for (const name of ['../../etc/cron.d/evil', '/etc/passwd', 'xl\\..\\evil'])
      assert.match(
        await fault(withParts({ [name]: 'x' })),
        /The workbook is damaged \(.*(?:relative|absolute) path|invalid characters/,
        name,
      );
    const rels = (target: string) =>
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="x/officeDocument" Target="${target}"/></Relationships>`;
    for (const target of ['../../../etc/passwd', '/etc/passwd', 'file:///etc/passwd'])
      assert.match(
        await fault(withParts({ '_rels/.rels': rels(target) })),
        /The workbook is damaged: it has no part/,
      );
  });

  test('with texts, rows or columns beyond what a workbook has is refused before memory is', async () => {
    const long = 'x'.repeat(3_000_000);
    for (const [content, says] of [
      [`<row><c t="inlineStr"><is><t>${long}</t></is></c></row>`, /longer than|too long/],
      [`<row r="1048577"><c><v>1</v></c></row>`, /The rows of the workbook are in no order/],
      ['<row r="2"/><row r="1"/>', /The rows of the workbook are in no order/],
      ['<row><c r="XFE1"><v>1</v></c></row>', /The cells of the workbook are in no order/],
      [
        '<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>',
        /The cells of the workbook are in no order/,
      ],
      [`<row>${'<x>'.repeat(100)}${'</x>'.repeat(100)}</row>`, /nested too deep/],
      ['<row><c t="s"><v>99</v></c></row>', /it has no text "99"/],
      ['<row><c><v>1</v></row>', /damaged/],
    ] as const)
      assert.match(await fault(withParts({ 'xl/worksheets/s1.xml': sheet(content) })), says);
  });

  test('that is something else, locked or cut off is refused with what to do', async () => {
    const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
    assert.match(
      await fault(ole),
      /^billing\.xlsx: The workbook is an old one \(\.xls\) or has a password: save it as \.xlsx without one, or as CSV\.$/,
    );
    assert.match(
      await fault(Buffer.from('Customer,Phone No\n')),
      /The file is not a workbook \(\.xlsx\), whatever its name says\.$/,
    );
    assert.match(await fault(Buffer.from('%PDF-1.7 and more')), /The file is a PDF/);
    assert.match(await fault(Buffer.alloc(0)), /The file is not a workbook/);
    assert.match(
      await fault(Buffer.from(zipSync({ 'a.txt': strToU8('a') }))),
      /The file is a ZIP archive, but not a workbook/,
    );
    for (let end = 100; end < FILE.length; end += 97)
      assert.match(await fault(FILE.subarray(0, end)), /The workbook is damaged/);
  });
});
