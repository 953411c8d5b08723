// `linecard-server export`: a list of one account or of all as a file, from one snapshot. Imported again, it
// changes nothing.

import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { FILE_FORMATS, type FileFormat } from '@linecard/client/contract/addresses';
import type { Field, List } from '@linecard/client/contract/list';
import { Problem } from '@linecard/client/contract/problems';
import type { Query } from '@linecard/client/contract/query';
import { QueryParser } from '@linecard/client/contract/query-parser';
import { nearest } from '@linecard/client/contract/suggestion';
import { listed } from '@linecard/client/contract/wording';
import { Failed, WrongUsage } from '../errors.ts';
import { visibleFields } from '../lists/fields.ts';
import { type FilePart, mostItems, WRITERS } from '../lists/files.ts';
import { selectionOf } from '../lists/plan.ts';
import type { Values } from '../settings/config.ts';
import { hasAccount } from '../store/access/accounts.ts';
import { absence } from '../store/access/deleted-accounts.ts';
import { accountIds, completeItems } from '../store/lists/complete-list.ts';
import { declaredTable } from '../store/lists/own-fields.ts';
import type { Snapshot, Store } from '../store/store.ts';
import type { ListName, Table } from '../store/tables.ts';
import { type DatabaseSettings, withSnapshot } from './command.ts';
import { stoppable } from './import.ts';
import { count, counted, mustConfirm, ProgressLine, say } from './print.ts';

type ExportSettings = DatabaseSettings & Pick<Values, 'account' | 'where' | 'file' | 'yes'>;

/** @throws {WrongUsage} */
function formatOf(file: string): FileFormat {
  const format = FILE_FORMATS.find((one) => file.toLowerCase().endsWith(`.${one}`));
  if (format !== undefined) return format;
  const names = FILE_FORMATS.map((one) => `.${one}`);
  throw new WrongUsage(`The name of the file must end in ${listed(names, 'or')}: ${file}`);
}

/** What is wrong with the name of a filter, if anything. */
function faultOf(list: List, name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return undefined;
  const meant = nearest(name, names);
  const hint = meant === undefined ? `Known are ${listed(names)}.` : `Did you mean ${meant}?`;
  return `--where ${name} is not a filter of ${list.title.toLowerCase()}. ${hint}`;
}

/**
 * The filters as a query.
 * @throws {WrongUsage} with every fault.
 */
function queryOf(list: List, filters: readonly string[] = []): Query {
  const names = [...Object.keys(list.filters), 'q'];
  const pairs: string[] = [];
  const faults: string[] = [];
  for (const filter of filters) {
    const [name = '', ...rest] = filter.split('=');
    const fault = faultOf(list, name, names);
    if (fault !== undefined) faults.push(fault);
    else if (rest.length === 0) faults.push(`--where ${name} needs a value, such as ${name}=…`);
    else pairs.push(`${name}=${encodeURIComponent(rest.join('=')).replaceAll('%2C', ',')}`);
  }
  if (faults.length > 0) throw new WrongUsage(faults.join('\n'));
  try {
    return new QueryParser(list, undefined, 'export').ofString(pairs.join('&'));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const details = (error.faults ?? []).map(({ parameter, detail }) => `--where ${parameter}: ${detail}`);
    throw new WrongUsage(details.join('\n') || error.message, { cause: error });
  }
}

/** The list as the file has it. Times in a workbook are texts: its own have whole seconds. */
function listOfFile({ list }: Table, format: FileFormat, ofAccount: boolean): List {
  const account = { kind: 'text', about: '', example: '' } as const;
  const fields = { ...(ofAccount && { account_id: account }), ...list.hidden, ...list.fields };
  const entries = Object.entries<Field>(fields).map(([name, field]) => {
    const isText = format === 'xlsx' && field.kind === 'timestamp';
    return [name, isText ? { ...field, kind: 'text' as const } : field] as const;
  });
  return { ...list, fields: Object.fromEntries(entries) };
}

interface Exported {
  readonly snapshot: Snapshot;
  readonly store: Store;
  readonly table: Table;
  readonly query: Query;
  readonly format: FileFormat;
  /** All accounts if absent. */
  readonly account: string | undefined;
}

/** @throws {Failed} if there are more items than a workbook has. */
async function* partsOf(
  { snapshot, store, table, query, format, account }: Exported,
  onRows: (rows: number) => void,
): AsyncGenerator<FilePart> {
  const ofAccount = account === undefined;
  const list = listOfFile(table, format, ofAccount);
  const writer = WRITERS[format](list, visibleFields(list, undefined, true));
  // An import replaces also what answers do not list.
  const all: Table = { ...table, list: { ...table.list, only: {} } };
  const most = mostItems(format);
  let rows = 0;
  yield writer.begin();
  for (const id of account === undefined ? await accountIds(snapshot) : [account]) {
    const selection = selectionOf(all, id, query);
    for await (const items of completeItems(snapshot, store.dialect, table, selection, ofAccount)) {
      rows += items.length;
      if (rows > most)
        throw new Failed(`A sheet of a workbook holds at most ${count(most)} items. Write .csv instead.`);
      onRows(rows);
      yield writer.items(items);
    }
  }
  yield writer.end();
}

/** Writes a file that has its name when it is complete. */
async function write(file: string, parts: AsyncIterable<FilePart>, signal: AbortSignal): Promise<void> {
  const partial = `${file}.${process.pid}.part`;
  const to = createWriteStream(partial, { flags: 'wx', mode: 0o600 });
  try {
    for await (const part of parts) {
      signal.throwIfAborted();
      // Its bytes are valid until the next part is taken.
      await new Promise<void>((resolve, reject) => {
        to.write(part, (error) => (error ? reject(error) : resolve()));
      });
    }
    to.end();
    await finished(to);
    renameSync(partial, file);
  } catch (error) {
    to.destroy();
    rmSync(partial, { force: true });
    throw signal.aborted ? new Failed('Stopped. No file was written.', { cause: error }) : error;
  }
}

/**
 * Writes a list to a file.
 * @throws {Failed} if there is no such account, or the file cannot be written.
 */
export async function runExport(name: ListName, settings: ExportSettings): Promise<void> {
  const { account, where, file, yes } = settings;
  if (file === undefined) throw new WrongUsage('Specify the file: --file NAME.csv, .ndjson or .xlsx.');
  const format = formatOf(file);
  if (existsSync(file)) await mustConfirm(`Replace ${file}?`, yes, 'Nothing was written.');
  const line = new ProgressLine();
  let rows = 0;
  const onRows = (all: number) => {
    rows = all;
    line.show(`${count(all)} items written`);
  };
  await stoppable((signal) =>
    withSnapshot(settings, async (snapshot, store) => {
      const table = await declaredTable(snapshot, name);
      const query = queryOf(table.list, where);
      if (account !== undefined && !(await hasAccount(store, account)))
        throw new Failed(`${await absence(store, account)} See: linecard-server account list`);
      await write(file, partsOf({ snapshot, store, table, query, format, account }, onRows), signal);
    }),
  ).finally(() => line.clear());
  say(`${counted(rows, 'item')} written to ${file}.`);
}
