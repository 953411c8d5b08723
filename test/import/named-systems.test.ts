// Files as named systems write them: each by the mapping that is proposed, and the answers that a person
// gives to its questions, becomes exactly its rows; by the commands as well.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Proposal } from '../../server/import/mapping/proposal.ts';
import { sampleOf } from '../../server/import/mapping/sample.ts';
import type { Mapping } from '../../server/import/mapping/written.ts';
import { targets } from '../../server/import/targets.ts';
import { mappingFaults, readMapped } from '../kit/mapped-read.ts';
import { Operator } from '../kit/program.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const FILES = join(import.meta.dirname, 'named-systems');
const LONG_AGO = { constants: { created_at: '2026-01-01T00:00:00Z' } };
const FREE = { frequency: 'one_time', subscription_status: 'active', status: 'active' };
const PAID = { ...FREE, frequency: 'monthly' };

interface NamedFile {
  readonly file: string;
  /** What a person adds to the mapping. */
  readonly answers?: Partial<Mapping>;
  /** What is to be answered, as the questions begin. */
  readonly open: readonly string[];
  readonly rows: readonly object[];
  readonly leftOut: number;
}

const NAMED: readonly NamedFile[] = [
  {
    file: 'a2billing-cc_did-phpmyadmin.csv',
    open: ['only', 'time_zone', 'ignore'],
    rows: [
      {
        ...PAID,
        account_id: '12',
        id: 7,
        did: '442079460701',
        comment: 'Front desk',
        monthly: 2_250_000,
        created_at: '2026-01-10T09:00:00.000000Z',
      },
    ],
    leftOut: 1,
  },
  {
    file: 'astpp-dids.csv',
    answers: LONG_AGO,
    open: ['"Per Minute Cost(EUR)" is ignored', 'only', 'created_at', 'ignore'],
    rows: [
      ['442079460101', '1001', 'United Kingdom', 5_000_000, 2_250_000, 'active'],
      ['442079460102', '1001', 'United Kingdom', 5_000_000, 2_250_000, 'active'],
      ['4930901820', '1002', 'Germany', 0, 1_900_000, 'inactive'],
    ].map(([did, account_id, country, activation, monthly, status]) => ({
      ...PAID,
      account_id,
      id: Number(did),
      did,
      country,
      activation,
      monthly,
      status,
      subscription_status: status,
      created_at: '2026-01-01T00:00:00.000000Z',
    })),
    leftOut: 1,
  },
  {
    file: 'excel-us-accounting.csv',
    answers: { time_zone: 'America/New_York' },
    open: ['time_zone'],
    rows: [
      ['+442079460901', 'Front desk', 2_250_000, 0, '2026-11-20T20:05:00.000000Z', false],
      ['+442079460902', 'Refund', -2_250_000, 5_000_000, '2026-11-21T05:05:00.000000Z', true],
    ].map(([did, comment, monthly, activation, created_at, is_spammed]) => ({
      ...PAID,
      account_id: 'C1001',
      id: Number(did),
      did,
      comment,
      monthly,
      activation,
      created_at,
      next_payment_at: '2026-12-01T05:00:00.000000Z',
      is_spammed,
    })),
    leftOut: 0,
  },
  {
    file: 'fusionpbx-destinations.csv',
    answers: LONG_AGO,
    open: ['did', 'only', 'created_at', 'ignore'],
    rows: [
      ['2079460201', 'Front "desk" line'],
      ['+442079460202', 'Fax'],
    ].map(([did, comment]) => ({
      ...FREE,
      account_id: 'harbour-dental',
      id: Number(did),
      did,
      comment,
      created_at: '2026-01-01T00:00:00.000000Z',
    })),
    leftOut: 1,
  },
  {
    file: 'twilio-incoming-phone-numbers.csv',
    open: ['ignore'],
    rows: [
      ['+442079460401', '(020) 7946 0401', '2026-07-30T20:00:00.000000Z'],
      ['+442079460402', '(020) 7946 0402', '2026-08-02T08:05:09.000000Z'],
    ].map(([did, comment, created_at]) => ({
      ...FREE,
      account_id: 'AC00000000000000000000000000000001',
      id: Number(did),
      did,
      comment,
      created_at,
    })),
    leftOut: 0,
  },
];

function answered(mapping: Mapping, answers: Partial<Mapping> = {}): Mapping {
  return { ...mapping, ...answers, constants: { ...mapping.constants, ...answers.constants } };
}

describe('the file of a named system', () => {
  for (const { file, answers, open, rows, leftOut } of NAMED)
    test(`becomes its rows by the mapping that is proposed: ${file}`, async () => {
      const path = join(FILES, file);
      const { mapping: proposed, questions } = new Proposal(
        sampleOf(path),
        targets.virtual_numbers.columns(),
      );
      assert.deepEqual(
        questions.map((question) => question.split(':')[0]),
        open,
        questions.join('\n'),
      );
      const mapping = answered(proposed, answers);
      assert.deepEqual(mappingFaults(mapping), []);
      const read = await readMapped(readFileSync(path), mapping, { takesOpenEnd: true });
      assert.deepEqual([read.faults, read.leftOut], [[], leftOut]);
      assert.deepEqual(read.rows, rows);
    });
});

describe('three commands', () => {
  const folder = temporaryFolder();
  const operator = new Operator(`sqlite:${join(folder, 'named.db')}`);
  after(() => operator.close());

  test('lead from a file to the numbers of a customer, and say how many rows were left out', async () => {
    const mapping = join(folder, 'a2billing.json');
    const file = join(FILES, 'a2billing-cc_did-phpmyadmin.csv');
    const proposed = await operator.command('mapping', 'propose', file, '--output', mapping);
    assert.equal(proposed.out, '');
    assert.match(proposed.err, new RegExp(`The mapping is in ${mapping}`));
    const done = await operator.command('import', 'virtual-numbers', '--mapping', mapping, '--json', file);
    assert.match(done.err, /1 row read, 1 row left out, 1 inserted/);
    assert.partialDeepStrictEqual(JSON.parse(done.out), { rows: 1, left_out: 1, inserted: 1 });
    const runs = JSON.parse((await operator.command('import', 'runs', '--json')).out) as {
      left_out: number;
    }[];
    assert.deepEqual(
      runs.map((run) => run.left_out),
      [1],
    );
    assert.match((await operator.command('audit')).out, /1 row, 1 row left out, 1 inserted/);
    const { out } = await operator.run('doctor');
    assert.match(out, /last import of virtual_numbers was at \S+, of 1 row, and 1 row left out\./);
    const tried = await operator.command('mapping', 'try', mapping, file);
    assert.match(tried.err, /1 row read, 1 row left out/);
    // It is never written over.
    writeFileSync(mapping, '{}');
    const again = await operator.run('mapping', 'propose', file, '--output', mapping);
    assert.equal(again.status, 1);
    assert.match(again.err, /It is there already/);
    assert.equal(readFileSync(mapping, 'utf8'), '{}');
  });
});
