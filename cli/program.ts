// Runs the command that the words name. Results go to standard output, everything else to standard error.
// Exit status: 0 for success, 1 for failure, 2 for wrong usage.

import type { List } from '@linecard/client/contract/list';
import { valueAdvice } from '@linecard/client/contract/suggestion';
import { Command, CommanderError, Help, Option } from 'commander';
import { allCommands, everyList, groupsOf, plainCommands } from './commands.ts';
import { lineWidth } from './config.ts';
import { explain } from './explain.ts';
import type { CommandDefinition } from './list-commands.ts';
import { wordOf } from './list-examples.ts';
import { didYouMean, meantCommand, meantOption } from './meant.ts';
import { ACCOUNT_OPTION, type OptionDefinition } from './options.ts';
import { Differs, WrongUsage } from './outcome.ts';
import type { KnownLists } from './own-fields.ts';
import { print, say } from './print.ts';
import { VERSION } from './version.ts';
import { wrapped } from './wrap.ts';

const WRONG_USAGE = 2;
/** The hidden command that the scripts of completion.ts call. */
const COMPLETE = 'complete';
const HELP = 'help';
/** The parser's code of an argument that a command does not take. */
const TOO_MANY = 'commander.excessArguments';
/** The parser's prefix of the usage. */
const USAGE = 'Usage: ';
const USUAL_WIDTH = 80;
/** In less width, a description is printed below its option. */
const LEAST_DESCRIPTION = 30;
/** What people write for a flag, whether it is taken or not. */
const FLAG_VALUE = /^(?:true|false|yes|no|on|off|[01yn])$/i;
const SEE_HELP = 'Run it with --help to see what it takes.';

const EXAMPLES = [
  'linecard login',
  '# your numbers in Germany that fall due this week\nlinecard virtual-numbers list --country-codes DE --next-payment "this week"',
  '# what there is, what it costs, what falls due\nlinecard virtual-numbers facets',
  '# everything, into a spreadsheet\nlinecard virtual-numbers export --file numbers.xlsx',
];

function examplesText(examples: readonly string[]): string {
  const lines = examples.flatMap((example) => example.split('\n'));
  return lines.map((line) => (line.startsWith('#') ? `  ${line}` : `  $ ${line}`)).join('\n');
}

/** A command whose help fits the line, and whose errors look like all others. */
class Words extends Command {
  readonly #options: OptionDefinition[] = [];

  constructor(name?: string) {
    super(name);
    const width = lineWidth(process.stdout) ?? USUAL_WIDTH;
    this.exitOverride()
      .configureOutput({ getOutHelpWidth: () => width, outputError: () => {} })
      .configureHelp({
        minWidthToWrap: 1,
        commandUsage: (command) =>
          wrapped(USAGE + new Help().commandUsage(command), width).slice(USAGE.length),
        formatItem: (term, termWidth, description, helper) => {
          const left = width - termWidth - 4;
          if (left >= LEAST_DESCRIPTION || description === '') {
            const text = description === '' ? '' : helper.boxWrap(description, Math.max(left, 1));
            const under = text.replaceAll('\n', `\n${' '.repeat(termWidth + 4)}`);
            return `  ${term.padEnd(termWidth)}  ${under}`.trimEnd();
          }
          return `${wrapped(`  ${term}`, width)}\n${wrapped(`      ${description}`, width)}`;
        },
      });
  }

  override createCommand(name?: string): Words {
    return new Words(name);
  }

  addNotes(text: string): this {
    return this.addHelpText('after', () => `\n${wrapped(text, lineWidth(process.stdout))}`);
  }

  /** An option that records its values. */
  addDefined(option: OptionDefinition, given: Map<string, string[]>): void {
    const { name, value, about, group, many, negatable } = option;
    this.#options.push(option);
    const record = (text: string) => {
      const texts = given.get(name) ?? [];
      if (many !== true && texts.length > 0)
        throw new WrongUsage(`--${name} must be given once, but was given twice.`);
      given.set(name, [...texts, text]);
    };
    this.addOption(
      new Option(value === undefined ? `--${name}` : `--${name} ${value}`, about).helpGroup(`${group}:`),
    );
    this.on(`option:${name}`, (text: string | null | undefined) => record(text ?? 'true'));
    if (negatable !== true) return;
    this.addOption(new Option(`--no-${name}`).helpGroup(`${group}:`).hideHelp());
    this.on(`option:no-${name}`, () => record('false'));
  }

  /**
   * If a value is missing, the parser would take the following option as the value; and what follows a flag
   * whose value is optional, though it is the argument of the command.
   */
  override parseOptions(words: string[]): ReturnType<Command['parseOptions']> {
    const flags = new Set(this.#options.flatMap(({ name }) => [`--${name}`, `--no-${name}`]));
    for (const [i, word] of words.entries()) {
      if (word === '--') break;
      const takes = this.#options.some(({ name, value }) => word === `--${name}` && value?.startsWith('<'));
      const [next = ''] = words[i + 1]?.split('=') ?? [];
      if (!takes || !flags.has(next)) continue;
      throw new WrongUsage(
        `${word} needs a value, and ${next} follows, which is an option. To give ${word} that value, write ${word}=${next}.`,
      );
    }
    const takesArgument = this.registeredArguments.length > 0;
    const alone = ({ name, value }: OptionDefinition) => (value?.startsWith('[') ? `--${name}` : '');
    const optional = new Set(takesArgument ? this.#options.map(alone) : []);
    const end = words.indexOf('--');
    const plain = words.map((word, i) => {
      const isFlag = optional.has(word) && (end < 0 || i < end) && !FLAG_VALUE.test(words[i + 1] ?? '');
      return isFlag ? `${word}=true` : word;
    });
    return super.parseOptions(plain);
  }

  /** Called by the parser. */
  unknownOption(flag: string): never {
    const hint = didYouMean(meantOption(flag, this.#options));
    throw new WrongUsage(`There is no option ${flag}${hint}\n${SEE_HELP}`);
  }

  /** Called by the parser. */
  unknownCommand(): never {
    const [word = ''] = this.args;
    const isRoot = this.parent === null;
    const known = isRoot ? allCommands().map(({ words }) => words) : this.commands.map((one) => [one.name()]);
    const hint = didYouMean(meantCommand(word, known));
    throw new WrongUsage(`There is no command ${word}${hint}\n${SEE_HELP}`);
  }
}

function addCommand(parent: Words, definition: CommandDefinition, signal: AbortSignal): void {
  const { words, takes, about, options, examples, notes } = definition;
  const command = parent.createCommand(words.at(-1)).description(about);
  parent.addCommand(command);
  if (takes !== undefined) command.argument(takes);
  const given = new Map<string, string[]>();
  for (const option of options) command.addDefined(option, given);
  command.addNotes(`${notes === undefined ? '' : `${notes}\n\n`}Examples:\n${examplesText(examples)}`);
  command.action(() => definition.run(given, command.args, signal));
  command.exitOverride((error) => {
    if (error.code !== TOO_MANY) throw error;
    const valued = command.options.filter(({ required }) => required).map(({ flags }) => flags);
    throw usageFault(error, valueAdvice(examples, valued));
  });
}

function addCompletion(root: Words, all: readonly List[], signal: AbortSignal): void {
  const command = root.command(`${COMPLETE} [words...]`, { hidden: true });
  command.action(async () => {
    const { offersText } = await import('./offers.ts');
    await print([await offersText(command.args, allCommands(all), signal)]);
  });
}

function program(words: readonly string[], all: readonly List[], signal: AbortSignal): Words {
  const root = new Words('linecard')
    .description('Which virtual numbers and which additional services are on my account? What do they cost?')
    .version(VERSION)
    .helpCommand(`${HELP} [command...]`, 'show what a command takes')
    .addNotes(
      `Sign in once with \`linecard login\`, or set LINECARD_URL and LINECARD_TOKEN.\n\nExamples:\n${examplesText(EXAMPLES)}`,
    );
  for (const group of groupsOf(all)) {
    const parent = root.createCommand(group.word).description(group.about).helpCommand(false);
    root.addCommand(parent);
    if (!words.includes(group.word)) continue;
    for (const definition of group.commands()) addCommand(parent, definition, signal);
  }
  for (const definition of plainCommands) addCommand(root, definition, signal);
  addCompletion(root, all, signal);
  return root;
}

/**
 * `help virtual-numbers list` and `virtual-numbers help list` -> `virtual-numbers list --help`.
 * @throws {WrongUsage} for an unknown command
 */
function withoutHelp(words: readonly string[]): readonly string[] {
  const at = words.indexOf(HELP);
  const isGroup =
    words.length > 0 && allCommands().some((one) => one.words.length > 1 && one.words[0] === words[0]);
  const isCommand = at === 0 || (at === 1 && isGroup);
  if (!isCommand) return words;
  const path = [...words.slice(0, at), ...words.slice(at + 1)].filter((word) => !word.startsWith('-'));
  let known = allCommands().map((command) => command.words);
  for (const [i, word] of path.entries()) {
    const next = known.filter((one) => one[i] === word);
    if (next.length === 0) {
      const here = known.map((one) => one.slice(i));
      const hint = didYouMean(meantCommand(word, here));
      throw new WrongUsage(`There is no command ${path.slice(0, i + 1).join(' ')}${hint}`);
    }
    known = next;
  }
  return [...path, '--help'];
}

/** `--account C7 virtual-numbers list` -> `virtual-numbers list --account C7` */
function withAccountLast(words: readonly string[]): readonly string[] {
  const option = `--${ACCOUNT_OPTION.name}`;
  const [first = ''] = words;
  const count = first === option ? 2 : first.startsWith(`${option}=`) ? 1 : 0;
  const rest = words.slice(count);
  const end = rest.indexOf('--');
  return rest.toSpliced(end < 0 ? rest.length : end, 0, ...words.slice(0, count));
}

/** The lists with the operator's own fields, where the words are about a list. */
async function listsFor(words: readonly string[], signal: AbortSignal): Promise<KnownLists> {
  if (!words.some((word) => everyList.some((list) => wordOf(list) === word))) return { lists: everyList };
  return (await import('./own-fields.ts')).listsFor(words, signal);
}

/** @returns the exit status */
export async function run(words: readonly string[], signal: AbortSignal): Promise<number> {
  let missing: string | undefined;
  try {
    const plain = withoutHelp(withAccountLast(words));
    const all = await listsFor(plain, signal);
    missing = all.missing;
    await program(plain, all.lists, signal).parseAsync(plain, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // The help is already on standard error.
    if (error instanceof CommanderError && error.code === 'commander.help') return WRONG_USAGE;
    if (signal.aborted || error instanceof Differs) return 1;
    const shown = error instanceof CommanderError ? usageFault(error) : error;
    const { message, exitStatus } = explain(shown);
    say(`linecard: ${message}`);
    if (missing !== undefined && exitStatus === WRONG_USAGE) say(missing);
    return exitStatus;
  }
}

/** The parser's own sentence, such as that an argument is missing, and what to do about it. */
function usageFault({ message }: CommanderError, advice?: string): WrongUsage {
  const lines = [message.replace(/^error: /, ''), ...(advice === undefined ? [] : [advice]), SEE_HELP];
  return new WrongUsage(lines.join('\n'));
}
