// `linecard-server import`: runs an import, shows how far it is, and says how it ended; other commands run
// theirs the same way.

import { Failed, WrongUsage } from '../errors.ts';
import { importColumns, REMOVED } from '../import/columns.ts';
import { ImportRefused, ImportRejected, ImportStopped } from '../import/faults.ts';
import { UnreadableFile, unreadable } from '../import/files.ts';
import { importFiles } from '../import/import.ts';
import {
  ACCOUNTS,
  type Importable,
  type ImportJob,
  type ImportOption,
  type ImportProgress,
  type ImportSummary,
  isTable,
  type ROW_OPTIONS,
  summaryResult,
} from '../import/job.ts';
import { examplesText } from '../import/size-limits.ts';
import { limitYoungObjects } from '../memory.ts';
import type { Values } from '../settings/config.ts';
import { accountIdFault } from '../store/access/accounts.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/tables.ts';
import { type DatabaseSettings, withTrialStore, withWrittenStore } from './command.ts';
import { count, counted, deliver, ProgressLine, printRows, say, WAITING } from './print.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

function progressText({ doing, rows, bytes, totalBytes }: ImportProgress, seconds: number): string {
  if (doing === 'finishing') return `${count(rows)} rows read; storing them …`;
  const speed = seconds > 0 ? `, ${count(Math.round(rows / seconds))} rows/s` : '';
  const part = totalBytes ? `, ${Math.min(100, Math.floor((100 * bytes) / totalBytes))} %` : '';
  return `${count(rows)} rows read${speed}${part}`;
}

/** Shows the progress of one import: in a log, only that it waits; `clear` removes the line of progress. */
export function importDisplay() {
  const begin = performance.now();
  const line = new ProgressLine();
  return {
    show: (progress: ImportProgress): void => {
      const text = progressText(progress, (performance.now() - begin) / 1_000);
      if (progress.doing === 'reading') line.show(text);
      else if (progress.doing === 'finishing') line.showNow(text);
      else {
        line.clear();
        say(WAITING);
      }
    },
    clear: () => line.clear(),
  };
}

/** Which columns the rows had, where they had not all of the contract. */
function columnsLine(table: Table, { columns }: ImportSummary): string[] {
  const names = importColumns(table.list).map(({ name }) => name);
  const all = new Set([...names.filter((name) => name !== REMOVED), ...columns]);
  if (columns.length === all.size) return [];
  return [`${columns.length} of ${all.size} columns: ${columns.join(', ')}.`];
}

/** How many items each column changed of, as an addition to how many were updated. */
export function changedText(changed: ImportSummary['changed'] = {}, more: readonly string[] = []): string {
  const columns = Object.entries(changed).map(([name, items]) => `${name} ${count(items)}`);
  const parts = columns.length === 0 ? more : [...more, `changed: ${columns.join(', ')}`];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** Of a dry run, a line for each column with items that it would change of. */
function exampleLines({ accounts, examples }: ImportSummary): string[] {
  if (accounts === undefined) return [];
  const columns = [...new Set(examples.map(({ column }) => column))];
  return columns.map((name) => `${name}: ${examplesText(examples, name)}`);
}

/** The last line of an import that was done, or tried. */
export function summaryLine(list: Importable['list'], summary: ImportSummary, milliseconds: number): string {
  const { rows, left_out, inserted, updated, moved, unchanged, removed, absent } = summary;
  const isOfAccounts = list.name === ACCOUNTS.name;
  const accounts = isOfAccounts ? 0 : summary.accounts_created;
  const moving = moved === 0 ? [] : [`${count(moved)} of them moved between accounts`];
  const gone = absent === 0 ? '' : `, ${count(absent)} not there to remove`;
  const leftOut = left_out === 0 ? '' : `, ${counted(left_out, 'row')} left out`;
  const created = accounts === 0 ? '' : `; ${counted(accounts, 'new account')}`;
  const tried = summary.accounts === undefined ? '' : ' Nothing was changed: this is what would be.';
  return (
    `${list.title}: ${counted(rows, 'row')} read${leftOut}, ${count(inserted)} inserted, ${count(updated)} updated${changedText(summary.changed, moving)}, ` +
    `${count(unchanged)} unchanged${isOfAccounts ? '' : `, ${count(removed)} removed`}${gone}${created} (${(milliseconds / 1_000).toFixed(1)} s).${tried}`
  );
}

/**
 * Writes the object of `--json`. What was imported stays so where that fails, and is not reported as failed.
 * @returns the sentence that says so.
 * @throws {Failed} of a dry run, which has done nothing else.
 */
async function writeResult(result: object, isDryRun: boolean): Promise<string | undefined> {
  try {
    await deliver(JSON.stringify(result));
    return undefined;
  } catch (error) {
    const what = `could not be written to standard output: ${(error as Error).message}.`;
    if (isDryRun) throw new Failed(`The summary ${what}`, { cause: error });
    return `The import is done; only its summary ${what}`;
  }
}

/**
 * Prints what was done: with `--json` as an object; of a dry run otherwise a table of the accounts.
 * @param file the file that was imported, where it is one of many.
 * @throws {Failed} of a dry run whose import would be refused.
 */
export async function printSummary(
  table: Importable,
  summary: ImportSummary,
  milliseconds: number,
  json: boolean,
  file?: string,
): Promise<void> {
  const { accounts } = summary;
  let unwritten: string | undefined;
  if (json) {
    const result = summaryResult(table.list, summary, milliseconds);
    unwritten = await writeResult(file === undefined ? result : { file, ...result }, accounts !== undefined);
  } else if (accounts !== undefined) {
    const [one = {}] = accounts;
    await printRows(false, Object.keys(one) as (keyof typeof one)[], accounts);
  }
  for (const line of exampleLines(summary)) say(line);
  const warnings = summary.warnings.map((warning) => `Warning: ${warning}`);
  if (summary.negative > 0)
    warnings.push(`Note: ${counted(summary.negative, 'row')} with a charge below zero.`);
  for (const line of [...(isTable(table) ? columnsLine(table, summary) : []), ...warnings]) say(line);
  say(`${file === undefined ? '' : `${file}: `}${summaryLine(table.list, summary, milliseconds)}`);
  if (unwritten !== undefined) say(unwritten);
  if (summary.withheld !== undefined)
    throw new Failed(`Without --dry-run it would be refused. ${summary.withheld}`);
}

/** What ended an import, as the command reports it: every fault, one a line, that an editor can jump to. */
export function failure(error: unknown): unknown {
  if (error instanceof ImportRefused) {
    for (const fault of error.faults) say(fault);
    return new Failed(error.summary, { cause: error });
  }
  const isExpected = error instanceof ImportStopped || error instanceof ImportRejected;
  return isExpected ? new Failed(error.message, { cause: error }) : error;
}

/**
 * Does what reads a file.
 * @throws {Failed} with its name, when it cannot be read.
 */
export function readable<T>(file: string, read: (file: string) => T): T {
  try {
    return read(file);
  } catch (error) {
    const why = unreadable(error);
    if (why instanceof UnreadableFile) throw new Failed(`${file}: ${why.message}`, { cause: error });
    throw error;
  }
}

/** The settings of every import, wherever its rows come from. */
export type RowSettings = DatabaseSettings & Pick<Values, (typeof ROW_OPTIONS)[number] | 'json'>;

/** @throws {WrongUsage} when the settings do not go together. */
export function mustFit({ account, update, replace, replace_all, defaults }: Partial<RowSettings>): void {
  const fault = account === undefined ? undefined : accountIdFault(account);
  if (fault !== undefined) throw new WrongUsage(`The id of an account ${fault}.`);
  if (Number(update) + Number(replace) + Number(replace_all) > 1)
    throw new WrongUsage('Choose one of --update, --replace and --replace-all.');
  if (update && defaults)
    throw new WrongUsage('--update changes only the columns of the files: leave out --defaults.');
}

/** Does work that a signal to the process stops. */
export async function stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}

/**
 * Runs one import, shows how far it is, and prints the summary as the last line on standard error.
 * @throws {Failed} after every fault, when nothing was imported.
 */
export async function importOnce(
  table: Importable,
  settings: RowSettings,
  signal: AbortSignal,
  work: (job: ImportJob) => Promise<ImportSummary>,
): Promise<ImportSummary> {
  limitYoungObjects();
  const begin = performance.now();
  const display = importDisplay();
  const run = (store: Store) =>
    work({ ...settings, store, table, signal, onProgress: display.show }).finally(display.clear);
  try {
    const summary = await (settings.dry_run
      ? withTrialStore(settings, run)
      : withWrittenStore(settings, run));
    display.clear();
    await printSummary(table, summary, performance.now() - begin, settings.json);
    return summary;
  } catch (error) {
    display.clear();
    throw failure(error);
  }
}

/**
 * Imports files.
 * @throws {Failed} after every fault, when nothing was imported.
 * @throws {WrongUsage} when the settings do not go together.
 */
export async function runImport(
  table: Importable,
  files: readonly string[],
  settings: RowSettings & Pick<Values, ImportOption>,
): Promise<void> {
  mustFit(settings);
  await stoppable((signal) => importOnce(table, settings, signal, (job) => importFiles({ ...job, files })));
}
