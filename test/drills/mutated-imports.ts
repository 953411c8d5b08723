// Imports whose bytes are changed at random, as CSV, NDJSON and gzip: each is refused with the place and the
// reason and changes nothing, or does what the naive model does with a naive reading of the same bytes.

import { isDeepStrictEqual } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { ImportRefused, ImportRejected } from '../../server/import/faults.ts';
import type { Format } from '../../server/import/files.ts';
import { importBody } from '../../server/import/import.ts';
import type { ImportSummary } from '../../server/import/job.ts';
import { openStore } from '../../server/store/open.ts';
import type { Store } from '../../server/store/store.ts';
import { tables } from '../../server/store/tables.ts';
import { imported, type ModelItem, type ModelRow, type ModelRun } from '../kit/import-model.ts';
import { below, mutated, oneOf, type Random } from '../kit/many.ts';
import { optionsOf } from '../kit/random-imports.ts';
import { csv, ndjson, REQUIRED_VALUES } from '../kit/rows.ts';
import { type StoreKind, stores } from '../kit/service.ts';
import { everythingIn, itemsIn } from '../kit/stored-items.ts';
import { atRandom, type Drill, type DrillResult, ofSize, Tally } from './drill.ts';

const MUTATIONS = { short: 120, long: 4_000, full: 20_000 } as const;
const ACCOUNTS = ['C1', 'C2', 'C3'] as const;
const MODES = ['insert', 'update', 'replace', 'replace-all'] as const;
const IDS = 12;
/** What a mutation puts in: what means something to a reader. */
// biome-ignore format: a table
const PIECES = [
  '"', ',', '\n', '\r\n', '\\', '{', '}', '[', ':', 'null', 'true', '-', '.', 'e9', '0', '9', ' ', '\t', '\ufeff',
  'é', '\ud83d\ude00', "'", '=', '\\N', '\\u0000', '__proto__',
];

/** Named, because the first line may be empty and end as no other does. */
const LINE_ENDS = ['\r\n', '\n'];

type Values = Readonly<Record<string, string>>;

const COMMENTS = ['', 'x', 'y, "z" and whatever else stands there', 'ünï of the front desk'];

function rowOf(random: Random, mode: ModelRun['mode']): Values {
  const id = 1 + below(random, IDS);
  const row = {
    account_id: oneOf(random, ACCOUNTS),
    id: String(id),
    comment: oneOf(random, COMMENTS),
    monthly: oneOf(random, ['0', '2.25', '0.000001']),
  };
  if (mode === 'update') return row;
  return { ...row, ...REQUIRED_VALUES, did: `+44207946${1000 + id}` };
}

const textOf = (rows: readonly Values[], format: Format) =>
  format === 'csv' ? csv(rows) : ndjson(rows.map((row) => ({ ...row, id: Number(row['id']) })));

/** What a naive reader makes of bytes; `undefined` where it is not sure. */
function naiveRows(bytes: Buffer, format: Format): ModelRow[] | undefined {
  const text = bytes.toString().replace(/^\ufeff/, '');
  try {
    const records: Record<string, unknown>[] =
      format === 'csv'
        ? parse(text, {
            columns: true,
            skip_empty_lines: true,
            relax_quotes: false,
            record_delimiter: LINE_ENDS,
          })
        : text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]));
    return records.map((record) => {
      const { account_id, id, comment, monthly, removed } = record;
      const millionths = Math.round(Number(monthly) * 1_000_000);
      const isEmpty = comment === undefined || comment === null;
      return {
        account_id: String(account_id),
        id: Number(id),
        ...(isEmpty ? {} : { comment: (comment as string | number | boolean).toString() }),
        ...(monthly === undefined || monthly === null ? {} : { monthly: millionths }),
        ...(removed === undefined
          ? {}
          : { removed: /^(?:t|true|yes|1)$/i.test((removed as string | number | boolean).toString()) }),
      };
    });
  } catch {
    return undefined;
  }
}

interface Case {
  readonly mode: ModelRun['mode'];
  readonly format: Format;
  readonly bytes: Buffer;
}

/** The summary, or what a refusal says. */
async function tryImport(
  store: Store,
  { mode, format, bytes }: Case,
): Promise<ImportSummary | readonly string[]> {
  try {
    const job = { store, table: tables.virtual_numbers, format, ...optionsOf(mode) };
    return await importBody(job, { bytes, isCompressed: false });
  } catch (error) {
    if (error instanceof ImportRefused) return error.faults;
    if (error instanceof ImportRejected) return [error.message];
    throw error;
  }
}

/** A place and a reason in words, with nothing of the program in it. */
const isExplained = (fault: string) =>
  /^(?:line \d+: +\S|This would remove )/.test(fault) && !/undefined|\[object|\bat \w+ \(|NaN/.test(fault);

function unzipped({ bytes }: Case): Buffer {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

/** Imports one case; returns what is wrong, and whether it was accepted. */
async function importOne(store: Store, one: Case, before: readonly ModelItem[]) {
  const state = await everythingIn(store);
  const result = await tryImport(store, one);
  if (Array.isArray(result)) {
    const unexplained = result.find((fault: string) => !isExplained(fault));
    if (result.length === 0) return { fault: 'it is refused without a reason' };
    if (unexplained !== undefined) return { fault: `it says: ${unexplained}` };
    return isDeepStrictEqual(await everythingIn(store), state)
      ? {}
      : { fault: 'it was refused, and changed something' };
  }
  const items = await itemsIn(store, tables.virtual_numbers);
  const rows = naiveRows(unzipped(one), one.format);
  // What a spreadsheet is kept from running loses an apostrophe, as docs/how-to/import-files.md has it.
  const isPlain = rows?.every(({ comment = '' }) => !/^'|^\\N$/.test(comment));
  if (rows === undefined || isPlain !== true) return { items, isUnsure: true };
  const expected = imported(before, { rows, mode: one.mode }).items;
  const isSame = JSON.stringify(items) === JSON.stringify(expected);
  return isSame
    ? { items }
    : { items, fault: `${JSON.stringify(items)} rather than ${JSON.stringify(expected)}` };
}

async function onStore(kind: StoreKind, count: number, random: Random): Promise<DrillResult> {
  const tally = new Tally();
  const database = await kind.make();
  const store = await openStore(database.url, 'write');
  let [accepted, unsure] = [0, 0];
  let items: readonly ModelItem[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const mode = MODES[i % MODES.length] as (typeof MODES)[number];
      const format = random() < 0.5 ? 'csv' : 'ndjson';
      // An update changes what is there.
      const rows = Array.from({ length: 1 + Math.floor(random() * 6) }, () => rowOf(random, mode))
        .filter((row, n, all) => all.findIndex(({ id }) => id === row['id']) === n)
        .flatMap((row) => {
          const there = items.find(({ id }) => String(id) === row['id']);
          return mode === 'update' ? (there ? [{ ...row, account_id: there.account_id }] : []) : [row];
        });
      const plain = Buffer.from(textOf(rows, format));
      const isGzip = random() < 0.2;
      const whole = isGzip ? gzipSync(plain) : plain;
      const bytes =
        whole.length === 0 ? whole : mutated(random() < 0.1 && isGzip ? plain : whole, random, PIECES);
      const one = { mode, format, bytes } as const;
      const outcome = await importOne(store, one, items);
      if (outcome.items !== undefined) {
        accepted += 1;
        items = outcome.items;
      }
      if (outcome.isUnsure) unsure += 1;
      const said = `${mode} of ${format} ${JSON.stringify(bytes.toString(isGzip ? 'hex' : 'utf8'))}`;
      tally.add(outcome.fault === undefined ? undefined : `${said}: ${outcome.fault}`);
    }
  } finally {
    await store.close();
    await database.remove();
  }
  const note = `${accepted} of them accepted${unsure === 0 ? '' : `, ${unsure} of which a naive reader is not sure`}`;
  return tally.result(`imports with changed bytes, on ${kind.name}`, note);
}

export const drill: Drill = {
  name: 'mutated-imports',
  proves: [
    'An import with changed bytes ends no process, and is never half done.',
    'If it is refused, nothing has changed, and every fault names its line or file and a reason.',
    'If it is accepted, the list is what a naive model makes of the same bytes.',
  ],
  run: (size, report) =>
    atRandom(size, report, async (random) => {
      const results: DrillResult[] = [];
      for (const kind of stores) {
        // What reads is the same; what writes takes longer on a server.
        const share = kind.name === 'SQLite' ? 0.9 : 0.1;
        results.push(await onStore(kind, Math.round(ofSize(MUTATIONS, size) * share), random));
      }
      return results;
    }),
};
