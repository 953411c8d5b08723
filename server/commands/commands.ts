// The commands of `linecard-server` as data. docs/generated/settings.md is generated from it. Modules that
// only one command needs are loaded when it runs.

import { listed } from '@linecard/client/contract/wording';
import { announce } from '../announce.ts';
import { WrongUsage } from '../errors.ts';
import { brandOf } from '../http/brand.ts';
import { importables } from '../import/job.ts';
import type { Values } from '../settings/config.ts';
import { isPostgresUrl } from '../store/open.ts';
import type { StoreOptions } from '../store/store.ts';
import { signingKeys } from '../store/webhooks/webhook-secrets.ts';
import { accountCommands } from './accounts.ts';
import {
  type CommandDefinition,
  command,
  DATABASE,
  onceReachable,
  SERVE,
  SERVE_OPTIONS,
  withStore,
} from './command.ts';
import { databaseCommands } from './database-commands.ts';
import type { RunningDeliverer } from './deliver.ts';
import {
  exportCommands,
  importCommands,
  intakeCommand,
  mappingCommands,
  pullCommands,
} from './feed-commands.ts';
import { fieldCommands } from './fields.ts';
import { mustFitIdentity } from './identity.ts';
import {
  assertCanAnswerMetrics,
  assertCanListen,
  certificateWarning,
  clearTextWarning,
  listenFailure,
  mustListenSomewhere,
} from './listening.ts';
import { recipeCommands } from './recipes.ts';
import { mustHaveRoles } from './store-options.ts';
import { tokenCommands } from './tokens.ts';
import { webhookCommands } from './webhooks.ts';

interface CommandGroup {
  /** Empty for commands without a group. */
  readonly name: string;
  readonly about: string;
  readonly commands: readonly CommandDefinition[];
}

/** Whether the database may be created. `--demo` does so, but does not replace lost tokens. */
function createOption({ create, demo }: Pick<Values, 'create' | 'demo'>): Pick<StoreOptions, 'create'> {
  return create ? { create } : demo ? {} : { create: false };
}

/**
 * @throws {WrongUsage} if `serve` cannot deliver.
 * @throws {Failed} if there is no signing key.
 */
function mustFitDelivery({
  deliver,
  database_url,
  signing_key,
}: Pick<Values, 'deliver' | 'database_url' | 'signing_key'>): void {
  if (!deliver) return;
  if (isPostgresUrl(database_url))
    throw new WrongUsage(
      'serve --deliver needs SQLite: with PostgreSQL the role that serves can only read. Run linecard-server deliver, on any number of machines.',
    );
  signingKeys(signing_key);
}

function startedSentence({ socket }: Pick<Values, 'socket'>, url: string): string {
  const reference = socket === undefined ? `; the reference is at ${url}/docs` : '';
  return `Linecard answers at ${url}${reference}. Press Ctrl-C to stop.`;
}

const serveCommand = command({
  words: 'serve',
  about: 'Run the service, after updating the schema.',
  takes: [...SERVE, ...SERVE_OPTIONS],
  examples: ['linecard-server serve --demo', 'linecard-server serve --host 0.0.0.0 --port 80'],
  logs: true,
  async run(_args, settings) {
    const { membership, runWorkers } = await import('./processes.ts');
    const member = membership(settings.workers);
    const named = (error: unknown) => {
      throw listenFailure(error, settings);
    };
    const serveHere = async (deliverer?: RunningDeliverer) => {
      const { serve } = await import('./serve.ts');
      return serve(settings, member, deliverer).catch(named);
    };
    // The first process has already done the rest.
    if (member !== undefined) return member.begin(serveHere);
    mustHaveRoles(settings);
    // Checked before a database is created.
    for (const check of [mustListenSomewhere, mustFitIdentity, mustFitDelivery, brandOf]) check(settings);
    await assertCanListen(settings);
    await assertCanAnswerMetrics(settings);
    for (const warning of [clearTextWarning(settings), certificateWarning(settings)])
      if (warning !== undefined) announce(settings, 'warn', warning);
    const demo = settings.demo ? await import('./demo.ts') : undefined;
    // With row security, the serving role sees one account at a time.
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
        'The database already has accounts, so --demo adds none. Specify an empty database with --database-url.',
      );
    const deliverer = settings.deliver ? (await import('./deliver.ts')).deliverOnThread(settings) : undefined;
    const url = await (settings.workers === 1
      ? serveHere(deliverer)
      : runWorkers(settings, deliverer).catch(named));
    if (demo === undefined || accounts === undefined)
      return announce(settings, 'info', startedSentence(settings, url));
    const text = await withStore(settings, (store) => demo.welcome(store, accounts, url), 'write', asOwner);
    process.stdout.write(text);
  },
});

const deliverCommand = command({
  words: 'deliver',
  about: 'Deliver webhooks, after updating the schema; any number of processes share the work.',
  takes: [
    ...DATABASE,
    'wait_for_database',
    'signing_key',
    'deliver_allow',
    'due_at',
    'metrics_port',
    'metrics_host',
    'log_level',
    'log_format',
  ],
  examples: [
    'LINECARD_SIGNING_KEY=/etc/linecard/signing.key linecard-server deliver',
    'linecard-server deliver --signing-key /etc/linecard/signing.key --deliver-allow 10.1.0.0/16 --due-at 07:30',
  ],
  logs: true,
  async run(_args, settings) {
    // Before a database is opened for nothing.
    signingKeys(settings.signing_key);
    const { deliver } = await import('./deliver.ts');
    const log = (sentence: string) => announce(settings, 'info', sentence);
    await onceReachable(settings, log, () => deliver(settings));
    log('Webhooks are delivered. Press Ctrl-C to stop.');
  },
});

const doctorCommand = command({
  words: 'doctor',
  about:
    'Check what serve needs: settings, database, rights, replicas, clock, disk, imports, webhooks; report what is wrong.',
  takes: [...SERVE, ...SERVE_OPTIONS, 'import_age', 'json'],
  examples: ['linecard-server doctor', 'linecard-server doctor --import-age 26h --json'],
  run: async (_args, settings) => (await import('./doctor.ts')).runDoctor(settings),
});

const auditCommand = command({
  words: 'audit',
  about: 'Show changes to accounts, tokens and webhooks, by whom, and imports, oldest first.',
  takes: [...DATABASE, 'since', 'account', 'json', 'prune', 'audit_days', 'yes'],
  examples: [
    'linecard-server audit --since 7d',
    'linecard-server audit --account harbour-dental --json',
    'linecard-server audit --prune --yes',
  ],
  run: async (_args, settings) => (await import('./audit.ts')).runAudit(settings),
});

const findCommand = command({
  words: 'find <q>',
  about:
    'Find the account that has or had a number, an id of an item or a title of a service; show its changes, their imports, and the webhooks that deliver them.',
  takes: [...DATABASE, 'account', 'json'],
  examples: ['linecard-server find +442079460018', 'linecard-server find 48151 --json'],
  run: async ([q = ''], settings) => (await import('./find.ts')).runFind(q, settings),
});

const titles = listed(
  importables.map(({ list }) => list.title.toLowerCase()),
  'or',
);

export const groups: readonly CommandGroup[] = [
  {
    name: '',
    about: '',
    commands: [
      serveCommand,
      intakeCommand,
      deliverCommand,
      ...databaseCommands,
      doctorCommand,
      auditCommand,
      findCommand,
    ],
  },
  { name: 'account', about: 'Create, list, change, rename and delete accounts.', commands: accountCommands },
  { name: 'token', about: 'Create, list, rotate and revoke API tokens.', commands: tokenCommands },
  {
    name: 'field',
    about: 'Declare fields of your own: add, list, show, change and remove them.',
    commands: fieldCommands,
  },
  {
    name: 'webhook',
    about: 'Send events to programs of customers: create, test, pause, replay and delete webhooks.',
    commands: webhookCommands,
  },
  {
    name: 'import',
    about: `Load ${titles} from files, or from a watched folder (--watch).`,
    commands: importCommands,
  },
  { name: 'export', about: 'Write a list of one account or of all to a file.', commands: exportCommands },
  {
    name: 'mapping',
    about: 'Describe how files of another system become lists: propose a mapping, try one.',
    commands: mappingCommands,
  },
  {
    name: 'pull',
    about: `Load ${titles} from your own database.`,
    commands: pullCommands,
  },
  {
    name: 'recipe',
    about:
      'Show mappings for the files of known systems, and queries to their databases, to edit and load with.',
    commands: recipeCommands,
  },
];
