// The commands of `linecard` as data. Each loads what it needs when it runs.

import { DEFAULT_MAX_PAGE_SIZE, lists } from '@linecard/client/contract';
import { accounts } from '@linecard/client/contract/accounts';
import type { List } from '@linecard/client/contract/list';
import { EXAMPLE_WEBHOOK_ID } from '@linecard/client/contract/webhooks';
import { parametersOf } from '@linecard/client/openapi/parameters';
import { activityCommand } from './activity-command.ts';
import {
  type CommandDefinition,
  LIST_OUTPUTS,
  listCommands,
  outputOf,
  outputOption,
  SHORT_OUTPUTS,
} from './list-commands.ts';
import { wordOf } from './list-examples.ts';
import { plainOption } from './list-options.ts';
import { ACCOUNT_OPTION, paramsOf } from './options.ts';
import { WrongUsage } from './outcome.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const everyList: readonly List[] = Object.values(lists);

const loginCommand: CommandDefinition = {
  words: ['login'],
  about: 'Sign in: asks for URL and token, checks them, and stores them.',
  options: [
    {
      name: 'url',
      group: 'Options',
      value: '<url>',
      about: 'where Linecard is, such as https://linecard.example.com',
    },
  ],
  examples: ['linecard login', 'linecard login --url https://linecard.example.com < token.txt'],
  notes: `The token is typed without being shown, or read from standard input. It is
not an option, because others can see the options of a running command. URL and
token are stored in your configuration folder, in a file that only you can read.
LINECARD_URL and LINECARD_TOKEN, if set, take precedence over what is stored.`,
  async run(given, _args, signal) {
    const { login } = await import('./login.ts');
    await login(given, signal);
  },
};

const logoutCommand: CommandDefinition = {
  words: ['logout'],
  about: 'Sign out: removes the stored URL and token.',
  options: [],
  examples: ['linecard logout'],
  async run() {
    const { logout } = await import('./login.ts');
    await logout();
  },
};

const whoamiCommand: CommandDefinition = {
  words: ['whoami'],
  about: 'Show the account of the token, its server, and what is on the account.',
  options: [outputOption(SHORT_OUTPUTS, 'table or json, default table'), ACCOUNT_OPTION],
  examples: ['linecard whoami'],
  async run(given, _args, signal) {
    const output = outputOf(given, SHORT_OUTPUTS) ?? 'table';
    const { whoami } = await import('./whoami.ts');
    await whoami(output, given, signal);
  },
};

const webhooksCommand: CommandDefinition = {
  words: ['webhooks'],
  takes: '[id]',
  about: 'Show the webhook endpoints of the account and their state; or one, with its last attempts.',
  options: [
    outputOption(SHORT_OUTPUTS, 'table or json (with the last attempts), default table'),
    ACCOUNT_OPTION,
  ],
  examples: [
    'linecard webhooks',
    `linecard webhooks ${EXAMPLE_WEBHOOK_ID}`,
    'linecard webhooks --output json',
  ],
  async run(given, [id], signal) {
    const output = outputOf(given, SHORT_OUTPUTS) ?? 'table';
    const { showWebhook, showWebhooks } = await import('./webhooks.ts');
    await (id === undefined ? showWebhooks(output, given, signal) : showWebhook(id, output, given, signal));
  },
};

const apiCommand: CommandDefinition = {
  words: ['api'],
  takes: '<path>',
  about: 'Print any answer of the API as it is, with the token of the sign-in.',
  options: [
    {
      name: 'paginate',
      group: 'Options',
      about: 'all pages of a list: its items, one JSON object a line',
    },
    ACCOUNT_OPTION,
  ],
  examples: [
    'linecard api /api/v1/account',
    "# only fields that you choose\nlinecard api '/api/v1/did/me?country_codes=DE&fields=did,monthly'",
    '# every item, one a line\nlinecard api /api/v1/did/me --paginate',
    '# a file\nlinecard api /api/v1/did/me.xlsx > numbers.xlsx',
  ],
  notes: `The path is one of the reference, with its parameters. An answer that is an error
is printed as well; its sentence goes to standard error, and the exit status is 1.
Nothing is requested from any other server.`,
  async run(given, [path = ''], signal) {
    const { showAnswer } = await import('./api.ts');
    await showAnswer(path, given, signal);
  },
};

const ACCOUNTS_OPTIONS = parametersOf(accounts, DEFAULT_MAX_PAGE_SIZE, 'accounts').map((parameter) => ({
  ...plainOption(parameter),
  group: 'Which',
}));

const accountsCommand: CommandDefinition = {
  words: ['accounts', 'list'],
  groupAbout: accounts.about,
  about: 'Show the accounts directly below yours, for a token with the reach tree.',
  options: [
    ...ACCOUNTS_OPTIONS,
    { name: 'all', group: 'Which', about: 'every match, instead of a page' },
    outputOption(LIST_OUTPUTS, 'table, json (an array), ndjson (one object a line) or csv, default table'),
    ACCOUNT_OPTION,
  ],
  examples: [
    'linecard accounts list',
    '# the numbers of one of them\nlinecard virtual-numbers list --account harbour-dental',
    '# the accounts below that one\nlinecard accounts list --account harbour-dental',
  ],
  async run(given, _args, signal) {
    const params = paramsOf(ACCOUNTS_OPTIONS, given);
    const output = outputOf(given, LIST_OUTPUTS) ?? 'table';
    const { listAccounts } = await import('./accounts.ts');
    await listAccounts(params, given, output, signal);
  },
};

const mcpCommand: CommandDefinition = {
  words: ['mcp'],
  about: 'Let an agent read the lists: a Model Context Protocol server on standard input and output.',
  options: [ACCOUNT_OPTION],
  examples: ['linecard mcp'],
  notes: `It is not run by hand: add it to the configuration of your agent, as a server
with the command "linecard" and the argument "mcp". It answers for the account that
is signed in, and can only read.`,
  async run(given, _args, signal) {
    const { serveMcp } = await import('./mcp.ts');
    await serveMcp(given, signal);
  },
};

const completionCommand: CommandDefinition = {
  words: ['completion'],
  takes: '<shell>',
  args: SHELLS,
  about: `Print the script that completes commands, options and values in a shell: ${SHELLS.join(', ')}.`,
  options: [],
  examples: [
    '# bash: in ~/.bashrc\nsource <(linecard completion bash)',
    '# zsh: in ~/.zshrc, after compinit\nsource <(linecard completion zsh)',
    '# fish\nlinecard completion fish > ~/.config/fish/completions/linecard.fish',
  ],
  async run(_given, [shell = '']) {
    const { SCRIPTS } = await import('./completion.ts');
    const known = SHELLS.find((one) => one === shell);
    if (known === undefined)
      throw new WrongUsage(`The shell must be one of ${SHELLS.join(', ')}, but was "${shell}".`);
    const { print } = await import('./print.ts');
    await print([SCRIPTS[known]]);
  },
};

/** The commands of one list or of the accounts below, created on demand. */
interface Group {
  readonly word: string;
  readonly about: string;
  commands(): CommandDefinition[];
}

export const groupsOf = (all: readonly List[]): readonly Group[] => [
  ...all.map((list) => ({
    word: wordOf(list),
    about: list.about,
    commands: () => listCommands(list),
  })),
  { word: 'accounts', about: accounts.about, commands: () => [accountsCommand] },
];

export const plainCommands: readonly CommandDefinition[] = [
  activityCommand,
  webhooksCommand,
  whoamiCommand,
  loginCommand,
  logoutCommand,
  apiCommand,
  mcpCommand,
  completionCommand,
];

export function allCommands(all: readonly List[] = everyList): CommandDefinition[] {
  return [...groupsOf(all).flatMap((group) => group.commands()), ...plainCommands];
}
