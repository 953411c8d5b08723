// Files of another system, from the file that an operator has to what customers see: by the commands, a
// watched folder and the intake; pull.long.test.ts has those of queries.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { openIntake } from '../kit/intake-server.ts';
import { mustRun, Operator, runProgram } from '../kit/program.ts';
import { ndjson, numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { deleteEverything, faultsOfRefused, selectIn } from '../kit/stored-items.ts';
import type { Database } from '../kit/templates.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { until } from '../kit/until.ts';

const HEADER = 'Kundennr;Rufnummer;Bemerkung;Preis;Start;Nächste Zahlung\n';
const LINES = [
  'C1001;+442079460018;Büro;2,25;01.02.2026;01.12.2026',
  'C1001;+442079460019;;1.002,25;15.02.2026;',
  'C1002;+493023125010;Fax;0;01.03.2026;01.12.2026',
];
const latin = (text: string) => Buffer.from(text, 'latin1');
const BILLING = latin(`${HEADER}${LINES.join('\n')}\n`);
const MAPPING = {
  delimiter: ';',
  encoding: 'windows-1252',
  decimal: ',',
  dates: ['DD.MM.YYYY'],
  time_zone: 'Europe/Berlin',
  columns: {
    account_id: 'Kundennr',
    did: 'Rufnummer',
    id: { from: 'Rufnummer', as: 'digits' },
    comment: 'Bemerkung',
    monthly: 'Preis',
    created_at: 'Start',
    next_payment_at: 'Nächste Zahlung',
  },
  constants: { frequency: 'monthly', status: 'active', subscription_status: 'active' },
};

const folder = temporaryFolder();

function written(name: string, what: string | Uint8Array | object): string {
  const path = join(folder, name);
  const isText = typeof what === 'string' || what instanceof Uint8Array;
  writeFileSync(path, isText ? what : JSON.stringify(what));
  return path;
}

describe('the commands of mappings', () => {
  const database = `sqlite:${join(folder, 'commands.db')}`;
  const operator = new Operator(database);
  const file = written('billing.csv', BILLING);
  after(() => operator.close());

  test('lead from a file of another system to a page of a customer', async () => {
    const unread = await operator.run('import', 'virtual-numbers', file);
    assert.equal(unread.status, 1);
    assert.match(
      unread.err,
      /^\S+billing\.csv:1: The header has a single cell; this looks like semicolons\. The columns/m,
    );
    assert.match(
      unread.err,
      /"linecard-server mapping propose --list virtual-numbers \S+billing\.csv > mapping\.json"/,
    );
    const { out } = await operator.command('mapping', 'propose', file);
    const mapping = written('billing.json', out);
    const tried = await operator.command('mapping', 'try', mapping, file);
    assert.match(tried.out, /^ACCOUNT_ID +ID +DID .*\nC1001 +442079460018 +\+442079460018 +Büro /);
    assert.match(tried.err, /3 rows read, 3 inserted, .* Nothing was changed/);
    const done = await operator.command('import', 'virtual-numbers', '--mapping', mapping, file);
    assert.match(done.err, /3 rows read, 3 inserted, .*; 2 new accounts/);
    const token = await operator.mustDo('token', 'create', '--account', 'C1001');
    const { url } = await operator.serve();
    const answer = await fetch(`${url}/api/v1/did/me`, { headers: { authorization: `Bearer ${token}` } });
    const { data } = (await answer.json()) as { data: Record<string, unknown>[] };
    assert.partialDeepStrictEqual(data, [
      { did: '+442079460018', comment: 'Büro', created_at: '2026-02-01T00:00:00.000000Z' },
      { did: '+442079460019', monthly: 1002.25, country_code: 'GB' },
    ]);
  });

  test('propose one for a file of accounts as well, which the import then takes', async () => {
    const accounts = written(
      'customers.csv',
      latin('Kundennr;Firma;Währung;Wiederverkäufer;gesperrt\nC1;Ada;EUR;;nein\nC2;Büro;;C1;ja\n'),
    );
    const proposed = await runProgram(['mapping', 'propose', accounts]);
    assert.match(proposed.err, /^# for accounts, by 2 rows of /);
    const mapping = written('customers.json', proposed.out);
    const tried = await runProgram(['mapping', 'try', mapping, accounts, '--json']);
    assert.deepEqual(JSON.parse(tried.out), [
      { account_id: 'C1', name: 'Ada', currency: 'EUR', parent_id: '', disabled: false },
      { account_id: 'C2', name: 'Büro', currency: '', parent_id: 'C1', disabled: true },
    ]);
    const database = `sqlite:${join(folder, 'customers.db')}`;
    const words = ['import', 'accounts', '--database-url', database, '--mapping', mapping, accounts];
    const { err } = await mustRun(words);
    assert.match(err, /2 rows read, 2 inserted/);
    const refused = await runProgram([
      'import',
      'accounts',
      '--database-url',
      database,
      accounts,
      '--encoding',
      'windows-1252',
    ]);
    assert.match(refused.err, /mapping propose --list accounts \S+customers\.csv > mapping\.json/);
  });

  test('know the fields that the operator declared, by name and by title, and need no database', async () => {
    await operator.command(
      ...['field', 'add', 'virtual-numbers', 'x_site', '--kind', 'text', '--title', 'de=Standort'],
    );
    await operator.command('field', 'add', 'virtual-numbers', 'x_last_call', '--kind', 'timestamp');
    const calls = written(
      'calls.csv',
      'Kundennr;Rufnummer;Start;Standort;Last call\nC1001;+442079460018;01.02.2026;Basel;20.10.2026 10:04:11\n',
    );
    const { out } = await operator.command('mapping', 'propose', calls);
    const { columns } = JSON.parse(out) as typeof MAPPING;
    assert.partialDeepStrictEqual(columns, { x_site: 'Standort', x_last_call: 'Last call' });
    const tried = await operator.command(...['mapping', 'try', written('calls.json', out), calls, '--json']);
    assert.partialDeepStrictEqual(JSON.parse(tried.out), [
      { x_site: 'Basel', x_last_call: '2026-10-20T10:04:11.000000Z' },
    ]);
    assert.match(tried.err, /1 row read, 1 inserted/);

    const away = ['--database-url', 'postgres://u:p@127.0.0.1:9/none'];
    const alone = await runProgram(['mapping', 'propose', calls, ...away]);
    assert.deepEqual([alone.status, 'x_site' in JSON.parse(alone.out).columns], [0, false]);
    assert.match(
      alone.err,
      /^Note: fields that you declared are not known here, as the database was not read/m,
    );
  });

  test('try an update as one of the items that there are, with the columns that the file has', async () => {
    const numbers = written('numbers.ndjson', ndjson([numberRow('C1001', 48151)]));
    await operator.command('import', 'virtual-numbers', numbers);
    const calls = written('last-calls.csv', 'Kunde;Nr;Letzter Anruf\nC1001;48151;20.10.2026 10:04:11\n');
    const columns = { account_id: 'Kunde', id: 'Nr', x_last_call: 'Letzter Anruf' };
    const mapping = written(
      'last-calls.json',
      JSON.stringify({ delimiter: ';', dates: ['DD.MM.YYYY HH:mm:ss'], columns }),
    );
    const tries = (file: string) => operator.run('mapping', 'try', mapping, file, '--update', '--json');
    const tried = await tries(calls);
    assert.deepEqual(JSON.parse(tried.out), [
      { account_id: 'C1001', id: 48151, x_last_call: '2026-10-20T10:04:11.000000Z' },
    ]);
    assert.match(tried.err, /1 row read, 0 inserted, 1 updated/);
    const other = written('others.csv', 'Kunde;Nr;Letzter Anruf\nC1001;48152;20.10.2026 10:04:11\n');
    const { status, err } = await tries(other);
    assert.equal(status, 1);
    assert.match(err, /48152 is not there; --update changes items that are there/);
    // Nothing was imported: a removal has nothing to confirm.
    const { err: removed } = await operator.command('field', 'remove', 'x_last_call', '--yes');
    assert.match(removed, /of which 0 items had a value/);
  });

  test('read a file in UTF-8 with a bad byte as that, and name its line wherever it is', async () => {
    const lines = Array.from({ length: 52 }, (_, i) => `C1;+4420794600${10 + i};Büro Süd;1;01.02.2026;\n`);
    const bad = latin('C1;+442079460099;Caf\xe9;1;01.02.2026;\n');
    const file = written('bad-byte.csv', Buffer.concat([Buffer.from(HEADER + lines.join('')), bad]));
    const proposed = await runProgram(['mapping', 'propose', file]);
    assert.match(proposed.err, /^\? encoding: line 54 is not valid UTF-8, as the rest of the file is\./m);
    const mapping = written('bad-byte.json', proposed.out);
    const { status, out, err } = await runProgram(['mapping', 'try', mapping, file]);
    assert.equal(status, 1);
    assert.match(out, /Büro Süd/);
    assert.match(err, /bad-byte\.csv:54: Bemerkung \(comment\): is not well-formed Unicode/);
  });

  test('read a file of DOS as one', async () => {
    const bytes = Buffer.from(
      'Kundennr;Rufnummer;Bemerkung;Start\nC1;+442079460018;B\x81ro S\x81d, N\x84he K\x94ln;01.02.2026\n',
      'latin1',
    );
    const file = written('dos.csv', bytes);
    const mapping = written('dos.json', (await runProgram(['mapping', 'propose', file])).out);
    const { status, out, err } = await runProgram(['mapping', 'try', mapping, file]);
    assert.equal(status, 0, err);
    assert.match(out, /Büro Süd, Nähe Köln/);
  });

  test('show all faults of a file and of a mapping, and import nothing', async () => {
    const bad = written(
      'bad.csv',
      latin(`${HEADER}${LINES[0]}\n${LINES[0]}\nC1;+442079460020;;2,2,5;31.02.2026;\n`),
    );
    const mapping = written('good.json', MAPPING);
    const { status, out, err } = await runProgram(['mapping', 'try', mapping, bad, '--json']);
    assert.equal(status, 1);
    assert.deepEqual(
      (JSON.parse(out) as Record<string, unknown>[]).map(({ account_id, monthly }) => [account_id, monthly]),
      [
        ['C1001', 2.25],
        ['C1001', 2.25],
        ['C1', undefined],
      ],
    );
    assert.deepEqual(err.replaceAll(`${folder}/`, '').trimEnd().split('\n'), [
      'bad.csv:3: Rufnummer (id): 442079460018 is there twice; it was first given at bad.csv:2.',
      'bad.csv:4: Preis (monthly): "2,2,5" is not a charge: write 2,25 or 1.234,56, with at most six decimals.',
      'bad.csv:4: Start (created_at): "31.02.2026" does not exist: there is no such day or time.',
      'linecard-server: 3 faults. Nothing was imported: the lists are as they were.',
    ]);
    const broken = written('broken.json', { columns: { acount_id: 'Kundennr' }, decimals: ',' });
    const refused = await runProgram(['mapping', 'try', broken, bad]);
    assert.equal(refused.status, 1);
    assert.match(
      refused.err,
      /broken\.json: \/decimals: is not a key of a mapping\. Did you mean decimal\?\n/,
    );
    assert.match(refused.err, /broken\.json: \/columns\/acount_id: .*Did you mean account_id\?\n/);
  });

  test('refuse what is no file, and wrong usage', async () => {
    for (const [words, status, says] of [
      [['propose', join(folder, 'none.csv')], 1, /none\.csv: There is no such file\./],
      [['propose', folder], 1, /This is a folder/],
      [['propose', '-'], 2, /standard input cannot be read twice/],
      [
        ['propose', file, '--list', 'numbers'],
        2,
        /--list must be one of virtual-numbers, additional-services/,
      ],
      [['try', join(folder, 'none.json'), file], 1, /none\.json: There is no such mapping\./],
      [['try', file, file], 1, /billing\.csv: It is not JSON in UTF-8 or UTF-16/],
      [['try', join(folder, 'good.json'), join(folder, 'none.csv')], 1, /none\.csv: There is no such file\./],
    ] as const) {
      const ended = await runProgram(['mapping', ...words]);
      assert.equal(ended.status, status, ended.err);
      assert.match(ended.err, says);
    }
  });
});

test('a watched folder reads its files with the mapping in it', async () => {
  const drop = join(folder, 'drop');
  mkdirSync(drop);
  writeFileSync(join(drop, 'mapping.json'), JSON.stringify(MAPPING));
  const operator = new Operator(`sqlite:${join(folder, 'watched.db')}`);
  const watch = operator.start('import', '--watch', drop);
  try {
    writeFileSync(join(drop, 'virtual-numbers-1.csv'), BILLING);
    writeFileSync(join(drop, 'virtual-numbers-2.csv'), latin(`${HEADER}C1;n/a;;1;01.02.2026;\n`));
    const failed = join(drop, 'failed', 'virtual-numbers-2.csv.faults.txt');
    await until('a report', () => existsSync(failed) && readFileSync(failed, 'utf8') !== '');
    assert.ok(existsSync(join(drop, 'done', 'virtual-numbers-1.csv')));
    assert.match(
      readFileSync(failed, 'utf8'),
      /^virtual-numbers-2\.csv:2: Rufnummer \(id\): "n\/a" has no digits/,
    );
    assert.doesNotMatch(watch.said.all, /"mapping\.json" is left alone/);
  } finally {
    operator.close();
  }
});

for (const kind of stores) {
  describe(`on ${kind.name}`, () => {
    let database: Database;
    let store: Store;
    const mapping = written('mapping.json', MAPPING);

    before(async () => {
      database = await databaseOf(kind);
      store = await openStore(database.url, 'write');
    });
    afterEach(() => deleteEverything(store));
    after(async () => {
      await store.close();
      await database.remove();
    });

    const run = (bytes: Uint8Array, other: Partial<ImportJob> = {}) =>
      importFiles({
        store,
        table: tables.virtual_numbers,
        files: [written('run.csv', bytes)],
        mapping,
        ...other,
      });
    const rows = () => selectIn(store, 'select id, account_id, monthly from virtual_numbers order by id');
    const refused = async (bytes: Uint8Array, other: Partial<ImportJob> = {}) =>
      (await faultsOfRefused(store, () => run(bytes, other))).map((fault) =>
        fault.replaceAll(`${folder}/`, ''),
      );

    test('a file comes in with its mapping, and changes nothing the second time', async () => {
      assert.equal((await run(BILLING)).inserted, 3);
      assert.deepEqual(
        (await rows()).map((row) => row.map(String)),
        [
          ['442079460018', 'C1001', '2250000'],
          ['442079460019', 'C1001', '1002250000'],
          ['493023125010', 'C1002', '0'],
        ],
      );
      assert.equal((await run(BILLING)).unchanged, 3);
    });

    test('a summary says how many times clocks show twice, unless the mapping refuses them', async () => {
      const file = latin(`${HEADER}C1;+4930123;;1;25.10.2026 02:30;\nC1;+4930124;;1;25.10.2026 02:45;\n`);
      const local = { ...MAPPING, dates: ['DD.MM.YYYY HH:mm'] };
      const { warnings } = await run(file, { dry_run: true, mapping: written('local.json', local) });
      assert.equal(warnings.length, 1);
      assert.match(
        String(warnings),
        /^2 times that clocks show twice in Europe\/Berlin: each is the earlier/,
      );
      const strict = written('strict.json', { ...local, repeated: 'refuse' });
      assert.equal((await refused(file, { mapping: strict })).length, 2);
    });

    test('a mapping goes with every mode: changes, removals, complete lists', async () => {
      await run(BILLING);
      const prices = written('prices.json', {
        delimiter: ';',
        decimal: ',',
        columns: { account_id: 'K', id: { from: 'N', as: 'digits' }, monthly: 'P', removed: 'Weg' },
        values: { removed: { ja: 'true', '': 'false' } },
      });
      const changes = latin('K;N;P;Weg\nC1001;0044 20 7946 0018;3,5;\nC1001;+44 20 7946 0019;;ja\n');
      const { updated, removed } = await run(changes, { mapping: prices, update: true });
      assert.deepEqual([updated, removed], [1, 1]);
      assert.deepEqual(
        (await rows()).map(([id, , monthly]) => `${id} ${monthly}`),
        ['442079460018 3500000', '493023125010 0'],
      );
      const [fault] = await refused(latin('K;N;P;Weg\nC1001;+1;1;\n'), { mapping: prices, update: true });
      assert.match(fault ?? '', /^run\.csv:2: N \(id\): 1 is not there; --update changes items/);
      const all = await run(latin(`${HEADER}${LINES[0]}\n`), {
        replace_all: true,
        max_removed: { percent: 100 },
      });
      assert.equal(all.removed, 1);
    });

    test('one fault leaves everything as it was, and names the column of the file', async () => {
      await run(BILLING);
      assert.deepEqual(
        await refused(
          latin(`${HEADER}C9;+1 2125550100;;1;29.03.2026;\nC9;1-212-555-0100;;1,x;01.02.2026;\n`),
        ),
        [
          'run.csv:3: Preis (monthly): "1,x" is not a charge: write 2,25 or 1.234,56, with at most six decimals.',
          'run.csv:3: Rufnummer (id): 12125550100 is there twice; it was first given at run.csv:2.',
        ],
      );
      const missing = { mapping: join(folder, 'none.json') };
      assert.deepEqual(await refused(BILLING, missing), ['none.json: There is no such mapping.']);
    });

    test('a last line without a line break comes in, unless lists are replaced by rows that nobody counted', async () => {
      const open = BILLING.subarray(0, -1);
      for (const other of [{ replace: true }, { replace_all: true }]) {
        assert.match(
          (await refused(open, other)).join(),
          /^run\.csv:4: The last line does not end with a line break/,
        );
        assert.equal((await run(open, { ...other, expect_rows: 3 })).rows, 3);
        await deleteEverything(store);
      }
      assert.match((await refused(BILLING.subarray(0, -12))).join(), /^run\.csv:4: The last line does not/);
      assert.equal((await run(open)).rows, 3);
    });

    test('the intake reads a body with a mapping of its folder', async () => {
      const mappings = join(folder, 'mappings');
      mkdirSync(mappings, { recursive: true });
      writeFileSync(join(mappings, 'billing.json'), JSON.stringify(MAPPING));
      writeFileSync(join(mappings, 'broken.json'), '{"columns": {}}');
      rmSync(join(mappings, 'loop.json'), { force: true });
      symlinkSync('loop.json', join(mappings, 'loop.json'));
      mkdirSync(join(mappings, 'folder.json'), { recursive: true });
      const intake = await openIntake(kind, { mappings });
      try {
        for (const name of ['billing', 'billing.json']) {
          const { status, json } = await intake.send('POST', `virtual-numbers?mapping=${name}`, BILLING);
          assert.deepEqual([status, json.rows], [200, 3]);
        }
        assert.deepEqual(
          (await intake.items()).map(({ id, comment }) => [id, comment]),
          [
            [442_079_460_018, 'Büro'],
            [442_079_460_019, ''],
            [493_023_125_010, 'Fax'],
          ],
        );
        const before = await intake.everything();
        const bad = latin(`${HEADER}C1;+442079460018;;2,2,5;01.02.2026;\n`);
        const { status, json } = await intake.send('POST', 'virtual-numbers?mapping=billing', bad);
        assert.equal(status, 422);
        assert.partialDeepStrictEqual(json.errors, [{ line: 2, column: 'Preis (monthly)' }]);
        const broken = await intake.send('POST', 'virtual-numbers?mapping=broken', BILLING);
        assert.equal(broken.status, 422);
        assert.partialDeepStrictEqual(broken.json.errors[0], { line: null, column: '/columns' });
        assert.match(broken.json.detail, /^The mapping has \d+ faults\. Nothing was imported/);
        for (const [name, says] of [
          ['other', /There is no mapping other\. Known are billing, broken\./],
          ['..%2Fmapping', /mapping must be the name of a mapping, without a path/],
          ['.hidden', /without a path/],
          ['', /mapping must be a text/],
          [encodeURIComponent('\u{1f600}'.repeat(100)), /There is no mapping .* Known are billing, broken\./],
          ['loop', /There is no mapping loop\. Known are billing, broken\./],
          ['folder', /There is no mapping folder\. Known are billing, broken\./],
        ] as const) {
          const answer = await intake.send('POST', `virtual-numbers?mapping=${name}`, BILLING);
          assert.equal(answer.status, 400, answer.text);
          assert.match(answer.json.errors[0].detail, says);
        }
        const open = await intake.send('POST', 'virtual-numbers?mapping=billing', BILLING.subarray(0, -1));
        assert.match(open.json.errors[0].detail, /^The last line does not end with a line break/);
        assert.deepEqual(await intake.everything(), before);
      } finally {
        await intake.close();
      }
    });

    test('an intake without a folder of mappings says so', async () => {
      const intake = await openIntake(kind);
      const { status, json } = await intake.send('POST', 'virtual-numbers?mapping=billing', BILLING);
      await intake.close();
      assert.equal(status, 400);
      assert.match(json.errors[0].detail, /This intake has no mappings; .* --mappings/);
    });
  });
}
