// A workbook opens in LibreOffice as people expect: what it shows of each cell comes back as CSV, where texts
// stand in quotes and numbers do not.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { lists } from '../../api/contract/contract.ts';
import type { Item } from '../../api/contract/csv.ts';
import type { Field } from '../../api/contract/list.ts';
import { timestampOf } from '../../api/contract/timestamp.ts';
import { fillDemo } from '../../server/demo/demo.ts';
import { createToken } from '../../server/store/access/tokens.ts';
import { XlsxWriter } from '../../server/xlsx/xlsx.ts';
import { openService, type Service, stores } from '../kit/service.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const HAS_OFFICE = spawnSync('soffice', ['--version']).status === 0;
/** CI brings it, and must not pass without. */
const NO_OFFICE =
  HAS_OFFICE || process.env['CI'] === 'true'
    ? false
    : 'there is no LibreOffice: apt-get install --no-install-recommends libreoffice-calc-nogui';
const LONGEST_MS = 120_000;

/**
 * Commas, double quotes, UTF-8, from line 1, no formats, any language, texts quoted, as shown, formulas as
 * such.
 */
const CSV_FILTER = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,true';

const item: Item = {
  id: 48_151,
  did: '+442079460018',
  comment: 'Front desk',
  country: 'United Kingdom',
  country_code: 'GB',
  provider: 'Thameswire',
  status: 'active',
  subscription_status: 'active',
  frequency: 'monthly',
  activation: 1.5,
  monthly: 2.25,
  incoming: 0.0059,
  created_at: '2026-02-10T16:04:11.482913Z',
  activated_at: null,
  next_payment_at: '2026-12-01T00:00:00.000000Z',
  is_active_spam_check: true,
  is_spammed: false,
  spam_checked_at: '1899-12-31T23:59:59.999999Z',
};

const NAMES = Object.keys(lists.virtual_numbers.fields);
const TEXTS = [
  'Zürich, Łódź, 東京, 📞',
  '=1+1',
  '+44',
  '-1',
  '@SUM(A1)',
  "'quoted'",
  'he said "no"',
  ' around ',
  '_x0041_',
  '0044',
  '1E5',
  '2026-01-01',
  'TRUE',
  'a & b < c',
];
const SECONDS = 300;

/** Rows whose charges add up to what they would not as binary fractions, at times a second apart. */
const rows: readonly Item[] = [
  item,
  ...TEXTS.map((comment) => ({ ...item, comment })),
  ...Array.from({ length: SECONDS }, (_, index) => ({
    ...item,
    monthly: 0.1,
    created_at: `2024-02-29T23:5${5 + Math.floor(index / 60)}:${String(index % 60).padStart(2, '0')}.999999Z`,
  })),
];

/** The cells of a line of CSV as they were written, with their quotes. */
const cellsOf = (line: string) =>
  [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^",]*)/g)].map(([, cell]) => cell ?? '');
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** What LibreOffice shows of a workbook: the cells of each line. */
async function linesOf(file: Uint8Array): Promise<string[][]> {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'list.xlsx'), file);
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`;
  const target = ['--convert-to', CSV_FILTER, '--outdir', folder, join(folder, 'list.xlsx')];
  await promisify(execFile)('soffice', [profile, '--headless', ...target], { timeout: LONGEST_MS });
  const csv = await readFile(join(folder, 'list.csv'), 'utf8');
  return csv.trimEnd().split('\n').map(cellsOf);
}

describe('a workbook in LibreOffice', { skip: NO_OFFICE }, () => {
  let lines: readonly (readonly string[])[];
  const column = (name: string) => lines.slice(1).map((cells) => cells[NAMES.indexOf(name)]);

  before(
    async () => {
      const writer = new XlsxWriter(lists.virtual_numbers);
      lines = await linesOf(Buffer.concat([writer.begin(), writer.rows(rows), writer.end()]));
    },
    { timeout: LONGEST_MS },
  );
  test('shows each kind of value as what it is', () => {
    assert.deepEqual(lines[0], NAMES.map(quoted));
    assert.deepEqual(lines[1], [
      '48151',
      '"+442079460018"',
      '"Front desk"',
      '"United Kingdom"',
      '"GB"',
      '"Thameswire"',
      '"active"',
      '"active"',
      '"monthly"',
      '1.50',
      '2.25',
      '0.0059',
      '2026-02-10 16:04:11',
      '',
      '2026-12-01 00:00:00',
      'TRUE',
      'FALSE',
      '"1899-12-31T23:59:59.999999Z"',
    ]);
    assert.equal(lines.length, rows.length + 1);
  });

  test('keeps umlauts and plus signs, and runs nothing', () => {
    assert.deepEqual(column('comment').slice(1, TEXTS.length + 1), TEXTS.map(quoted));
    assert.deepEqual(new Set(column('did')), new Set(['"+442079460018"']));
  });

  test('has times that sort, each to its second', () => {
    const times = column('created_at').slice(-SECONDS);
    const expected = rows
      .slice(-SECONDS)
      .map((row) => String(row['created_at']).slice(0, 19).replace('T', ' '));
    assert.deepEqual(times, expected);
    assert.deepEqual(times.toSorted(), times);
  });

  test('has charges that add up', () => {
    const sum = column('monthly').reduce((total, cell) => total + Math.round(Number(cell) * 1e6), 0);
    assert.equal(sum, Math.round((TEXTS.length + 1) * 2.25e6 + SECONDS * 0.1e6));
  });
});

test('a workbook for people shows headings, the currency and the sums in LibreOffice', {
  skip: NO_OFFICE,
  timeout: LONGEST_MS,
}, async () => {
  const people = { language: 'de', currency: 'EUR' } as const;
  const writer = new XlsxWriter(lists.virtual_numbers, ['did', 'monthly', 'is_spammed'], people);
  const items = [item, { ...item, monthly: 0.0059 }, { ...item, monthly: 1_000 }];
  const file = Buffer.concat([writer.begin(), writer.rows(items), writer.end()]);
  assert.deepEqual(await linesOf(file), [
    ['"Rufnummer"', '"Monatsgebühr"', '"Spam-Markierung"'],
    ['"+442079460018"', '2.25 €', 'FALSE'],
    ['"+442079460018"', '0.0059 €', 'FALSE'],
    ['"+442079460018"', '"1,000.00 €"', 'FALSE'],
    ['', ''],
    ['"Summe"', '"1,002.26 €"', ''],
  ]);
});

describe('the spreadsheet of a finance clerk', { skip: NO_OFFICE }, () => {
  let service: Service;
  let account_id: string;
  let authorization: string;
  before(async () => {
    const [kind] = stores;
    assert.ok(kind);
    service = await openService(kind);
    account_id = (await fillDemo(service.operator))?.[0]?.id ?? '';
    authorization = (await createToken(service.operator, account_id, 'clerk'))?.token ?? '';
  });
  after(async () => service.close());

  const { path } = lists.virtual_numbers;
  const get = (url: string) => service.send('GET', url, { authorization });

  test('without charges, and with the token as a user name, has no column of them', {
    timeout: LONGEST_MS,
  }, async () => {
    const made = await createToken(service.operator, account_id, 'desk', undefined, { charges: false });
    const basic = Buffer.from(`${made?.token}:`).toString('base64');
    const { status, bytes } = await service.send('GET', `${path}.xlsx`, { authorization: `Basic ${basic}` });
    assert.equal(status, 200);
    const [names = [], ...shown] = await linesOf(bytes);
    const fields = Object.entries<Field>(lists.virtual_numbers.fields);
    assert.deepEqual(
      names,
      fields.flatMap(([name, { kind }]) => (kind === 'charge' ? [] : [quoted(name)])),
    );
    assert.ok(shown.length > 0 && shown.every((cells) => cells.length === names.length));
  });

  test('what falls due in Germany this month adds up to what the facets say', {
    timeout: LONGEST_MS,
  }, async () => {
    const facets = JSON.parse((await get(`${path}/facets?country_codes=DE`)).body);
    const [, month] = Object.entries<{ count: number; monthly: number }>(facets.due)[1] ?? [];
    assert.ok(month !== undefined && month.count > 0);
    const until = timestampOf(Date.now() + 30 * 86_400_000);
    const query = `country_codes=DE&next_payment_before=${until}&sort_by=next_payment_at`;
    const { status, bytes, headers } = await get(`${path}.xlsx?${query}`);
    assert.equal(status, 200);
    assert.equal(headers['x-total-count'], String(month.count));
    const [names = [], ...shown] = await linesOf(bytes);
    const column = (name: string) => shown.map((cells) => String(cells[names.indexOf(quoted(name))]));
    const sum = column('monthly').reduce((total, cell) => total + Math.round(Number(cell) * 1e6), 0);
    assert.equal(sum, Math.round(month.monthly * 1e6));
    assert.deepEqual(column('next_payment_at').toSorted(), column('next_payment_at'));
    const items = (await get(`${path}.ndjson?${query}`)).body.trimEnd().split('\n');
    assert.deepEqual(
      column('did'),
      items.map((text) => quoted(JSON.parse(text).did)),
    );
    assert.ok(column('did').every((did) => did.startsWith('"+49')));
  });
});
