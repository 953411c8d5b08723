// Examples of the commands of a list, with filters that the list has.

import type { List } from '@linecard/client/contract/list';
import { ownFieldsOf } from '@linecard/client/contract/own-fields';
import type { ListUse } from './list-options.ts';

/** The commands of a list by their second word. */
export type ListCommand = ListUse | 'get' | 'check';

/** `virtual_numbers` -> `virtual-numbers` */
export const wordOf = (list: List) => list.name.replaceAll('_', '-');

/** Each begins with a comment. */
export function examplesFor(list: List, use: ListCommand): string[] {
  const command = `linecard ${wordOf(list)} ${use}`;
  const things = list.title.toLowerCase();
  const inGermany = 'country_codes' in list.filters;
  const week = '--next-payment "this week"';
  const examples: Readonly<Record<ListCommand, readonly (string | false)[]>> = {
    list: [
      inGermany
        ? `# ${things} in Germany that fall due this week\n${command} --country-codes DE ${week}`
        : `# ${things} that fall due this week\n${command} ${week}`,
      'is_spammed' in list.filters && `# all that are flagged as spam\n${command} --is-spammed --all`,
      `# due within 7 days or overdue, the most expensive first\n${command} --next-payment ..7d --sort-by monthly --sort-order desc`,
      `# a few columns for a spreadsheet\n${command} --all --output csv --columns id,comment,monthly > ${wordOf(list)}.csv`,
    ],
    export: [
      `# everything, into a spreadsheet\n${command} --file ${wordOf(list)}.xlsx`,
      `# what falls due this week, as CSV\n${command} ${week} --file due.csv`,
      `# one JSON object a line, for a program\n${command} --subscription-statuses active --output ndjson`,
    ],
    get: [
      `${command} 41007`,
      list.searchDigits !== undefined && `${command} +44 20 7946 0018`,
      `# for a program\n${command} 41007 --output json`,
    ],
    check: [
      `# an invoice: its numbers, and what each of them costs\n${command} invoice.csv --number-column Rufnummer --amount-column Preis`,
      `# the numbers of a telephone system, one a line, without those that are not in use\n${command} pbx.txt --statuses active`,
      `# what differs, for a spreadsheet\n${command} invoice.csv --output csv > differences.csv`,
    ],
    ranges: [
      `# the ranges of a porting order, for its form\n${command} --subscription-statuses active --output csv > ranges.csv`,
      `# blocks of ten and more, by provider\n${command} --split-by provider --min-count 10`,
    ],
    facets: [
      `# what there is and what it costs\n${command}`,
      inGermany && `# the same for Germany\n${command} --country-codes DE`,
      `# for a program\n${command} --subscription-statuses active --output json`,
    ],
    sync: [
      `# make a copy, and bring it up to date each time\n${command} ${wordOf(list)}.ndjson`,
      `# keep it up to date until it is stopped\n${command} ${wordOf(list)}.ndjson --watch`,
      `# the same in SQLite, which only writes what has changed\n${command} ${wordOf(list)}.db`,
      `# read it: the last line is not an item\nsed '$d' ${wordOf(list)}.ndjson`,
    ],
  };
  return examples[use].filter((one) => one !== false);
}

const MORE_FIELDS = `An operator can declare more fields, with columns and options of their own (--x-…).
Where you are signed in and the server answers, this help has them.`;

/** What the help says of fields that it does not have. */
export const moreFields = (list: List): string[] => (ownFieldsOf(list).length === 0 ? [MORE_FIELDS] : []);
