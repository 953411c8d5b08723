// The commands of `linecard-server` (contract, section 7) as data: words, settings, what each does.

import { lists } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import type { SettingName, Settings } from '../config.ts';
import { Failed, WrongUsage } from '../errors.ts';
import { accountIdFault, createAccount, listAccounts } from '../store/accounts.ts';
import { openStore } from '../store/open.ts';
import type { Purpose, Store, StoreOptions } from '../store/store.ts';
import { type Table, tables } from '../store/tables.ts';
import { createToken, listTokens, revokeToken } from '../store/tokens.ts';
import { printRows } from './print.ts';

export interface CommandDefinition {
  readonly words: string;
  readonly about: string;
  readonly settings: readonly SettingName[];
  readonly examples?: readonly string[];
  run(args: readonly string[], settings: Settings): Promise<void>;
}

interface Group {
  /** Empty for the commands of a single word. */
  readonly name: string;
  readonly about: string;
  readonly commands: readonly CommandDefinition[];
}

const say = (message: string) => process.stderr.write(`${message}\n`);

/** Which database, and how it is reached: every command takes these. */
const DATABASE = ['database_url', 'database_pooler'] as const satisfies SettingName[];

/** Opens the store, does the work and closes it, come what may. */
async function withStore<T>(
  { database_url, database_pooler }: Pick<Settings, (typeof DATABASE)[number]>,
  work: (store: Store) => Promise<T>,
  purpose: Purpose = 'write',
  options: StoreOptions = {},
): Promise<T> {
  const store = await openStore(database_url, purpose, { pooler: database_pooler, ...options });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function command<const N extends SettingName>(definition: {
  words: string;
  about: string;
  settings: readonly N[];
  examples?: readonly string[];
  run(args: readonly string[], settings: Pick<Settings, N>): Promise<void>;
}): CommandDefinition {
  return definition;
}

const serveCommand = command({
  words: 'serve',
  about: 'Run the service; brings the schema up to date first.',
  settings: [
    ...DATABASE,
    'database_connections',
    'database_timeout',
    'replica_url',
    'replica_lag',
    'row_security',
    'host',
    'port',
    'workers',
    'max_page_size',
    'rate_limit',
    'keep',
    'indexes',
    'demo',
    'log_level',
    'log_format',
  ],
  examples: ['linecard-server serve --demo', 'linecard-server serve --host 0.0.0.0 --port 80'],
  async run(_args, settings) {
    const { membership, runWorkers } = await import('./processes.ts');
    const member = membership(settings.workers);
    const serveHere = async () => (await import('./serve.ts')).serve(settings, member);
    // The first process has done all else.
    if (member !== undefined) return member.begin(serveHere);
    const prepare = async (store: Store) => {
      if (!settings.demo) return undefined;
      const { prepareDemo } = await import('./demo.ts');
      return prepareDemo(store);
    };
    // The role that serves may be one that sees one account at a time.
    const welcome = await withStore(settings, prepare, 'write', { row_security: false });
    if (settings.demo && welcome === undefined) {
      say(
        'The database has accounts of its own, so --demo adds none. Name an empty one with --database-url.',
      );
    }
    const url = await (settings.workers === 1 ? serveHere() : runWorkers(settings));
    if (welcome !== undefined) process.stdout.write(welcome(url));
    else say(`Linecard answers at ${url}; its reference is at ${url}/docs. Stop it with Ctrl-C.`);
  },
});

const migrateCommand = command({
  words: 'migrate',
  about: 'Bring the schema up to date, set up the role that serves, and stop.',
  settings: [...DATABASE, 'serving_role', 'row_security'],
  examples: [
    'linecard-server migrate',
    'linecard-server migrate --database-url postgres://owner@db/linecard --serving-role linecard_serving --row-security',
  ],
  async run(_args, settings) {
    await withStore(settings, async () => say('The schema is up to date.'));
    const { serving_role } = settings;
    if (serving_role === undefined) {
      if (!settings.row_security) return;
      throw new WrongUsage('Say which role is to see one account at a time: --serving-role ROLE.');
    }
    const { runGrant } = await import('./grant.ts');
    await runGrant({ ...settings, serving_role });
  },
});

const copyCommand = command({
  words: 'copy',
  about: 'Copy everything into an empty database, such as from SQLite to PostgreSQL, and compare.',
  settings: ['from', 'to', 'dry_run', 'database_pooler', 'output'],
  examples: [
    'linecard-server copy --from sqlite:data/linecard.db --to postgres://owner@db/linecard --dry-run',
    'linecard-server copy --from sqlite:data/linecard.db --to postgres://owner@db/linecard',
  ],
  async run(_args, settings) {
    const { runCopy } = await import('./copy.ts');
    await runCopy(settings);
  },
});

const accountCommands: CommandDefinition[] = [
  command({
    words: 'create <id>',
    about: 'Make an account; its id is your own customer id, any text of 1 to 100 characters.',
    settings: [...DATABASE, 'name'],
    examples: ['linecard-server account create harbour-dental --name "Harbour Dental"'],
    async run([id = ''], { name, ...database }) {
      const fault = accountIdFault(id);
      if (fault !== undefined) throw new WrongUsage(`The id of an account ${fault}.`);
      await withStore(database, async (store) => {
        if (!(await createAccount(store, id, name))) throw new Failed(`The account ${id} is there already.`);
        say(`Made the account ${id}. Give it a token with: linecard-server token create --account ${id}`);
      });
    },
  }),
  command({
    words: 'list',
    about: 'Show all accounts.',
    settings: [...DATABASE, 'output'],
    async run(_args, { output, ...database }) {
      const accounts = await withStore(database, listAccounts, 'read');
      printRows(output, ['id', 'name', 'created_at'], accounts);
    },
  }),
];

const tokenCommands: CommandDefinition[] = [
  command({
    words: 'create',
    about: 'Make a token of an account and print it, alone, on standard output. It is shown this once.',
    settings: [...DATABASE, 'account', 'name', 'expires_in'],
    examples: ['linecard-server token create --account harbour-dental --name "phone book" --expires-in 90d'],
    async run(_args, { account, name, expires_in, ...database }) {
      if (account === undefined) throw new WrongUsage('Say whose token it is to be: --account ID.');
      await withStore(database, async (store) => {
        const expires_at = expires_in === undefined ? undefined : Date.now() + expires_in;
        const made = await createToken(store, account, name, expires_at);
        if (made === undefined) {
          throw new Failed(
            `There is no account ${account}. Make it with: linecard-server account create ${account}`,
          );
        }
        say(`Made token ${made.id} of ${account}. It is shown this once and stored only as a hash:`);
        process.stdout.write(`${made.token}\n`);
      });
    },
  }),
  command({
    words: 'list',
    about: 'Show tokens, their expiry and when they were last used; never the tokens themselves.',
    settings: [...DATABASE, 'account', 'output'],
    async run(_args, { account, output, ...database }) {
      const tokens = await withStore(database, (store) => listTokens(store, account), 'read');
      const columns = [
        'id',
        'account_id',
        'name',
        'created_at',
        'expires_at',
        'revoked_at',
        'last_used_at',
      ] as const;
      printRows(output, columns, tokens);
    },
  }),
  command({
    words: 'revoke <token_id>',
    about: 'Revoke a token for good; it stops working within 5 seconds.',
    settings: [...DATABASE],
    async run([id = ''], database) {
      const outcome = await withStore(database, (store) => revokeToken(store, id));
      if (outcome === 'unknown') throw new Failed(`There is no token ${id}. See: linecard-server token list`);
      say(outcome === 'revoked' ? `Revoked token ${id}.` : `Token ${id} was revoked before.`);
    },
  }),
];

/** `virtual_numbers` -> `import virtual-numbers FILE…` */
function importCommandOf(table: Table): CommandDefinition {
  const list: List = table.list;
  const words = list.name.replaceAll('_', '-');
  return command({
    words: `${words} <file...>`,
    about: `Load ${list.title.toLowerCase()} from CSV or NDJSON; - reads standard input. All rows or none.`,
    settings: [...DATABASE, 'format', 'account', 'replace'],
    examples: [
      `linecard-server import ${words} ${words}.csv`,
      `billing-export | linecard-server import ${words} --format ndjson --replace -`,
    ],
    async run(files, settings) {
      const { runImport } = await import('./import.ts');
      await runImport(table, files, settings);
    },
  });
}

export const groups: readonly Group[] = [
  { name: '', about: '', commands: [serveCommand, migrateCommand, copyCommand] },
  { name: 'account', about: 'Make and list accounts.', commands: accountCommands },
  { name: 'token', about: 'Make, list and revoke API tokens.', commands: tokenCommands },
  {
    name: 'import',
    about: `Load ${Object.values(lists)
      .map((list) => list.title.toLowerCase())
      .join(' or ')} from files.`,
    commands: Object.values(tables).map(importCommandOf),
  },
];
