// The command line: parses arguments and runs a command. Messages go to standard error, results to standard
// output; the exit status is 0 for success, 1 for failure, 2 for wrong usage.

import cluster from 'node:cluster';
import { withoutSecrets } from '@linecard/client/contract/secrets';
import { valueAdvice } from '@linecard/client/contract/suggestion';
import { Command, CommanderError, Help, Option } from 'commander';
import { announce, isPretty } from './announce.ts';
import { type CommandDefinition, DATABASE } from './commands/command.ts';
import { groups } from './commands/commands.ts';
import { messageOf, say } from './commands/print.ts';
import { closeDebugger } from './commands/signals.ts';
import { WrongUsage } from './errors.ts';
import {
  isOption,
  optionOf,
  type ParameterName,
  parameters,
  readSettings,
  sudoUser,
  unknownVariables,
  type Values,
  variableOf,
} from './settings/config.ts';
import { actFor } from './store/log/audit.ts';
import { versionText } from './version.ts';

const FAILED = 1;
const WRONG_USAGE = 2;
/** The hidden command that a group runs when no subcommand is given. */
const GROUP_ITSELF = 'itself';
/** The parser's code of an argument that a command does not take. */
const TOO_MANY = 'commander.excessArguments';

function helpOf(name: ParameterName): string {
  const { about, default: fallback } = parameters[name];
  // A list has no default to show.
  const text = typeof fallback === 'object' ? '' : String(fallback ?? false);
  const unset = ['', 'false'].includes(text) ? [] : [`default ${text}`];
  const notes = [...(isOption(name) ? [] : [variableOf(name)]), ...unset];
  return notes.length === 0 ? about : `${about} (${notes.join(', ')})`;
}

/** Adds advice to the parser's sentence about an argument that a command does not take. */
function rejected(error: CommanderError, command: Command, { examples = [] }: CommandDefinition): never {
  const common = DATABASE.map(optionOf);
  const own = command.options.filter(({ required, long }) => required && !common.includes(String(long)));
  const flags = own.map((option) => option.flags);
  const advice = error.code === TOO_MANY ? valueAdvice(examples, flags) : undefined;
  if (advice !== undefined) say(advice);
  throw error;
}

function addCommand(parent: Command, definition: CommandDefinition): void {
  const isGroups = definition.words === '';
  const command = isGroups
    ? parent.command(GROUP_ITSELF, { isDefault: true, hidden: true }).allowExcessArguments()
    : parent.command(definition.words).description(definition.about);
  const refused = definition.refused?.takes ?? [];
  for (const name of [...definition.takes, ...refused]) {
    const { value, several } = parameters[name] as { value?: string; several?: string };
    const option = new Option(
      value === undefined ? optionOf(name) : `${optionOf(name)} <${value}>`,
      helpOf(name),
    );
    // `--no-mcp` is a flag like any other, and does not negate `--mcp`.
    option.negate = false;
    if (several !== undefined)
      option.argParser((one, before?: string) => (before === undefined ? one : before + several + one));
    command.addOption(option.hideHelp(refused.includes(name)));
  }
  // Without this, the group's own options would capture those of its commands, some of which have the same
  // name, and would be suggested for mistyped options of its commands.
  if (isGroups)
    parent.enablePositionalOptions().configureHelp({
      showGlobalOptions: true,
      visibleOptions: () => new Help().visibleOptions(command),
    });
  if (definition.examples !== undefined) {
    (isGroups ? parent : command).addHelpText(
      'after',
      `\nExamples:\n${definition.examples.map((one) => `  $ ${one}`).join('\n')}`,
    );
  }
  command.exitOverride((error) => rejected(error, command, definition));
  command.action(async () => {
    const given = refused.find((name) => command.getOptionValue(valueName(name)) !== undefined);
    if (given !== undefined) throw new WrongUsage(`${optionOf(given)} ${definition.refused?.why}`);
    const options = Object.fromEntries(
      definition.takes.map((name) => [name, command.getOptionValue(valueName(name))]),
    );
    const values = readSettings(definition.takes, options) as Values;
    const warn = messenger(definition, values, 'warn');
    if (cluster.isPrimary) for (const sentence of unknownVariables()) warn(sentence);
    actFor(values.actor ?? sudoUser());
    try {
      await definition.run(command.args, values);
    } catch (error) {
      // Wrong usage is shown as text even if the log is JSON, because somebody has just typed it.
      fail(error, error instanceof WrongUsage ? sayIt : messenger(definition, values, 'fatal'));
    }
  });
}

/**
 * Moves the name of a subcommand before the options in front of it: `import --replace LIST FILE` becomes
 * `import LIST --replace FILE`. Otherwise `import` itself would take the options.
 */
function nameFirst(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  const commands = groups.find(({ name }) => name !== '' && name === first)?.commands ?? [];
  const names = commands.map((one) => one.words.split(' ')[0]);
  const valued = new Set(
    commands
      .flatMap((one) => one.takes)
      .filter((name) => 'value' in parameters[name])
      .map(optionOf),
  );
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? '';
    if (valued.has(word)) i += 1;
    else if (names.includes(word)) return [String(first), word, ...rest.toSpliced(i, 1)];
    else if (word === '--' || !word.startsWith('-')) break;
  }
  return words;
}

type Messenger = (message: string) => void;

const sayIt: Messenger = (message) => say(`linecard-server: ${message}`);

/** Reports errors as text, or as lines of the log if the command logs as JSON. */
function messenger(
  { logs = false }: CommandDefinition,
  given: Pick<Values, 'log_format'>,
  level: 'warn' | 'fatal',
): Messenger {
  if (!logs || isPretty(given)) return sayIt;
  return (message) => announce(given, level, message);
}

function valueName(name: ParameterName): string {
  return optionOf(name)
    .slice('--'.length)
    .replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function program(): Command {
  const root = new Command('linecard-server')
    .description('Runs Linecard, imports its lists, and manages its accounts and tokens.')
    .version(versionText())
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(withoutSecrets(text)) })
    .showHelpAfterError('Add --help to see the commands and options.')
    .configureHelp({ showGlobalOptions: true });
  for (const { name, about, commands } of groups) {
    const parent = name === '' ? root : root.command(name).description(about).exitOverride();
    for (const command of commands) addCommand(parent, command);
  }
  return root;
}

function fail(error: unknown, report: Messenger): void {
  report(messageOf(error));
  process.exitCode = error instanceof WrongUsage ? WRONG_USAGE : FAILED;
}

closeDebugger();
// A command completes even if nobody can read its messages.
process.stderr.on('error', () => {});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A command with its own listener handles unread output itself.
  if (process.stdout.listenerCount('error') > 1) return;
  // The reader, such as `head`, has read enough.
  if (error.code === 'EPIPE') process.exit();
  fail(error, sayIt);
});

/** Runs the command that the words name; its exit status is the one of the process. */
export async function run(words: readonly string[]): Promise<void> {
  try {
    await program().parseAsync(nameFirst(words), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
    else fail(error, sayIt);
  }
}
