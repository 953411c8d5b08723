// The commands of `linecard-server` as data: words, settings, what each does. docs/configuration.md is made
// from it. What only one command needs is loaded when that command runs.

import { lists } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import { announce } from '../announce.ts';
import { WrongUsage } from '../errors.ts';
import type { SettingName } from '../settings.ts';
import { type Table, tables } from '../store/tables.ts';
import { accountCommands } from './accounts.ts';
import {
  type CommandDefinition,
  command,
  DATABASE,
  FILES,
  onceReachable,
  ROWS,
  SENDING,
  WATCHED,
  withStore,
} from './command.ts';
import { assertCanListen, clearTextWarning, listenFailure, mustListenSomewhere } from './listening.ts';
import { say } from './print.ts';
import { mustHaveRoles } from './store-options.ts';
import { tokenCommands } from './tokens.ts';

interface CommandGroup {
  /** Empty for the commands of a single word. */
  readonly name: string;
  readonly about: string;
  readonly commands: readonly CommandDefinition[];
}

/** What `serve` takes, and `doctor`, which looks at the same. */
const SERVE = [
  ...DATABASE,
  'database_connections',
  'database_timeout',
  'replica_url',
  'replica_lag',
  'row_security',
  'wait_for_database',
  'host',
  'port',
  'socket',
  'tls_cert',
  'tls_key',
  'keep_alive',
  'idle_timeout',
  'metrics_port',
  'metrics_host',
  'workers',
  'base_path',
  'max_page_size',
  'cors_origin',
  'rate_limit',
  'currency',
  'failure_limit',
  'trust_proxy',
  'exports',
  'export_minutes',
  'cache',
  'indexes',
  'create',
  'demo',
  'log_level',
  'log_format',
] as const satisfies SettingName[];

const serveCommand = command({
  words: 'serve',
  about: 'Run the service; brings the schema up to date first.',
  settings: SERVE,
  examples: ['linecard-server serve --demo', 'linecard-server serve --host 0.0.0.0 --port 80'],
  logs: true,
  async run(_args, settings) {
    const { membership, runWorkers } = await import('./processes.ts');
    const member = membership(settings.workers);
    const serveHere = async () => {
      const { serve } = await import('./serve.ts');
      return serve(settings, member).catch((error: unknown) => {
        throw listenFailure(error, settings);
      });
    };
    // The first process has done all else.
    if (member !== undefined) return member.begin(serveHere);
    mustHaveRoles(settings);
    // Before a database is made or filled for nothing.
    mustListenSomewhere(settings);
    await assertCanListen(settings);
    const warning = clearTextWarning(settings);
    if (warning !== undefined) announce(settings, 'warn', warning);
    const demo = settings.demo ? await import('./demo.ts') : undefined;
    // The role that serves may be one that sees one account at a time.
    const asOwner = { rowSecurity: false, create: settings.create || settings.demo };
    const accounts = await onceReachable(
      settings,
      (sentence) => announce(settings, 'info', sentence),
      () => withStore(settings, async (store) => demo?.prepareDemo(store), 'write', asOwner),
    );
    if (settings.demo && accounts === undefined)
      announce(
        settings,
        'info',
        'The database has accounts of its own, so --demo adds none. Name an empty one with --database-url.',
      );
    const url = await (settings.workers === 1 ? serveHere() : runWorkers(settings));
    if (demo === undefined || accounts === undefined)
      return announce(
        settings,
        'info',
        settings.socket === undefined
          ? `Linecard answers at ${url}; its reference is at ${url}/docs. Stop it with Ctrl-C.`
          : `Linecard answers at ${url}. Stop it with Ctrl-C.`,
      );
    const text = await withStore(settings, (store) => demo.welcome(store, accounts, url), 'write', asOwner);
    process.stdout.write(text);
  },
});

const intakeCommand = command({
  words: 'intake',
  about: 'Take imports over HTTP, on a port of its own; brings the schema up to date first.',
  settings: [
    ...DATABASE,
    'intake_host',
    'intake_port',
    'import_timeout',
    'max_body',
    'changes_kept',
    'spool',
    'webhook_secret',
    'rate_limit',
    'failure_limit',
    'trust_proxy',
    'log_level',
    'log_format',
  ],
  examples: [
    'linecard-server intake',
    `linecard-server token create --operator --name "billing feed"`,
    `curl -X PATCH http://localhost:8081/intake/v1/virtual-numbers -H "Authorization: Bearer $TOKEN" -H "Content-Type: text/csv" --data-binary @spam.csv`,
  ],
  async run(_args, settings) {
    const address = { host: settings.intake_host, port: settings.intake_port, socket: undefined };
    // Before a database is made for nothing.
    await assertCanListen(address);
    const { intake } = await import('./intake.ts');
    const url = await intake(settings).catch((error: unknown) => {
      throw listenFailure(error, address);
    });
    say(`The intake takes imports at ${url}. Stop it with Ctrl-C.`);
  },
});

const migrateCommand = command({
  words: 'migrate',
  about: 'Bring the schema up to date, set up the roles of serve and intake, and stop.',
  settings: [...DATABASE, 'wait_for_database', 'serving_role', 'row_security', 'intake_role'],
  examples: [
    'linecard-server migrate',
    'linecard-server migrate --database-url postgres://owner@db/linecard --serving-role linecard_serving --row-security',
  ],
  async run(_args, settings) {
    mustHaveRoles(settings);
    await onceReachable(settings, say, () =>
      withStore(settings, async () => say('The schema is up to date.')),
    );
    const { serving_role, intake_role, row_security } = settings;
    if (serving_role === undefined && row_security)
      throw new WrongUsage('Name the role that is to see one account at a time: --serving-role ROLE.');
    if (serving_role === undefined && intake_role === undefined) return;
    const { runGrant } = await import('./grant.ts');
    if (serving_role !== undefined) await runGrant(settings, serving_role, 'serving');
    if (intake_role !== undefined) await runGrant(settings, intake_role, 'intake');
  },
});

const copyCommand = command({
  words: 'copy',
  about: 'Copy everything into an empty database, such as from SQLite to PostgreSQL, and compare.',
  settings: ['config', 'from', 'to', 'dry_run', 'database_pooler', 'json'],
  examples: [
    'linecard-server copy --from sqlite:data/linecard.db --to postgres://owner@db/linecard --dry-run',
    'linecard-server copy --from sqlite:data/linecard.db --to postgres://owner@db/linecard',
  ],
  async run(_args, settings) {
    const { runCopy } = await import('./copy.ts');
    await runCopy(settings);
  },
});

const doctorCommand = command({
  words: 'doctor',
  about:
    'Look at what serve needs: settings, database, rights, replicas, clock, disk, imports; say what is wrong.',
  settings: [...SERVE, 'import_age', 'json'],
  examples: ['linecard-server doctor', 'linecard-server doctor --import-age 26h --json'],
  async run(_args, settings) {
    const { runDoctor } = await import('./doctor.ts');
    await runDoctor(settings);
  },
});

const auditCommand = command({
  words: 'audit',
  about: 'Show who made, first used and revoked which token, and which imports there were, the oldest first.',
  settings: [...DATABASE, 'since', 'account', 'json'],
  examples: ['linecard-server audit --since 7d', 'linecard-server audit --account harbour-dental --json'],
  async run(_args, settings) {
    const { runAudit } = await import('./audit.ts');
    await runAudit(settings);
  },
});

const BACKUP_EXAMPLE = 'linecard-server backup "backups/linecard-$(date +%F).db"';

const backupCommand = command({
  words: 'backup <file>',
  about: 'Write everything, tokens included, into one file while the database is in use.',
  settings: ['database_url', 'yes', 'json'],
  examples: [BACKUP_EXAMPLE],
  async run([file = ''], settings) {
    const { runBackup } = await import('./backup.ts');
    await runBackup(file, settings);
  },
});

const restoreCommand = command({
  words: 'restore <file>',
  about: 'Check a backup and bring it back as the database, after asking; nothing may use it meanwhile.',
  settings: ['database_url', 'yes', 'json'],
  examples: ['linecard-server restore backups/linecard-2026-11-22.db'],
  async run([file = ''], settings) {
    const { runRestore } = await import('./backup.ts');
    await runRestore(file, settings);
  },
});

/** `virtual_numbers` -> `import virtual-numbers FILE…` */
function importCommandOf(table: Table): CommandDefinition {
  const list: List = table.list;
  const words = list.name.replaceAll('_', '-');
  return command({
    words: `${words} <file...>`,
    about: `Load ${list.title.toLowerCase()} from CSV or NDJSON; - reads standard input. All rows or none.`,
    settings: [...DATABASE, ...FILES, ...ROWS, ...SENDING],
    examples: [
      `linecard-server import ${words} ${words}.csv`,
      `linecard-server import ${words} --replace-all --expect-rows 120000 ${words}.csv`,
      `linecard-server import ${words} --url https://feed.example.com/intake --replace-all ${words}.csv.gz`,
      `set -o pipefail; billing-export | linecard-server import ${words} --format ndjson --replace -`,
    ],
    async run(files, settings) {
      if (settings.intake_url !== undefined) {
        const { runSend } = await import('./import-url.ts');
        return runSend(table, files, settings);
      }
      if (settings.feed !== undefined || settings.sequence !== undefined)
        throw new WrongUsage('--feed and --sequence are for files that are sent to an intake: --url.');
      const { runImport } = await import('./import.ts');
      await runImport(table, files, settings);
    },
  });
}

const watchCommand = command({
  words: '',
  about: 'Load files as they are dropped into a folder, each all or nothing.',
  settings: [...DATABASE, 'watch', ...FILES, ...WATCHED],
  examples: ['linecard-server import --watch /srv/sftp/drop --replace'],
  async run(args, settings) {
    const { runWatch } = await import('./watch.ts');
    await runWatch(args, settings);
  },
});

/** `virtual_numbers` -> `pull virtual-numbers` */
function pullCommandOf(table: Table): CommandDefinition {
  const list: List = table.list;
  const words = list.name.replaceAll('_', '-');
  return command({
    words,
    about: `Load ${list.title.toLowerCase()} from a query to your own PostgreSQL, MySQL or MariaDB. All rows or none.`,
    settings: [...DATABASE, 'from', 'query', 'every', ...ROWS],
    examples: [
      `linecard-server pull ${words} --from postgres://reader@billing/carrier --query ${words}.sql --replace-all`,
      `LINECARD_FROM=mysql://reader:secret@billing/carrier linecard-server pull ${words} --query ${words}.sql --every 5m`,
    ],
    async run(_args, settings) {
      const { runPull } = await import('./pull.ts');
      await runPull(table, settings);
    },
  });
}

export const groups: readonly CommandGroup[] = [
  {
    name: '',
    about: '',
    commands: [
      serveCommand,
      intakeCommand,
      migrateCommand,
      copyCommand,
      backupCommand,
      restoreCommand,
      doctorCommand,
      auditCommand,
    ],
  },
  { name: 'account', about: 'Create, list, change, disable and delete accounts.', commands: accountCommands },
  { name: 'token', about: 'Create, list, rotate and revoke API tokens.', commands: tokenCommands },
  {
    name: 'import',
    about: `Load ${Object.values(lists)
      .map((list) => list.title.toLowerCase())
      .join(' or ')} from files, or from a folder that they are dropped into (--watch).`,
    commands: [...Object.values(tables).map(importCommandOf), watchCommand],
  },
  {
    name: 'pull',
    about: `Load ${Object.values(lists)
      .map((list) => list.title.toLowerCase())
      .join(' or ')} from your own database.`,
    commands: Object.values(tables).map(pullCommandOf),
  },
];
