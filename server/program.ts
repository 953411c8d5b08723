#!/usr/bin/env node
// Words of the command line -> a command. Messages go to standard error, results to standard output; the exit
// status is 0 for done, 1 for failed, 2 for wrong usage.

import cluster from 'node:cluster';
import { Command, CommanderError, Help, Option } from 'commander';
import { announce, isPretty } from './announce.ts';
import type { CommandDefinition } from './commands/command.ts';
import { groups } from './commands/commands.ts';
import { messageOf, say } from './commands/print.ts';
import { closeDebugger } from './commands/signals.ts';
import { WrongUsage } from './errors.ts';
import { optionOf, readSettings, unknownVariables, variableOf } from './settings/config.ts';
import { type SettingName, type Settings, settings } from './settings/settings.ts';
import { VERSION } from './version.ts';

const FAILED = 1;
const WRONG_USAGE = 2;
/** What stands for a group that does something without a further word. */
const GROUP_ITSELF = 'itself';

function helpOf(name: SettingName): string {
  const { about, default: fallback } = settings[name];
  // A setting that is more than a text has no default.
  const text = typeof fallback === 'object' ? '' : String(fallback ?? false);
  const unset = ['', 'false'].includes(text) ? '' : `, default ${text}`;
  return `${about} (${variableOf(name)}${unset})`;
}

function addCommand(parent: Command, definition: CommandDefinition): void {
  const isGroups = definition.words === '';
  const command = isGroups
    ? parent.command(GROUP_ITSELF, { isDefault: true, hidden: true }).allowExcessArguments()
    : parent.command(definition.words).description(definition.about);
  for (const name of definition.settings) {
    const { value, several } = settings[name] as { value?: string; several?: string };
    const option = new Option(
      value === undefined ? optionOf(name) : `${optionOf(name)} <${value}>`,
      helpOf(name),
    );
    if (several !== undefined)
      option.argParser((one, before?: string) => (before === undefined ? one : before + several + one));
    command.addOption(option);
  }
  // The group's own options would be taken from its commands, which have some of the same name. Nor do its
  // commands take them, so that none is advised for a mistyped one of theirs.
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
  command.action(async () => {
    const options = Object.fromEntries(
      definition.settings.map((name) => [name, command.getOptionValue(valueName(name))]),
    );
    const given = readSettings(definition.settings, options) as Settings;
    const warn = messenger(definition, given, 'warn');
    if (cluster.isPrimary) for (const sentence of unknownVariables()) warn(sentence);
    try {
      await definition.run(command.args, given);
    } catch (error) {
      // Somebody has just typed it.
      fail(error, error instanceof WrongUsage ? sayIt : messenger(definition, given, 'fatal'));
    }
  });
}

/**
 * The words with the name of a command before the options that stand before it: `import --replace LIST FILE`
 * as `import LIST --replace FILE`, where `import` by itself would take them.
 */
function nameFirst(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  const commands = groups.find(({ name }) => name !== '' && name === first)?.commands ?? [];
  const names = commands.map((one) => one.words.split(' ')[0]);
  const valued = new Set(
    commands
      .flatMap((one) => one.settings)
      .filter((name) => 'value' in settings[name])
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

/** How a command says what is wrong: as lines of its log, where it has one that is not for a terminal. */
function messenger({ logs = false }: CommandDefinition, given: Settings, level: 'warn' | 'fatal'): Messenger {
  if (!logs || isPretty(given)) return sayIt;
  return (message) => announce(given, level, message);
}

/** Commander's own name for the value of a setting's option. */
function valueName(name: SettingName): string {
  return optionOf(name)
    .slice('--'.length)
    .replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function program(): Command {
  const root = new Command('linecard-server')
    .description('Runs Linecard, imports its lists, and manages its accounts and tokens.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('Add --help to see the commands and options.')
    .configureHelp({ showGlobalOptions: true });
  for (const { name, about, commands } of groups) {
    const parent = name === '' ? root : root.command(name).description(about).exitOverride();
    for (const command of commands) addCommand(parent, command);
  }
  return root;
}

function fail(error: unknown, tell: Messenger): void {
  tell(messageOf(error));
  process.exitCode = error instanceof WrongUsage ? WRONG_USAGE : FAILED;
}

closeDebugger();
// Messages that nobody can read change nothing of what a command does.
process.stderr.on('error', () => {});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A command that takes back what nobody got listens for itself.
  if (process.stdout.listenerCount('error') > 1) return;
  // The reader of the result has enough, as `head` has after ten lines.
  if (error.code === 'EPIPE') process.exit();
  fail(error, sayIt);
});
try {
  await program().parseAsync(nameFirst(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
  else fail(error, sayIt);
}
