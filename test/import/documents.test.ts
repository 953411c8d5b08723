// JSON documents as other systems answer with them, from the file to the rows: by the commands, a watched
// folder and the intake.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { importFiles } from '../../server/import/import.ts';
import type { ImportJob } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { openIntake } from '../kit/intake-server.ts';
import { mappingFaults, readMapped } from '../kit/mapped-read.ts';
import { Operator, runProgram } from '../kit/program.ts';
import { numberRow } from '../kit/rows.ts';
import { databaseOf, stores } from '../kit/service.ts';
import { deleteEverything, faultsOfRefused, selectIn } from '../kit/stored-items.ts';
import type { Database } from '../kit/templates.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const folder = temporaryFolder();

function written(name: string, what: string | Uint8Array | object): string {
  const path = join(folder, name);
  const isText = typeof what === 'string' || what instanceof Uint8Array;
  writeFileSync(path, isText ? what : JSON.stringify(what));
  return path;
}

/** A page of an API, with numbers in it. */
const PAGE = `{
  "meta": {"page": {"size": 250}, "total": 2},
  "data": [
    {"id": "1293384261075731499", "phone_number": "+442079460501", "customer": {"reference": "C1001"},
     "tags": ["front", "desk"], "created_at": "2026-03-01T09:00:00Z", "price": {"monthly": 2.250000, "currency": "EUR"}},
    {"id": "1293384261075731500", "phone_number": "+442079460502", "customer": {"reference": "C1002"},
     "tags": [], "created_at": "2026-03-02T09:00:00Z", "price": {"monthly": 1002.10, "currency": "EUR"}}
  ]
}
`;
const MAPPING = {
  records: 'data',
  columns: {
    account_id: 'customer.reference',
    id: { from: 'phone_number', as: 'digits' },
    did: 'phone_number',
    comment: 'tags.0',
    monthly: 'price.monthly',
    created_at: 'created_at',
  },
  constants: { frequency: 'monthly', status: 'active', subscription_status: 'active' },
  ignore: ['id', 'tags', 'price'],
};

for (const kind of stores) {
  describe(`a JSON document on ${kind.name}`, () => {
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

    const run = (files: readonly string[], job: Partial<ImportJob> = {}) =>
      importFiles({ store, table: tables.virtual_numbers, files, ...job });
    const rows = () => selectIn(store, 'select account_id, id, monthly from virtual_numbers order by id');

    test('that is an array of objects with the names of Linecard needs no mapping', async () => {
      const items = [numberRow('A', 1), numberRow('A', 2), numberRow('B', 3)];
      for (const [name, bytes] of [
        ['plain.json', Buffer.from(JSON.stringify(items, null, 2))],
        ['packed.json.gz', gzipSync(JSON.stringify(items))],
      ] as const) {
        assert.equal((await run([written(name, bytes)])).inserted, 3);
        assert.equal((await rows()).length, 3);
        await deleteEverything(store);
      }
    });

    test('comes in from the array that the mapping names, by the paths of its keys', async () => {
      const mapping = written('page-mapping.json', MAPPING);
      const done = await run([written('page.json', PAGE)], { mapping });
      assert.deepEqual([done.rows, done.inserted, done.accounts_created], [2, 2, 2]);
      assert.deepEqual(
        (await rows()).map((row) => row.map(String)),
        [
          ['C1001', '442079460501', '2250000'],
          ['C1002', '442079460502', '1002100000'],
        ],
      );
    });

    test('with a fault changes nothing, and the fault names the record and the key', async () => {
      const mapping = written('page-mapping.json', MAPPING);
      const refused = (text: string) =>
        faultsOfRefused(store, () => run([written('page.json', text)], { mapping }));
      const path = join(folder, 'page.json');
      const [wrong = '', ...others] = await refused(PAGE.replace('1002.10', '"two"'));
      assert.ok(wrong.startsWith(`${path}: record 2: price.monthly (monthly): must be `), wrong);
      assert.deepEqual(others, []);
      assert.deepEqual(await refused(PAGE.replace('+442079460501', '+442079460502')), [
        `${path}: record 2: phone_number (id): 442079460502 is there twice; it was first given at ${path}: record 1.`,
      ]);
      assert.deepEqual(await refused(PAGE.replace('"tags": []', '"extra": {"deep": 1}, "tags": {}')), [
        `${path}: record 2: extra.deep: is neither mapped nor ignored; add "extra.deep" to "columns" or to "ignore" of the mapping.`,
      ]);
      assert.deepEqual(await refused(PAGE.slice(0, -5)), [
        `${path}: record 3: The document ends before its last bracket: the rest is missing.`,
      ]);
    });

    test('is a body of the intake, and its faults have the number of the record', async () => {
      const mappings = join(folder, `mappings-${kind.name}`);
      mkdirSync(mappings, { recursive: true });
      writeFileSync(join(mappings, 'page.json'), JSON.stringify(MAPPING));
      const intake = await openIntake(kind, { mappings });
      try {
        const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
          intake.send('POST', 'virtual-numbers?mapping=page', body, { ...JSON_TYPE, ...headers });
        assert.deepEqual((await post(PAGE)).json.rows, 2);
        assert.equal((await post(gzipSync(PAGE), { 'content-encoding': 'gzip' })).json.unchanged, 2);
        const bad = await post(PAGE.replace('1002.10', '"two"'));
        assert.equal(bad.status, 422);
        assert.partialDeepStrictEqual(bad.json.errors, [{ line: 2, column: 'price.monthly (monthly)' }]);
        const object = await intake.send('POST', 'virtual-numbers', PAGE, JSON_TYPE);
        assert.equal(object.status, 422);
        assert.match(object.json.errors[0].detail, /^The document is an object, not an array: name the path/);
        const plain = await intake.send(
          'POST',
          'virtual-numbers',
          JSON.stringify([numberRow('A', 9)]),
          JSON_TYPE,
        );
        assert.equal(plain.json.inserted, 1);
      } finally {
        await intake.close();
      }
    });
  });
}

describe('the commands of mappings', () => {
  const operator = new Operator(`sqlite:${join(folder, 'documents.db')}`);
  after(() => operator.close());

  test('lead from a JSON document to the rows', async () => {
    const file = written('answer.json', PAGE.replaceAll('"reference"', '"account_id"'));
    const { out, err } = await operator.command('mapping', 'propose', file);
    const proposed = JSON.parse(out);
    assert.equal(proposed.records, 'data', err);
    assert.deepEqual(proposed.columns.did, 'phone_number');
    // Whatever it could not find, it names; what it ignores covers what is below.
    assert.ok(
      proposed.ignore.every((name: string) => !/^tags\./.test(name)),
      out,
    );
    const columns = { ...proposed.columns, account_id: 'customer.account_id', id: MAPPING.columns.id };
    const ignore = ['id', 'tags', 'price.currency', 'price.monthly', 'customer'].filter(
      (name) => !Object.values(columns).includes(name),
    );
    const mapping = written('answer-mapping.json', { ...proposed, columns, ignore });
    const tried = await operator.command('mapping', 'try', mapping, file);
    assert.match(tried.err, /2 rows read, 2 inserted/);
    const done = await operator.command('import', 'virtual-numbers', '--mapping', mapping, file);
    assert.match(done.err, /2 rows read, 2 inserted/);
  });

  test('say of a .json with an object on each line what it is', async () => {
    const file = written('lines.json', '{"account_id": "A"}\n{"account_id": "B"}\n');
    const { status, err } = await runProgram([
      'import',
      'accounts',
      '--database-url',
      'sqlite:unused.db',
      file,
      '--dry-run',
    ]);
    assert.equal(status, 1);
    assert.match(err, /lines\.json: The document is an object, .* or add --format ndjson where each line/);
  });
});

describe('keys', () => {
  const number = {
    account_id: 'A',
    did: '+442079460018',
    frequency: 'monthly',
    status: 'a',
    subscription_status: 'a',
    created_at: '2026-01-01T00:00:00Z',
  };
  const same = Object.fromEntries(Object.keys(number).map((name) => [name, name]));
  const columns = { ...same, id: { from: 'did', as: 'digits' }, monthly: 'x.price' };
  const read = (record: string, mapping: object = {}) =>
    readMapped(`[${record}]`, { columns, ...mapping }, { ending: '.json' });
  const record = (more: string) => `${JSON.stringify(number).slice(0, -1)},${more}}`;

  test('have the digits of their numbers as they are written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 10 ** 9 - 1 }),
        fc.stringMatching(/^\d{0,6}$/),
        async (whole, digits) => {
          const text = digits === '' ? String(whole) : `${whole}.${digits}`;
          const { rows, faults } = await read(record(`"x":{"price":${text}}`));
          assert.deepEqual(faults, []);
          assert.equal(rows[0]?.['monthly'], whole * 1_000_000 + Number(digits.padEnd(6, '0')));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('that are there twice are a fault, at any depth, unless they are ignored', async () => {
    const { faults } = await read(record('"x":{"price":1,"price":2}'));
    assert.deepEqual(faults, ['billing.json: record 1: x.price: is there twice in the row; leave one out.']);
    const dotted = await read(record('"x.price":1,"x":{"price":2}'));
    assert.deepEqual(dotted.faults, [
      'billing.json: record 1: x.price: is there twice in the row; leave one out.',
    ]);
    const ignored = await read(record('"x":{"price":1},"y":{"a":{"b":1,"b":2}}'), { ignore: ['y'] });
    assert.deepEqual(ignored.faults, []);
  });

  test('of an object in the place of a value are a fault, and null has nothing below it', async () => {
    assert.deepEqual((await read(record('"x":{"price":{"net":1}}'))).faults, [
      'billing.json: record 1: x.price (monthly): must be a JSON text, number, true or false, but was an object.',
    ]);
    for (const nothing of ['null', '{}', '[]']) {
      const { rows, faults } = await read(record(`"x":${nothing},"y":{"z":1}`), { ignore: ['y'] });
      assert.deepEqual([faults, rows[0]?.['monthly']], [[], undefined]);
    }
    assert.deepEqual((await read(record('"x":5,"y":{"z":1}'), { ignore: ['y'] })).faults, [
      'billing.json: record 1: x: is neither mapped nor ignored; add "x" to "columns" or to "ignore" of the mapping.',
    ]);
  });

  test('of other types than a text for the array are refused in the mapping', () => {
    assert.deepEqual(mappingFaults({ columns: { ...same, id: 'did' }, records: 7 }), [
      '/records: must be a text, but was 7.',
    ]);
  });
});
