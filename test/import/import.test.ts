// The operator's import: all rows or none, and nothing that a customer sees in between.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, afterEach, before, describe, mock, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { importDisplay, summaryLine } from '../../server/commands/import.ts';
import { MAX_LINE_BYTES } from '../../server/import/chunks.ts';
import { ImportRefused, ImportStopped, MAX_REPORTED_FAULTS } from '../../server/import/faults.ts';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob, ImportSummary } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { StoreUnavailable } from '../../server/store/store-errors.ts';
import { tables } from '../../server/store/tables.ts';
import { numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { deleteEverything, everythingIn, faultsOfRefused, selectIn } from '../kit/stored-items.ts';
import type { Database } from '../kit/templates.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

type ListName = keyof typeof tables;
type Cells = Readonly<Record<string, string | number | boolean | null>>;

const folder = temporaryFolder();

let files = 0;

/** Writes a file and gives its path. */
function file(text: string | Uint8Array, ending = '.csv'): string {
  files += 1;
  const path = join(folder, `${files}${ending}`);
  writeFileSync(path, text);
  return path;
}

const cell = (value: Cells[string] = '') => `"${String(value).replaceAll('"', '""')}"`;

function csv(rows: readonly Cells[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(cell).join(',')}\n`)
    .join('');
}

function service(account_id: string, id: number, other: Cells = {}): Cells {
  return {
    account_id,
    id,
    title: `Service ${id}`,
    subscription_status: 'active',
    frequency: 'monthly',
    ...other,
  };
}

const numbers = (account_id: string, first: number, count: number) =>
  Array.from({ length: count }, (_, i) => numberRow(account_id, first + i));

for (const kind of stores) {
  describe(`on ${kind.name}`, () => {
    let database: Database;
    let store: Store;

    before(async () => {
      database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
    });
    afterEach(() => deleteEverything(store));
    after(async () => {
      await store.close();
      await database.remove();
    });

    function run(job: Partial<ImportJob> & { files: readonly string[] }, list: ListName = 'virtual_numbers') {
      return importFiles({ store, table: tables[list], ...job });
    }

    const importRows = (
      rows: readonly Cells[],
      job: Partial<ImportJob> = {},
      list: ListName = 'virtual_numbers',
    ) => run({ files: [file(csv(rows))], ...job }, list);

    /** Runs an import that is refused, and gives its faults without the folder of the files. */
    const refused = async (job: Partial<ImportJob> & { files: readonly string[] }) =>
      (await faultsOfRefused(store, () => run(job))).map((fault) => fault.replaceAll(`${folder}/`, ''));

    const select = (text: string, from: Store = store) => selectIn(from, text);
    const everything = () => everythingIn(store);

    const idsOf = async (account_id: string, list: ListName = 'virtual_numbers', from: Store = store) =>
      (await select(`select id from ${list} where account_id = '${account_id}' order by id`, from)).map(
        ([id]) => Number(id),
      );

    const revisions = async () =>
      Object.fromEntries(await select('select id, revision from accounts order by id')) as Record<
        string,
        string
      >;

    /** The accounts whose revision something changes. */
    async function changedBy(work: () => Promise<ImportSummary>): Promise<string[]> {
      const before = await revisions();
      await work();
      const now = await revisions();
      return Object.keys(now).filter((id) => now[id] !== before[id]);
    }

    const counts = ({ rows, inserted, updated, unchanged, removed, accounts_created }: ImportSummary) =>
      [rows, inserted, updated, unchanged, removed, accounts_created].join(' ');

    describe('rows', () => {
      test('of a new account make the account, too', async () => {
        const summary = await importRows([numberRow('C1', 1), numberRow('C1', 2), numberRow('C2', 3)]);
        assert.equal(counts(summary), '3 3 0 0 0 2');
        assert.deepEqual(await idsOf('C1'), [1, 2]);
        const [account] = await select("select name, created_at, revision from accounts where id = 'C1'");
        assert.equal(account?.[0], '');
        assert.match(String(account?.[1]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000Z$/);
        assert.ok(String(account?.[2]).length >= 32);
      });

      for (const order of ['account by account', 'as they come'] as const) {
        test(`reach an empty list ${order}, with faults or without`, async () => {
          const rows = [...numbers('C1', 1, 40), ...numbers('C2', 41, 40)];
          if (order === 'as they come')
            rows.sort((a, b) => ((Number(a['id']) * 7) % 81) - ((Number(b['id']) * 7) % 81));
          const removed = { account_id: 'C3', id: 90, removed: 'true' };
          const path = file(csv([...rows, removed]));
          const again = file(csv([removed]));
          // Each fault leaves the list empty for the next.
          await refused({ files: [path, file(csv([rows[0] as Cells]))] });
          await refused({ files: [path, again] });
          await refused({ files: [path, file(csv([numberRow('C2', 91, { monthly: 'x' })]))] });
          assert.equal((await run({ files: [path], dry_run: true })).inserted, 80);
          assert.deepEqual(await idsOf('C1'), []);
          const summary = await run({ files: [path] });
          assert.equal(counts(summary), '81 80 0 0 0 3');
          assert.equal(summary.absent, 1);
          assert.deepEqual(
            await idsOf('C2'),
            Array.from({ length: 40 }, (_, i) => 41 + i),
          );
          const totals = 'select id, virtual_numbers from accounts order by id';
          assert.deepEqual(await select(totals), [
            ['C1', 40],
            ['C2', 40],
            ['C3', 0],
          ]);
          assert.equal(counts(await run({ files: [path] })), '81 0 0 80 0 0');
        });
      }

      test('arrive as the item that an answer carries', async () => {
        await importRows([
          numberRow('C1', 1, {
            comment: 'Front "desk", left',
            monthly: '2.250',
            activated_at: '2026-03-01T01:00:00+01:00',
          }),
        ]);
        const [[item] = []] = await select('select item from virtual_numbers');
        assert.deepEqual(JSON.parse(String(item)), {
          id: 1,
          did: '+442070000001',
          comment: 'Front "desk", left',
          country: 'United Kingdom',
          country_code: 'GB',
          provider: '',
          status: 'active',
          subscription_status: 'active',
          frequency: 'monthly',
          activation: 0,
          monthly: 2.25,
          incoming: 0,
          created_at: '2026-02-10T16:04:11.482913Z',
          activated_at: '2026-03-01T00:00:00.000000Z',
          next_payment_at: null,
          is_active_spam_check: false,
          is_spammed: false,
          spam_checked_at: null,
        });
      });

      test('that are there already change nothing, not even the revision', async () => {
        const rows = [numberRow('C1', 1), numberRow('C2', 2)];
        await importRows(rows);
        const before = await everything();
        assert.equal(counts(await importRows(rows)), '2 0 0 2 0 0');
        assert.deepEqual(await everything(), before);
      });

      test('that differ replace those of the same id, and only their accounts get a new revision', async () => {
        await importRows([numberRow('C1', 1), numberRow('C1', 2), numberRow('C2', 3), numberRow('C3', 4)]);
        const changed = await changedBy(async () => {
          const summary = await importRows([
            numberRow('C1', 1),
            numberRow('C1', 2, { comment: 'new' }),
            numberRow('C2', 3),
            numberRow('C3', 5),
          ]);
          assert.equal(counts(summary), '4 1 1 2 0 0');
          return summary;
        });
        assert.deepEqual(changed, ['C1', 'C3']);
        assert.deepEqual(await idsOf('C1'), [1, 2]);
      });

      test('that move to another account leave the old one, and both get a new revision', async () => {
        await importRows([numberRow('C1', 1), numberRow('C1', 2), numberRow('C2', 3), numberRow('C3', 4)]);
        const changed = await changedBy(() => importRows([numberRow('C2', 1)]));
        assert.deepEqual(changed, ['C1', 'C2']);
        assert.deepEqual([await idsOf('C1'), await idsOf('C2')], [[2], [1, 3]]);
      });

      test('that no customer sees do not change the revision', async () => {
        await importRows(
          [service('C1', 1), service('C2', 2, { category: 'core' }), service('C3', 3), service('C4', 5)],
          {},
          'additional_services',
        );
        const rows = [
          service('C1', 4, { category: 'lead' }),
          service('C2', 2, { category: 'reputation' }),
          service('C3', 3, { category: 'core' }),
          service('C2', 5, { category: 'core' }),
        ];
        assert.deepEqual(await changedBy(() => importRows(rows, {}, 'additional_services')), ['C3', 'C4']);
      });

      test('of one list leave the other list alone', async () => {
        await importRows([numberRow('C1', 1)]);
        await importRows([service('C1', 1)], { replace: true }, 'additional_services');
        assert.deepEqual([await idsOf('C1'), await idsOf('C1', 'additional_services')], [[1], [1]]);
      });
    });

    describe('with --replace', () => {
      test('what the files do not name of their accounts is removed, and nothing else', async () => {
        await importRows([...numbers('C1', 1, 3), ...numbers('C2', 11, 3), ...numbers('C3', 21, 3)]);
        const changed = await changedBy(async () => {
          const summary = await importRows([numberRow('C1', 2), ...numbers('C2', 11, 3)], {
            replace: true,
          });
          assert.equal(counts(summary), '4 0 0 4 2 0');
          return summary;
        });
        assert.deepEqual(changed, ['C1']);
        assert.deepEqual(
          [await idsOf('C1'), await idsOf('C2'), await idsOf('C3')],
          [[2], [11, 12, 13], [21, 22, 23]],
        );
      });

      test('the account that a number comes from is not one of the files', async () => {
        await importRows(numbers('C1', 1, 3));
        await importRows([numberRow('C2', 1)], { replace: true });
        assert.deepEqual([await idsOf('C1'), await idsOf('C2')], [[2, 3], [1]]);
      });

      test('services of every category are items of the account', async () => {
        await importRows(
          [service('C1', 1, { category: 'core' }), service('C1', 2)],
          {},
          'additional_services',
        );
        const changed = await changedBy(() =>
          importRows([service('C1', 2)], { replace: true }, 'additional_services'),
        );
        assert.deepEqual([changed, await idsOf('C1', 'additional_services')], [[], [2]]);
      });

      test('a header alone empties the account that was named', async () => {
        await importRows([...numbers('C1', 1, 3), ...numbers('C2', 11, 1)]);
        const header = file('id,did,status,subscription_status,frequency,created_at\n');
        const summary = await run({ files: [header], account: 'C1', replace: true });
        assert.equal(counts(summary), '0 0 0 0 3 0');
        assert.deepEqual([await idsOf('C1'), await idsOf('C2')], [[], [11]]);
      });

      test('all files of the run count as one', async () => {
        await importRows(numbers('C1', 1, 5));
        const two = [file(csv([numberRow('C1', 1)])), file(csv([numberRow('C1', 4)]))];
        assert.equal(counts(await run({ files: two, replace: true })), '2 0 0 2 3 0');
        assert.deepEqual(await idsOf('C1'), [1, 4]);
      });
    });

    describe('files', () => {
      test('may be several, of several formats, compressed or not', async () => {
        const lines = [numberRow('C1', 3), numberRow('C1', 4)]
          .map((row) => `${JSON.stringify(row)}\n`)
          .join('');
        const summary = await run({
          files: [
            file(csv([numberRow('C1', 1)])),
            file(gzipSync(csv([numberRow('C1', 2)])), '.csv.gz'),
            file(lines, '.ndjson'),
            file(gzipSync(`${JSON.stringify(numberRow('C1', 5))}\n`), '.jsonl.gz'),
          ],
        });
        assert.equal(summary.inserted, 5);
      });

      test('may come from standard input', async () => {
        const stdin = Readable.from([Buffer.from(csv(numbers('C1', 1, 5_000)))]);
        assert.equal((await run({ files: ['-'], format: 'csv', stdin })).inserted, 5_000);
      });

      test('may be as spreadsheets write them', async () => {
        const text = csv([numberRow('C1', 1, { comment: 'Köln; "Süd"' })]).replaceAll('","', '";"');
        const bytes = {
          'windows-1252': Buffer.from(text, 'latin1'),
          'utf-16': Buffer.from(`\ufeff${text}`, 'utf16le'),
        };
        for (const [encoding, written] of Object.entries(bytes)) {
          await run({ files: [file(written)], encoding, delimiter: ';' });
          const [[item] = []] = await select('select item from virtual_numbers');
          assert.equal(JSON.parse(String(item)).comment, 'Köln; "Süd"');
          await run({ files: [file('account_id,id,removed\nC1,1,1\n')] });
        }
        const odd = file(Buffer.concat([bytes['utf-16'], Buffer.from('x')]));
        assert.match((await refused({ files: [odd], encoding: 'utf-16' })).join(), /is not utf-16/);
        assert.match((await refused({ files: [odd] })).join(), /UTF-16: --encoding utf-16/);
        assert.match(
          (await refused({ files: [file(bytes['windows-1252'])], delimiter: ';' })).join(),
          /--encoding windows-1252/,
        );
      });

      test('may have blanks around every value, which are not stored', async () => {
        const own = { comment: 'two  words', provider: 'Zed, Inc', monthly: '2.25', is_spammed: 'true' };
        const rows = [numberRow('C1', 1, own), numberRow('C1', 2, { ...own, activated_at: null })];
        const padded = rows.map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [name, `\u00a0\t${value ?? ''}   \u200b`]),
          ),
        );
        assert.equal(counts(await importRows(padded)), '2 2 0 0 0 1');
        assert.equal(
          counts(await importRows(rows.map((row) => ({ ...row, activated_at: '' })))),
          '2 0 0 2 0 0',
        );
        const lines = padded.map((row, i) => ({ ...row, id: i + 1, is_spammed: true, activated_at: null }));
        const ndjson = file(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), '.ndjson');
        assert.equal(counts(await run({ files: [ndjson] })), '2 0 0 2 0 0');
        const active = "select count(*) from virtual_numbers where status = 'active' and account_id = 'C1'";
        assert.deepEqual((await select(active)).flat().map(Number), [2]);
      });

      test('with too many columns or faults are read no further', async () => {
        const wide = Array.from({ length: 80_000 }, (_, i) => `c${i}`).join(',');
        assert.match((await refused({ files: [file(`${wide}\n`)] })).join(), /has 80,000 cells/);
        const long = 'account_id,id,removed\n'.concat('C1,x,1\n'.repeat(250_000));
        await assert.rejects(run({ files: [file(long)] }), /At least 1\d\d,\d\d\d faults/);
      });

      test('may leave out the account when the run has one', async () => {
        const { account_id, ...row } = numberRow('C1', 1);
        assert.equal((await importRows([row], { account: String(account_id) })).inserted, 1);
        assert.deepEqual(await idsOf('C1'), [1]);
      });

      test('that cannot be read are all reported, before anything is imported', async () => {
        const faults = await refused({ files: [join(folder, 'no.csv'), folder, '-'] });
        assert.deepEqual(faults, [
          'no.csv: There is no such file.',
          `${folder}: This is a folder; name the files in it.`,
          '-: Name the format of standard input: --format csv, ndjson, json or xlsx.',
        ]);
      });

      test('have no delimiter where they are NDJSON', async () => {
        const path = file('{"account_id":"C1","id":1,"removed":true}\n', '.ndjson');
        const [fault = ''] = await refused({ files: [path], update: true, delimiter: ';' });
        assert.match(fault, /This is no CSV, and --delimiter is for CSV: leave it out\.$/);
      });

      test('must not be named twice', async () => {
        const path = file(csv([numberRow('C1', 1)]));
        assert.match((await refused({ files: [path, path] })).join(), /named twice/);
      });

      const unreadable: [title: string, text: string, ending: string, fault: RegExp][] = [
        ['an empty CSV file', '', '.csv', /^\d+\.csv:1: There is no header row\.$/],
        ['an empty NDJSON file', '\n', '.ndjson', /^\d+\.ndjson:1: There is no row\.$/],
        [
          'another separator',
          'id;did\n1;2\n',
          '.csv',
          /^\d+\.csv:1: The header has a single cell; this looks like semicolons: --delimiter ';'$/,
        ],
        [
          'a line without end',
          `account_id,id,removed\nC1,1,1\n\n${'x'.repeat(2 * MAX_LINE_BYTES)}`,
          '.csv',
          /^\d+\.csv:4: A line is longer than \d+ bytes; the rest of the file was not read\.$/,
        ],
        [
          'a line without end in NDJSON',
          `{"account_id":"C1","id":1,"removed":true}\n${' '.repeat(2 * MAX_LINE_BYTES)}`,
          '.ndjson',
          /^\d+\.ndjson:2: A line is longer/,
        ],
        [
          'a last line that is cut off',
          'account_id,id,removed\nC1,1,1\nC1',
          '.csv',
          /^\d+\.csv:3: The last line does not end with a line break/,
        ],
        [
          'such a line behind a quote that is not closed',
          `account_id,id,removed\n"${`${'x'.repeat(1_000)}\n`.repeat(2_000)}C1`,
          '.csv',
          /^\d+\.csv: The last line .*\n\d+\.csv:2: account_id: begins with a quote that is not closed/,
        ],
        [
          'quotes under a name that a terminal would obey, which is not UTF-8 either',
          'a\x1b[31mX\x07\x9bX,\udcff\x1b[2J\n"a"b,1\n1,"a"b\n',
          '.csv',
          /^(?:\d+\.csv:1: .*\n)+\d+\.csv:2: a\\u001b\[31mX\\u0007\\u009bX: goes on .*\n\d+\.csv:3: \P{Cc}*: goes on/u,
        ],
      ];
      for (const [title, text, ending, fault] of unreadable) {
        test(`are refused: ${title}`, async () => {
          assert.match((await refused({ files: [file(text, ending)] })).join('\n'), fault);
        });
      }
    });

    describe('a fault in a row', () => {
      test('is reported with file, line, column and what to do, for every file, in their order', async () => {
        const faults = await refused({
          files: [
            file(
              csv([
                numberRow('C1', 1),
                numberRow('C1', 2, { created_at: '2026-02-10' }),
                numberRow('C1', 3, { comment: 'two\nlines' }),
                numberRow('C1', 0),
              ]),
            ),
            file(`${JSON.stringify(numberRow('C1', 9))}\n{"id":}\n`, '.ndjson'),
          ],
        });
        const [a, b] = [files - 1, files];
        assert.deepEqual(faults, [
          `${a}.csv:3: created_at: must be an RFC 3339 timestamp such as 2026-11-20T09:30:00Z or 2026-11-20T09:30:00.123456+01:00, but was "2026-02-10"; did you mean 2026-02-10T00:00:00Z?`,
          `${a}.csv:6: id: must be an integer from 1 to 9007199254740991, but was "0".`,
          `${b}.ndjson:2: The line is not JSON (Unexpected token '}', "{"id":}" is not valid JSON); write one complete object on each line.`,
        ]);
      });

      test('in the header is reported once, and says what was meant', async () => {
        const path = file(
          'acount_id,id,did,id,status,,frequency,created_at\nC1,1,2,3,4,5,6,7\nC1,1,2,3,4,5,6,7\n',
        );
        const faults = (await refused({ files: [path] })).map((fault) =>
          fault.replace(/^[^:]*:/, '').replace(/ Known are.*/, ''),
        );
        assert.deepEqual(faults, [
          '1: acount_id: is not a column of virtual numbers. Did you mean account_id?',
          '1: id: is there twice, in cells 2 and 4; leave one out.',
          '1: cell 6: has no name; every column needs one.',
          '1: account_id: is required, but the header does not name it.',
          '1: subscription_status: is required, but the header does not name it.',
        ]);
      });

      test('is a row with a cell too many or too few', async () => {
        const text = csv([numberRow('C1', 1)]);
        const faults = await refused({ files: [file(`${text}1,2\n${text.split('\n')[1]},\n1\n`)] });
        assert.deepEqual(
          faults.map((fault) => fault.replace(/^[^:]*:/, '')),
          [
            '3: There are 2 cells, but the header has 7.',
            '4: There are 8 cells, but the header has 7.',
            '5: There is 1 cell, but the header has 7.',
          ],
        );
      });

      test('is text that is not UTF-8', async () => {
        const text = csv([numberRow('C1', 1), numberRow('C1', 2, { comment: 'caf\u00e9' })]);
        const [fault] = await refused({ files: [file(Buffer.from(text, 'latin1'))] });
        assert.match(fault ?? '', /:3: comment: is not well-formed Unicode/);
        const header = Buffer.from(text.replace('comment', 'caf\u00e9'), 'latin1');
        assert.match(
          (await refused({ files: [file(header)] })).join('\n'),
          /^[^:]*:1: The header is not valid UTF-8: correct it, or say what the file is[^\n]*$/,
        );
      });
    });

    describe('a fault', () => {
      test('is an id that came before, in this file or in another', async () => {
        const first = file(csv([numberRow('C1', 1), numberRow('C1', 2), numberRow('C2', 1)]));
        const second = file(csv([numberRow('C1', 2)]));
        const [a, b] = [files - 1, files];
        assert.deepEqual(await refused({ files: [first, second] }), [
          `${a}.csv:4: id: 1 is there twice; it was first given at ${a}.csv:2.`,
          `${b}.csv:2: id: 2 is there twice; it was first given at ${a}.csv:3.`,
        ]);
      });

      for (const [where, before] of [
        ['', 0],
        [', behind many rows', 10_000],
      ] as const) {
        test(`does not keep a later id from being found twice${where}`, async () => {
          const faulty = numberRow('C2', 20_007, { monthly: 'x' });
          const [seven, eight] = [numberRow('C2', 20_007), numberRow('C2', 20_008)];
          const rows = [...numbers('C1', 1, before), faulty, eight, seven, eight];
          const faults = await refused({ files: [file(csv(rows))] });
          assert.deepEqual(
            faults.map((fault) => /:(\d+): (\w+)/.exec(fault)?.slice(1).join(' ')),
            [`${before + 2} monthly`, `${before + 4} id`, `${before + 5} id`],
          );
        });
      }

      test('among many is counted, and the first hundred are reported in order', async () => {
        const rows = numbers('C1', 1, 12_000).map((row, i) =>
          i % 100 === 7 ? { ...row, monthly: 'x' } : i % 100 === 9 ? { ...row, id: 1 } : row,
        );
        const path = file(csv(rows));
        const error = await run({ files: [path] }).catch((caught: unknown) => caught);
        assert.ok(error instanceof ImportRefused);
        assert.equal(error.total, 240);
        assert.equal(error.faults.length, MAX_REPORTED_FAULTS);
        const lines = error.faults.map((fault) => Number(/:(\d+): /.exec(fault)?.[1]));
        assert.deepEqual(
          lines,
          Array.from({ length: 100 }, (_, i) => 100 * Math.floor(i / 2) + (i % 2 === 0 ? 9 : 11)),
        );
        assert.match(error.message, /\n240 faults, of which the first 100 are shown\. Nothing was imported/);
      });

      test('in the last row of many leaves everything as it was', async () => {
        await importRows(numbers('C1', 1, 100));
        const rows = [...numbers('C1', 50, 8_000), numberRow('C2', 99_999, { country_code: 'UK' })];
        const faults = await refused({ files: [file(csv(rows))], replace: true });
        assert.deepEqual(
          faults.map((fault) => fault.replace(/^[^:]*:/, '')),
          [
            '8002: country_code: must be an ISO 3166-1 alpha-2 code in upper case, such as GB, but was "UK"; did you mean GB?',
          ],
        );
        assert.equal((await importRows([numberRow('C1', 1)])).unchanged, 1);
      });
    });

    describe('while an import runs', () => {
      /** An import that reads as far as the test lets it. */
      function slowly(job: Partial<ImportJob> = {}) {
        const stdin = new PassThrough();
        let read = 0;
        let wake: (() => void) | undefined;
        const onProgress = ({ rows }: { rows: number }) => {
          read = rows;
          wake?.();
        };
        const done = run({ files: ['-'], format: 'csv', stdin, onProgress, ...job });
        return {
          done,
          feed: (text: string) => stdin.write(text),
          end: () => stdin.end(),
          async until(rows: number) {
            while (read < rows) {
              await new Promise<void>((resolve) => {
                wake = resolve;
              });
            }
          },
        };
      }

      const [header = '', ...lines] = csv(numbers('C1', 1, 4_000)).split(/(?<=\n)/);

      test('readers see the old list, and then the whole new one', async () => {
        await importRows(numbers('C1', 5_000, 3));
        const reader = await openStore(database.url, 'read');
        const oldRevision = await select('select revision from accounts', reader);
        const slow = slowly({ replace: true });
        slow.feed(header + lines.slice(0, 2_000).join(''));
        await slow.until(2_000);
        assert.deepEqual(await idsOf('C1', 'virtual_numbers', reader), [5_000, 5_001, 5_002]);
        slow.feed(lines.slice(2_000).join(''));
        await slow.until(4_000);
        assert.deepEqual(await idsOf('C1', 'virtual_numbers', reader), [5_000, 5_001, 5_002]);
        assert.deepEqual(await select('select revision from accounts', reader), oldRevision);
        slow.end();
        await slow.done;
        assert.equal((await idsOf('C1', 'virtual_numbers', reader)).length, 4_000);
        assert.notDeepEqual(await select('select revision from accounts', reader), oldRevision);
        await reader.close();
      });

      test('another one waits, says so, and then runs', async () => {
        const other = await openStore(database.url, 'write');
        const slow = slowly();
        slow.feed(header + lines.slice(0, 10).join(''));
        await slow.until(10);
        let waits = 0;
        const second = importFiles({
          store: other,
          table: tables.virtual_numbers,
          files: [file(csv(numbers('C2', 9_000, 3)))],
          onProgress: ({ doing }) => {
            if (doing !== 'waiting') return;
            waits += 1;
            slow.end();
          },
        });
        assert.equal((await slow.done).inserted, 10);
        assert.equal((await second).inserted, 3);
        assert.equal(waits, 1);
        await other.close();
      });

      test('another one that waits does not read on, so that its memory stays flat', async () => {
        const other = await openStore(database.url, 'write');
        const held = await other.load(tables.virtual_numbers);
        const stopping = new AbortController();
        let takenBytes = 0;
        function* endless(): Generator<Buffer> {
          for (const chunk = Buffer.from(header + lines.join('')); ; takenBytes += chunk.length) yield chunk;
        }
        const waiting = run({
          files: ['-'],
          format: 'csv',
          stdin: Readable.from(endless()),
          signal: stopping.signal,
          onProgress: ({ doing }) => {
            if (doing === 'waiting') stopping.abort();
          },
        });
        await assert.rejects(waiting, ImportStopped);
        assert.ok(takenBytes < 6 * 1_048_576, `${takenBytes} bytes were read ahead`);
        await held.rollback();
        await other.close();
      });

      test('another one does not wait for ever', async () => {
        const other = await openStore(database.url, 'write');
        const slow = slowly();
        slow.feed(header + lines[0]);
        await slow.until(1);
        const job = {
          store: other,
          table: tables.virtual_numbers,
          files: [file(csv([numberRow('C2', 9)]))],
          lockTimeoutMs: 150,
        };
        await assert.rejects(importFiles(job), (error: unknown) => {
          return (
            error instanceof StoreUnavailable && /has been writing to the database for/.test(error.message)
          );
        });
        slow.end();
        await slow.done;
        await other.close();
      });

      test('it can be stopped, and leaves everything as it was', async () => {
        await importRows(numbers('C1', 5_000, 3));
        const before = await everything();
        const stopping = new AbortController();
        const slow = slowly({ signal: stopping.signal, replace: true });
        slow.feed(header + lines.slice(0, 2_000).join(''));
        await slow.until(2_000);
        stopping.abort();
        await assert.rejects(slow.done, ImportStopped);
        assert.deepEqual(await everything(), before);
        assert.equal((await importRows([numberRow('C1', 5_000)])).unchanged, 1);
      });

      test('it can be stopped while it waits', async () => {
        const other = await openStore(database.url, 'write');
        const held = await other.load(tables.virtual_numbers);
        const stopping = new AbortController();
        const waiting = importRows([numberRow('C1', 1)], {
          signal: stopping.signal,
          onProgress: ({ doing }) => {
            if (doing === 'waiting') stopping.abort();
          },
        });
        await assert.rejects(waiting, ImportStopped);
        await held.rollback();
        await other.close();
      });

      test('its progress grows up to all rows and bytes', async () => {
        const text = csv(numbers('C1', 1, 10_000));
        const seen: [rows: number, bytes: number][] = [];
        await run({
          files: [file(text), file(csv(numbers('C1', 20_000, 1)))],
          onProgress: ({ rows, bytes, totalBytes }) => {
            assert.ok(totalBytes !== undefined && totalBytes > text.length);
            seen.push([rows, totalBytes - bytes]);
          },
        });
        assert.deepEqual(
          seen,
          seen.toSorted((a, b) => a[0] - b[0] || b[1] - a[1]),
        );
        assert.deepEqual(seen.at(-1), [10_001, 0]);
      });
    });
  });
}

describe('what a person sees of an import', () => {
  const progress = { rows: 120_000, bytes: 25, totalBytes: 100 } as const;

  function shownOn(isTTY: boolean, doing: 'reading' | 'waiting' | 'finishing'): string {
    let shown = '';
    const write = mock.method(process.stderr, 'write', (text: string) => {
      shown += text;
      return true;
    });
    const { isTTY: before } = process.stderr;
    process.stderr.isTTY = isTTY;
    const display = importDisplay();
    display.show({ doing, ...progress });
    display.clear();
    write.mock.restore();
    process.stderr.isTTY = before;
    return shown;
  }

  test('is a moving line on a terminal', () => {
    assert.match(shownOn(true, 'reading'), /120,000 rows read, [\d,]+ rows\/s, 25 %/);
    assert.match(shownOn(true, 'finishing'), /120,000 rows read; storing them/);
  });

  test('is nothing in a log but that it waits', () => {
    assert.equal(shownOn(false, 'reading') + shownOn(false, 'finishing'), '');
    assert.match(
      shownOn(false, 'waiting'),
      /^Another command is writing to the database; waiting for it to end/,
    );
  });

  test('ends with one sentence', () => {
    const summary = {
      rows: 1_204,
      left_out: 4,
      columns: [],
      changed: { monthly: 3 },
      examples: [],
      negative: 0,
      warnings: [],
      inserted: 1_000,
      updated: 3,
      moved: 0,
      unchanged: 201,
      removed: 7,
      absent: 0,
      accounts_created: 1,
    };
    assert.equal(
      summaryLine(tables.virtual_numbers.list, summary, 1_250),
      'Virtual numbers: 1,204 rows read, 4 rows left out, 1,000 inserted, 3 updated (changed: monthly 3), 201 unchanged, 7 removed; 1 new account (1.3 s).',
    );
  });
});
