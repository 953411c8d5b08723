// The commands, options and settings of both programs as Markdown, for docs/generated/cli.md and settings.md.

import { lists } from '../api/contract/contract.ts';
import { allCommands } from '../cli/commands.ts';
import type { CommandDefinition } from '../cli/list-commands.ts';
import { wordOf } from '../cli/list-examples.ts';
import { DATABASE } from '../server/commands/command.ts';
import { groups } from '../server/commands/commands.ts';
import { importables } from '../server/import/job.ts';
import { optionOf, variableOf } from '../server/settings/config.ts';
import type { Setting } from '../server/settings/kinds.ts';
import { type SettingName, settings } from '../server/settings/settings.ts';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const code = (text: unknown) => `\`${typeof text === 'string' ? text : JSON.stringify(text)}\``;

/** Every command of the server, in the order of its help; what differs by the list alone is one row. */
export function serverCommandTable(): string {
  const titles = new RegExp(importables.map(({ list }) => list.title.toLowerCase()).join('|'));
  const rows = new Map<string, string[]>();
  for (const { name, commands } of groups) {
    for (const { words, about } of commands) {
      const said = about.replace(titles, 'a list');
      const [typed = ''] = rows.get(name + said) ?? [];
      const command = code([name, words].filter(Boolean).join(' '));
      rows.set(name + said, typed === '' ? [command, about] : [`${typed}, ${command}`, said]);
    }
  }
  return table(['command', 'what it does'], [...rows.values()]);
}

/** The commands that take a setting: a group by its name if several of its commands do. */
function usersOf(name: SettingName): string {
  const named = groups.flatMap(({ name: group, commands }) => {
    const users = commands.filter(({ settings: taken }) => taken.includes(name));
    if (group !== '' && users.length > 1) return [group];
    return users.map(({ words }) => `${group} ${words.replace(/ ?[<[].*/, '')}`.trim());
  });
  // It takes what `serve` takes.
  const users = named.includes('serve') ? named.filter((user) => user !== 'doctor') : named;
  return users.map(code).join(', ');
}

/** A default as it is typed. */
function defaultOf({ default: fallback }: { default: unknown }): string {
  if (fallback instanceof Map) return Array.from(fallback, (entry) => entry.join('=')).join(',');
  return fallback === undefined || fallback === false ? '' : String(fallback);
}

export function settingTable(): string {
  const names = Object.keys(settings) as SettingName[];
  const rows = names.map((name) => {
    const setting = settings[name] as Setting<unknown>;
    const option = optionOf(name);
    const typed = code(setting.value === undefined ? option : `${option} <${setting.value}>`);
    const fallback = defaultOf(setting);
    return [
      setting.option === undefined ? typed : `${typed} (${code(variableOf(name))})`,
      (DATABASE as readonly string[]).includes(name) ? '' : usersOf(name),
      fallback === '' ? setting.about : `${setting.about} (${code(fallback)})`,
    ];
  });
  return table(['option', 'of', 'meaning, and the default'], rows);
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
