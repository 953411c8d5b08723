// The commands that feed the lists: from files, from a folder, from a database, and over HTTP.

import { announce } from '../announce.ts';
import {
  FILE_OPTIONS,
  type Importable,
  ITEM_OPTIONS,
  importables,
  isTable,
  ONLY_ITEMS,
  ROW_OPTIONS,
  takesOption,
  WATCHED_OPTIONS,
} from '../import/job.ts';
import { forgetFeedOperation } from '../operations/logs.ts';
import { type ListName, type Table, tables } from '../store/tables.ts';
import { type CommandDefinition, command, DATABASE, INTAKE } from './command.ts';
import { assertCanAnswerMetrics, assertCanListen, listenFailure } from './listening.ts';
import { actCommand } from './operation.ts';

export const intakeCommand = command({
  words: 'intake',
  about: 'Take imports and administration over HTTP, on a port of its own, after updating the schema.',
  takes: INTAKE,
  examples: [
    'linecard-server intake',
    `linecard-server token create --operator --name "billing feed"`,
    `curl -X PATCH http://localhost:8081/intake/v1/virtual-numbers -H "Authorization: Bearer $TOKEN" -H "Content-Type: text/csv" --data-binary @spam.csv`,
  ],
  logs: true,
  async run(_args, settings) {
    const { intake_host: host, intake_port: port } = settings;
    const address = { ...settings, host, port, socket: undefined };
    // Before a database is made for nothing.
    await assertCanListen(address);
    await assertCanAnswerMetrics(address);
    const { intake } = await import('./intake.ts');
    const url = await intake(settings).catch((error: unknown) => {
      throw listenFailure(error, address);
    });
    if (settings.webhook_secret.length > 0 && settings.trust_proxy.length === 0)
      announce(
        settings,
        'warn',
        'If a proxy is in front, name it with --trust-proxy: else wrong signatures of any sender count for all.',
      );
    announce(settings, 'info', `The intake takes imports at ${url}. Press Ctrl-C to stop.`);
  },
});

/** The options of rows that an import takes, and those that it refuses. */
const rowOptions = (table: Importable) => ROW_OPTIONS.filter((name) => takesOption(table, name));
const refused = (table: Importable) =>
  isTable(table) ? {} : { refused: { takes: ITEM_OPTIONS, why: ONLY_ITEMS } };

/** `virtual_numbers` -> `import virtual-numbers FILE…` */
function importCommandOf(table: Importable): CommandDefinition {
  const { list } = table;
  const words = list.name.replaceAll('_', '-');
  const [all, one] = isTable(table) ? [' --replace-all', ' --replace'] : ['', ''];
  return command({
    words: `${words} <file...>`,
    about: `Load ${list.title.toLowerCase()} from CSV, NDJSON, JSON or a workbook; - reads standard input. All rows or none.`,
    takes: [...DATABASE, ...FILE_OPTIONS, ...rowOptions(table), 'json'],
    ...refused(table),
    examples: [
      `linecard-server import ${words} ${words}.csv`,
      `linecard-server import ${words}${all} --expect-rows 120000 ${words}.csv`,
      `set -o pipefail; billing-export | linecard-server import ${words} --format ndjson${one} -`,
    ],
    async run(files, settings) {
      const { runImport } = await import('./import.ts');
      await runImport(table, files, settings);
    },
  });
}

const runsCommand = command({
  words: 'runs',
  about: 'Show the imports of the last 30 days and how each ended, including running ones.',
  takes: [...DATABASE, 'feed', 'failed', 'json'],
  examples: ['linecard-server import runs', 'linecard-server import runs --feed nightly --failed'],
  run: async (_args, settings) => (await import('./runs.ts')).runRuns(settings),
});

const watchCommand = command({
  words: '',
  about: 'Load files that are dropped into a folder, each all or nothing.',
  takes: [...DATABASE, 'watch', ...FILE_OPTIONS, ...WATCHED_OPTIONS, 'json'],
  examples: ['linecard-server import --watch /srv/sftp/drop --replace'],
  run: async (args, settings) => (await import('./watch.ts')).runWatch(args, settings),
});

/** `virtual_numbers` -> `pull virtual-numbers` */
function pullCommandOf(table: Importable): CommandDefinition {
  const { list } = table;
  const words = list.name.replaceAll('_', '-');
  return command({
    words,
    about: `Load ${list.title.toLowerCase()} from a query to your own PostgreSQL, MySQL or MariaDB. All rows or none.`,
    takes: [...DATABASE, 'from', 'query', 'every', ...rowOptions(table), 'json'],
    ...refused(table),
    examples: [
      `linecard-server pull ${words} --from postgres://reader@billing/carrier --query ${words}.sql${isTable(table) ? ' --replace-all' : ''}`,
      `LINECARD_FROM=mysql://reader:secret@billing/carrier linecard-server pull ${words} --query ${words}.sql --every 5m`,
    ],
    run: async (_args, settings) => (await import('./pull.ts')).runPull(table, settings),
  });
}

/** `virtual_numbers` -> `export virtual-numbers` */
function exportCommandOf({ list, name }: Table): CommandDefinition {
  const words = list.name.replaceAll('_', '-');
  const title = list.title.toLowerCase();
  return command({
    words,
    about: `Write ${title} to a file: of one account, or of all with account_id as the first column, from one snapshot. Imported again, it changes nothing.`,
    takes: [...DATABASE, 'account', 'where', 'file', 'yes'],
    examples: [
      `linecard-server export ${words} --file ${words}.csv`,
      `linecard-server export ${words} --account harbour-dental --where q=harbour --file harbour.xlsx`,
    ],
    run: async (_args, settings) => (await import('./export.ts')).runExport(name as ListName, settings),
  });
}

const proposeCommand = command({
  words: 'propose <file>',
  about: 'Propose a mapping for a file, with reasons and questions on standard error.',
  takes: [...DATABASE, 'list', 'account', 'mapping_output'],
  examples: ['linecard-server mapping propose billing.csv --output billing.json'],
  run: async (args, settings) => (await import('./mapping.ts')).runPropose(args, settings),
});

const tryCommand = command({
  words: 'try <mapping> <file>',
  about: 'Show the first rows of a file after its mapping, and all faults. Imports nothing.',
  takes: [...DATABASE, 'list', 'account', 'format', 'update', 'json'],
  examples: [
    'linecard-server mapping try billing.json billing.csv',
    'linecard-server mapping try calls.json calls.csv --update',
  ],
  run: async (args, settings) => (await import('./mapping.ts')).runTry(args, settings),
});

const forgetCommand = actCommand(forgetFeedOperation, 'feed', (feed) => `Forgot the feed ${feed}.`);

export const mappingCommands = [proposeCommand, tryCommand];
export const importCommands = [...importables.map(importCommandOf), runsCommand, forgetCommand, watchCommand];
export const exportCommands = Object.values<Table>(tables).map(exportCommandOf);
export const pullCommands = importables.map(pullCommandOf);
