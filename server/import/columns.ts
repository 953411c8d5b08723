// The columns of an import (docs/how-to/import-files.md): they follow from the contract's fields. The names
// in the header of a file, or those of a query, say where the value of each column is.

import { CATEGORIES, MAX_NUMBER_CHARACTERS, MAX_TEXT_CHARACTERS } from '@linecard/client/contract';
import type { Field, Kind, List } from '@linecard/client/contract/list';
import { nearest } from '@linecard/client/contract/suggestion';
import { listed } from '@linecard/client/contract/wording';
import type { RowValues } from '../store/tables.ts';
import { countryName, countryOfNumber } from './countries.ts';
import {
  accountId,
  charge,
  country,
  flag,
  type ImportValue,
  integer,
  oneOf,
  phoneNumber,
  shownName,
  textUpTo,
  timestamp,
  type ValueReader,
} from './values.ts';

export interface ImportColumn extends ValueReader {
  readonly name: string;
  readonly kind: Kind;
  readonly about: string;
  readonly required: boolean;
  /** Whether a file may be without it although items need it: the items are there already. */
  readonly mayBeAbsent?: boolean;
  /** Whether an export guards its texts against being run as formulas. */
  readonly isGuarded?: boolean;
  /** The value where it is missing or empty. */
  readonly fallback: ImportValue;
}

/** The column of rows that remove an item; it is not one of the item's. */
export const REMOVED = 'removed';
/** What every row has, also one that removes an item. */
export const KEYS: readonly string[] = ['account_id', 'id'];

/** How a text that is missing is found. */
export interface Finder {
  readonly name: string;
  readonly about: string;
  find(values: RowValues): string;
}

const FALLBACKS = {
  integer: null,
  text: '',
  timestamp: null,
  charge: 0,
  flag: false,
} as const satisfies Record<Kind, ImportValue>;

function readerOf(list: List, name: string, field: Field): ValueReader {
  switch (field.kind) {
    case 'integer':
      return integer;
    case 'charge':
      return charge;
    case 'timestamp':
      return timestamp;
    case 'flag':
      return flag;
    case 'text':
      if (field.country === true) return country;
      if (name in list.only) return oneOf(CATEGORIES);
      return name === list.searchDigits ? phoneNumber(MAX_NUMBER_CHARACTERS) : textUpTo(MAX_TEXT_CHARACTERS);
  }
}

/** The columns of an import of the list; `account_id` is not required where the run is for one account. */
export function importColumns(list: List, account_id?: string): ImportColumn[] {
  const fields = Object.entries({ ...list.fields, ...list.hidden });
  const account: ImportColumn = {
    ...accountId(account_id),
    name: 'account_id',
    kind: 'text',
    about: 'Whose it is: your own customer id.',
    required: account_id === undefined,
    fallback: account_id ?? '',
  };
  return [
    account,
    ...fields.map(([name, field]) => ({
      ...readerOf(list, name, field),
      name,
      kind: field.kind,
      isGuarded: field.kind === 'text',
      about: field.about,
      required: field.required === true,
      fallback: list.only[name] ?? FALLBACKS[field.kind],
    })),
    {
      ...flag,
      name: REMOVED,
      kind: 'flag',
      about: 'Whether the account no longer has the item: then `account_id` and `id` are all that is needed.',
      required: false,
      fallback: false,
    },
  ];
}

/** Columns that are found when they are missing; one finding may build on the one before. */
export function findersOf(list: List): Finder[] {
  const finders: Finder[] = [];
  const number = list.searchDigits;
  const code = Object.keys(list.fields).find((name) => list.fields[name]?.country === true);
  if (code !== undefined && number !== undefined) {
    finders.push(
      {
        name: code,
        about: `found from an international \`${number}\``,
        find: (values) => countryOfNumber(String(values[number])),
      },
      {
        name: 'country',
        about: `the English name of \`${code}\``,
        find: (values) => countryName(String(values[code])),
      },
    );
  }
  if ('service_name' in list.hidden) {
    finders.push({
      name: 'service_name',
      about: 'the `title`',
      find: (values) => String(values['title']),
    });
  }
  return finders;
}

/** What is imported, as messages name it. */
export type Titled = Pick<List, 'title'>;

/** What is wrong with a column that the list does not have. */
export function unknownColumn(list: Titled, columns: readonly ImportColumn[], name: string): string {
  const names = columns.map((column) => column.name);
  const meant = nearest(name, names);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return `is not a column of ${list.title.toLowerCase()}.${hint} Known are ${listed(names)}.`;
}

/** The words of messages about names, in a file or in a query. */
export interface HeaderWords {
  /** All names together, as in "the header does not name it". */
  readonly header: string;
  /** The place of one name. */
  readonly cell: string;
}

/**
 * For each column the position of its cell, or -1; `undefined` when a fault was reported.
 * @param report is called with the name at fault and what is wrong with it.
 */
export function headerPositions(
  list: Titled,
  columns: readonly ImportColumn[],
  names: readonly string[],
  words: HeaderWords,
  report: (column: string, fault: string) => void,
): readonly number[] | undefined {
  const positions = columns.map(({ name }) => names.indexOf(name));
  let faults = 0;
  const fault = (column: string, text: string) => {
    faults += 1;
    report(column, text);
  };
  for (const [i, given] of names.entries()) {
    const name = shownName(given);
    if (given === '') fault(`${words.cell} ${i + 1}`, `has no name; every column needs one.`);
    else if (!columns.some((column) => column.name === given))
      fault(name, unknownColumn(list, columns, given));
    else if (names.indexOf(given) < i)
      fault(
        name,
        `is there twice, in ${words.cell}s ${names.indexOf(given) + 1} and ${i + 1}; leave one out.`,
      );
  }
  // Rows that remove an item need its keys alone; what the others lack is reported with them.
  const mayRemove = names.includes(REMOVED);
  for (const [i, { name, required, mayBeAbsent }] of columns.entries()) {
    const isNeeded = required && mayBeAbsent !== true && (KEYS.includes(name) || !mayRemove);
    if (isNeeded && positions[i] === -1) fault(name, `is required, but ${words.header} does not name it.`);
  }
  return faults === 0 ? positions : undefined;
}
