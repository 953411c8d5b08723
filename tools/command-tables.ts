// The commands, options and settings of both programs as Markdown, for docs/generated/cli.md and settings.md.

import { lists } from '../api/contract/contract.ts';
import { allCommands } from '../cli/commands.ts';
import type { CommandDefinition } from '../cli/list-commands.ts';
import { wordOf } from '../cli/list-examples.ts';
import { DATABASE } from '../server/commands/command.ts';
import { groups } from '../server/commands/commands.ts';
import { isOption, optionOf, type ParameterName, parameters, variableOf } from '../server/settings/config.ts';
import type { Parameter } from '../server/settings/kinds.ts';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const code = (text: unknown) => `\`${typeof text === 'string' ? text : JSON.stringify(text)}\``;

type Default = string | number | boolean | readonly string[] | ReadonlyMap<string, number> | undefined;

/** A default as it is typed. */
function defaultOf(fallback: Default): string {
  if (fallback === undefined || fallback === false) return '';
  if (typeof fallback !== 'object') return String(fallback);
  const entries: readonly (string | readonly unknown[])[] = [...fallback];
  return entries.map((entry) => [entry].flat().join('=')).join(',');
}

function parameterLine(name: ParameterName): string {
  const parameter = parameters[name] as Parameter<Default>;
  const option = optionOf(name);
  const typed = code(parameter.value === undefined ? option : `${option} <${parameter.value}>`);
  const variable = isOption(name) || parameter.option === undefined ? '' : ` (${code(variableOf(name))})`;
  const fallback = defaultOf(parameter.default);
  return `- ${typed}${variable}: ${parameter.about}${fallback === '' ? '' : ` (${code(fallback)})`}`;
}

interface ServerCommand {
  readonly name: string;
  readonly text: string;
  readonly taken: readonly ParameterName[];
}

/** The commands without a group, and the groups, each with all that its commands take. */
const serverCommands: readonly ServerCommand[] = groups.flatMap(({ name, commands }) => {
  if (name === '')
    return commands.map(({ words, about, takes: taken }) => ({ name: words, text: about, taken }));
  const lines = commands.map(({ words, about }) => `- **${code(`${name} ${words}`.trim())}**: ${about}`);
  const taken = [...new Set(commands.flatMap((command) => command.takes))];
  return [{ name, text: lines.join('\n'), taken }];
});

/** A command that takes this many has a name of its own for all of them. */
const MANY = 20;

/** Each command of the server with its settings and options, those of an earlier one by name alone. */
export function serverSections(): string {
  const shown = new Set<ParameterName>(DATABASE);
  const common = ['### Every command', DATABASE.map(parameterLine).join('\n')];
  const sections = serverCommands.map(({ name, text, taken }, i) => {
    const wider = serverCommands
      .slice(0, i)
      .filter((other) => other.taken.length > MANY && other.taken.every((one) => taken.includes(one)));
    const own = taken.filter((one) => !shown.has(one));
    const covered = new Set([...DATABASE, ...own, ...wider.flatMap((other) => other.taken)]);
    const again = [
      ...wider.map((other) => `all of ${code(other.name)}`),
      ...taken.filter((one) => !covered.has(one)).map((one) => code(optionOf(one))),
    ];
    for (const one of own) shown.add(one);
    const parts = [`### ${code(name)}`, text];
    const [settings, options] = [own.filter((one) => !isOption(one)), own.filter(isOption)];
    if (settings.length > 0) parts.push(settings.map(parameterLine).join('\n'));
    if (options.length > 0) parts.push('Options:', options.map(parameterLine).join('\n'));
    if (again.length > 0) parts.push(`As above: ${again.join(', ')}.`);
    return parts.join('\n\n');
  });
  return [...common, ...sections].join('\n\n');
}

type Option = CommandDefinition['options'][number];

/** The reference of the API has the names of fields and sort keys. */
function optionAbout({ about, values = [] }: Option): string {
  const listed = values.filter((value) => value !== 'all').join(', ');
  return values.includes('id') ? about.replace(listed, 'fields of the list') : about;
}

/** Those of a filter, which the page names once. */
const FILTERED = 'list, export, facets, sync';

export function optionTable(): string {
  const uses = new Map<string, { option: Option; commands: Set<string>; lists: Set<string> }>();
  for (const { words, options } of allCommands()) {
    const spans = options.filter(({ value }) => value === '<span>').map(({ name }) => name);
    for (const option of options) {
      // The page says once that a span has four more.
      if (option.value === '<time>' && spans.some((span) => option.name.startsWith(`${span}-`))) continue;
      const key = JSON.stringify([option.name, option.value, optionAbout(option)]);
      const { commands, lists: named } = uses.get(key) ?? { commands: new Set(), lists: new Set() };
      const [group, command] = words as [string, string?];
      uses.set(key, { option, commands: commands.add(command ?? group), lists: named.add(group) });
    }
  }
  const rows = Array.from(uses.values(), ({ option, commands, lists: named }) => {
    const { name, value } = option;
    // Shown if the option exists for one list only.
    const [list = ''] = named.size === 1 ? named : [];
    const only = list === '' || commands.has(list) ? '' : `(${list})`;
    const users = [...commands].join(', ');
    return [
      code(value === undefined ? `--${name}` : `--${name} ${value}`),
      `${users === FILTERED ? '' : users} ${only}`.trim(),
      optionAbout(option),
    ];
  });
  return table(['option', 'of', 'meaning'], rows);
}

/** The commands of `linecard`, each with its first example; those of every list for the first of them. */
export function commandTable(): string {
  const [first, ...others] = Object.values(lists).map(wordOf);
  const rows = allCommands()
    .filter(({ words: [group = ''] }) => !others.includes(group))
    .map(({ words, takes = '', about, examples: [example = ''] }) => {
      const typed = example.split('\n').findLast((line) => !line.startsWith('#')) ?? '';
      return [code([...words, takes].join(' ').trim()), about, code(typed)];
    });
  const same = others.map((list) => `${code(list)} has the commands of ${code(first)}.`);
  return [table(['command', 'what it does', 'such as'], rows), ...same].join('\n\n');
}
