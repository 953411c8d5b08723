// The mappings that come with Linecard: each makes of a file, as its system writes it, exactly these numbers.
// Those of FreePBX have no account, which the import names.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { describe, test } from 'node:test';
import { recipes, recipeText } from '../../server/commands/recipes.ts';
import type { Mapping } from '../../server/import/mapping/written.ts';
import { mappingFaults, readMapped } from '../kit/mapped-read.ts';

const FILES = join(import.meta.dirname, 'named-systems');

interface SystemFile {
  readonly file: string;
  /** The account that the import names, where the file has none. */
  readonly account?: string;
  /** What is most worth a look of each number. */
  readonly rows: readonly (readonly [
    did: string,
    account: string | undefined,
    comment: string | undefined,
    status: string,
    monthly: number | undefined,
    created: string | undefined,
  ])[];
  readonly leftOut: number;
}

const UNKNOWN = '2000-01-01T00:00:00.000000Z';
const JANUARY = '2026-01-10T09:00:00.000000Z';
const TWILIO = 'AC00000000000000000000000000000001';

const SYSTEMS: Readonly<Record<string, SystemFile>> = {
  a2billing: {
    file: 'a2billing-cc_did-phpmyadmin.csv',
    rows: [['442079460701', '12', 'Front desk', 'active', 2_250_000, JANUARY]],
    leftOut: 1,
  },
  astpp: {
    file: 'astpp-dids.csv',
    rows: [
      ['442079460101', '1001', undefined, 'active', 2_250_000, UNKNOWN],
      ['442079460102', '1001', undefined, 'active', 2_250_000, UNKNOWN],
      ['4930901820', '1002', undefined, 'inactive', 1_900_000, UNKNOWN],
    ],
    leftOut: 1,
  },
  freepbx: {
    file: 'freepbx-dids.csv',
    account: 'harbour-dental',
    rows: [
      ['442079460601', 'harbour-dental', 'Front desk', 'active', undefined, UNKNOWN],
      ['442079460602', 'harbour-dental', 'Fax', 'active', undefined, UNKNOWN],
    ],
    leftOut: 2,
  },
  fusionpbx: {
    file: 'fusionpbx-destinations.csv',
    rows: [
      ['2079460201', 'harbour-dental', 'Front "desk" line', 'active', undefined, UNKNOWN],
      ['+442079460202', 'harbour-dental', 'Fax', 'active', undefined, UNKNOWN],
    ],
    leftOut: 1,
  },
  magnusbilling: {
    file: 'magnusbilling-pkg_did.csv',
    rows: [
      ['442079460031', '3', 'Front desk', 'active', 19_950_000, JANUARY],
      ['551130000032', '4', '', 'inactive', 350_000, UNKNOWN],
    ],
    leftOut: 1,
  },
  portabilling: {
    file: 'portabilling-inventory.csv',
    rows: [['+442079460018', '10021', 'Front desk', 'active', 2_250_000, '2026-02-10T16:04:11.000000Z']],
    leftOut: 0,
  },
  telnyx: {
    file: 'telnyx-phone-numbers.json',
    rows: [['+442079460801', 'C1001', 'Front desk', 'active', undefined, JANUARY]],
    leftOut: 1,
  },
  twilio: {
    file: 'twilio-incoming-phone-numbers.csv',
    rows: [
      ['+442079460401', TWILIO, '(020) 7946 0401', 'active', undefined, '2026-07-30T20:00:00.000000Z'],
      ['+442079460402', TWILIO, '(020) 7946 0402', 'active', undefined, '2026-08-02T08:05:09.000000Z'],
    ],
    leftOut: 0,
  },
};

describe('a mapping that comes with Linecard', () => {
  const systems = recipes().flatMap(({ system, mapping }) => (mapping ? [system] : []));

  test('is tried here, whatever its system', () => assert.deepEqual(systems, Object.keys(SYSTEMS)));

  for (const [system, { file, account, rows: expected, leftOut }] of Object.entries(SYSTEMS))
    test(`makes numbers of customers of the file of ${system}`, async () => {
      const mapping = JSON.parse(recipeText(system)) as Mapping;
      const rules = account === undefined ? {} : { account_id: account };
      assert.deepEqual(mappingFaults(mapping, rules), []);
      const read = await readMapped(readFileSync(join(FILES, file)), mapping, {
        ending: extname(file) as '.csv' | '.json',
        rules,
        takesOpenEnd: true,
      });
      assert.deepEqual(read.faults, []);
      const rows = read.rows.map((row) =>
        ['did', 'account_id', 'comment', 'status', 'monthly', 'created_at'].map((column) => row[column]),
      );
      assert.deepEqual(rows, expected);
      assert.equal(read.leftOut, leftOut);
    });
});
