// `linecard-server import --watch`: imports the files that are dropped into a folder, for as long as it
// lives.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { List } from '@linecard/client/contract/list';
import { WrongUsage } from '../errors.ts';
import { type DroppedFile, FOLDER_MAPPING } from '../feed/drop-folder.ts';
import { FolderWatch } from '../feed/watch.ts';
import { importFiles } from '../import/import.ts';
import type { FILE_OPTIONS, WATCHED_OPTIONS } from '../import/job.ts';
import { shownName } from '../import/values.ts';
import type { Settings } from '../settings/settings.ts';
import { processActor } from '../store/audit.ts';
import { type Table, tables } from '../store/tables.ts';
import { type DatabaseSettings, withStore } from './command.ts';
import { importDisplay, mustFit, printSummary, stoppable } from './import.ts';
import { count, messageOf, say } from './print.ts';

type WatchSettings = DatabaseSettings &
  Pick<Settings, (typeof FILE_OPTIONS | typeof WATCHED_OPTIONS)[number] | 'watch' | 'json'>;

const prefixOf = (list: List) => list.name.replaceAll('_', '-');

function tableOf({ prefix }: DroppedFile): Table {
  const table = Object.values<Table>(tables).find(({ list }) => prefixOf(list) === prefix);
  if (table === undefined) throw new Error(`No list is called ${prefix}.`);
  return table;
}

/**
 * Imports files as they come, until it is stopped.
 * @throws {Failed} when the folder cannot be watched.
 * @throws {WrongUsage} when there is none, or the settings do not go together.
 */
export async function runWatch(args: readonly string[], settings: WatchSettings): Promise<void> {
  const words = Object.values<Table>(tables).map(({ list }) => prefixOf(list));
  const { watch: folder } = settings;
  if (args[0] !== undefined)
    throw new WrongUsage(`"${args[0]}" is not a list; there are ${words.join(' and ')}.`);
  if (folder === undefined)
    throw new WrongUsage(
      `Name the list and its files (${words.join(' or ')} FILE…), or a folder: --watch DIR.`,
    );
  mustFit(settings);
  let imported = 0;
  let failed = 0;
  let begin = performance.now();
  await stoppable(async (signal) => {
    const watch = new FolderWatch({
      folder,
      prefixes: words,
      signal,
      say: (message) => say(stripVTControlCharacters(message)),
      messageOf,
      async importFile(file, { open, beforeCommit }) {
        begin = performance.now();
        const display = importDisplay(process.stderr);
        const provenance = { origin: 'watch', actor: processActor(), source: shownName(file.name) } as const;
        const own = join(folder, FOLDER_MAPPING);
        const mapping = settings.mapping ?? (existsSync(own) ? own : undefined);
        const job = { ...settings, mapping, table: tableOf(file), files: [file.path], open, provenance };
        const course = { signal, beforeCommit, onProgress: display.show };
        try {
          return await withStore(settings, (store) => importFiles({ ...job, ...course, store }));
        } finally {
          display.clear();
        }
      },
      async onImported(file, summary) {
        const { list } = tableOf(file);
        imported += 1;
        await printSummary(list, summary, performance.now() - begin, settings.json, shownName(file.name));
      },
      onFailed: () => {
        failed += 1;
      },
    });
    await watch.run();
  });
  say(`Stopped after ${count(imported)} file${imported === 1 ? '' : 's'}; ${count(failed)} failed.`);
}
