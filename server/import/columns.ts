// The columns of an import (docs/how-to/import-files.md): they follow from the contract's fields. The names
// in the header of a file, or those of a query, say where the value of each column is.

import { CATEGORIES, MAX_NUMBER_CHARACTERS, MAX_TEXT_CHARACTERS } from '@linecard/client/contract';
import type { Field, Kind, List } from '@linecard/client/contract/list';
import { ownFieldsOf, ownNameFault, ownNames } from '@linecard/client/contract/own-fields';
import { nearest } from '@linecard/client/contract/suggestion';
import { listed } from '@linecard/client/contract/wording';
import type { RowValues } from '../store/tables.ts';
import { countryName, countryOfNumber, numberType } from './countries.ts';
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
  signedInteger,
  textUpTo,
  timestamp,
  type ValueReader,
} from './values.ts';

export interface ImportColumn extends ValueReader {
  readonly name: string;
  /** What people call it, of a field that the operator declared. */
  readonly titles?: readonly string[];
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
      return field.signed === true ? signedInteger : integer;
    case 'charge':
      return charge;
    case 'timestamp':
      return timestamp;
    case 'flag':
      return flag;
    case 'text':
      if (field.country === true) return country;
      if (name in list.only) return oneOf(CATEGORIES);
      return name === list.searchDigits
        ? phoneNumber(MAX_NUMBER_CHARACTERS)
        : textUpTo(field.maxCharacters ?? MAX_TEXT_CHARACTERS);
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
    isGuarded: true,
    required: account_id === undefined,
    fallback: account_id ?? '',
  };
  return [
    account,
    ...fields.map(([name, field]) => ({
      ...readerOf(list, name, field),
      name,
      ...(field.own && { titles: ownNames(field.own) }),
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
  for (const { name, derive } of ownFieldsOf(list)) {
    if (derive === null || number === undefined) continue;
    finders.push({
      name,
      about: `the type of \`${number}\``,
      find: (values) => numberType(String(values[number])),
    });
  }
  return finders;
}

/** What is seen of most names: nothing to fold. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;
const UNSEEN = /[\u200b-\u200d\u2060\ufeff]/g;

/** A name as names are compared: as Unicode composes it (NFC), trimmed, with single usual blanks. */
export const plainName = (name: string): string =>
  PLAIN.test(name) ? name : name.normalize('NFC').replace(UNSEEN, '').replace(/\s+/g, ' ').trim();

/** What is imported, as messages name it. */
export type Titled = Pick<List, 'title'>;

/** More names than this are counted: a header may have any number of cells. */
const MAX_SHOWN_NAMES = 12;

/** What is wrong with names that the list has no column for: all in one sentence. */
export function unknownColumns(
  list: Titled,
  columns: readonly ImportColumn[],
  names: readonly string[],
): { readonly column: string | undefined; readonly fault: string } {
  const known = columns.map((column) => column.name);
  const title = list.title.toLowerCase();
  const shown = names.slice(0, MAX_SHOWN_NAMES).map(shownName);
  const isOne = names.length === 1;
  const meant = names.slice(0, MAX_SHOWN_NAMES).flatMap((name, i) => {
    const one = nearest(name, known);
    return one === undefined ? [] : [isOne ? one : `${one} for ${shown[i]}`];
  });
  const isOwn = known.includes(REMOVED) && names.some((name) => ownNameFault(name) === undefined);
  const declare = isOwn ? ' Declare a field of your own first: linecard-server field add.' : '';
  const hint = meant.length === 0 ? declare : ` Did you mean ${listed(meant)}?`;
  const rest = `of ${title}.${hint} Known are ${listed(known)}.`;
  if (isOne) return { column: shown[0], fault: `is not a column ${rest}` };
  const more = names.length - shown.length;
  const all = listed(more === 0 ? shown : [...shown, `${more} more`]);
  return { column: undefined, fault: `${all} are not columns ${rest}` };
}

/** Whether most of these names are of another system. */
export function isForeign(columns: readonly ImportColumn[], names: readonly string[]): boolean {
  return 2 * names.filter((name) => columns.some((column) => column.name === name)).length < names.length;
}

/** The words of messages about names, in a file or in a query. */
export interface HeaderWords {
  /** All names together, as in "the header does not name it". */
  readonly header: string;
  /** The place of one name. */
  readonly cell: string;
  /** What is said first where most names are of another system. */
  readonly foreign?: string | undefined;
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
  report: (column: string | undefined, fault: string) => void,
): readonly number[] | undefined {
  const positions = columns.map(({ name }) => names.indexOf(name));
  let faults = 0;
  const fault = (column: string | undefined, text: string) => {
    faults += 1;
    report(column, text);
  };
  const isKnown = (name: string) => columns.some((column) => column.name === name);
  const unknown = [...new Set(names)].filter((name) => name !== '' && !isKnown(name));
  const isOfAnother = words.foreign !== undefined && isForeign(columns, names);
  if (isOfAnother) fault(undefined, String(words.foreign));
  if (unknown.length > 0) {
    const { column, fault: text } = unknownColumns(list, columns, unknown);
    fault(column, text);
  }
  for (const [i, name] of names.entries()) {
    if (name === '') fault(`${words.cell} ${i + 1}`, `has no name; every column needs one.`);
    else if (isKnown(name) && names.indexOf(name) < i)
      fault(
        name,
        `is there twice, in ${words.cell}s ${names.indexOf(name) + 1} and ${i + 1}; leave one out.`,
      );
  }
  // Rows that remove an item need its keys alone; what the others lack is reported with them.
  const mayRemove = names.includes(REMOVED);
  for (const [i, { name, required, mayBeAbsent }] of columns.entries()) {
    const isNeeded = required && mayBeAbsent !== true && (KEYS.includes(name) || !mayRemove);
    if (isNeeded && positions[i] === -1 && !isOfAnother)
      fault(name, `is required, but ${words.header} does not name it.`);
  }
  return faults === 0 ? positions : undefined;
}
