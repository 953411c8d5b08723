// `linecard-server import`: runs an import, shows how far it is, and says how it ended.

import type { List } from '@linecard/client/contract/list';
import type { Settings } from '../config.ts';
import { Failed, WrongUsage } from '../errors.ts';
import { ImportRefused } from '../import/faults.ts';
import { type ImportProgress, ImportStopped, type ImportSummary, importFiles } from '../import/import.ts';
import { accountIdFault } from '../store/accounts.ts';
import type { Table } from '../store/tables.ts';
import { type DatabaseSettings, withStore } from './command.ts';
import { count, type MessageStream, ProgressLine, say } from './print.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const WAITING = 'Another command is writing to the database; waiting for it to end. Ctrl-C gives up.';

function progressText({ doing, rows, bytes, totalBytes }: ImportProgress, seconds: number): string {
  if (doing === 'finishing') return `${count(rows)} rows read; storing them …`;
  const speed = seconds > 0 ? `, ${count(Math.round(rows / seconds))} rows/s` : '';
  const part = totalBytes ? `, ${Math.min(100, Math.floor((100 * bytes) / totalBytes))} %` : '';
  return `${count(rows)} rows read${speed}${part}`;
}

/** Shows the progress of one import: in a log, only that it waits; `clear` removes the line of progress. */
export function importDisplay(output: MessageStream) {
  const begin = performance.now();
  const line = new ProgressLine(output);
  return {
    show(progress: ImportProgress): void {
      const text = progressText(progress, (performance.now() - begin) / 1_000);
      if (progress.doing === 'reading') line.draw(text);
      else if (progress.doing === 'finishing') line.drawNow(text);
      else {
        line.clear();
        output.write(`${WAITING}\n`);
      }
    },
    clear: () => line.clear(),
  };
}

/** The last line of an import that was done. */
export function summaryLine(list: List, summary: ImportSummary, milliseconds: number): string {
  const { rows, inserted, updated, unchanged, removed, accounts_created: accounts } = summary;
  const created = accounts === 0 ? '' : `; ${count(accounts)} new account${accounts === 1 ? '' : 's'}`;
  return (
    `${list.title}: ${count(rows)} row${rows === 1 ? '' : 's'} read, ${count(inserted)} inserted, ${count(updated)} updated, ` +
    `${count(unchanged)} unchanged, ${count(removed)} removed${created} (${(milliseconds / 1_000).toFixed(1)} s).`
  );
}

/** What ended an import, as the command reports it: every fault, one a line, that an editor can jump to. */
function failure(error: unknown): unknown {
  if (error instanceof ImportRefused) {
    for (const fault of error.faults) say(fault);
    return new Failed(error.summary, { cause: error });
  }
  return error instanceof ImportStopped ? new Failed(error.message, { cause: error }) : error;
}

/**
 * Imports files and prints the summary as the last line on standard error.
 * @throws {Failed} with every fault, when nothing was imported.
 * @throws {WrongUsage} when the account cannot be one.
 */
export async function runImport(
  table: Table,
  files: readonly string[],
  {
    format,
    account,
    replace,
    ...database
  }: DatabaseSettings & Pick<Settings, 'format' | 'account' | 'replace'>,
): Promise<void> {
  const fault = account === undefined ? undefined : accountIdFault(account);
  if (fault !== undefined) throw new WrongUsage(`The id of an account ${fault}.`);
  const begin = performance.now();
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  const display = importDisplay(process.stderr);
  const onProgress = (progress: ImportProgress) => display.show(progress);
  const job = { table, files, format, account_id: account, replace, signal: stopping.signal, onProgress };
  try {
    const summary = await withStore(database, (store) => importFiles({ store, ...job }));
    display.clear();
    say(summaryLine(table.list, summary, performance.now() - begin));
  } catch (error) {
    display.clear();
    throw failure(error);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}
