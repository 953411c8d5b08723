// The commands of `linecard-server` as data: words, settings, what each does. docs/generated/settings.md is
// made from it. What only one command needs is loaded when that command runs.

import { lists } from '@linecard/client/contract';
import { announce } from '../announce.ts';
import type { SettingName, Settings } from '../settings/settings.ts';
import type { StoreOptions } from '../store/store.ts';
import { accountCommands } from './accounts.ts';
import { certificateWarning } from './certificate.ts';
import { type CommandDefinition, command, DATABASE, onceReachable, withStore } from './command.ts';
import { databaseCommands } from './database-commands.ts';
import { importCommands, intakeCommand, pullCommands } from './feed-commands.ts';
import { assertCanListen, clearTextWarning, listenFailure, mustListenSomewhere } from './listening.ts';
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
  'drain',
  'metrics_port',
  'metrics_host',
  'workers',
  'base_path',
  'max_page_size',
  'cors_origin',
  'rate_limit',
  'currency',
  'trust_proxy',
  'cache',
  'indexes',
  'create',
  'demo',
  'log_level',
  'log_format',
  'log_sample',
] as const satisfies SettingName[];

/** A database is made where that is wanted; tokens that are lost are not given up for a demo. */
function createOption({ create, demo }: Pick<Settings, 'create' | 'demo'>): Pick<StoreOptions, 'create'> {
  return create ? { create } : demo ? {} : { create: false };
}

const serveCommand = command({
  words: 'serve',
  about: 'Run the service, after updating the schema.',
  settings: SERVE,
  examples: ['linecard-server serve --demo', 'linecard-server serve --host 0.0.0.0 --port 80'],
  logs: true,
  async run(_args, settings) {
    const { membership, runWorkers } = await import('./processes.ts');
    const member = membership(settings.workers);
    const named = (error: unknown) => {
      throw listenFailure(error, settings);
    };
    const serveHere = async () => {
      const { serve } = await import('./serve.ts');
      return serve(settings, member).catch(named);
    };
    // The first process has done all else.
    if (member !== undefined) return member.begin(serveHere);
    mustHaveRoles(settings);
    // Before a database is made or filled for nothing.
    mustListenSomewhere(settings);
    await assertCanListen(settings);
    for (const warning of [clearTextWarning(settings), certificateWarning(settings)])
      if (warning !== undefined) announce(settings, 'warn', warning);
    const demo = settings.demo ? await import('./demo.ts') : undefined;
    // The role that serves may be one that sees one account at a time.
    const asOwner = { rowSecurity: false, ...createOption(settings) };
    await using meanwhile = new AsyncDisposableStack();
    const accounts = await onceReachable(
      settings,
      async (sentence) => {
        announce(settings, 'info', sentence);
        const { answerMeanwhile } = await import('./alive.ts');
        meanwhile.defer(await answerMeanwhile(settings).catch(named));
      },
      () => withStore(settings, async (store) => demo?.prepareDemo(store), 'write', asOwner),
    );
    await meanwhile.disposeAsync();
    if (settings.demo && accounts === undefined)
      announce(
        settings,
        'info',
        'The database has accounts of its own, so --demo adds none. Name an empty one with --database-url.',
      );
    const url = await (settings.workers === 1 ? serveHere() : runWorkers(settings).catch(named));
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
  about:
    'Show what was done to accounts and tokens, by whom, and which imports there were, the oldest first.',
  settings: [...DATABASE, 'since', 'account', 'json'],
  examples: ['linecard-server audit --since 7d', 'linecard-server audit --account harbour-dental --json'],
  async run(_args, settings) {
    const { runAudit } = await import('./audit.ts');
    await runAudit(settings);
  },
});

export const groups: readonly CommandGroup[] = [
  {
    name: '',
    about: '',
    commands: [serveCommand, intakeCommand, ...databaseCommands, doctorCommand, auditCommand],
  },
  { name: 'account', about: 'Create, list, change, disable and delete accounts.', commands: accountCommands },
  { name: 'token', about: 'Create, list, rotate and revoke API tokens.', commands: tokenCommands },
  {
    name: 'import',
    about: `Load ${Object.values(lists)
      .map((list) => list.title.toLowerCase())
      .join(' or ')} from files, or from a folder that they are dropped into (--watch).`,
    commands: importCommands,
  },
  {
    name: 'pull',
    about: `Load ${Object.values(lists)
      .map((list) => list.title.toLowerCase())
      .join(' or ')} from your own database.`,
    commands: pullCommands,
  },
];
