// `linecard-server import --watch`: imports the files that are dropped into a folder, for as long as it
// lives.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listed } from '@linecard/client/contract/wording';
import { Failed, WrongUsage } from '../errors.ts';
import { type DroppedFile, FOLDER_MAPPING } from '../feed/drop-folder.ts';
import { FolderWatch, type TakenFile } from '../feed/watch.ts';
import { importFiles } from '../import/import.ts';
import {
  ACCOUNTS,
  type FILE_OPTIONS,
  type Importable,
  type ImportSummary,
  ITEM_OPTIONS,
  importables,
  isTable,
  type WATCHED_OPTIONS,
} from '../import/job.ts';
import { shownName } from '../import/values.ts';
import type { Values } from '../settings/config.ts';
import { processActor } from '../store/log/audit.ts';
import { type DatabaseSettings, withWrittenStore } from './command.ts';
import { importDisplay, mustFit, printSummary, stoppable } from './import.ts';
import { count, counted, messageOf, say } from './print.ts';

type WatchSettings = DatabaseSettings &
  Pick<Values, (typeof FILE_OPTIONS | typeof WATCHED_OPTIONS)[number] | 'watch' | 'json'>;

const prefixOf = ({ name }: Importable) => name.replaceAll('_', '-');

function tableOf({ prefix }: DroppedFile): Importable {
  const table = importables.find((one) => prefixOf(one) === prefix);
  if (table === undefined) throw new Error(`No list is called ${prefix}.`);
  return table;
}

/** Imports one file; one of accounts without the options of lists. */
async function importDropped(
  file: DroppedFile,
  { open, beforeCommit }: TakenFile,
  { folder, ...settings }: WatchSettings & { readonly folder: string },
  signal: AbortSignal,
): Promise<ImportSummary> {
  const table = tableOf(file);
  const own = join(folder, FOLDER_MAPPING);
  const mapping = settings.mapping ?? (existsSync(own) ? own : undefined);
  const others = isTable(table) ? {} : Object.fromEntries(ITEM_OPTIONS.map((name) => [name, undefined]));
  const display = importDisplay();
  const provenance = { origin: 'watch', actor: processActor(), source: shownName(file.name) } as const;
  const job = { ...settings, ...others, mapping, table, files: [file.path], open, provenance };
  const course = { signal, beforeCommit, onProgress: display.show };
  try {
    return await withWrittenStore(settings, (store) =>
      importFiles({ ...job, ...course, store }).finally(display.clear),
    );
  } finally {
    display.clear();
  }
}

/**
 * Imports files as they come, until it is stopped.
 * @throws {Failed} when the folder cannot be watched.
 * @throws {WrongUsage} when there is none, or the settings do not go together.
 */
export async function runWatch(args: readonly string[], settings: WatchSettings): Promise<void> {
  const { watch: folder, account } = settings;
  // A folder of one account holds nothing about others.
  const words = importables.filter((one) => one !== ACCOUNTS || account === undefined).map(prefixOf);
  if (args[0] !== undefined) throw new WrongUsage(`"${args[0]}" is not a list; there are ${listed(words)}.`);
  if (folder === undefined)
    throw new WrongUsage(
      `Name the list and its files (${listed(words, 'or')} FILE…), or a folder: --watch DIR.`,
    );
  mustFit(settings);
  if (settings.mapping !== undefined && !existsSync(settings.mapping))
    throw new Failed(`${settings.mapping}: There is no such mapping.`);
  await stoppable(async (signal) => {
    const watch = new FolderWatch({
      folder,
      prefixes: words,
      signal,
      say,
      messageOf,
      async importFile(file, taken) {
        const begin = performance.now();
        const summary = await importDropped(file, taken, { ...settings, folder }, signal);
        const ms = performance.now() - begin;
        await printSummary(tableOf(file), summary, ms, settings.json, shownName(file.name));
      },
    });
    await watch.run();
    say(`Stopped after ${counted(watch.imported, 'file')}; ${count(watch.failed)} failed.`);
  });
}
