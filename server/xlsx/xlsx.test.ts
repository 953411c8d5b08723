// Reads workbooks with independent libraries: fflate unpacks, saxes parses strictly, Date counts
// days.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { lists } from '@linecard/client/contract';
import type { Item } from '@linecard/client/contract/csv';
import { fieldLabel, LANGUAGES, TOTAL } from '@linecard/client/contract/labels';
import type { Kind, List } from '@linecard/client/contract/list';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { SaxesParser } from 'saxes';
import { columnName, serialOf, xmlText } from './cells.ts';
import { MAX_XLSX_ITEMS, type People, XlsxWriter } from './xlsx.ts';

const SHEET = 'xl/worksheets/sheet1.xml';
const DAY_MS = 86_400_000;
/** 1899-12-30, day 0 of a spreadsheet. */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);

interface Cell {
  readonly type: string;
  readonly value: string;
}

/** Decodes `_xHHHH_`, which is a UTF-16 unit, as spreadsheets do. */
const unescaped = (text: string) =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

/**
 * All elements of a part, in order, as `name attribute=value…`, with the text that each holds; throws where
 * it is not well-formed.
 */
function parse(xml: string, seen: (name: string, attributes: Record<string, string>, text: string) => void) {
  const parser = new SaxesParser({ xmlns: true });
  const open: { name: string; attributes: Record<string, string>; text: string }[] = [];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const plain = Object.fromEntries(Object.values(attributes).map(({ name, value }) => [name, value]));
    open.push({ name, attributes: plain, text: '' });
  });
  parser.on('text', (text) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += text;
  });
  parser.on('closetag', () => {
    const { name, attributes, text } = open.pop() as (typeof open)[number];
    seen(name, attributes, text);
  });
  parser.write(xml).close();
}

function fileOf(list: List, batches: readonly (readonly Item[])[]): Uint8Array {
  const writer = new XlsxWriter(list);
  return Buffer.concat([writer.begin(), ...batches.map((batch) => writer.rows(batch)), writer.end()]);
}

function partsOf(file: Uint8Array): Map<string, string> {
  const parts = Object.entries(unzipSync(file));
  return new Map(
    parts.map(([name, bytes]) => [name, new TextDecoder('utf-8', { fatal: true }).decode(bytes)]),
  );
}

/** The cells by name. It reads every element of the sheet, so that no formula is missed. */
function cellsOf(sheet: string): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  let value = '';
  parse(sheet, (name, attributes, text) => {
    assert.notEqual(name, 'f', 'a formula');
    if (name === 't') value = unescaped(text);
    if (name === 'v') value = text;
    if (name === 'c') cells.set(attributes['r'] ?? '', { type: attributes['t'] ?? 'n', value });
  });
  return cells;
}

const text = (value: string): Cell => ({ type: 'inlineStr', value });
const number = (value: string): Cell => ({ type: 'n', value });

const hostileUnit = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...'_x0041F&<>"\'=+-@ \t\r\n\0\x1b\u007f\u0085\u2028\ud83d\udcde\ufffe\uffff'.split(''),
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) },
  { weight: 1, arbitrary: fc.constantFrom('_x0041_', '_x005F_', '_X0041_', '_x00e9', ']]>', 'ü', '📞') },
);
const hostileText = fc.array(hostileUnit, { maxLength: 30 }).map((units) => units.join(''));

const two = (value: number) => String(value).padStart(2, '0');
const timestamp = fc
  .record({
    day: fc.integer({ min: Date.UTC(1600, 0, 1) / DAY_MS, max: Date.UTC(9999, 11, 31) / DAY_MS }),
    second: fc.integer({ min: 0, max: 86_399 }),
    micro: fc.integer({ min: 0, max: 999_999 }),
  })
  .map(({ day, second, micro }) => {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    const time = [Math.floor(second / 3_600), Math.floor(second / 60) % 60, second % 60].map(two).join(':');
    return `${date}T${time}.${String(micro).padStart(6, '0')}Z`;
  });

const valuesOf = {
  text: hostileText,
  integer: fc.oneof(fc.integer({ min: 1 }), fc.maxSafeNat()),
  charge: fc.integer({ min: -1e15, max: 1e15 }).map((millionths) => millionths / 1e6),
  timestamp: fc.option(timestamp),
  flag: fc.boolean(),
} as const satisfies Record<Kind, unknown>;

/** The expected cell, from the item alone. */
function expected(kind: Kind, value: Item[string] | undefined): Cell | undefined {
  if (value === null || value === '' || value === undefined) return undefined;
  if (kind === 'text') return text(String(value));
  if (kind === 'flag') return { type: 'b', value: value === true ? '1' : '0' };
  if (kind === 'charge') return number(String(value));
  if (kind === 'integer') return Number(value) < 1e15 ? number(String(value)) : text(String(value));
  const serial = (Date.parse(`${String(value).slice(0, 19)}Z`) - DAY_ZERO_MS) / DAY_MS;
  return serial < 61 ? text(String(value)) : number(String(serial));
}

describe('a workbook', () => {
  for (const list of Object.values<List>(lists)) {
    const fields = Object.entries(list.fields);
    const item = fc.record(Object.fromEntries(fields.map(([name, { kind }]) => [name, valuesOf[kind]])));

    test(`${list.name}: every value of every item becomes the right cell, including hostile text`, () => {
      fc.assert(
        fc.property(fc.array(fc.array(item, { maxLength: 4 }), { maxLength: 3 }), (batches) => {
          const cells = cellsOf(partsOf(fileOf(list, batches)).get(SHEET) ?? '');
          const wanted = new Map<string, Cell>();
          fields.forEach(([name], column) => void wanted.set(`${columnName(column)}1`, text(name)));
          (batches as Item[][]).flat().forEach((values, row) => {
            fields.forEach(([name, { kind }], column) => {
              const cell = expected(kind, values[name]);
              if (cell !== undefined) wanted.set(`${columnName(column)}${row + 2}`, cell);
            });
          });
          assert.deepEqual(cells, wanted);
        }),
        { numRuns: 300 },
      );
    });
  }

  const item: Item = {
    id: '7',
    did: '+442079460018',
    comment: 'Front desk',
    activation: '1.5',
    is_spammed: 'true',
  };

  test('has well-formed parts, a frozen bold header and a filter over all of it', () => {
    const parts = partsOf(fileOf(lists.virtual_numbers, [[item], [item, item]]));
    assert.deepEqual([...parts.keys()].at(0), '[Content_Types].xml');
    const seen = new Map<string, Record<string, string>>();
    for (const xml of parts.values()) parse(xml, (name, attributes) => void seen.set(name, attributes));
    assert.equal(seen.get('pane')?.['state'], 'frozen');
    assert.equal(seen.get('pane')?.['ySplit'], '1');
    assert.equal(seen.get('autoFilter')?.['ref'], 'A1:R4');
    assert.equal(seen.get('sheet')?.['name'], 'Virtual numbers');
    assert.match(parts.get('xl/workbook.xml') ?? '', />'Virtual numbers'!\$A\$1:\$R\$4</);
  });

  test('contains only the requested columns, in order', () => {
    const writer = new XlsxWriter(lists.virtual_numbers, ['is_spammed', 'did']);
    const file = Buffer.concat([writer.begin(), writer.rows([item]), writer.end()]);
    const cells = cellsOf(partsOf(file).get(SHEET) ?? '');
    assert.deepEqual([...cells.keys()], ['A1', 'B1', 'A2', 'B2']);
    assert.deepEqual(cells.get('B2'), text('+442079460018'));
    assert.throws(() => new XlsxWriter(lists.virtual_numbers, ['title']), /no field title/);
  });

  test('is the same file for the same items, however they are split into batches', () => {
    const items = Array.from({ length: 2_000 }, (_, index) => ({ ...item, id: String(index + 1) }));
    const batches = [items.slice(0, 3), [], items.slice(3)];
    assert.deepEqual(fileOf(lists.virtual_numbers, batches), fileOf(lists.virtual_numbers, [items]));
  });

  test('contains the checksum of each part, and is written only when there is enough to compress', () => {
    const writer = new XlsxWriter(lists.virtual_numbers);
    const begun = writer.begin();
    assert.equal(writer.rows([item]).length, 0);
    const file = Buffer.concat([begun, writer.end()]);
    const parts = partsOf(file);
    for (const [name, xml] of parts) {
      const at = file.lastIndexOf(name) - 46;
      assert.equal(file.readUInt32LE(at), 0x0201_4b50, name);
      assert.equal(file.readUInt32LE(at + 16), crc32(xml), name);
    }
  });

  test('accepts an item for each row of a sheet, and rejects one more', () => {
    const writer = new XlsxWriter({
      ...lists.additional_services,
      fields: { id: lists.additional_services.fields.id },
    });
    writer.begin();
    const one = [{ id: 1 }];
    for (let row = 0; row < MAX_XLSX_ITEMS; row += 1) writer.rows(one);
    assert.throws(() => writer.rows(one), /1048575 items at most/);
  });
});

describe('a workbook for people', () => {
  const charges = ['1000000000', '0.000001', '-0.1', '0.2', '999999999.999999'];
  const items = charges.map(
    (monthly, i): Item => ({ id: i + 1, did: '+442079460018', activation: 1, monthly }),
  );
  const columns = ['did', 'monthly', 'incoming', 'next_payment_at'];
  const made = (people: People, names = columns) => {
    const writer = new XlsxWriter(lists.virtual_numbers, names, people);
    return partsOf(Buffer.concat([writer.begin(), writer.rows(items), writer.end()]));
  };

  test('has headings in each language, and exact sums below an empty row, out of the filter', () => {
    for (const language of LANGUAGES) {
      const sheet = made({ language, currency: 'EUR' }).get(SHEET) ?? '';
      const cells = cellsOf(sheet);
      const [did = '', monthly = '', , next_payment_at] = columns.map((name) => fieldLabel(language, name));
      assert.deepEqual(cells.get('A1'), text(did));
      assert.deepEqual(cells.get('B1'), text(monthly));
      assert.deepEqual(cells.get('D1'), text(`${next_payment_at} (UTC)`));
      assert.deepEqual(cells.get('A8'), text(TOTAL[language]));
      assert.deepEqual(cells.get('B8'), number('2000000000.1'));
      assert.deepEqual(
        [cells.has('A7'), cells.has('B7'), cells.has('C8'), cells.has('D8')],
        Array(4).fill(false),
      );
      assert.match(sheet, /<autoFilter ref="A1:D6"/);
    }
  });

  test('writes the currency where the language writes it', () => {
    const CASES: readonly (readonly [People, charge: string, sum: string])[] = [
      [{ language: 'en', currency: 'EUR' }, '[$€]#,##0.00####', '[$€]#,##0.00'],
      [{ language: 'de', currency: 'EUR' }, String.raw`#,##0.00####\ [$€]`, String.raw`#,##0.00\ [$€]`],
      [{ language: 'en', currency: 'JPY' }, '[$¥]#,##0.00####', '[$¥]#,##0'],
      [{ language: 'fr', currency: 'XTS' }, String.raw`#,##0.00####\ [$XTS]`, String.raw`#,##0.00\ [$XTS]`],
      [{ language: 'es', currency: null }, '#,##0.00####', '#,##0.00'],
    ];
    for (const [people, charge, sum] of CASES) {
      const codes = new Map<string, string>();
      parse(made(people).get('xl/styles.xml') ?? '', (name, { numFmtId, formatCode }) => {
        if (name === 'numFmt') codes.set(String(numFmtId), String(formatCode));
      });
      assert.deepEqual([codes.get('164'), codes.get('166')], [charge, sum], JSON.stringify(people));
    }
  });

  test('without a column that has a sum has no row of them', () => {
    const cells = cellsOf(made({ language: 'en', currency: null }, ['did', 'incoming']).get(SHEET) ?? '');
    assert.deepEqual(Math.max(...Array.from(cells.keys(), (name) => Number(name.slice(1)))), 6);
  });
});

describe('a time', () => {
  const CASES: readonly (readonly [timestamp: string, serial: number | undefined])[] = [
    ['1900-02-28T23:59:59.999999Z', undefined],
    ['1900-03-01T00:00:00.000000Z', 61],
    ['1970-01-01T12:00:00.000000Z', 25_569.5],
    ['2000-02-29T00:00:00.000000Z', 36_585],
    ['2016-12-31T23:59:60.500000Z', 42_736],
    ['9999-12-31T23:59:59.999999Z', 2_958_465 + 86_399 / 86_400],
    ['9999-12-31T23:59:60.000000Z', undefined],
    ['0000-01-01T00:00:00.000000Z', undefined],
  ];
  for (const [at, serial] of CASES) {
    test(`${at} is ${serial ?? 'no day of a spreadsheet'}`, () => assert.equal(serialOf(at), serial));
  }

  test('sorts as its text does', () => {
    fc.assert(
      fc.property(timestamp, timestamp, (one, other) => {
        const [a, b] = [serialOf(one), serialOf(other)];
        if (a === undefined || b === undefined) return;
        assert.equal(Math.sign(a - b), one.slice(0, 19).localeCompare(other.slice(0, 19)));
      }),
    );
  });
});

describe('a text', () => {
  const CASES: readonly (readonly [text: string, xml: string])[] = [
    ['Zürich 📞', 'Zürich 📞'],
    ['a & b < c > d', 'a &amp; b &lt; c &gt; d'],
    ['_x0041_', '_x005F_x0041_'],
    ['_x0041', '_x0041'],
    ['_x0041\u0001', '_x005F_x0041_x0001_'],
    ['\0\r\n\t', '_x0000__x000D_\n\t'],
    ['\ud83d', '_xD83D_'],
    ['\uffff', '_xFFFF_'],
  ];
  for (const [value, xml] of CASES) {
    test(`${JSON.stringify(value)} is written ${JSON.stringify(xml)}`, () =>
      assert.equal(xmlText(value), xml));
  }
});

test('columns are named A to Z, then AA', () => {
  assert.deepEqual([0, 17, 25, 26, 51, 52, 701, 702].map(columnName), [
    'A',
    'R',
    'Z',
    'AA',
    'AZ',
    'BA',
    'ZZ',
    'AAA',
  ]);
});
