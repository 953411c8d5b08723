// The commands of `linecard` as data. Each loads what it needs when it runs.

import { lists } from '@linecard/client/contract';
import type { List } from '@linecard/client/contract/list';
import {
  type CommandDefinition,
  choiceOf,
  listCommands,
  outputOption,
  SHORT_OUTPUTS,
} from './list-commands.ts';
import { wordOf } from './list-examples.ts';
import { WrongUsage } from './outcome.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const everyList: readonly List[] = Object.values(lists);

const loginCommand: CommandDefinition = {
  words: ['login'],
  about: 'Sign in: asks for URL and token, tries them, and stores them for the commands to come.',
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
no option, because others can see the options of a command that runs. URL and
token are stored in your configuration folder, in a file that only you can read.
LINECARD_URL and LINECARD_TOKEN, where they are set, come before what is stored.`,
  async run(given, _args, signal) {
    const { login } = await import('./login.ts');
    await login(given, signal);
  },
};

const logoutCommand: CommandDefinition = {
  words: ['logout'],
  about: 'Sign out: removes the URL and token that were stored.',
  options: [],
  examples: ['linecard logout'],
  async run() {
    const { logout } = await import('./login.ts');
    await logout();
  },
};

const whoamiCommand: CommandDefinition = {
  words: ['whoami'],
  about: 'Show whose token is used, on which server, and what there is on the account.',
  options: [outputOption(SHORT_OUTPUTS, 'table or json, default table')],
  examples: ['linecard whoami'],
  async run(given, _args, signal) {
    const output = choiceOf(given, 'output', SHORT_OUTPUTS) ?? 'table';
    const { whoami } = await import('./whoami.ts');
    await whoami(output, signal);
  },
};

const mcpCommand: CommandDefinition = {
  words: ['mcp'],
  about: 'Let an agent read the lists: a Model Context Protocol server on standard input and output.',
  options: [],
  examples: ['linecard mcp'],
  notes: `It is not run by hand: name it in the configuration of your agent, as a server
with the command "linecard" and the argument "mcp". It answers for the account that
is signed in, and can only read.`,
  async run(_given, _args, signal) {
    const { serveMcp } = await import('./mcp.ts');
    await serveMcp(signal);
  },
};

const completionCommand: CommandDefinition = {
  words: ['completion'],
  takes: '<shell>',
  args: SHELLS,
  about: `Print what makes the shell complete commands, options and values: ${SHELLS.join(', ')}.`,
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

/** The commands of one list, created on demand. */
interface Group {
  readonly word: string;
  readonly about: string;
  commands(): CommandDefinition[];
}

export const groups: readonly Group[] = everyList.map((list) => ({
  word: wordOf(list),
  about: list.about,
  commands: () => listCommands(list),
}));

export const plainCommands: readonly CommandDefinition[] = [
  whoamiCommand,
  loginCommand,
  logoutCommand,
  mcpCommand,
  completionCommand,
];

export function allCommands(): CommandDefinition[] {
  return [...groups.flatMap((group) => group.commands()), ...plainCommands];
}
