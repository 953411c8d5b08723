// `linecard-server mapping`: proposes a mapping for a file, and shows what a mapping makes of one.

import { writeFileSync } from 'node:fs';
import { chargeOf } from '@linecard/client/contract/charge';
import { Failed, WrongUsage } from '../errors.ts';
import { ImportRefused } from '../import/faults.ts';
import { importFile, isWorkbook, STANDARD_INPUT } from '../import/files.ts';
import { importFiles } from '../import/import.ts';
import { ACCOUNTS, type Importable, importables, isTable, type TargetName } from '../import/job.ts';
import { readMapping } from '../import/mapping/mapping.ts';
import { matches } from '../import/mapping/names.ts';
import { Proposal } from '../import/mapping/proposal.ts';
import { sampleOf } from '../import/mapping/sample.ts';
import { sheetSample } from '../import/mapping/sample-sheet.ts';
import { readBatches } from '../import/reading.ts';
import { targetOf } from '../import/targets.ts';
import type { Values } from '../settings/config.ts';
import { declarationsStatement, declaredOf, OWN_FIELDS } from '../store/lists/own-fields.ts';
import { insertRows } from '../store/sql.ts';
import type { ResultRow, Store } from '../store/store.ts';
import { StoreEmpty, StoreRefused, StoreUnavailable } from '../store/store-errors.ts';
import { type OwnFields, type RowValues, tables } from '../store/tables.ts';
import { type DatabaseSettings, withEmptyStore, withStore, withTrialStore } from './command.ts';
import { failure, importDisplay, readable, summaryLine } from './import.ts';
import { deliver, printRows, say } from './print.ts';

type MappingSettings = DatabaseSettings & Pick<Values, 'list' | 'account'>;
type ProposeSettings = MappingSettings & Pick<Values, 'mapping_output'>;
/** By the name of the list. */
type Declarations = Readonly<Record<string, OwnFields | undefined>>;
type TrySettings = MappingSettings & Pick<Values, 'format' | 'json' | 'update'>;

const MAX_SHOWN_ROWS = 5;

const wordsOf = ({ list }: Importable) => list.name.replaceAll('_', '-');
const nameOf = ({ list }: Importable) => list.name as TargetName;

/** In this order where several suit equally well. */
const LIKELY: readonly Importable[] = Object.values<Importable>(tables).toSpliced(1, 0, ACCOUNTS);
const named = (list: Values['list']) => importables.find((one) => wordsOf(one) === list);

/** What is declared of the lists, as it is stored. A mapping needs no database: without one it is nothing. */
async function declarationRows(settings: DatabaseSettings): Promise<readonly ResultRow[]> {
  try {
    return await withStore(settings, async (store) => (await store.read(declarationsStatement))[0], 'read');
  } catch (error) {
    if (!(error instanceof StoreRefused || error instanceof StoreUnavailable)) throw error;
    if (!(error instanceof StoreEmpty))
      say(
        `Note: fields that you declared are not known here, as the database was not read: ${error.message}`,
      );
    return [];
  }
}

/** What is read of a file, which is read again for the import. */
async function readOf<T>(file: string, read: (file: string) => T | Promise<T>): Promise<T> {
  if (file === STANDARD_INPUT) throw new WrongUsage('Name a file: standard input cannot be read twice.');
  try {
    return await read(file);
  } catch (error) {
    return readable(file, () => {
      throw error;
    });
  }
}

/** Prints a mapping for a file, with reasons and questions on standard error. */
export async function runPropose([file = '']: readonly string[], settings: ProposeSettings): Promise<void> {
  // What the file is called says little here.
  const sample = await readOf(file, (name) =>
    isWorkbook(name) ? sheetSample(importFile(name, 'xlsx')) : sampleOf(importFile(name, 'csv').name),
  );
  const declared: Declarations = declaredOf(await declarationRows(settings));
  const columnsOf = (one: Importable) =>
    targetOf(nameOf(one), declared[nameOf(one)]).columns(settings.account);
  const [likeliest = tables.virtual_numbers] = LIKELY.toSorted(
    (a, b) => matches(sample.names, columnsOf(b)) - matches(sample.names, columnsOf(a)),
  );
  const table = named(settings.list) ?? likeliest;
  const proposal = new Proposal(sample, columnsOf(table));
  say(`# for ${wordsOf(table)}, by ${sample.rows} row${sample.rows === 1 ? '' : 's'} of ${file}`);
  for (const reason of proposal.reasons) say(`# ${reason}`);
  for (const question of proposal.questions) say(`? ${question}`);
  const text = JSON.stringify(proposal.mapping, null, 2);
  if (settings.mapping_output === undefined) return deliver(text);
  write(settings.mapping_output, `${text}\n`);
  say(
    `The mapping is in ${settings.mapping_output}. Look at it with: linecard-server mapping try ${settings.mapping_output} ${file}`,
  );
}

/** A mapping that is there may have been edited. */
function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST'
        ? 'It is there already: name another file, or delete it.'
        : `It cannot be written: ${message}.`;
    throw new Failed(`${path}: ${why}`, { cause: error });
  }
}

/** What a mapping is for: that which has its columns. */
function tableOf(
  path: string,
  { list, account: account_id, update: isUpdate }: TrySettings,
  declared: Declarations,
): Importable {
  const faultsFor = (table: Importable) => {
    try {
      readMapping(path, nameOf(table), { account_id, isUpdate }, declared[nameOf(table)]);
      return 0;
    } catch (error) {
      return error instanceof ImportRefused ? error.total : 0;
    }
  };
  return named(list) ?? (LIKELY.toSorted((a, b) => faultsFor(a) - faultsFor(b))[0] as Importable);
}

/** The first rows of a file as they would be imported; without those that have a fault. */
async function firstRows(
  { list, own }: { readonly list: TargetName; readonly own: OwnFields | undefined },
  path: string,
  file: string,
  settings: TrySettings,
) {
  // As an update, a row has its own values alone.
  const rules = { account_id: settings.account, isUpdate: true };
  const mapping = readMapping(path, list, rules, own);
  const { delimiter, encoding } = mapping;
  const files = [await readOf(file, (name) => importFile(name, settings.format))];
  const rows: RowValues[] = [];
  const charges = targetOf(list, own)
    .columns()
    .flatMap(({ name, kind }) => (kind === 'charge' ? [name] : []));
  const shown = (row: RowValues): RowValues =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        charges.includes(name) ? chargeOf(Number(value)) : value,
      ]),
    );
  const job = { list, own, rules, files, mapping, delimiter, encoding, takesOpenEnd: true };
  for await (const { changes } of readBatches(job, process.stdin)) {
    rows.push(...changes.map(shown));
    if (rows.length >= MAX_SHOWN_ROWS) break;
  }
  return rows.slice(0, MAX_SHOWN_ROWS);
}

/**
 * Shows the first rows of a file as a mapping makes them, and tries all in an empty database that is deleted,
 * or as an update of the items that there are.
 * @throws {Failed} after every fault.
 */
export async function runTry(
  [path = '', file = '']: readonly string[],
  settings: TrySettings,
): Promise<void> {
  const { account, format, update } = settings;
  const display = importDisplay();
  const begin = performance.now();
  try {
    const stored = await declarationRows(settings);
    const declared: Declarations = declaredOf(stored);
    const table = tableOf(path, settings, declared);
    const list = nameOf(table);
    if (update && !isTable(table)) throw new WrongUsage('Accounts are imported without --update.');
    const own = declared[list];
    const rows = await firstRows({ list, own }, path, file, settings);
    const names = targetOf(list, own)
      .columns()
      .map(({ name }) => name);
    const shown = names.filter((name) => rows.some((row) => name in row));
    if (rows.length > 0) await printRows(settings.json, shown, rows);
    const job = { table, files: [file], mapping: path, account, format, update, dry_run: true };
    const trial = (store: Store) => importFiles({ ...job, store, onProgress: display.show });
    const summary = update
      ? await withTrialStore(settings, trial)
      : await withEmptyStore(async (store) => {
          if (stored.length > 0) await store.write(insertRows(OWN_FIELDS.name, OWN_FIELDS.columns, stored));
          return trial(store);
        });
    display.clear();
    say(summaryLine(table.list, summary, performance.now() - begin));
  } catch (error) {
    display.clear();
    throw failure(error);
  }
}
