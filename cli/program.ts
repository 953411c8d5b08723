// Words of the command line -> a command. Results go to standard output, everything else to standard error;
// the exit status is 0 for done, 1 for failed, 2 for wrong usage.

import { Command, CommanderError, Option } from 'commander';
import { allCommands, groups, plainCommands } from './commands.ts';
import { explain } from './explain.ts';
import type { CommandDefinition } from './list-commands.ts';
import type { OptionDefinition } from './options.ts';
import { WrongUsage } from './outcome.ts';
import { say } from './print.ts';
import { VERSION } from './version.ts';

const WRONG_USAGE = 2;
/** What the scripts of completion.ts call. */
const COMPLETE = 'complete';

const EXAMPLES = [
  'linecard login',
  '# your numbers in Germany that fall due this week\nlinecard virtual-numbers list --country-codes DE --next-payment "this week"',
  '# what there is, what it costs, what falls due\nlinecard virtual-numbers facets',
  '# everything, into a file\nlinecard virtual-numbers export --file numbers.csv',
];

function examplesText(examples: readonly string[]): string {
  const lines = examples.flatMap((example) => example.split('\n'));
  return lines.map((line) => (line.startsWith('#') ? `  ${line}` : `  $ ${line}`)).join('\n');
}

/** Notes down what an option is given, each time it is given. */
function addOption(command: Command, option: OptionDefinition, given: Map<string, string[]>): void {
  const { name, value, about, group, many, negatable } = option;
  const note = (text: string) => {
    const texts = given.get(name) ?? [];
    if (many !== true && texts.length > 0)
      throw new WrongUsage(`--${name} must be given once, but was given twice.`);
    given.set(name, [...texts, text]);
  };
  command.addOption(
    new Option(value === undefined ? `--${name}` : `--${name} ${value}`, about).helpGroup(`${group}:`),
  );
  command.on(`option:${name}`, (text: string | null | undefined) => note(text ?? 'true'));
  if (negatable !== true) return;
  command.addOption(new Option(`--no-${name}`).helpGroup(`${group}:`).hideHelp());
  command.on(`option:no-${name}`, () => note('false'));
}

function addCommand(parent: Command, definition: CommandDefinition, signal: AbortSignal): void {
  const { words, takes, about, options, examples, notes } = definition;
  const command = parent.command(words.at(-1) ?? '').description(about);
  if (takes !== undefined) command.argument(takes);
  const given = new Map<string, string[]>();
  for (const option of options) addOption(command, option, given);
  command.addHelpText(
    'after',
    `${notes === undefined ? '' : `\n${notes}\n`}\nExamples:\n${examplesText(examples)}`,
  );
  command.action(() => definition.run(given, command.args, signal));
}

function addCompletion(root: Command): void {
  const command = root.command(`${COMPLETE} [words...]`, { hidden: true });
  command.action(async () => {
    const { completions } = await import('./completion.ts');
    process.stdout.write(completions(command.args, allCommands()));
  });
}

function program(words: readonly string[], signal: AbortSignal): Command {
  const root = new Command('linecard')
    .description('Which virtual numbers and which additional services are on my account? What do they cost?')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('Run it with --help to see what it takes.')
    .addHelpText(
      'after',
      `\nSign in once with \`linecard login\`, or set LINECARD_URL and LINECARD_TOKEN.\n\nExamples:\n${examplesText(EXAMPLES)}`,
    );
  for (const group of groups) {
    const parent = root.command(group.word).description(group.about);
    if (!words.includes(group.word)) continue;
    for (const definition of group.commands()) addCommand(parent, definition, signal);
  }
  for (const definition of plainCommands) addCommand(root, definition, signal);
  addCompletion(root);
  return root;
}

/**
 * Runs the command that the words name.
 * @returns the exit status.
 */
export async function run(words: readonly string[], signal: AbortSignal): Promise<number> {
  try {
    await program(words, signal).parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    if (signal.aborted) return 1;
    const { message, exitStatus } = explain(error);
    say(`linecard: ${message}`);
    return exitStatus;
  }
}
