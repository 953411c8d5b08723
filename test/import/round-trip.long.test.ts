// What leaves Linecard comes back the same: an export imports back as the same list, whatever its texts hold.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CsvWriter, type Item } from '../../api/contract/csv.ts';
import { trimmed } from '../../api/contract/trimmed.ts';
import { importFiles } from '../../server/import/import.ts';
import { openStore } from '../../server/store/open.ts';
import { storedRow, type Table, tables } from '../../server/store/tables.ts';
import { anyCharacter } from '../kit/characters.ts';
import { HARD_CHARGES, HARD_NUMBERS, HARD_TEXTS, HARD_TIMES } from '../kit/hard-rows.ts';
import { millionths } from '../kit/model.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const ROWS = 400;
const folder = temporaryFolder();

const controls = /[^\P{Cc}\t\n\r]/gu;
const written = fc.oneof(
  fc.constantFrom(...HARD_TEXTS),
  fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => text.replace(controls, '')),
  fc
    .tuple(
      fc.constantFrom('', "'", "''"),
      fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', ',', ';'),
      fc.constantFrom('', 'x'),
    )
    .map((s) => s.join('')),
  fc.array(fc.constantFrom('a', ',', '"', '\n', '\r\n', '\r', "'"), { maxLength: 6 }).map((s) => s.join('')),
);
/** As an import stores them. */
const anyText = written.map(trimmed);
const filled = (texts: fc.Arbitrary<string>) => texts.filter((text) => text !== '');
const time = fc.constantFrom(...HARD_TIMES);

/** A value of each kind, as it is stored. */
const kinds = {
  integer: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  charge: fc.constantFrom(...HARD_CHARGES).map((decimal) => Number(millionths(decimal))),
  flag: fc.boolean(),
  timestamp: time,
  text: anyText,
} as const;

/** A stored row of a table: texts that an import could not leave empty are not empty. */
function rowOf(table: Table) {
  const fields = Object.entries({ ...table.list.fields, ...table.list.hidden });
  const values = fields.map(([name, field]): [string, fc.Arbitrary<string | number | boolean | null>] => {
    if (field.country === true) return [name, fc.constantFrom('GB', 'DE', 'XK')];
    if (name === 'country') return [name, filled(anyText)];
    if (name in table.list.only) return [name, fc.constant('additional')];
    if (name === table.list.searchDigits)
      return [
        name,
        fc.constantFrom(
          ...HARD_NUMBERS.filter(
            (text) => /^[\d +\-()./]*$/.test(text) && /^\d{3,15}$/.test(text.replace(/\D/g, '')),
          ),
        ),
      ];
    if (field.kind === 'timestamp' && field.required === true)
      return [name, time.map((at) => at ?? '2026-01-01T00:00:00.000000Z')];
    if (field.kind === 'text' && field.required === true) return [name, filled(anyText)];
    return [name, kinds[field.kind]];
  });
  return fc.record(Object.fromEntries(values));
}

function itemsOf(table: Table): Item[] {
  const rows = fc.uniqueArray(rowOf(table), { selector: ({ id }) => id, minLength: ROWS, maxLength: ROWS });
  const [sample = []] = fc.sample(rows, { numRuns: 1, seed: 20_261_120 });
  return sample.map((row) => JSON.parse(String(storedRow(table, 'C1', row).at(-1))) as Item);
}

for (const table of Object.values<Table>(tables)) {
  describe(`an export of ${table.list.title.toLowerCase()}`, () => {
    const items = itemsOf(table);
    const csv = new CsvWriter(table.list);
    const exports: [name: string, text: string][] = [
      ['csv', csv.header + items.map((item) => csv.line(item)).join('')],
      ['ndjson', items.map((item) => `${JSON.stringify(item)}\n`).join('')],
    ];
    for (const [format, text] of exports) {
      test(`as ${format} imports back as the same list`, async () => {
        const path = join(folder, `${table.name}.${format}`);
        writeFileSync(path, text);
        const store = await openStore(`sqlite:${path}.db`, 'write');
        const job = { store, table, files: [path], account: 'C1' };
        assert.equal((await importFiles(job)).inserted, ROWS);
        const [rows] = await store.read({ text: `select item from ${table.name} order by id`, values: [] });
        const stored = rows.map(([item]) => JSON.parse(String(item)) as Item);
        assert.deepEqual(
          stored,
          items.toSorted((a, b) => Number(a['id']) - Number(b['id'])),
        );
        assert.equal((await importFiles(job)).unchanged, ROWS);
        await store.close();
      });
    }
  });
}
