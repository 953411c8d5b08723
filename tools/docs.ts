// Generates documentation from the tables of the source: docs/generated/openapi.json, the types in
// api/lists/, and sections between `<!-- made from the contract: NAME -->` and `<!-- end -->` in
// docs/generated/*.md. Run `npm run docs` after every change of a contract, command, setting, limit, metric
// or problem.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_MAX_PAGE_SIZE, lists } from '../api/contract/contract.ts';
import type { List } from '../api/contract/list.ts';
import { PROBLEM_TYPE, problems } from '../api/contract/problems.ts';
import { guide } from '../api/openapi/guide.ts';
import { openapi } from '../api/openapi/openapi.ts';
import { parametersOf } from '../api/openapi/parameters.ts';
import { fieldSchema } from '../api/openapi/schemas.ts';
import { allCommands } from '../cli/commands.ts';
import { type CommandDefinition, TIMES } from '../cli/list-commands.ts';
import { DATABASE } from '../server/commands/command.ts';
import { groups } from '../server/commands/commands.ts';
import type { ImportColumn } from '../server/import/columns.ts';
import { importables, type TargetName } from '../server/import/job.ts';
import { type ImportTarget, targets } from '../server/import/targets.ts';
import { intakeLimits, type Limit, limits } from '../server/limits/limits.ts';
import { customersLimits, rowOf } from '../server/limits/refusal.ts';
import { definitions } from '../server/metrics/definitions.ts';
import { DURATION_LABELS, DURATIONS, DURATIONS_HELP } from '../server/metrics/durations.ts';
import { limitsOf, typeOf } from '../server/reference/document.ts';
import { optionOf, variableOf } from '../server/settings/config.ts';
import { type SettingName, settings } from '../server/settings/settings.ts';
import { listTypes, pageTypes } from './list-types.ts';

const ROOT = join(import.meta.dirname, '..');
const SECTION = /(<!-- made from the contract: (.+?) -->\n).*?(<!-- end -->)/gs;
const FOLDER = 'docs/generated';

const { version } = JSON.parse(readFileSync(join(ROOT, 'api/package.json'), 'utf8')) as { version: string };
const callersLimits = customersLimits(settings.rate_limit.default);
const document = openapi({ version, max_page_size: DEFAULT_MAX_PAGE_SIZE, limits: callersLimits });

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: unknown) => `\`${typeof text === 'string' ? text : JSON.stringify(text)}\``;

function fieldTable(list: List): string {
  const rows = Object.entries(list.fields).map(([name, field]) => {
    const schema = fieldSchema(field);
    return [code(name), typeOf(document, schema), schema.description ?? '', code(field.example)];
  });
  return table(['field', 'type', 'meaning', 'example'], rows);
}

function parameterTable(list: List): string {
  const rows = parametersOf(list, DEFAULT_MAX_PAGE_SIZE).map(({ name, about, schema, example }) => {
    const takes = [typeOf(document, schema), ...limitsOf(schema)].join(', ');
    const typed = [example].flat().map((value) => `${name}=${encodeURIComponent(String(value))}`);
    return [code(name), takes, about, code(typed.join('&'))];
  });
  return table(['parameter', 'takes', 'meaning', 'example'], rows);
}

function sortTable(list: List): string {
  const rows = [...new Set(Object.values(list.sorts))].map((field) => {
    const keys = Object.keys(list.sorts).filter((key) => list.sorts[key] === field);
    const { about } = list.hidden[field] ?? {};
    return [about === undefined ? code(field) : `${code(field)}: ${about}`, keys.map(code).join(', ')];
  });
  return table(['sorts by', '`sort_by`'], rows);
}

function importTable({ finders, columns }: ImportTarget): string {
  const found = new Map(finders.map(({ name, about }) => [name, about]));
  const missingOf = ({ name, mayBeAbsent, fallback }: ImportColumn) =>
    mayBeAbsent === true ? 'stays' : (found.get(name) ?? (fallback === '' ? 'empty' : code(fallback)));
  const rows = columns().map((column) => {
    const { name, kind, required, allowed, about } = column;
    const isNeeded = required && column.mayBeAbsent !== true;
    return [
      code(name),
      kind === 'text' ? allowed : kind,
      isNeeded ? '**required**' : missingOf(column),
      about,
    ];
  });
  return table(['column', 'takes', 'when missing', 'meaning'], rows);
}

function guideSections(): string {
  const sections = guide(DEFAULT_MAX_PAGE_SIZE, callersLimits).map(
    ({ title, text }) => `## ${title}\n\n${text}`,
  );
  return sections.join('\n\n');
}

/** Every command of the server with its options, except those of the database, in the order of its help. */
function serverCommandTable(): string {
  const rows = groups.flatMap(({ name, commands }) =>
    commands.map(({ words, about, settings: names }) => {
      const command = [name, words].filter((word) => word !== '').join(' ');
      const own = names.filter((one) => !(DATABASE as readonly string[]).includes(one));
      return [code(command), about, own.map((one) => code(optionOf(one))).join(' ')];
    }),
  );
  return table(['command', 'what it does', 'options'], rows);
}

function settingTable(): string {
  const rows = Object.entries<(typeof settings)['host']>(settings as never).map(([name, setting]) => {
    const { value, default: fallback, about } = setting;
    const option = optionOf(name as SettingName);
    const unset = String(fallback ?? '');
    return [
      code(value === undefined ? option : `${option} <${value}>`),
      code(variableOf(name as SettingName)),
      ['', 'false'].includes(unset) ? '' : code(unset),
      about,
    ];
  });
  return table(['option', 'variable', 'default', 'meaning'], rows);
}

type Option = CommandDefinition['options'][number];

function optionTable(): string {
  const uses = new Map<string, { option: Option; commands: Set<string>; lists: Set<string> }>();
  for (const { words, options } of allCommands()) {
    for (const option of options) {
      const key = JSON.stringify([option.name, option.value, option.about]);
      const { commands, lists: named } = uses.get(key) ?? { commands: new Set(), lists: new Set() };
      const [group, command] = words as [string, string?];
      uses.set(key, { option, commands: commands.add(command ?? group), lists: named.add(group) });
    }
  }
  const rows = Array.from(uses.values(), ({ option: { name, value, about }, commands, lists: named }) => {
    // Shown if the option exists for one list only.
    const [list = ''] = named.size === 1 ? named : [];
    const only = list === '' || commands.has(list) ? '' : ` (${list})`;
    return [
      code(value === undefined ? `--${name}` : `--${name} ${value}`),
      [...commands].join(', ') + only,
      about,
    ];
  });
  return table(['option', 'of', 'meaning'], rows);
}

function commandSection({ words, takes, about, notes = '', examples }: CommandDefinition): string {
  const typed = examples
    .flatMap((example) => example.split('\n'))
    .map((line) => (line.startsWith('#') ? line : `$ ${line}`));
  // The syntax of times has its own section.
  const ownNotes = notes.replace(TIMES, '').trim();
  const parts = [
    `### \`${['linecard', ...words, ...(takes === undefined ? [] : [takes])].join(' ')}\``,
    about,
    ...(ownNotes === '' ? [] : [ownNotes]),
    ['```console', ...typed, '```'].join('\n'),
  ];
  return parts.join('\n\n');
}

function metricsTable(): string {
  const durations = [code(DURATIONS), 'histogram', DURATION_LABELS.map(code).join(', '), DURATIONS_HELP];
  const rows = definitions.map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ]);
  return table(['metric', 'type', 'labels', 'meaning'], [durations, ...rows]);
}

function limitTable(chosen: Readonly<Record<string, Limit>>): string {
  const rows = Object.values(chosen).map((limit) => {
    const { what, each, total, beyondEach, beyondTotal } = rowOf(limit);
    const beyond = new Set([beyondEach, beyondTotal].filter(Boolean));
    const setting = limit.setting === undefined ? '' : code(optionOf(limit.setting));
    return [what, each, total, [...beyond].join(', in all '), setting];
  });
  return table(['limit', 'each', 'in all, per process', 'beyond it', 'setting'], rows);
}

function sections(): Map<string, string> {
  const made = new Map([
    ['guide', guideSections()],
    ['commands of the server', serverCommandTable()],
    ['settings', settingTable()],
    ['limits', limitTable(limits)],
    ['limits of intake', limitTable(intakeLimits)],
    ['metrics', metricsTable()],
    ['times', ['```text', TIMES, '```'].join('\n')],
    ['commands', allCommands().map(commandSection).join('\n\n')],
    ['options', optionTable()],
  ]);
  for (const list of Object.values(lists)) {
    made.set(`parameters of ${list.name}`, parameterTable(list));
    made.set(`fields of ${list.name}`, fieldTable(list));
    made.set(`sort keys of ${list.name}`, sortTable(list));
  }
  for (const { list } of importables)
    made.set(`import columns of ${list.name}`, importTable(targets[list.name as TargetName]));
  for (const [name, { status, title, about }] of Object.entries(problems)) {
    made.set(name, `## ${title}\n\n${status}, ${code(PROBLEM_TYPE + name)}\n\n${about}`);
  }
  return made;
}

/**
 * All generated files.
 * @throws {Error} if a page has an unknown section, or a section has no page.
 */
export function docs(): Map<string, string> {
  const made = sections();
  const unused = new Set(made.keys());
  const files = new Map([
    [`${FOLDER}/openapi.json`, `${JSON.stringify(document, null, 2)}\n`],
    ['api/lists/page.ts', pageTypes()],
    ...Object.values(lists).flatMap((list) =>
      [...listTypes(list)].map(([name, text]) => [`api/lists/${name}`, text] as const),
    ),
  ]);
  for (const name of readdirSync(join(ROOT, FOLDER)).filter((one) => one.endsWith('.md'))) {
    const path = `${FOLDER}/${name}`;
    const text = readFileSync(join(ROOT, path), 'utf8');
    const filled = text.replace(SECTION, (_, start: string, name: string, end: string) => {
      const section = made.get(name);
      if (section === undefined) throw new Error(`${path}: there is no generated section "${name}"`);
      unused.delete(name);
      return `${start}\n${section}\n\n${end}`;
    });
    files.set(path, filled);
  }
  if (unused.size > 0) throw new Error(`no page of ${FOLDER}/ has the sections: ${[...unused].join(', ')}`);
  return files;
}

if (import.meta.main) {
  for (const [path, text] of docs()) writeFileSync(join(ROOT, path), text);
}
