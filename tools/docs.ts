// Generates documentation from the tables of the source: docs/generated/openapi.json, the types in
// api/lists/, and sections between `<!-- made from the contract: NAME -->` and `<!-- end -->` in
// docs/generated/*.md. Run `npm run docs` after every change of a contract, command, setting, limit, metric
// or problem.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_MAX_PAGE_SIZE, lists, MAX_TEXT_CHARACTERS } from '../api/contract/contract.ts';
import type { List } from '../api/contract/list.ts';
import { PROBLEM_TYPE, problems } from '../api/contract/problems.ts';
import { guide } from '../api/openapi/guide.ts';
import { openapi } from '../api/openapi/openapi.ts';
import { fieldSchema } from '../api/openapi/schemas.ts';
import { TIMES } from '../cli/list-commands.ts';
import type { ImportColumn } from '../server/import/columns.ts';
import { importables, type TargetName } from '../server/import/job.ts';
import { type ImportTarget, targets } from '../server/import/targets.ts';
import { textUpTo } from '../server/import/values.ts';
import { deliverLimits } from '../server/limits/deliver-limits.ts';
import { intakeLimits } from '../server/limits/intake-limits.ts';
import { type Limit, limits } from '../server/limits/limits.ts';
import { rowOf } from '../server/limits/refusal.ts';
import { definitions } from '../server/metrics/definitions.ts';
import { DURATION_LABELS, DURATIONS, DURATIONS_HELP } from '../server/metrics/durations.ts';
import { typeOf } from '../server/reference/document.ts';
import { optionOf } from '../server/settings/config.ts';
import { code, commandTable, optionTable, serverSections, table } from './command-tables.ts';
import { answerTypes, listTypes } from './list-types.ts';

const ROOT = join(import.meta.dirname, '..');
const SECTION = /(<!-- made from the contract: (.+?) -->\n).*?(<!-- end -->)/gs;
const FOLDER = 'docs/generated';

const { version } = JSON.parse(readFileSync(join(ROOT, 'api/package.json'), 'utf8')) as { version: string };
const document = openapi({ version, max_page_size: DEFAULT_MAX_PAGE_SIZE });

/** A table without the rows that one before has as they are: a sentence names them. */
function newRows(head: readonly string[], rows: readonly (readonly string[])[], before: Set<string>): string {
  const isKnown = (row: readonly string[]) => before.has(row.join('|'));
  const same = rows.filter(isKnown).map(([name]) => name);
  const fresh = rows.filter((row) => !isKnown(row));
  for (const row of fresh) before.add(row.join('|'));
  const known = same.length === 0 ? [] : [`As above: ${same.join(', ')}.`];
  return [table(head, fresh), ...known].join('\n\n');
}

/** The fields of a list, each with the filters and sort keys that look at it. */
function fieldTable(list: List, before: Set<string>): string {
  const sorting = Object.entries(list.hidden).filter(([name]) => name in list.sorts);
  const rows = [...Object.entries(list.fields), ...sorting].map(([name, field]) => {
    const isShown = name in list.fields;
    const filters = Object.keys(list.filters).filter((key) => list.filters[key]?.field === name);
    const sorts = Object.keys(list.sorts).filter((key) => list.sorts[key] === name);
    const known = field.known === undefined ? '' : ` Known: ${field.known.map(code).join(', ')}.`;
    return [
      code(name),
      isShown ? typeOf(document, fieldSchema(field)) : 'not shown',
      field.about + known,
      isShown ? code(field.example) : '',
      filters.map(code).join(' '),
      sorts.map(code).join(' '),
    ];
  });
  return newRows(['field', 'type', 'meaning', 'example', 'filters', '`sort_by`'], rows, before);
}

const ANY_TEXT = textUpTo(MAX_TEXT_CHARACTERS).allowed;

function importTable({ finders, columns }: ImportTarget, before: Set<string>): string {
  const found = new Map(finders.map(({ name, about }) => [name, about]));
  const missingOf = ({ name, mayBeAbsent, fallback }: ImportColumn) =>
    mayBeAbsent === true ? 'stays' : (found.get(name) ?? (fallback === '' ? 'empty' : code(fallback)));
  const rows = columns().map((column) => {
    const { name, kind, required, allowed, about } = column;
    const isNeeded = required && column.mayBeAbsent !== true;
    return [
      code(name),
      kind !== 'text' || allowed === ANY_TEXT ? kind : allowed,
      isNeeded ? '**required**' : missingOf(column),
      about,
    ];
  });
  return newRows(['column', 'takes', 'when missing', 'meaning'], rows, before);
}

/** Samples of code in another language than the first. */
const OTHER_SAMPLES = /\n\n```\w+ (?!curl)\w.*?\n```(?=\n|$)/gs;

/** The guide without errors and limits, which have a page each, and with samples for curl alone. */
function guideSections(): string {
  return guide(DEFAULT_MAX_PAGE_SIZE, [])
    .filter(({ title }) => title !== 'Errors')
    .map(({ title, text }) => `## ${title}\n\n${text.replaceAll(OTHER_SAMPLES, '')}`)
    .join('\n\n');
}

function metricsTable(): string {
  const durations = { name: DURATIONS, labels: DURATION_LABELS, help: DURATIONS_HELP };
  const rows = [durations, ...definitions].map(({ name, labels, help }) => [
    code(labels.length === 0 ? name : `${name}{${labels.join(',')}}`),
    help,
  ]);
  return table(['metric', 'meaning'], rows);
}

function limitTable(chosen: Readonly<Record<string, Limit>>): string {
  const rows = Object.values(chosen).map((limit) => {
    const { what, each, total, beyondEach, beyondTotal } = rowOf(limit);
    const beyond = new Set([beyondEach, beyondTotal].filter(Boolean));
    const setting = limit.setting === undefined ? '' : `: ${code(optionOf(limit.setting))}`;
    const most = [each, each === '' || total === '' ? total : `${total} in all`].filter(Boolean);
    return [what + setting, most.join(', '), [...beyond].join(', in all ')];
  });
  return table(['limit', 'at most', 'beyond it'], rows);
}

function sections(): Map<string, string> {
  const made = new Map([
    ['guide', guideSections()],
    ['commands of the server', serverSections()],
    ['limits', limitTable(limits)],
    ['limits of intake', limitTable(intakeLimits)],
    ['limits of deliver', limitTable(deliverLimits)],
    ['metrics', metricsTable()],
    ['times', ['```text', TIMES, '```'].join('\n')],
    ['commands', commandTable()],
    ['options', optionTable()],
  ]);
  const [fields, columns] = [new Set<string>(), new Set<string>()];
  for (const list of Object.values(lists)) made.set(`fields of ${list.name}`, fieldTable(list, fields));
  for (const { list } of importables)
    made.set(`import columns of ${list.name}`, importTable(targets[list.name as TargetName], columns));
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
    ['api/lists/answers.ts', answerTypes()],
    ...Object.values<List>(lists).map(
      (list) => [`api/lists/${list.name.replaceAll('_', '-')}.ts`, listTypes(list)] as const,
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
