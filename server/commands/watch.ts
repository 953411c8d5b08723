// `linecard-server import --watch`: imports the files that are dropped into a folder, for as long as it
// lives.

import { stripVTControlCharacters } from 'node:util';
import type { List } from '@linecard/client/contract/list';
import { WrongUsage } from '../errors.ts';
import { FeedCounters } from '../feed/counters.ts';
import type { DroppedFile } from '../feed/drop-folder.ts';
import { FolderWatch } from '../feed/watch.ts';
import { importFiles } from '../import/import.ts';
import type { Settings } from '../settings/settings.ts';
import { processActor } from '../store/audit.ts';
import { type Table, tables } from '../store/tables.ts';
import { type DatabaseSettings, type FILES, type WATCHED, withStore } from './command.ts';
import { importDisplay, mustFit, printSummary, rulesOf, stoppable } from './import.ts';
import { count, messageOf, say } from './print.ts';

type WatchSettings = DatabaseSettings &
  Pick<Settings, (typeof WATCHED)[number] | (typeof FILES)[number] | 'watch'>;

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
  const { watch: folder, format, delimiter, encoding } = settings;
  if (args[0] !== undefined)
    throw new WrongUsage(`"${args[0]}" is not a list; there are ${words.join(' and ')}.`);
  if (folder === undefined)
    throw new WrongUsage(
      `Name the list and its files (${words.join(' or ')} FILE…), or a folder: --watch DIR.`,
    );
  const rowSettings = { ...settings, expect_rows: undefined, dry_run: false };
  mustFit(rowSettings);
  const counters = new FeedCounters();
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
        const rules = {
          ...rulesOf(tableOf(file), rowSettings),
          signal,
          beforeCommit,
          onProgress: display.show,
        };
        const files = { files: [file.path], open, format, delimiter, encoding };
        const provenance = { origin: 'watch', actor: processActor(), source: file.name } as const;
        try {
          return await withStore(settings, (store) => importFiles({ store, ...rules, ...files, provenance }));
        } finally {
          display.clear();
        }
      },
      async onImported(file, summary) {
        const { list } = tableOf(file);
        counters.imported(list.name, summary);
        await printSummary(list, summary, performance.now() - begin, settings.json, file.name);
      },
      onFailed: (file) => counters.failed(tableOf(file).list.name),
    });
    await watch.run();
  });
  const { imported, failed } = counters.total;
  say(`Stopped after ${count(imported)} file${imported === 1 ? '' : 's'}; ${count(failed)} failed.`);
}
