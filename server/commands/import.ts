// `linecard-server import`: runs an import, shows how far it is, and says how it ended.

import type { Settings } from '../config.ts';
import { Failed, WrongUsage } from '../errors.ts';
import { ImportRefused } from '../import/faults.ts';
import { ImportStopped, importFiles } from '../import/import.ts';
import { accountIdFault } from '../store/accounts.ts';
import { openStore } from '../store/open.ts';
import type { Table } from '../store/tables.ts';
import { progressDisplay, summaryLine } from './progress.ts';

const STOPPING_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Imports files and prints the summary as the last line on standard error.
 * @throws {Failed} with every fault, when nothing was imported.
 * @throws {WrongUsage} when the account cannot be one.
 */
export async function runImport(
  table: Table,
  files: readonly string[],
  {
    database_url,
    database_pooler,
    format,
    account,
    replace,
  }: Pick<Settings, 'database_url' | 'database_pooler' | 'format' | 'account' | 'replace'>,
): Promise<void> {
  const fault = account === undefined ? undefined : accountIdFault(account);
  if (fault !== undefined) throw new WrongUsage(`The id of an account ${fault}.`);
  const begin = performance.now();
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of STOPPING_SIGNALS) process.once(signal, stop);
  const display = progressDisplay(process.stderr);
  const store = await openStore(database_url, 'write', { pooler: database_pooler });
  try {
    const summary = await importFiles({
      store,
      table,
      files,
      format,
      account_id: account,
      replace,
      signal: stopping.signal,
      onProgress: (progress) => display.show(progress),
    });
    display.end();
    process.stderr.write(`${summaryLine(table.list, summary, performance.now() - begin)}\n`);
  } catch (error) {
    display.end();
    if (error instanceof ImportRefused) {
      // Each line begins with its place, so that an editor can jump there.
      for (const fault of error.faults) process.stderr.write(`${fault}\n`);
      throw new Failed(error.summary, { cause: error });
    }
    if (error instanceof ImportStopped) {
      throw new Failed(error.message, { cause: error });
    }
    throw error;
  } finally {
    await store.close();
    for (const signal of STOPPING_SIGNALS) process.off(signal, stop);
  }
}
