// The commands of a list as data, with options from the contract. Each loads what it needs when it runs.

import type { ExportFormat } from '@linecard/client';
import { AMOUNTS_PER } from '@linecard/client/check/written-numbers';
import type { List } from '@linecard/client/contract/list';
import { nearest } from '@linecard/client/contract/suggestion';
import type { Completable } from './completion.ts';
import { examplesFor, type ListCommand, moreFields, wordOf } from './list-examples.ts';
import { FILTERS, listOptions } from './list-options.ts';
import { didYouMean } from './meant.ts';
import { ACCOUNT_OPTION, type GivenOptions, type OptionDefinition, paramsOf, textOf } from './options.ts';
import { WrongUsage } from './outcome.ts';
import type { Output } from './rows.ts';

export interface CommandDefinition extends Completable {
  /** The arguments in the usage. */
  readonly takes?: string;
  readonly examples: readonly string[];
  /** Help text below the options. */
  readonly notes?: string;
  run(given: GivenOptions, args: readonly string[], signal: AbortSignal): Promise<void>;
}

const OUTPUT = 'Output';
export const LIST_OUTPUTS = ['table', 'json', 'ndjson', 'csv'] as const satisfies Output[];
const EXPORT_OUTPUTS = ['csv', 'ndjson', 'xlsx'] as const satisfies ExportFormat[];
const CHECK_OUTPUTS = ['table', 'csv', 'json'] as const;
export const SHORT_OUTPUTS = ['table', 'json'] as const;

export const TIMES = `Times:
  A <time> is one of
    2026-12-01, 2026-12, 2026      a day, a month or a year
    today, tomorrow, yesterday     a day
    "this week", "next month"      this, next or last; week, month or year
    now, 7d, "in 7d", "7d ago"     a point in time; h, d or w
    2026-12-01T09:30:00+01:00      a point in time, as RFC 3339
  A <span> is a day, week, month or year, a range (2026-12-01..2026-12-15), a
  range with an open end (..today, 2026-12..), or 7d (from now on) and
  "30d ago" (up to now). Both ends belong to it.

  Before a day, week, month or year is before it begins; after it is after it
  ends. Weeks begin on Monday. What today is says the clock of this machine;
  the day itself is that of UTC, as it is for a payment that is due on a day.`;

/**
 * What `--output` names.
 * @throws {WrongUsage} for anything else
 */
export function outputOf<const T extends string>(given: GivenOptions, values: readonly T[]): T | undefined {
  const text = textOf(given, 'output');
  if (text === undefined) return undefined;
  const value = values.find((one) => one === text);
  if (value !== undefined) return value;
  const hint = didYouMean(nearest(text, values));
  throw new WrongUsage(`--output must be one of ${values.join(', ')}, but was "${text}"${hint}`);
}

export function outputOption(values: readonly string[], about: string): OptionDefinition {
  return { name: 'output', group: OUTPUT, value: '<format>', about, values };
}

function columnsOption(list: List, otherwise: string): OptionDefinition {
  const names = Object.keys(list.fields);
  return {
    name: 'columns',
    group: OUTPUT,
    value: '<names>',
    about: `which columns, in this order; ${otherwise}: ${names.join(', ')}, or all`,
    values: [...names, 'all'],
    many: true,
  };
}

function commandOf(list: List, use: ListCommand) {
  return {
    words: [wordOf(list), use],
    list,
    groupAbout: list.about,
    examples: examplesFor(list, use),
    notes: [...moreFields(list), ...(use === 'get' ? [] : [TIMES])].join('\n\n'),
  };
}

function listCommand(list: List): CommandDefinition {
  const options = listOptions(list, 'list');
  return {
    ...commandOf(list, 'list'),
    about: `Show ${list.title.toLowerCase()}: a page of them, or with --all every match.`,
    options: [
      ...options,
      { name: 'all', group: 'Page', about: 'every match, instead of a page' },
      outputOption(LIST_OUTPUTS, 'table, json (an array), ndjson (one object a line) or csv, default table'),
      columnsOption(list, 'else as many as fit'),
    ],
    async run(given, _args, signal) {
      const params = paramsOf(options, given);
      const output = outputOf(given, LIST_OUTPUTS) ?? 'table';
      const { listItems } = await import('./list.ts');
      await listItems({ list, given, signal }, params, output);
    },
  };
}

function getCommand(list: List): CommandDefinition {
  const isByNumber = list.searchDigits !== undefined;
  return {
    ...commandOf(list, 'get'),
    takes: isByNumber ? '<id-or-number...>' : '<id>',
    about: `Show one ${list.one} by its id${isByNumber ? ', or those of a telephone number, however it is written' : ''}.`,
    options: [outputOption(SHORT_OUTPUTS, 'table or json, default table'), columnsOption(list, 'else all')],
    async run(given, args, signal) {
      const output = outputOf(given, SHORT_OUTPUTS) ?? 'table';
      const { namedBy, showItem } = await import('./get.ts');
      const named = namedBy(list, args);
      await showItem({ list, given, signal }, named, output);
    },
  };
}

function exportCommand(list: List): CommandDefinition {
  const options = listOptions(list, 'export');
  return {
    ...commandOf(list, 'export'),
    about: 'Write every match as a spreadsheet, CSV or NDJSON, from one snapshot.',
    options: [
      ...options,
      {
        name: 'file',
        group: OUTPUT,
        value: '<path>',
        about:
          'write to this file, completely or not at all: .xlsx, .csv, .ndjson or .jsonl, all but .xlsx also with .gz; else to standard output',
      },
      outputOption(
        EXPORT_OUTPUTS,
        'csv, ndjson or xlsx; by default what the name of the file says, and csv to standard output',
      ),
      columnsOption(list, 'else all'),
    ],
    async run(given, _args, signal) {
      const params = paramsOf(options, given);
      const chosen = outputOf(given, EXPORT_OUTPUTS);
      const { exportItems } = await import('./export.ts');
      await exportItems({ list, given, signal }, params, chosen);
    },
  };
}

function facetsCommand(list: List): CommandDefinition {
  const options = listOptions(list, 'facets');
  return {
    ...commandOf(list, 'facets'),
    about: `Show how many ${list.title.toLowerCase()} there are, what they cost, what falls due, and what to filter by.`,
    options: [...options, outputOption(SHORT_OUTPUTS, 'table or json, default table')],
    async run(given, _args, signal) {
      const params = paramsOf(options, given);
      const output = outputOf(given, SHORT_OUTPUTS) ?? 'table';
      const { showFacets } = await import('./facets.ts');
      await showFacets({ list, given, signal }, params, output);
    },
  };
}

const SYNC_NOTES = `The file has one item per line, by id, as an export has them, and a last line
that says what it is a copy of and where to continue. Named .db, .sqlite or .sqlite3
it is a SQLite database: a table for each list, with one item per row as JSON.
It is updated in one step: whatever happens, the file is a complete copy, old or
new. A different account, server or filter than that of the file is an error; give
times as dates, because "7d" is another time each day.`;

function syncCommand(list: List): CommandDefinition {
  const options = listOptions(list, 'sync');
  return {
    ...commandOf(list, 'sync'),
    takes: '<file>',
    about: `Keep a copy of ${list.title.toLowerCase()} in a file: created once, then updated with what has changed.`,
    options: [
      ...options,
      {
        name: 'watch',
        group: OUTPUT,
        about: 'keep running, and apply each change as it comes, until stopped',
      },
    ],
    notes: `${SYNC_NOTES}\n\n${TIMES}`,
    async run(given, [path = ''], signal) {
      const params = paramsOf(options, given);
      const { syncFile } = await import('./sync.ts');
      const watches = given.has('watch');
      await syncFile({ list, given, signal }, path, params, watches);
    },
  };
}

function rangesCommand(list: List): CommandDefinition {
  const options = listOptions(list, 'ranges');
  return {
    ...commandOf(list, 'ranges'),
    about: `Show ${list.title.toLowerCase()} as ranges, as porting forms and telephone systems take them.`,
    options: [...options, outputOption(CHECK_OUTPUTS, 'table, csv or json, default table')],
    async run(given, _args, signal) {
      const params = paramsOf(options, given);
      const output = outputOf(given, CHECK_OUTPUTS) ?? 'table';
      await (await import('./ranges.ts')).showRanges({ list, given, signal }, params, output);
    },
  };
}

const CHECK_NOTES = `The file is CSV with any delimiter, NDJSON, JSON, or one number a line; - is standard
input. The column of numbers is found by its content. A range (+442079460000-99,
+442079460000-+442079460099) is each of its numbers. The file is read here and
uploaded nowhere. Exit status: 0 the same, 1 they differ, 2 wrong usage.`;

function checkCommand(list: List): CommandDefinition {
  const filters = listOptions(list, 'facets').filter(({ group }) => group === FILTERS);
  const column = (name: string, about: string) => ({ name, group: 'File', value: '<name>', about });
  return {
    ...commandOf(list, 'check'),
    takes: '<file>',
    about: 'Check the numbers of a file, such as an invoice, against those of the account.',
    options: [
      column('number-column', 'which column has the numbers; else it is found by its content'),
      column('amount-column', 'which column has amounts, to compare with the charges; else none are'),
      {
        name: 'amount-per',
        group: 'File',
        value: '<span>',
        values: AMOUNTS_PER,
        about: 'what an amount is for: payment (default), which covers the months of the frequency, or month',
      },
      ...filters,
      outputOption(CHECK_OUTPUTS, 'table, csv or json, default table'),
    ],
    notes: `${CHECK_NOTES}\n\n${TIMES}`,
    async run(given, [path = ''], signal) {
      const params = paramsOf(filters, given);
      const output = outputOf(given, CHECK_OUTPUTS) ?? 'table';
      const { checkFile } = await import('./check.ts');
      await checkFile({ list, given, signal }, path, params, output);
    },
  };
}

export function listCommands(list: List): CommandDefinition[] {
  const ofNumbers = list.searchDigits === undefined ? [] : [checkCommand, rangesCommand];
  const commands = [listCommand, getCommand, exportCommand, facetsCommand, syncCommand, ...ofNumbers].map(
    (of) => of(list),
  );
  return commands.map((command) => ({ ...command, options: [...command.options, ACCOUNT_OPTION] }));
}
